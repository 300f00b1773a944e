//! Pure judgement over what the adapters read: no input, no output, no clock.

pub mod redact;

pub use redact::{Redactor, Rule};
