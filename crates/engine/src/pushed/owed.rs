//! Seals that stand in posted files and not in the archive yet. The files themselves are the list of what is
//! left to do: whoever is killed between the two forgets nothing.

use super::{PostedFile, account, copies, folder};
use backstory_adapters::pushed::any_uid_of;
use backstory_model::{SealReason, SessionUid};
use backstory_store::{Home, StoreError, Vault};

/// Posted files that the archive does not have as they are, sealed to their end, and the archive.
pub(super) fn unsettled(home: &Home) -> Result<(Vec<PostedFile>, Option<Vault>), StoreError> {
    if !folder(home).exists() {
        return Ok((Vec::new(), None));
    }
    let vault = if home.engine().exists()? { Some(Vault::open(home)?) } else { None };
    let seen = vault.as_ref().map(Vault::source_stats).transpose()?.unwrap_or_default();
    let closed = vault.as_ref().map(Vault::sealed).transpose()?.unwrap_or_default();
    let mut files = copies::files(home, &seen);
    files.retain(|file| !(file.is_taken_in && closed.contains_key(&any_uid_of(&file.id))));
    Ok((files, vault))
}

/// Sessions the archive owes a seal, and why they were sealed. What cannot be read is owed nothing.
pub fn owed(home: &Home) -> Result<Vec<(SessionUid, SealReason)>, StoreError> {
    let (files, vault) = unsettled(home)?;
    let mut owed = Vec::new();
    for file in files {
        let uid = any_uid_of(&file.id);
        let Some(seal) = account::seals(&file.path).ok().and_then(|seals| seals.into_iter().last())
        else {
            continue;
        };
        let archived = vault.as_ref().map(|vault| vault.latest_seal(&uid)).transpose()?.flatten();
        if archived.is_none_or(|archived| archived.sealed_at.0 < seal.at) {
            let reason = SealReason::from_name(&seal.reason).unwrap_or(SealReason::Asked);
            owed.push((uid, reason));
        }
    }
    Ok(owed)
}
