//! Takes arbitrary bytes for a file of vectors and searches it as one of many.

use backstory_meaning::{Embedding, VectorFile, vectors};
use xxhash_rust::xxh3::xxh3_64;

/// So many vectors are not looked at one by one, but by their cells.
const MANY: usize = 20_001;
/// The part of a header that its checksum is over, and its end.
const HEADER: [usize; 2] = [24, 32];

/// Opens, searches and merges an input, as it is and with the checksum its header should have.
///
/// # Panics
/// Where a file of vectors panics, or yields a place that was refused.
pub fn search(input: &[u8]) {
    search_one(input);
    let mut summed = input.to_vec();
    let [from, to] = HEADER;
    if summed.len() >= to {
        let sum = xxh3_64(&summed[..from]);
        summed[from..to].copy_from_slice(&sum.to_le_bytes());
        search_one(&summed);
    }
}

fn search_one(input: &[u8]) {
    let Ok(file) = VectorFile::open(input) else { return };
    let values = std::array::from_fn(|at| input[at % input.len()].cast_signed());
    let query = Embedding { values, scale: 0.001 };
    for (place, _) in file.nearest(&query, 10, &mut |place| place % 3 != 0) {
        assert!(place % 3 != 0, "a place that was refused");
        vectors::nearness(&[file, file], &query, &[place]);
    }
    if !file.is_empty() {
        let files = vec![file; MANY.div_ceil(file.len())];
        assert!(vectors::nearest(&files, &query, 10, &mut |_| true).len() <= 10);
    }
    let merged = vectors::merge(&[file, file], &mut |_| true, &mut std::io::sink());
    assert!(merged.is_ok());
}
