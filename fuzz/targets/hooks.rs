//! Arbitrary bytes as what an agent tells a hook.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| backstory_fuzz::hear(input));
