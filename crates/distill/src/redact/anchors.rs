//! One fast pass that finds the few places where a secret can be.
//!
//! Every secret has an anchor: a short literal such as `ghp_` or `passw`. An anchor of four bytes
//! contains two three-byte grams, and one of the two starts at an even offset of the text. So it is
//! enough to look at the gram of every second byte and to ask a table whether any anchor contains it. The lookups do not depend on each other, which makes
//! this several times faster than an automaton that has to wait for its previous state.

/// Ignores ASCII case (and confuses a few symbols, which the exact comparison sorts out).
const FOLD: u32 = 0x0020_2020;
const GRAM: u32 = 0x00ff_ffff;
/// One byte per slot: a bit less to compute per lookup, and the slots in use stay in the second
/// cache level at worst.
const SLOT_BITS: u32 = 17;
type Slots = [u8; 1 << SLOT_BITS];
const BUCKET_BITS: u32 = 12;
/// Bytes looked at per step; one bit of a 64-bit mask for every second byte.
const STEP: usize = 128;
/// Grams reach two bytes beyond their start; the padding keeps every read inside the window.
const WINDOW: usize = STEP + 4;

/// Something to look for.
pub(super) struct Anchor<T> {
    /// The literal, compared without regard to ASCII case; empty if the grams say it all.
    literal: String,
    /// Two neighbouring offsets from the start of the anchor, with the grams possible there.
    grams: Vec<(i8, [u8; 3])>,
    /// What to do at an occurrence.
    action: T,
}

impl<T> Anchor<T> {
    /// A literal of at least four bytes.
    pub(super) fn literal(literal: &str, action: T) -> Self {
        let bytes = literal.as_bytes();
        let windows = bytes.windows(4).enumerate();
        let best =
            windows.min_by_key(|(_, window)| commonness(&window[..3]) + commonness(&window[1..]));
        let grams = best.map_or_else(Vec::new, |(at, window)| {
            vec![
                (at as i8, [window[0], window[1], window[2]]),
                (at as i8 + 1, [window[1], window[2], window[3]]),
            ]
        });
        Self { literal: literal.to_owned(), grams, action }
    }

    /// Three bytes, and those that can follow.
    pub(super) fn followed(literal: [u8; 3], followers: &[u8], action: T) -> Self {
        let mut grams = vec![(0, literal)];
        grams.extend(followers.iter().map(|&byte| (1, [literal[1], literal[2], byte])));
        Self { literal: as_text(&literal), grams, action }
    }

    /// Three bytes, and those that can precede.
    pub(super) fn preceded(preceders: &[u8], literal: [u8; 3], action: T) -> Self {
        let mut grams = vec![(0, literal)];
        grams.extend(preceders.iter().map(|&byte| (-1, [byte, literal[0], literal[1]])));
        Self { literal: as_text(&literal), grams, action }
    }

    /// Two bytes, those that can precede and those that can follow.
    pub(super) fn enclosed(
        preceders: &[u8],
        literal: [u8; 2],
        followers: &[u8],
        action: T,
    ) -> Self {
        let before = preceders.iter().map(|&byte| (-1, [byte, literal[0], literal[1]]));
        let after = followers.iter().map(|&byte| (0, [literal[0], literal[1], byte]));
        Self { literal: as_text(&literal), grams: before.chain(after).collect(), action }
    }

    /// Four bytes, each out of a set, at `offset` from the start of the anchor.
    pub(super) fn classes(offset: i8, [a, b, c, d]: [&[u8]; 4], action: T) -> Self {
        let mut grams = Vec::new();
        for (at, [x, y, z]) in [(offset, [a, b, c]), (offset + 1, [b, c, d])] {
            for &x in x {
                for &y in y {
                    grams.extend(z.iter().map(|&z| (at, [x, y, z])));
                }
            }
        }
        Self { literal: String::new(), grams, action }
    }
}

fn as_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A rough measure of how often a gram occurs in prose and code.
fn commonness(gram: &[u8]) -> u32 {
    gram.iter().map(|byte| share(byte.to_ascii_lowercase())).product()
}

fn share(byte: u8) -> u32 {
    match byte {
        b' ' => 30,
        b'e' | b't' => 24,
        b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 15,
        b'h' | b'd' | b'l' | b'c' | b'u' | b'm' | b'p' => 8,
        b'f' | b'g' | b'y' | b'b' | b'w' => 5,
        b'.' | b'/' | b'_' | b'-' | b':' | b'v' | b'k' | b'0'..=b'9' => 3,
        _ => 1,
    }
}

struct Entry {
    gram: u32,
    anchor: u16,
    offset: i8,
}

/// The compiled anchors.
pub(super) struct Anchors<T> {
    /// As long as [`Slots`].
    slots: Vec<u8>,
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

fn slot_of(gram: u32) -> usize {
    (hash(gram) >> (32 - SLOT_BITS)) as usize
}

fn bucket_of(gram: u32) -> usize {
    (hash(gram) >> (32 - BUCKET_BITS)) as usize
}

impl<T: Copy> Anchors<T> {
    /// Compiles the anchors.
    pub(super) fn new(anchors: Vec<Anchor<T>>) -> Self {
        let mut entries = Vec::new();
        for (index, anchor) in anchors.iter().enumerate() {
            entries.extend(anchor.grams.iter().map(|&(offset, gram)| Entry {
                gram: gram_of(gram),
                anchor: index as u16,
                offset,
            }));
        }
        entries
            .sort_by_key(|entry| (bucket_of(entry.gram), entry.gram, entry.anchor, entry.offset));
        entries.dedup_by_key(|entry| (entry.gram, entry.anchor, entry.offset));
        let mut slots = vec![0; 1 << SLOT_BITS];
        let mut starts = vec![0u16; (1 << BUCKET_BITS) + 1];
        for entry in &entries {
            slots[slot_of(entry.gram)] = 1;
            starts[bucket_of(entry.gram) + 1] += 1;
        }
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        Self { slots, starts, entries, known: anchors }
    }

    /// Calls `found` with every anchor occurrence, in order of the text up to one byte.
    pub(super) fn scan(&self, text: &[u8], mut found: impl FnMut(T, usize)) {
        let Ok(slots) = <&Slots>::try_from(self.slots.as_slice()) else { return };
        let mut base = 0;
        while let Some(window) = text.get(base..).and_then(|tail| tail.first_chunk::<WINDOW>()) {
            self.report(text, base, hits(slots, window), &mut found);
            base += STEP;
        }
        while base < text.len() {
            let tail = &text[base..text.len().min(base + STEP)];
            let mut window = [0u8; WINDOW];
            let reach = text.len().min(base + WINDOW) - base;
            window[..reach].copy_from_slice(&text[base..base + reach]);
            self.report(text, base, hits(slots, &window), &mut found);
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
                if entry.gram != gram {
                    continue;
                }
                let Some(start) = at.checked_add_signed(-isize::from(entry.offset)) else {
                    continue;
                };
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

/// One bit for every second byte of the window whose gram is in the table.
fn hits(slots: &Slots, window: &[u8; WINDOW]) -> u64 {
    let mut mask = 0u64;
    for pair in 0..STEP / 2 {
        let at = pair * 2;
        let word = u32::from_le_bytes([window[at], window[at + 1], window[at + 2], window[at + 3]]);
        mask |= u64::from(slots[slot_of(word & GRAM | FOLD)]) << pair;
    }
    mask
}
