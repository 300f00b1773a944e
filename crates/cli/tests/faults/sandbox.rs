//! A home directory of its own for each test, and the archive as plain text to compare.

use crate::store::Store;
use backstory_model::SessionUid;
use backstory_store::{SessionFilter, Vault};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) struct Sandbox {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) store: Store,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), store: Store::default() }
    }

    /// The user's home: what the agents wrote.
    pub(crate) fn user_home(&self) -> PathBuf {
        self.dir.path().join("user")
    }

    pub(crate) fn projects(&self) -> PathBuf {
        self.user_home().join(".claude/projects/-src-app")
    }

    /// Backstory's home.
    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("backstory")
    }

    pub(crate) fn write(&self, path: &Path, bytes: impl AsRef<[u8]>) {
        assert!(path.starts_with(self.dir.path()));
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, bytes).unwrap();
    }

    pub(crate) fn command(&self) -> Command {
        self.command_with_home(&self.home())
    }

    pub(crate) fn command_with_home(&self, home: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backstory"));
        command.env_clear().env("HOME", self.user_home()).env("BACKSTORY_HOME", home);
        command.env("TZ", "UTC").env("NO_COLOR", "1");
        command.envs(self.store.variables(home));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command().args(args).output().unwrap()
    }

    /// Syncs and expects success.
    pub(crate) fn sync(&self) {
        let output = self.run(&["sync"]);
        assert!(output.status.success(), "sync failed: {}", text(&output));
    }

    pub(crate) fn vault(&self) -> Vault {
        self.vault_of(&self.home())
    }

    pub(crate) fn vault_of(&self, home: &Path) -> Vault {
        Vault::open(&self.store.home(home)).unwrap()
    }

    pub(crate) fn events(&self, uid: &str) -> usize {
        self.vault().events(&SessionUid::from_stored(uid.to_owned())).unwrap().len()
    }

    pub(crate) fn dump(&self) -> String {
        self.dump_of(&self.home())
    }

    pub(crate) fn dump_of(&self, home: &Path) -> String {
        dump(&self.vault_of(home))
    }
}

pub(crate) fn text(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Everything the archive knows, but for the times of the sweeps themselves.
fn dump(vault: &Vault) -> String {
    assert_eq!(vault.verify().unwrap(), []);
    let mut out = String::new();
    let filter = SessionFilter { with_subagents: true, ..SessionFilter::default() };
    let mut sessions = vault.sessions(&filter).unwrap();
    sessions.sort_by(|a, b| a.session_uid.cmp(&b.session_uid));
    for mut session in sessions {
        session.watermarks = backstory_model::Watermarks::default();
        writeln!(out, "{session:?}").unwrap();
        for mut event in vault.events(&session.session_uid).unwrap() {
            let payload = vault.payload(&event).unwrap();
            // Where in a pack a payload lies is the archive's own affair.
            event.payload_ref = None;
            writeln!(out, "{event:?} {payload}").unwrap();
        }
    }
    writeln!(out, "{:?}", vault.quarantine().unwrap()).unwrap();
    writeln!(out, "{:?}", vault.secrets().unwrap()).unwrap();
    out
}

/// Bytes of every file below the home, by name.
pub(crate) fn snapshot(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(snapshot(&path));
        } else {
            files.push((path.clone(), fs_err::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}
