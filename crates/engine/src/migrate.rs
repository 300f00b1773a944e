//! Moving an archive to another store.

use crate::{Archive, IndexReport, SyncError};
use backstory_store::{Moved, SweepLock, Writer, move_archive};

/// Moves everything, compares it, and builds the search index there. What an earlier move brought and is
/// the same is left alone. `on_progress` gets sessions done and sessions to do.
pub fn migrate(
    from: &Archive,
    to: &Archive,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<(Moved, IndexReport), SyncError> {
    from.home.expect_archive()?;
    let _from_lock = SweepLock::acquire(&from.home)?;
    let _to_lock = SweepLock::acquire(&to.home)?;
    let moved = move_archive(&from.home, &to.home, on_progress)?;
    let mut writer = Writer::open(&to.home)?;
    let indexed = crate::index::keep_in_step(&mut writer, to, &mut |_, _| ())?;
    Ok((moved, indexed))
}
