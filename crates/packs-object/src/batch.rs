//! Parts of one transaction: gathered in memory, uploaded side by side, settled before the rows are.

use crate::names::{FULL_PART, position};
use crate::shelf::Shelf;
use backstory_store::{Appended, PackBatch, StoreError};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Bytes gathered or under way, above which appending waits for uploads.
const MOST_STAGED: usize = 64 << 20;

/// What one transaction adds.
#[derive(Debug)]
pub(crate) struct Batch {
    shelf: Arc<Shelf>,
    runtime: Arc<Runtime>,
    /// By session.
    open: HashMap<i64, Part>,
    uploads: JoinSet<Result<(), StoreError>>,
    staged: usize,
}

/// A part that still takes blocks.
#[derive(Debug)]
struct Part {
    number: u64,
    bytes: Vec<u8>,
}

impl Batch {
    pub(crate) fn new(shelf: Arc<Shelf>, runtime: Arc<Runtime>) -> Self {
        Self { shelf, runtime, open: HashMap::new(), uploads: JoinSet::new(), staged: 0 }
    }

    /// A part of the session with room for a block's beginning.
    fn part(&mut self, session_id: i64, len: u64) -> Result<&mut Part, StoreError> {
        let mut part = self.open.remove(&session_id);
        if let Some(full) = part.take_if(|part| part.bytes.len() >= FULL_PART) {
            self.upload(session_id, full);
        }
        let part = if let Some(part) = part {
            part
        } else {
            let number = self.runtime.block_on(self.shelf.take_number(session_id, len))?;
            Part { number, bytes: Vec::new() }
        };
        Ok(self.open.entry(session_id).insert_entry(part).into_mut())
    }

    fn upload(&mut self, session_id: i64, part: Part) {
        let object = self.shelf.names.part(session_id, part.number);
        let shelf = Arc::clone(&self.shelf);
        let upload = async move { shelf.store(object, part.bytes).await };
        self.uploads.spawn_on(upload, self.runtime.handle());
    }

    /// Uploads what is gathered and waits for all of it.
    fn upload_all(&mut self) -> Result<(), StoreError> {
        for (session_id, part) in std::mem::take(&mut self.open) {
            self.upload(session_id, part);
        }
        self.staged = 0;
        let uploads = &mut self.uploads;
        self.runtime.block_on(async {
            while let Some(done) = uploads.join_next().await {
                done.map_err(|_| StoreError::Packs("an upload stopped unexpectedly".into()))??;
            }
            Ok(())
        })
    }
}

impl PackBatch for Batch {
    fn append(
        &mut self,
        session_id: i64,
        committed: u64,
        blocks: &[&[u8]],
    ) -> Result<Appended, StoreError> {
        let mut positions = Vec::with_capacity(blocks.len());
        let mut len = committed;
        for block in blocks {
            let part = self.part(session_id, len)?;
            let at = position(part.number, part.bytes.len()).ok_or_else(|| {
                StoreError::Packs(format!("the pack of session {session_id} is too long"))
            })?;
            positions.push(at);
            part.bytes.extend_from_slice(block);
            len = part.number + part.bytes.len() as u64;
            self.staged += block.len();
            if self.staged > MOST_STAGED {
                self.upload_all()?;
            }
        }
        Ok(Appended { positions, len })
    }

    fn settle(mut self: Box<Self>) -> Result<(), StoreError> {
        self.upload_all()
    }
}
