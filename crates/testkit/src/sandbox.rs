//! A home, a project and a scratch directory that belong to one test.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where programs are looked for: the test's surroundings must not leak in through `PATH`.
pub const SEARCH_PATH: &str =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin";

/// The directories of one sandbox.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// What `HOME` points to.
    pub home: PathBuf,
    /// A git repository with one commit on branch `main`.
    pub project: PathBuf,
    /// What `TMPDIR` points to.
    pub tmp: PathBuf,
}

impl Sandbox {
    /// Creates the directories and the repository below `root`, which must not hold them yet.
    pub fn create(root: &Path) -> io::Result<Self> {
        fs_err::create_dir_all(root)?;
        // Agents resolve links before they name a project: a linked root would get a second name.
        let root = fs_err::canonicalize(root)?;
        let sandbox =
            Self { home: root.join("home"), project: root.join("project"), tmp: root.join("tmp") };
        for directory in [&sandbox.home, &sandbox.project, &sandbox.tmp] {
            fs_err::create_dir(directory)?;
        }
        fs_err::write(sandbox.project.join("README.md"), "A project to talk about.\n")?;
        sandbox.git(&["init", "--quiet", "--initial-branch=main"])?;
        sandbox.git(&["add", "README.md"])?;
        sandbox.git(&["commit", "--quiet", "--message=Begin"])?;
        Ok(sandbox)
    }

    /// A command that sees this sandbox and nothing else of the environment.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", SEARCH_PATH)
            .env("HOME", &self.home)
            .env("TMPDIR", &self.tmp)
            .env("TERM", "dumb")
            .env("LANG", "C.UTF-8");
        command
    }

    fn git(&self, arguments: &[&str]) -> io::Result<()> {
        let identity = ["-c", "user.name=Sandbox", "-c", "user.email=sandbox@invalid"];
        let output =
            self.command(Path::new("git")).args(identity).args(arguments).output().map_err(
                |e| io::Error::new(e.kind(), format!("git is needed on {SEARCH_PATH}: {e}")),
            )?;
        if output.status.success() {
            return Ok(());
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        Err(io::Error::other(format!("git {}: {complaint}", arguments.join(" "))))
    }
}
