//! One fast pass that finds the few places where a secret can be.
//!
//! Every secret has an anchor: a short literal such as `ghp_` or `passw`. An anchor of four bytes
//! contains two three-byte grams, and one of the two starts at an even offset of the text. So it is
//! enough to look at the gram of every second byte and to ask a bitmap, small enough for the first
//! cache level, whether any anchor contains it. The lookups do not depend on each other, which makes
//! this several times faster than an automaton that has to wait for its previous state.

/// Ignores ASCII case (and confuses a few symbols, which the exact comparison sorts out).
const FOLD: u32 = 0x0020_2020;
const GRAM: u32 = 0x00ff_ffff;
const BITMAP_BITS: u32 = 17;
const BUCKET_BITS: u32 = 12;
/// Bytes looked at per step; one bit of a 64-bit mask for every second byte.
const STEP: usize = 128;
/// Grams reach two bytes beyond their start; the padding keeps every read inside the window.
const WINDOW: usize = STEP + 4;

/// A literal to look for, ignoring ASCII case.
pub(super) struct Anchor<T> {
    /// The literal, at least three bytes.
    pub(super) literal: String,
    /// For a three-byte literal: the bytes that can follow it.
    pub(super) followers: &'static [u8],
    /// What to do at an occurrence.
    pub(super) action: T,
}

struct Entry {
    gram: u32,
    anchor: u16,
    offset: u8,
}

/// The compiled anchors.
pub(super) struct Anchors<T> {
    bitmap: Vec<u64>,
    starts: Vec<u16>,
    entries: Vec<Entry>,
    known: Vec<Anchor<T>>,
}

fn hash(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

fn gram_of(bytes: [u8; 3]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]) | FOLD
}

fn bit_of(gram: u32) -> usize {
    (hash(gram) >> (32 - BITMAP_BITS)) as usize
}

fn bucket_of(gram: u32) -> usize {
    (hash(gram) >> (32 - BUCKET_BITS)) as usize
}

impl<T: Copy> Anchors<T> {
    /// Compiles the anchors.
    pub(super) fn new(anchors: Vec<Anchor<T>>) -> Self {
        let mut entries = Vec::new();
        for (index, anchor) in anchors.iter().enumerate() {
            add_entries(&mut entries, index as u16, anchor);
        }
        entries.sort_by_key(|entry| (bucket_of(entry.gram), entry.gram, entry.anchor));
        entries.dedup_by_key(|entry| (entry.gram, entry.anchor, entry.offset));
        let mut bitmap = vec![0u64; 1 << (BITMAP_BITS - 6)];
        let mut starts = vec![0u16; (1 << BUCKET_BITS) + 1];
        for entry in &entries {
            let bit = bit_of(entry.gram);
            bitmap[bit >> 6] |= 1 << (bit & 63);
            starts[bucket_of(entry.gram) + 1] += 1;
        }
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        Self { bitmap, starts, entries, known: anchors }
    }

    /// Calls `found` with every anchor occurrence, in order of the text up to one byte.
    pub(super) fn scan(&self, text: &[u8], mut found: impl FnMut(T, usize)) {
        let Ok(bitmap) = <&[u64; 1 << (BITMAP_BITS - 6)]>::try_from(self.bitmap.as_slice()) else {
            return;
        };
        let mut base = 0;
        while let Some(window) = text.get(base..).and_then(|tail| tail.first_chunk::<WINDOW>()) {
            self.report(text, base, hits(bitmap, window), &mut found);
            base += STEP;
        }
        while base < text.len() {
            let tail = &text[base..text.len().min(base + STEP)];
            let mut window = [0u8; WINDOW];
            let reach = text.len().min(base + WINDOW) - base;
            window[..reach].copy_from_slice(&text[base..base + reach]);
            self.report(text, base, hits(bitmap, &window), &mut found);
            base += tail.len();
        }
    }

    fn report(&self, text: &[u8], base: usize, mut mask: u64, found: &mut impl FnMut(T, usize)) {
        while mask != 0 {
            let at = base + 2 * mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let Some(bytes) = text.get(at..).and_then(|tail| tail.first_chunk::<3>()) else {
                return;
            };
            let gram = gram_of(*bytes);
            let bucket = bucket_of(gram);
            let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            for entry in &self.entries[range] {
                if entry.gram != gram || at < entry.offset as usize {
                    continue;
                }
                let start = at - entry.offset as usize;
                let anchor = &self.known[entry.anchor as usize];
                let end = start + anchor.literal.len();
                let here = text.get(start..end);
                if here.is_some_and(|here| here.eq_ignore_ascii_case(anchor.literal.as_bytes())) {
                    found(anchor.action, start);
                }
            }
        }
    }
}

fn add_entries<T>(entries: &mut Vec<Entry>, index: u16, anchor: &Anchor<T>) {
    let literal = anchor.literal.as_bytes();
    let Some(first) = literal.first_chunk::<3>() else { return };
    entries.push(Entry { gram: gram_of(*first), anchor: index, offset: 0 });
    let following: &[u8] = literal.get(3..4).unwrap_or(anchor.followers);
    for &byte in following {
        let gram = gram_of([literal[1], literal[2], byte]);
        entries.push(Entry { gram, anchor: index, offset: 1 });
    }
}

/// One bit for every second byte of the window whose gram is in the bitmap.
fn hits(bitmap: &[u64; 1 << (BITMAP_BITS - 6)], window: &[u8; WINDOW]) -> u64 {
    let mut mask = 0u64;
    for pair in 0..STEP / 2 {
        let at = pair * 2;
        let word = u32::from_le_bytes([window[at], window[at + 1], window[at + 2], window[at + 3]]);
        let bit = bit_of(word & GRAM | FOLD);
        mask |= (bitmap[bit >> 6] >> (bit & 63) & 1) << pair;
    }
    mask
}
