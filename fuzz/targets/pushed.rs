//! Arbitrary bytes against the reader of what plugins posted.
#![no_main]

use backstory_model::Flavor;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| backstory_fuzz::read(Flavor::Pushed, input));
