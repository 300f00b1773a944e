//! Claude Code logs, read through the public seam.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod damage;
mod injected;
mod kinds;
mod lineage;
mod log;
mod questions;
mod resume;
mod sessions;
mod usage;
