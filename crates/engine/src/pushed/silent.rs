//! Posted sessions nothing is heard of any more. Whoever comes by seals them: the server they were posted to may
//! have ended long ago.

use super::owed::unsettled;
use super::{Journal, Limits, PostedFile, PushError, Unasked, file};
use backstory_model::Timestamp;
use backstory_store::{Home, StoreError};
use std::time::Duration;

/// Posted sessions with something open that nothing was heard of for as long as their plugins said, or else for
/// so long. What cannot be read is left to whoever can.
pub fn silent(home: &Home, usual: Duration, now: Timestamp) -> Result<Vec<String>, StoreError> {
    let is_due = |posted: &PostedFile| {
        let counts = file::open(&posted.path).ok().flatten();
        let counts = counts.and_then(|file| file::count(&file).ok());
        counts.is_some_and(|counts| {
            let due = Unasked::of(counts.policy.as_deref()).due(posted.written_at.0, usual);
            !counts.open.is_empty() && now.0 >= due
        })
    };
    let (files, _) = unsettled(home)?;
    Ok(files.into_iter().filter(is_due).map(|posted| posted.id).collect())
}

/// Seals them where they were posted.
pub(crate) fn seal_silent(home: &Home, usual: Duration, now: Timestamp) -> Result<(), StoreError> {
    let silent = silent(home, usual, now)?;
    if silent.is_empty() {
        return Ok(());
    }
    let journal = Journal::new(home.clone(), Limits::default());
    for id in silent {
        match journal.seal(&id, 0, "idle", now) {
            Err(PushError::Io(error)) => return Err(error.into()),
            Ok(_) | Err(PushError::Id(_)) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{Knobs, SealChoice, SealOptions};
    use crate::pushed::{Incoming, Part, place};
    use crate::{Archive, SyncOptions, is_any_due, sync};
    use backstory_distill::retention::Budget;
    use backstory_model::{SealReason, SessionUid};
    use backstory_store::Vault;
    use std::time::UNIX_EPOCH;

    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    #[test]
    fn any_sweep_seals_what_nobody_posts_to_any_more() {
        let dir = tempfile::tempdir().unwrap();
        let home = backstory_store_sqlite::home(dir.path());
        let journal = Journal::new(home.clone(), Limits::default());
        for (id, policy, minutes) in [
            ("oc-silent", None, 31),
            ("oc-recent", None, 29),
            ("oc-soon", Some("{\"idle_timeout_seconds\":60}"), 2),
            ("oc-never", Some("null"), 600),
        ] {
            journal.create(id, policy, NOW).unwrap();
            let text = Some(format!("what {id} had to say of the harbour"));
            let parts = vec![Part { text, ..Part::default() }];
            let said = Incoming { role: "user".into(), parts, ..Incoming::default() };
            journal.append(id, &[said], NOW).unwrap();
            let written = UNIX_EPOCH + Duration::from_millis(NOW.0 as u64);
            let file = fs_err::OpenOptions::new().append(true).open(place(&home, id)).unwrap();
            file.file().set_modified(written - Duration::from_secs(60 * minutes)).unwrap();
        }
        let knobs = Knobs::default();
        assert!(is_any_due(&home, NOW, &knobs));
        let archive = Archive::indexed_at_home(home.clone());
        let options = SyncOptions {
            spool: true,
            seal: Some(SealOptions { knobs, choice: SealChoice::Pending }),
            budget: Some(Budget::UNLIMITED),
            ..SyncOptions::new(archive, Vec::new())
        };
        let mut sealed = sync(&options, NOW, &mut |_| ()).unwrap().sealed.sealed;
        sealed.sort_by(|one, other| one.uid.cmp(&other.uid));
        let sealed: Vec<_> = sealed.iter().map(|one| (one.uid.as_str(), one.reason)).collect();
        assert_eq!(
            sealed,
            [("pushed:oc-silent", SealReason::Idle), ("pushed:oc-soon", SealReason::Idle)]
        );
        assert!(!is_any_due(&home, NOW, &knobs));
        assert!(sync(&options, NOW, &mut |_| ()).unwrap().sealed.sealed.is_empty());
        let recent = SessionUid::from_stored("pushed:oc-recent".into());
        assert!(Vault::open(&home).unwrap().latest_seal(&recent).unwrap().is_none());
    }
}
