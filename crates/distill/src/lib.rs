//! Pure judgement over what the adapters read: no input, no output, no clock.

mod distiller;
pub mod forecast;
pub mod lookup;
mod moment;
pub mod patterns;
pub mod redact;
pub mod retention;

pub use distiller::{DIGEST_VERSION, Distilled, Distiller};
pub use moment::Moment;
pub use redact::{Redactor, Rule};
