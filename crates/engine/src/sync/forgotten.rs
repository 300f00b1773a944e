//! A sub-agent tells what its parent did: where the parent was forgotten, it is not taken in.

use super::book::{Book, Standing};
use super::draft::{Draft, SessionDraft};
use backstory_adapters::{Located, Record};
use backstory_model::SessionUid;
use backstory_store::{SessionDelta, StoreError};

/// Refuses sessions of these records that are new and whose parent was forgotten. Their rows, without
/// a word in them, keep later sweeps from taking them in.
pub(super) fn refuse_subagents(
    book: &mut Book<'_>,
    records: &[Located],
    uids: &[SessionUid],
    draft: &mut Draft,
    flavor: &'static str,
) -> Result<(), StoreError> {
    for located in records {
        let Record::Session(session, patch) = &located.record else { continue };
        let Some(parent) = &patch.parent else { continue };
        let uid = &uids[session.index()];
        if book.open(uid)?.standing != Standing::New || !book.is_forgotten_uid(parent)? {
            continue;
        }
        let open = book.open(uid)?;
        open.standing = Standing::Forgotten;
        let uid = uid.as_str().to_owned();
        let delta =
            SessionDelta { id: open.id, uid, flavor, is_forgotten: true, ..Default::default() };
        draft.sessions.push(SessionDraft { delta, patches: Vec::new() });
    }
    Ok(())
}
