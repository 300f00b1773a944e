//! Who has a term in a field: passages by their numbers in a segment, how often each has it, how long its
//! text is, and where the term stands.

use super::bytes::{Bytes, put};

/// A passage that has a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// Its number in the segment.
    pub(super) passage: u32,
    /// How often it has the term.
    pub(super) times: u32,
    /// How long its text is, as coarse as ranking needs it.
    pub(super) length: u8,
}

/// A list that is being written. Passages come in order.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    /// Passages in it.
    pub(super) passages: u32,
    pub(super) postings: Vec<u8>,
    /// Where the term stands in each of them.
    pub(super) positions: Vec<u8>,
    /// The passage being told, not yet among the bytes.
    open: Option<Posting>,
    /// The number the next passage may have at least.
    next: u32,
    position: u32,
}

impl List {
    /// A passage has the term once more, at a position; without one only its number of times counts.
    pub(super) fn meet(&mut self, passage: u32, length: u8, position: Option<u32>) {
        match &mut self.open {
            Some(open) if open.passage == passage => open.times += 1,
            _ => {
                self.close();
                self.open = Some(Posting { passage, times: 1, length });
            }
        }
        if let Some(position) = position {
            put(&mut self.positions, u64::from(position - self.position));
            self.position = position;
        }
    }

    /// The same of a passage as it was read from another list, with the bytes of its positions.
    pub(super) fn take(&mut self, posting: Posting, positions: &[u8]) {
        self.close();
        self.open = Some(posting);
        self.close();
        self.positions.extend_from_slice(positions);
    }

    /// Ends the passage being told.
    pub(super) fn close(&mut self) {
        let Some(Posting { passage, times, length }) = self.open.take() else { return };
        let step = u64::from(passage - self.next);
        put(&mut self.postings, step << 1 | u64::from(times > 1));
        if times > 1 {
            put(&mut self.postings, u64::from(times));
        }
        self.postings.push(length);
        self.passages += 1;
        self.next = passage + 1;
        self.position = 0;
    }
}

/// A list that is being read.
#[derive(Clone, Debug)]
pub(super) struct Postings<'a> {
    bytes: Bytes<'a>,
    next: u32,
}

impl<'a> Postings<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes: Bytes(bytes), next: 0 }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let step = self.bytes.number()?;
        let times = if step & 1 == 0 { 1 } else { self.bytes.small()? };
        let passage = self.next.checked_add(u32::try_from(step >> 1).ok()?)?;
        let length = self.bytes.byte()?;
        self.next = passage.checked_add(1)?;
        Some(Posting { passage, times, length })
    }
}

/// Where a term stands, passage after passage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Positions<'a>(pub(super) Bytes<'a>);

impl<'a> Positions<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self(Bytes(bytes))
    }

    /// Those of the next passage.
    pub(super) fn of_next(&mut self, times: u32, out: &mut Vec<u32>) {
        out.clear();
        let mut position = 0_u32;
        for _ in 0..times {
            let Some(step) = self.0.small() else { return };
            position = position.saturating_add(step);
            out.push(position);
        }
    }

    /// The bytes of those of the next passage.
    pub(super) fn bytes_of_next(&mut self, times: u32) -> &'a [u8] {
        let all = self.0.0;
        for _ in 0..times {
            self.0.number();
        }
        &all[..all.len() - self.0.0.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_were_told() {
        let mut list = List::default();
        let told = [(3, vec![1, 5, 900]), (4, vec![7]), (70_000, vec![2, 3])];
        for (passage, positions) in &told {
            for position in positions {
                list.meet(*passage, 9, Some(*position));
            }
        }
        list.close();
        assert_eq!(list.passages, 3);
        let mut copy = List::default();
        let (mut positions, mut bytes) =
            (Positions::of(&list.positions), Positions::of(&list.positions));
        let mut found = Vec::new();
        for (posting, (passage, told)) in Postings::of(&list.postings).zip(&told) {
            positions.of_next(posting.times, &mut found);
            assert_eq!((posting.passage, posting.length, &found), (*passage, 9, told));
            copy.take(posting, bytes.bytes_of_next(posting.times));
        }
        assert_eq!((copy.postings, copy.positions), (list.postings, list.positions));
    }

    #[test]
    fn broken_bytes_end_a_list() {
        for bytes in [&[0x81][..], &[0xff; 40], &[1], &[0xfe, 0xff, 0xff, 0xff, 0x7f, 0]] {
            assert!(Postings::of(bytes).count() <= 1);
            let mut found = Vec::new();
            Positions::of(bytes).of_next(9, &mut found);
            assert!(found.len() <= 9);
        }
    }
}
