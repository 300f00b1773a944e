//! What must hold when the world misbehaves: killed sweeps, full disks, damaged and hostile files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
#![expect(clippy::format_collect, reason = "logs are small, clarity counts")]

mod history;
mod hostile;
mod indexing;
mod interrupted;
mod retention;
mod sandbox;
mod sources_change;
#[path = "../store/mod.rs"]
mod store;
