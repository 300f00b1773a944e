//! Properties of files of vectors.

use super::cells::LARGEST_FLAT;
use super::*;
use crate::embedding::cosine;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Vectors around a few topics, always the same for a seed.
struct Maker(u64);

impl Maker {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        self.0 >> 33
    }

    fn embedding(&mut self, topics: u64) -> Embedding {
        let mut topic = Maker(self.next() % topics + 1);
        let values = std::array::from_fn(|_| {
            let (common, own) = (topic.next() % 161, self.next() % 91);
            (common as i32 + own as i32 - 125) as i8
        });
        let squares: f32 = values.iter().map(|value: &i8| f32::from(*value).powi(2)).sum();
        Embedding { values, scale: squares.max(1.0).sqrt().recip() }
    }

    fn entries(&mut self, count: usize, places: u64, topics: u64) -> Vec<(u64, Embedding)> {
        (0..count).map(|_| (self.next() % places, self.embedding(topics))).collect()
    }
}

fn written(entries: &[(u64, Embedding)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut entries.to_vec(), &mut bytes).unwrap();
    bytes
}

/// All places by the best of their vectors, best first.
fn brute(entries: &[(u64, Embedding)], query: &Embedding) -> Vec<(u64, f32)> {
    let mut best: BTreeMap<u64, f32> = BTreeMap::new();
    for (place, embedding) in entries {
        let known = best.entry(*place).or_insert(f32::NEG_INFINITY);
        *known = known.max(cosine(query, embedding));
    }
    let mut all: Vec<(u64, f32)> = best.into_iter().collect();
    all.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_written_is_found(
        seed in any::<u64>(), count in 0_usize..300, places in 1_u64..200, limit in 0_usize..120,
    ) {
        let mut maker = Maker(seed);
        let entries = maker.entries(count, places, 5);
        let query = maker.embedding(5);
        let bytes = written(&entries);
        let file = VectorFile::open(&bytes).unwrap();
        prop_assert_eq!(file.len(), count);
        let mut expected = brute(&entries, &query);
        for (place, cosine) in &expected {
            prop_assert_eq!(nearness(&[file], &query, &[*place]), [Some(*cosine)]);
        }
        prop_assert_eq!(nearness(&[file], &query, &[places]), [None]);
        expected.truncate(limit);
        prop_assert_eq!(file.nearest(&query, limit, &mut |_| true), expected);
        let mut odd = brute(&entries, &query);
        odd.retain(|(place, _)| place % 2 == 1);
        odd.truncate(limit);
        prop_assert_eq!(file.nearest(&query, limit, &mut |place| place % 2 == 1), odd);
        let ranges = [1..3, 3..4, 7..20, 20..20, 30..u64::MAX];
        let mut inside = brute(&entries, &query);
        inside.retain(|(place, _)| ranges.iter().any(|range| range.contains(place)));
        let is_inside = |(place, _): &&(u64, Embedding)| ranges.iter().any(|range| range.contains(place));
        prop_assert_eq!(count_within(&[file], &ranges), entries.iter().filter(is_inside).count());
        inside.truncate(limit);
        prop_assert_eq!(nearest_within(&[file], &query, limit, &ranges), inside);
    }

    #[test]
    fn merged_parts_are_the_whole_and_what_is_refused_leaves_no_trace(
        seed in any::<u64>(), count in 0_usize..200, cut in 0_usize..200, gone in 0_u64..7,
    ) {
        let entries = Maker(seed).entries(count, 50, 3);
        let (left, right) = entries.split_at(cut.min(count));
        let parts = [written(left), written(right)];
        let files = parts.each_ref().map(|bytes| VectorFile::open(bytes).unwrap());
        let mut merged = Vec::new();
        merge(&files, &mut |_| true, &mut merged).unwrap();
        prop_assert_eq!(&merged, &written(&entries));
        let mut rest = Vec::new();
        merge(&files, &mut |place| place % 7 != gone, &mut rest).unwrap();
        let kept: Vec<_> =
            entries.iter().filter(|(place, _)| place % 7 != gone).cloned().collect();
        prop_assert_eq!(rest, written(&kept));
    }

    #[test]
    fn damaged_files_never_panic(
        seed in any::<u64>(), cells in 0_u64..5, noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        cut in 0_usize..3,
    ) {
        let query = Maker(seed).embedding(3);
        let mut bytes = with_cells(&Maker(seed).entries(40, 30, 3), cells);
        for (at, value) in noise {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        bytes.truncate(bytes.len() - cut);
        sum_header(&mut bytes);
        let Ok(file) = VectorFile::open(&bytes) else { return Ok(()) };
        file.nearest(&query, 10, &mut |_| true);
        nearest_within(&[file], &query, 10, &[0..7, 9..30]);
        nearness(&[file], &query, &[3]);
        let many = vec![file; LARGEST_FLAT / 40 + 1];
        prop_assert!(nearest(&many, &query, 10, &mut |place| place != 5).len() <= 10);
        merge(&[file, file], &mut |_| true, &mut std::io::sink()).unwrap();
    }
}

/// A file of a few vectors in a number of cells whose ends are spread evenly, which `write` makes of
/// many vectors only.
fn with_cells(entries: &[(u64, Embedding)], cells: u64) -> Vec<u8> {
    let plain = written(entries);
    if cells == 0 {
        return plain;
    }
    let (count, cells) = (entries.len(), cells as usize);
    let mut bytes = plain[..16].to_vec();
    bytes.extend((cells as u64).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(std::iter::repeat_n(9, cells * DIMENSIONS));
    bytes.extend(std::iter::repeat_n(0.01_f32.to_le_bytes(), cells).flatten());
    bytes.extend((1..=cells).flat_map(|cell| ((count * cell / cells) as u32).to_le_bytes()));
    bytes.extend(std::iter::repeat_n(0b0101_0101, count * CODE));
    bytes.extend(std::iter::repeat_n(0.1_f32.to_le_bytes(), cells).flatten());
    bytes.extend((0..count as u32).flat_map(u32::to_le_bytes));
    bytes.extend(&plain[HEADER..]);
    bytes
}

fn sum_header(bytes: &mut [u8]) {
    let sum = xxh3_64(&bytes[..SUMMED]);
    bytes[SUMMED..HEADER].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn what_is_no_file_is_refused() {
    let good = with_cells(&Maker(1).entries(8, 30, 3), 2);
    let error = |change: &dyn Fn(&mut Vec<u8>), sum: bool| {
        let mut bytes = good.clone();
        change(&mut bytes);
        if sum {
            sum_header(&mut bytes);
        }
        VectorFile::open(&bytes).err()
    };
    assert_eq!(error(&|_| (), true), None);
    assert_eq!(error(&|bytes| bytes.truncate(9), false), Some(VectorFileError::Magic));
    assert_eq!(error(&|bytes| bytes[7] = b'9', true), Some(VectorFileError::Magic));
    assert_eq!(error(&|bytes| bytes[8] ^= 1, false), Some(VectorFileError::Checksum));
    assert_eq!(error(&|bytes| bytes[8] ^= 1, true), Some(VectorFileError::Length));
    assert_eq!(error(&|bytes| bytes[8..16].fill(0xff), true), Some(VectorFileError::Length));
    assert_eq!(error(&|bytes| bytes.push(0), true), Some(VectorFileError::Length));
    let first_end = HEADER + 2 * DIMENSIONS + 8;
    assert_eq!(error(&|bytes| bytes[first_end] = 9, true), Some(VectorFileError::Cell(0)));
    assert_eq!(error(&|bytes| bytes[first_end + 4] = 7, true), Some(VectorFileError::Cell(1)));
}

#[test]
fn equal_vectors_are_in_the_order_of_their_places() {
    let embedding = Maker(3).embedding(1);
    let entries: Vec<_> = (0..500).rev().map(|place| (place, embedding.clone())).collect();
    let bytes = written(&entries);
    let found = VectorFile::open(&bytes).unwrap().nearest(&embedding, 20, &mut |_| true);
    assert!(found.iter().map(|(place, _)| *place).eq(0..20));
}

/// One file that has cells, for it takes a while to make.
#[test]
fn a_large_file_finds_nearly_all_and_merges_to_the_same_bytes() {
    let mut maker = Maker(11);
    let entries = maker.entries(LARGEST_FLAT + 2_000, 1 << 40, 150);
    let whole = written(&entries);
    assert!(whole.len() <= entries.len() * 310);
    let file = VectorFile::open(&whole).unwrap();
    assert!(!file.ends.is_empty());

    let (mut found, mut wanted) = (0, 0);
    for _ in 0..8 {
        let query = maker.embedding(150);
        let expected = &brute(&entries, &query)[..100];
        let nearest = file.nearest(&query, 100, &mut |_| true);
        found += nearest.iter().filter(|hit| expected.contains(hit)).count();
        wanted += expected.len();
        assert!(nearest.is_sorted_by(|left, right| left.1 >= right.1));
    }
    assert!(found * 10 >= wanted * 9, "{found} of {wanted}");

    let read = |into: &mut [u8], from: u64| {
        let from = from as usize;
        into.copy_from_slice(&whole[from..from + into.len()]);
        Ok(())
    };
    let (reading, query) = (file.reading_by(&read), maker.embedding(150));
    assert_eq!(reading.nearest(&query, 50, &mut |_| true), file.nearest(&query, 50, &mut |_| true));
    assert_eq!(nearness(&[reading], &query, &[77]), nearness(&[file], &query, &[77]));
    let ranges = [3..500, 900..901, 40_000..u64::MAX];
    let within = nearest_within(&[reading], &query, 500, &ranges);
    assert_eq!(within, nearest_within(&[file], &query, 500, &ranges));
    let broken = |_: &mut [u8], _: u64| Err(io::Error::other("gone"));
    assert!(nearness(&[file.reading_by(&broken)], &query, &[77])[0].is_none_or(|near| near == 0.0));

    let query = maker.embedding(150);
    let rare = |place: u64| place % 5_000 == 7;
    let mut few = brute(&entries, &query);
    few.retain(|(place, _)| rare(*place));
    assert!((1..100).contains(&few.len()));
    assert_eq!(file.nearest(&query, 100, &mut |place| rare(place)), few);

    let parts = [written(&entries[..LARGEST_FLAT / 2]), written(&entries[LARGEST_FLAT / 2..])];
    let files = parts.each_ref().map(|bytes| VectorFile::open(bytes).unwrap());
    let mut merged = Vec::new();
    merge(&files, &mut |_| true, &mut merged).unwrap();
    assert!(merged == whole);
}
