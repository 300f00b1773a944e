//! Where the programs of Postgres are. Debian keeps those of a server off `PATH`, by version.

use std::path::{Path, PathBuf};
use std::process::Command;

const DEBIAN: &str = "/usr/lib/postgresql";

/// The folder with the programs of the newest Postgres here; empty if they are on `PATH`.
pub fn programs() -> Option<PathBuf> {
    let versions = fs_err::read_dir(DEBIAN).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| {
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            let folder = entry.path().join("bin");
            ["initdb", "pg_ctl"]
                .iter()
                .all(|name| folder.join(name).is_file())
                .then_some((version, folder))
        })
        .max();
    if let Some((_, folder)) = newest {
        return Some(folder);
    }
    let runs = |name: &str| Command::new(name).arg("--version").output().is_ok();
    (runs("initdb") && runs("pg_ctl")).then(|| Path::new("").to_owned())
}
