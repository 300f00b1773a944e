//! `cargo xtask test`: everything a change must pass, on a machine with nothing but the toolchain.
//! What else is needed is installed here or by the tests themselves.

use crate::programs::{self, Program, succeed};
use backstory_testkit::postgres::Server;
use std::io::Write as _;
use std::process::Command;
use std::time::Instant;

/// Seconds each fuzz target runs in a test run; `cargo xtask fuzz` runs longer.
const FUZZ_SECONDS: u64 = 10;

/// What the tests need.
const PROGRAMS: [Program; 6] = [
    ("c++", "g++"),
    ("git", "git"),
    ("flock", "util-linux"),
    ("openssl", "openssl"),
    ("unshare", "util-linux"),
    ("setpriv", "util-linux"),
];
/// Where the command's own tests keep archives; a file if nothing is said.
const TEST_STORE: &str = "BACKSTORY_TEST_STORE";

/// Runs all checks; stops at the first that fails.
pub fn run() -> Result<(), String> {
    programs::install(&PROGRAMS)?;
    programs::install_postgres()?;
    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    step("lints", || {
        cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
    })?;
    // One server for all tests, not one for each of their programs.
    let server = Server::shared().map_err(|error| error.to_string())?;
    step("tests", || cargo(&["test", "--workspace", "--locked"]))?;
    step("tests on Postgres", || {
        let mut again = Command::new("cargo");
        // Of the whole workspace, or what it depends on would be built once more with fewer features.
        again.args(["test", "--workspace", "--locked", "--test", "it", "--test", "faults"]);
        succeed(again.env(TEST_STORE, "postgres"))
    })?;
    drop(server);
    step("fuzz", || crate::fuzz::run(FUZZ_SECONDS))?;
    say("checks: 5 passed, 0 failed");
    Ok(())
}

fn step(name: &str, run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    say(&format!("── {name}"));
    let began = Instant::now();
    run().map_err(|error| format!("{name}: {error}"))?;
    say(&format!("── {name}: ok in {} s", began.elapsed().as_secs()));
    Ok(())
}

fn say(text: &str) {
    // Nothing is left to do if standard error is closed.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn cargo(args: &[&str]) -> Result<(), String> {
    succeed(Command::new("cargo").args(args))
}
