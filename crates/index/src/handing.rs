//! Handing documents to the engine's thread: in groups, since waking it for one costs more than the
//! one is worth, and not too many ahead of it, since they wait in memory.

use crate::IndexError;
use crate::handed::Handed;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use tantivy::IndexWriter;
use tantivy::indexer::UserOperation;

/// Operations handed over at once.
const GROUP: usize = 128;
/// Groups the engine may have before it.
const MAX_GROUPS: usize = 64;
/// How long one of them may take: the engine writes a segment in a few seconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// Documents on their way.
#[derive(Debug)]
pub(crate) struct Handing {
    group: Vec<UserOperation<Handed>>,
    leave: Sender<()>,
    left: Receiver<()>,
    /// Groups that may still be handed over before one has to leave.
    room: usize,
}

/// The place a group takes in the line; its last document holds it.
#[derive(Debug)]
pub(crate) struct PlaceInLine(Sender<()>);

impl Drop for PlaceInLine {
    fn drop(&mut self) {
        // Nobody waits any more when the writer is gone.
        let _ = self.0.send(());
    }
}

impl Default for Handing {
    fn default() -> Self {
        let (leave, left) = channel();
        Self { group: Vec::with_capacity(GROUP), leave, left, room: MAX_GROUPS }
    }
}

impl Handing {
    /// Hands over an operation, sooner or later; their order stays.
    pub(crate) fn push(
        &mut self,
        writer: &IndexWriter<Handed>,
        operation: UserOperation<Handed>,
    ) -> Result<(), IndexError> {
        self.group.push(operation);
        if self.group.len() == GROUP { self.flush(writer) } else { Ok(()) }
    }

    /// Hands over what is at hand.
    pub(crate) fn flush(&mut self, writer: &IndexWriter<Handed>) -> Result<(), IndexError> {
        let last = self.group.iter_mut().rev().find_map(|operation| match operation {
            UserOperation::Add(document) => Some(document),
            UserOperation::Delete(_) => None,
        });
        if let Some(document) = last {
            if self.room == 0 {
                // An engine that died says so when it is given more.
                let _ = self.left.recv_timeout(PATIENCE);
            } else {
                self.room -= 1;
            }
            document.line = Some(PlaceInLine(self.leave.clone()));
        }
        writer.run(self.group.drain(..))?;
        Ok(())
    }
}
