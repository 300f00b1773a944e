//! What was forgotten is not taken in again, nor are its sub-agents, which tell what it did.

use super::book::{Book, Standing};
use super::draft::{Draft, SessionDraft};
use backstory_adapters::{Located, Record};
use backstory_model::SessionUid;
use backstory_store::{SessionDelta, StoreError};

/// Row ids of the forgotten among these sessions, asked once for all their records.
pub(super) fn refused(
    book: &mut Book<'_>,
    uids: &[SessionUid],
) -> Result<Vec<Option<i64>>, StoreError> {
    let refused = |uid| {
        let open = book.open(uid)?;
        Ok((open.standing == Standing::Forgotten).then_some(open.id))
    };
    uids.iter().map(refused).collect()
}

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
