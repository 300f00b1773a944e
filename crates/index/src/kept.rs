//! Lists of passages that were read last. A query reads those of its words for the ranking and once more for
//! what whole sessions say, and many queries have words in common.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use tantivy::directory::OwnedBytes;

/// Bytes of a generation; two of them are kept.
const GENERATION_BYTES: usize = 6 << 20;
/// A longer list would push out too many others.
const LONGEST: usize = GENERATION_BYTES / 16;

/// Where a list lies: the number of its file, its begin and its end.
type Where = (u32, usize, usize);

/// Lists by where they lie. What was not asked for while a generation filled up is let go.
#[derive(Debug, Default)]
pub(crate) struct KeptLists(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Where, OwnedBytes, rustc_hash::FxBuildHasher>,
    old: HashMap<Where, OwnedBytes, rustc_hash::FxBuildHasher>,
    young_bytes: usize,
}

impl KeptLists {
    /// A list that was read before, or what `read` makes of it now.
    pub(crate) fn list<E>(
        &self,
        file: u32,
        range: Range<usize>,
        read: impl FnOnce(Range<usize>) -> Result<OwnedBytes, E>,
    ) -> Result<OwnedBytes, E> {
        if range.len() > LONGEST {
            return read(range);
        }
        let place = (file, range.start, range.end);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(place);
        if let Some(known) = known {
            return Ok(known);
        }
        let bytes = read(range)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(place, bytes.clone());
        Ok(bytes)
    }
}

impl Generations {
    fn get(&mut self, place: Where) -> Option<OwnedBytes> {
        if let Some(bytes) = self.young.get(&place) {
            return Some(bytes.clone());
        }
        let bytes = self.old.remove(&place)?;
        self.put(place, bytes.clone());
        Some(bytes)
    }

    fn put(&mut self, place: Where, bytes: OwnedBytes) {
        if self.young_bytes + bytes.len() > GENERATION_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes.len();
        if let Some(twice) = self.young.insert(place, bytes) {
            self.young_bytes -= twice.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Whether a list had to be read.
    fn asks(kept: &KeptLists, file: u32, range: Range<usize>) -> bool {
        let mut was_read = false;
        let list = kept.list(file, range.clone(), |range| {
            was_read = true;
            Ok::<_, Infallible>(OwnedBytes::new(vec![file as u8; range.len()]))
        });
        let Ok(list) = list;
        assert_eq!((list.len(), list.first()), (range.len(), Some(&(file as u8))));
        was_read
    }

    #[test]
    fn a_list_is_read_once() {
        let kept = KeptLists::default();
        assert!(asks(&kept, 1, 0..10));
        assert!(!asks(&kept, 1, 0..10));
        assert!(asks(&kept, 2, 0..10));
        assert!(asks(&kept, 1, 5..10));
    }

    #[test]
    fn what_nobody_asks_for_is_let_go_and_what_somebody_does_is_not() {
        let kept = KeptLists::default();
        asks(&kept, 0, 0..10);
        asks(&kept, 1, 0..10);
        for file in 2..100 {
            asks(&kept, file, 0..LONGEST);
            assert!(!asks(&kept, 0, 0..10), "{file}");
        }
        assert!(asks(&kept, 1, 0..10));
        let held = kept.0.lock().unwrap();
        let bytes = |lists: &HashMap<Where, OwnedBytes, _>| -> usize {
            lists.values().map(OwnedBytes::len).sum()
        };
        assert_eq!(bytes(&held.young), held.young_bytes);
        assert!(held.young_bytes <= GENERATION_BYTES && bytes(&held.old) <= GENERATION_BYTES);
    }

    #[test]
    fn a_very_long_list_is_read_each_time() {
        let kept = KeptLists::default();
        assert!(asks(&kept, 1, 0..LONGEST + 1));
        assert!(asks(&kept, 1, 0..LONGEST + 1));
    }
}
