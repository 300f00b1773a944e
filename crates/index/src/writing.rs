//! Adding sessions to an index, wherever that is kept: texts are made into terms here.

use crate::preparing::{Prepared, Preparer, SessionCard};
use crate::{IndexError, Shelf, Writer};
use backstory_model::SessionEvent;

/// Writes an index.
#[derive(Debug)]
pub struct IndexWriter {
    kept: Box<dyn Writer>,
    preparer: Preparer,
    /// Whose events are being added.
    session: Option<i64>,
}

impl IndexWriter {
    /// Opens or creates the index; see [`Shelf::writer`].
    pub fn open(shelf: &dyn Shelf, batch: u64) -> Result<Self, IndexError> {
        Ok(Self { kept: shelf.writer(batch)?, preparer: Preparer::new()?, session: None })
    }

    /// Adds an event with its content.
    pub fn add_event(
        &mut self,
        session: i64,
        event: &SessionEvent,
        text: &str,
    ) -> Result<(), IndexError> {
        if self.session.replace(session) != Some(session) {
            self.preparer.begin_session(session);
        }
        let mut prepared = Prepared::default();
        self.preparer.add_event(event, text, &mut prepared);
        self.kept.add(prepared)
    }

    /// Adds those events of one session that come from some event on; returns how many they are.
    pub fn add_prepared(
        &mut self,
        mut prepared: Prepared,
        from_seq: u32,
    ) -> Result<u64, IndexError> {
        let events = prepared.begin_at(from_seq);
        self.kept.add(prepared)?;
        Ok(events)
    }

    /// Adds or replaces what is known of a session as a whole.
    pub fn put_card(&mut self, session: i64, card: &SessionCard) -> Result<(), IndexError> {
        self.kept.remove_card(session, false)?;
        let mut prepared = Prepared::default();
        self.preparer.add_card(session, card, &mut prepared);
        self.kept.add(prepared)
    }

    /// Removes a session's events.
    pub fn remove_events(&mut self, session: i64) -> Result<(), IndexError> {
        self.session = None;
        self.kept.remove_events(session)
    }

    /// Removes what is known of a session as a whole.
    pub fn remove_card(&mut self, session: i64) -> Result<(), IndexError> {
        self.kept.remove_card(session, true)
    }

    /// True when so much is pending that it should be committed.
    pub fn is_full(&self) -> bool {
        self.kept.is_full()
    }

    /// Makes everything so far durable and visible, in one step; returns the number of the commit.
    pub fn commit(&mut self) -> Result<u64, IndexError> {
        self.kept.commit()
    }

    /// Ends writing: what was removed leaves no text behind. Call [`IndexWriter::commit`] before.
    pub fn finish(self) -> Result<(), IndexError> {
        self.kept.finish()
    }
}
