//! The server as plugins of every age speak to it.
#![expect(clippy::unwrap_used, reason = "a test that cannot prepare itself has failed")]

mod around;
mod document;
mod failures;
mod generations;
mod narrowed;
mod running;
mod scoped;
mod taken_in;
mod upkeep;
mod uploads;
