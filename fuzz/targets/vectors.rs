//! Arbitrary bytes as a file of vectors: opened, searched and merged.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| backstory_fuzz::search(input));
