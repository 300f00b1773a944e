//! The telling line of a failure, and a number that is the same wherever the same failure is met.

mod normal;
mod pick;

pub use normal::{normalized, similarity};
pub(crate) use pick::{Telling, telling_line};
pub use pick::{error_line, telling_lines};

use xxhash_rust::xxh3::xxh3_64;

/// The same number for the same failure, whatever paths, numbers and times it names.
pub fn fingerprint(line: &str) -> u64 {
    xxh3_64(normalized(line).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_failure_elsewhere_has_the_same_fingerprint() {
        let same = [
            ("error[E0308]: mismatched types", "error[E0308]: mismatched types"),
            ("src/a.rs:12:5: error: expected ;", "/home/x/src/b.rs:7:19: error: expected ;"),
            ("open /tmp/a8f/config.toml: no such file", "open /var/x/config.toml: no such file"),
            (
                "timeout after 30s at 2026-01-02T03:04:05Z",
                "timeout after 12s at 2025-11-12T13:14:15.123Z",
            ),
            (
                "request 6f9619ff-8b86-d011-b42d-00cf4fc964ff failed",
                "request 11111111-2222-3333-4444-555555555555 failed",
            ),
            ("panic at 0xdeadbeef", "panic at 0x12345678"),
        ];
        for (a, b) in same {
            assert_eq!(normalized(a), normalized(b));
            assert_eq!(fingerprint(a), fingerprint(b));
        }
        let other = [
            ("error[E0308]: mismatched types", "error[E0309]: mismatched types"),
            ("No module named 'foo'", "No module named 'bar'"),
            ("error TS2345: x", "error TS2322: x"),
            ("open a.toml: no such file", "open b.toml: no such file"),
            ("HTTP status 404", "HTTP status 500"),
        ];
        for (a, b) in other {
            assert_ne!(fingerprint(a), fingerprint(b), "{a} / {b}");
        }
    }
}
