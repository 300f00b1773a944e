//! Pure judgement over what the adapters read: no input, no output, no clock.

mod beat;
mod call;
pub mod capture;
mod change;
mod clip;
pub mod decisions;
mod digest;
mod distiller;
#[cfg(test)]
mod distiller_tests;
mod edits;
mod facts;
pub mod fingerprint;
pub mod forecast;
pub mod knob;
pub mod live;
pub mod lookup;
mod moment;
pub mod nearest;
mod outcome;
pub mod overview;
pub mod passages;
pub mod patterns;
mod phrases;
pub mod query;
pub mod ranking;
pub mod recall;
pub mod redact;
pub mod retention;
#[cfg(test)]
mod script;
mod shell;
mod signals;
pub mod snippet;
pub mod terms;
mod test_result;
mod words;

pub use distiller::{DIGEST_VERSION, Distilled, Distiller};
pub use moment::Moment;
pub use redact::{Redactor, Rule};
