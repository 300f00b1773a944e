//! Packs wherever they are kept: what every place has to do, and what may go wrong in some.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod contract;
mod faults;
#[allow(dead_code, reason = "sweeps of the engine ask for more")]
mod flaky;
mod model;
