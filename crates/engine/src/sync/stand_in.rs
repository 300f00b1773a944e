//! Messages met in a log after their words were stored without it.

use super::draft::Draft;
use super::intake::Intake;
use crate::live;
use backstory_adapters::EventDraft;
use backstory_model::{EventKind, SessionUid};
use backstory_store::StoreError;

impl Intake<'_> {
    /// True if the words of a message were stored before its log had them.
    pub(super) fn stands_in(
        &mut self,
        uid: &SessionUid,
        event: &EventDraft,
        draft: &Draft,
    ) -> Result<bool, StoreError> {
        if event.kind != EventKind::AssistantMsg {
            return Ok(false);
        }
        let key = || live::key(draft.batch.get(event.payload));
        match self.stand_ins.key_of(uid, event.ts, key) {
            Some(key) => Ok(self.book.known(uid, key)?.is_some()),
            None => Ok(false),
        }
    }
}
