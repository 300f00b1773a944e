//! The peer: agentsview, which also reads agents' logs into SQLite, installed from Python's
//! package index into the bench directory.

use super::measure::{self, Cost};
use super::place::{Place, isolate, size_of};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs the peer; the path of its native program.
pub(crate) fn install(place: &Place) -> io::Result<PathBuf> {
    let venv = place.bench().join("venv");
    if let Some(program) = native_program(&venv) {
        return Ok(program);
    }
    measure::run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    measure::run(Command::new(venv.join("bin/pip")).args(["install", "--quiet", "agentsview"]))?;
    native_program(&venv).ok_or_else(|| io::Error::other("agentsview has no native program here"))
}

/// The program itself, without the Python script that starts it.
fn native_program(venv: &Path) -> Option<PathBuf> {
    walkdir::WalkDir::new(venv.join("lib")).into_iter().filter_map(Result::ok).find_map(|entry| {
        entry.path().ends_with("agentsview/bin/agentsview").then(|| entry.into_path())
    })
}

/// A sync into a fresh database: one process, no daemon, nothing sent.
pub(crate) fn sync(place: &Place, program: &Path, home: &Path) -> io::Result<(Cost, Option<u64>)> {
    let store = place.fresh("store-agentsview")?;
    let mut command = Command::new(program);
    isolate(&mut command, home);
    command
        .arg("sync")
        .env("AGENTSVIEW_DATA_DIR", &store)
        .env("AGENTSVIEW_NO_DAEMON", "1")
        .env("AGENTSVIEW_HOST", "127.0.0.1")
        .env("AGENTSVIEW_DISABLE_UPDATE_CHECK", "1")
        .env("AGENTSVIEW_TELEMETRY_ENABLED", "0");
    let cost = measure::run(&mut command)?;
    Ok((cost, Some(size_of(&store))))
}
