//! Where packs are kept: bytes in, bytes out. What a block is, only `pack.rs` knows.

use crate::StoreError;
use std::fmt::{self, Debug, Display};
use std::ops::Range;
use std::path::PathBuf;

/// A place the packs of an archive are kept in.
///
/// A block's position is the place's own business, as long as it fits an `i64` and is never given to
/// another block of the session while a row may know it.
pub trait Packs: Debug + Send + Sync {
    /// Makes ready to be written to. Whoever writes holds the sweep lock.
    fn create(&self) -> Result<(), StoreError>;

    /// What tells this place from every other, once it was made ready; nothing where only one is possible.
    /// It goes along when all there is here is copied.
    fn mark(&self) -> Result<Option<String>, StoreError>;

    /// Begins what is committed together.
    fn begin(&self) -> Box<dyn PackBatch>;

    /// Bytes of a session's pack from a position on: `len` of them, or as many as there are.
    fn read(&self, session_id: i64, at: u64, len: usize) -> Result<Vec<u8>, PackFault>;

    /// Removes all there is of a session's pack, orphans included; a missing one is removed already.
    fn remove(&self, session_id: i64) -> Result<(), StoreError>;

    /// The length of what is really there of a session's pack, as [`Appended::len`] counts.
    fn len(&self, session_id: i64) -> Result<u64, StoreError>;

    /// All there is, to be compared with the rows.
    fn pieces(&self) -> Result<Vec<Piece>, StoreError>;

    /// What a position is in, as a person would look for it.
    fn piece_at(&self, session_id: i64, at: u64) -> String;

    /// Folders of its own below the home directory.
    fn folders(&self) -> Vec<PathBuf>;
}

/// Blocks that are committed together. One that is dropped without [`PackBatch::settle`] leaves nothing
/// but orphans.
pub trait PackBatch: Debug + Send {
    /// Takes blocks in behind the first `committed` of a session's pack, which is what rows know of it,
    /// those of this batch included.
    fn append(
        &mut self,
        session_id: i64,
        committed: u64,
        blocks: &[&[u8]],
    ) -> Result<Appended, StoreError>;

    /// Returns once all of it is where rows may point at it.
    fn settle(self: Box<Self>) -> Result<(), StoreError>;
}

/// Where blocks went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The position of each.
    pub positions: Vec<u64>,
    /// How long the pack is with them: about its bytes, and more with every block.
    pub len: u64,
}

/// A file or object found among the packs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What a person would remove.
    pub name: String,
    /// Whose it is, if it is anybody's.
    pub session_id: Option<i64>,
    /// Where the blocks in it begin; nothing if it is all of the session's pack.
    pub positions: Option<Range<u64>>,
}

/// Why bytes of a pack cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackFault {
    /// They are not there any more, or are others: only storing them again helps.
    Lost(String),
    /// Nothing can be read just now, and nothing is known to be lost.
    Unreachable(String),
}

impl Display for PackFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(reason) | Self::Unreachable(reason) => f.write_str(reason),
        }
    }
}
