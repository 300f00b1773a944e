//! A team's archive with real processes: servers that go away, workstations that work at the same time,
//! doors that stay shut.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
#![expect(clippy::format_collect, reason = "logs are small, clarity counts")]

mod certificates;
mod doors;
#[path = "../faults/history.rs"]
#[allow(dead_code, reason = "the suite it belongs to writes more kinds of logs")]
mod history;
mod outages;
mod together;
mod workstation;
