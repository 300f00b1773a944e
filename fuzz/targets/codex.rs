//! Arbitrary bytes against the readers of Codex.
#![no_main]

use backstory_model::Flavor;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| backstory_fuzz::read(Flavor::Codex, input));
