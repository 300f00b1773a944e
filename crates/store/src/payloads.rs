//! Reading payloads out of packs. It needs no rows, so several threads may each have a reader.

use crate::{Home, PackFault, StoreError, pack, rows};
use backstory_model::SessionEvent;
use std::cell::{Ref, RefCell};

/// Blocks kept after they were read: what one looks at next is often in one of them…
const KEPT_BLOCKS: usize = 4;
/// …but not too much of it.
const KEPT_BYTES: usize = 1_000_000;

/// Reads payloads, and remembers a few blocks.
#[derive(Debug)]
pub struct Payloads {
    home: Home,
    blocks: RefCell<Vec<CachedBlock>>,
}

#[derive(Debug)]
struct CachedBlock {
    session_id: i64,
    position: u64,
    raw: Vec<u8>,
}

impl Payloads {
    /// Those of an archive.
    pub fn new(home: &Home) -> Self {
        Self { home: home.clone(), blocks: RefCell::default() }
    }

    /// The full content of an event: its payload, or its summary where there is no more.
    pub fn payload(&self, event: &SessionEvent) -> Result<String, StoreError> {
        let failed = |reason: String| StoreError::Payload {
            address: backstory_model::address(&event.session_uid, event.seq),
            reason,
        };
        let Some(reference) = &event.payload_ref else { return Ok(event.summary.clone()) };
        let Some((session_id, block, offset, len)) = rows::parse_payload_ref(reference) else {
            return Err(failed("it was lost with its pack".into()));
        };
        let bytes = self.block(session_id, block).map_err(|fault| failed(fault.to_string()))?;
        let bytes = bytes
            .get(offset..offset + len)
            .ok_or_else(|| failed("it lies outside its block".into()))?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// The raw bytes of a block; a few read last are kept.
    pub(crate) fn block(&self, session_id: i64, block: u64) -> Result<Ref<'_, [u8]>, PackFault> {
        let holds =
            |cached: &CachedBlock| (cached.session_id, cached.position) == (session_id, block);
        let known = self.blocks.borrow().iter().position(holds);
        let at = if let Some(at) = known {
            at
        } else {
            let raw = pack::read_block(self.home.packs(), session_id, block)?;
            let mut blocks = self.blocks.borrow_mut();
            let kept: usize = blocks.iter().map(|cached| cached.raw.len()).sum();
            if blocks.len() == KEPT_BLOCKS || kept + raw.len() > KEPT_BYTES {
                blocks.clear();
            }
            blocks.push(CachedBlock { session_id, position: block, raw });
            blocks.len() - 1
        };
        Ok(Ref::map(self.blocks.borrow(), |blocks| {
            blocks.get(at).map_or(&[][..], |cached| &cached.raw)
        }))
    }
}
