//! Where the packs of an archive are: its rows remember the mark of the place, so that a workstation that
//! names another one, its own home for example, does not take what it cannot find there for lost.

use crate::database::{Database, values};
use crate::{Packs, StoreError};

/// Makes the place for packs ready to be written to; one that is not the archive's is left as it is.
pub(crate) fn make_ready(packs: &dyn Packs, database: &dyn Database) -> Result<(), StoreError> {
    let known: Option<String> =
        database.one("SELECT mark FROM packs_state", &[], |row| row.get(0))?;
    if let Some(known) = known {
        if packs.mark()?.as_ref() != Some(&known) {
            let last = known.lines().last().unwrap_or_default();
            return Err(StoreError::OtherPacks(last.to_owned()));
        }
        return packs.create();
    }
    packs.create()?;
    if let Some(mark) = packs.mark()? {
        let sql = "INSERT INTO packs_state (id, mark) VALUES (1, ?1) ON CONFLICT (id) DO NOTHING";
        database.run(sql, values![mark.as_str()])?;
    }
    Ok(())
}
