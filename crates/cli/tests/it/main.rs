//! The binary as people use it: every command in a sandbox, whole outputs as snapshots.
#![expect(clippy::unwrap_used, reason = "a test that cannot prepare itself has failed")]

mod askers;
mod commit;
#[cfg(unix)]
mod compress;
mod config;
mod decisions;
mod decisions_twice;
mod demo;
mod digest;
mod docs;
mod doctor;
mod evict;
mod forget;
#[cfg(target_os = "linux")]
mod hook_disk;
#[cfg(unix)]
mod hook_faults;
#[cfg(unix)]
mod hook_start;
#[cfg(unix)]
mod hooked;
mod hub;
mod hub_decisions;
#[cfg(unix)]
mod install;
mod json;
mod mcp;
mod memory;
#[cfg(unix)]
mod migrate_store;
mod overview;
mod recall;
mod sandbox;
#[cfg(unix)]
mod schedule;
mod search;
mod serve;
mod sessions;
mod show;
mod spool;
mod status;
#[path = "../store/mod.rs"]
mod store;
mod streams;
mod sync;
#[cfg(unix)]
mod team;
mod transfer;
#[cfg(unix)]
mod watch;

/// Cargo runs one test binary; a forgotten file would never run.
#[test]
fn every_file_here_is_a_module() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = fs_err::read_to_string(format!("{here}/main.rs")).unwrap();
    for entry in fs_err::read_dir(here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") else {
            continue;
        };
        assert!(main.contains(&format!("mod {module};")), "{name} is not in main.rs");
    }
}
