//! What a reader that stays open remembers of an index: pieces of it, until it changes. To ask the server
//! for them again takes many times as long as to look at them.

use super::facts::Fact;
use super::terms::Part;
use backstory_index::TextField;
use backstory_meaning::Embedding;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// With more than this, it begins anew.
const MOST_BYTES: usize = 64 << 20;
/// What an entry takes beside its bytes.
const ENTRY_BYTES: usize = 100;

/// Lists of a term: the place of the field and the list.
pub(super) type Lists = Arc<Vec<(usize, Part)>>;
/// Postings and positions.
pub(super) type Long = (Arc<[u8]>, Arc<[u8]>);
/// Terms of every field that begin with something.
pub(super) type Beginning = Arc<Vec<(TextField, Vec<String>)>>;
/// Rows of codes of a cell, with their spreads.
pub(super) type Codes = Arc<Vec<(f32, Vec<u8>)>>;
/// Vectors of a place.
pub(super) type Vectors = Arc<Vec<(u64, Embedding)>>;

/// Pieces of an index as of one change of it.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    changes: i64,
    bytes: usize,
    /// By term, with or without positions.
    pub(super) terms: FxHashMap<(String, bool), Lists>,
    /// By segment and number, with or without positions.
    pub(super) lists: FxHashMap<(i64, i32, bool), Long>,
    pub(super) beginnings: FxHashMap<String, Beginning>,
    /// By segment and number of the row.
    pub(super) facts: FxHashMap<(i64, i32), Arc<Vec<Fact>>>,
    pub(super) codes: FxHashMap<i32, Codes>,
    pub(super) vectors: FxHashMap<i64, Vectors>,
}

impl Remembered {
    /// What is remembered as of a change; nothing if another reader saw a later one, for then what this
    /// one reads is of the past.
    pub(super) fn as_of(&mut self, changes: i64) -> Option<&mut Self> {
        if changes > self.changes {
            *self = Self { changes, ..Self::default() };
        }
        (changes == self.changes).then_some(self)
    }

    /// Notes that something of this size is added.
    pub(super) fn make_room(&mut self, bytes: usize) {
        let bytes = bytes + ENTRY_BYTES;
        if self.bytes + bytes > MOST_BYTES {
            *self = Self { changes: self.changes, ..Self::default() };
        }
        self.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remember(memory: &mut Remembered, cell: i32, bytes: usize) {
        memory.make_room(bytes);
        memory.codes.insert(cell, Arc::default());
    }

    #[test]
    fn what_was_read_before_a_change_is_forgotten_with_it() {
        let mut memory = Remembered::default();
        remember(memory.as_of(3).unwrap(), 1, 10);
        assert!(memory.as_of(3).unwrap().codes.contains_key(&1));
        assert!(memory.as_of(4).unwrap().codes.is_empty());
        // A reader that still sees the past neither adds to the present nor takes from it.
        assert!(memory.as_of(3).is_none());
    }

    #[test]
    fn it_never_takes_more_than_its_room() {
        let mut memory = Remembered::default();
        for cell in 0..100 {
            remember(&mut memory, cell, MOST_BYTES / 10);
            assert!(memory.bytes <= MOST_BYTES && memory.codes.contains_key(&cell));
        }
        assert!(memory.codes.len() < 10);
    }
}
