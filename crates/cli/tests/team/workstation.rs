//! One person's machine: agents' logs, a home of Backstory, and the archive it shares with others.

use crate::history::{Claude, codex, session_id};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What hangs longer than this hangs for good.
const HUNG: Duration = Duration::from_secs(90);

pub(crate) struct Workstation {
    /// The user's home: what the agents wrote.
    pub(crate) user: PathBuf,
    home: PathBuf,
    variables: Vec<(&'static str, String)>,
    /// Where the user's home is as far as the program can see.
    seen_at: Option<PathBuf>,
}

impl Workstation {
    /// A machine in a folder, with packs in the folder beside it. Without an address its archive is a
    /// file.
    pub(crate) fn new(dir: &Path, name: &str, store: Option<&str>) -> Self {
        let mut variables = vec![("BACKSTORY_OWNER", format!("{name}@{name}-laptop"))];
        if let Some(store) = store {
            variables.push(("BACKSTORY_STORE", store.to_owned()));
            variables.push(("BACKSTORY_PACKS", dir.join("packs").display().to_string()));
        }
        let (user, home) = (dir.join(name), dir.join(format!("{name}-backstory")));
        fs_err::create_dir_all(&user).unwrap();
        Self { user, home, variables, seen_at: None }
    }

    /// The same in another tenant.
    pub(crate) fn of_tenant(mut self, tenant: &str) -> Self {
        self.variables.push(("BACKSTORY_TENANT", tenant.to_owned()));
        self
    }

    /// The same with the user's home at a path that other machines have too.
    pub(crate) fn seen_at(mut self, path: &Path) -> Self {
        fs_err::create_dir_all(path).unwrap();
        self.seen_at = Some(path.to_owned());
        self
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.user.join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    /// Sessions of both agents, and a fork that copies one of them.
    pub(crate) fn write_history(&self, sessions: usize, turns: usize) {
        for number in 0..sessions {
            let session = Claude::new(number, 120);
            self.write(&claude_path(&session.id), &session.turns(0..turns));
        }
        let fork = Claude { id: session_id(99), ..Claude::new(1, 120) };
        self.write(&claude_path(&fork.id), &fork.turns(0..turns + 10));
        let id = session_id(200);
        let rollout = format!(".codex/sessions/2026/03/01/rollout-2026-03-01T00-00-00-{id}.jsonl");
        self.write(&rollout, &codex(200, turns, 120));
    }

    pub(crate) fn command(&self) -> Command {
        let program = env!("CARGO_BIN_EXE_backstory");
        let mut command = if self.seen_at.is_some() {
            // In a namespace of its own, where the home is mounted at the other path.
            let mut command = Command::new("unshare");
            command.arg(if rustix::process::geteuid().is_root() { "-m" } else { "-rm" });
            command.args(["sh", "-c", "mount --bind \"$REAL\" \"$HOME\" && exec \"$@\"", "sh"]);
            command.arg(program);
            command
        } else {
            Command::new(program)
        };
        command.env_clear().env("PATH", backstory_testkit::sandbox::SEARCH_PATH);
        command.env("HOME", self.seen_at.as_ref().unwrap_or(&self.user)).env("REAL", &self.user);
        command.env("BACKSTORY_HOME", &self.home).env("TZ", "UTC").env("NO_COLOR", "1");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.start(arguments).end()
    }

    /// Runs it and expects success.
    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", told(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::null());
        Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    pub(crate) fn export(&self) -> String {
        self.succeed(&["export"])
    }

    /// What is exported of each session, but for where it was read; none may be there twice.
    pub(crate) fn sessions(&self) -> BTreeMap<String, Vec<Value>> {
        let mut sessions = BTreeMap::new();
        let mut current = String::new();
        for line in self.export().lines().skip(1) {
            let mut line: Value = serde_json::from_str(line).unwrap();
            if let Some(uid) = line["session_uid"].as_str() {
                uid.clone_into(&mut current);
                assert!(sessions.insert(current.clone(), Vec::new()).is_none(), "{uid} twice");
                line.as_object_mut().unwrap().remove("source_path");
            }
            sessions.get_mut(&current).unwrap().push(line);
        }
        sessions
    }

    /// Tokens of each session.
    pub(crate) fn costs(&self) -> BTreeMap<String, Value> {
        let listed = self.succeed(&["sessions", "--all", "--json"]);
        let sessions = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let costs = sessions.map(|session| {
            (session["session_uid"].as_str().unwrap().to_owned(), session["cost"].clone())
        });
        costs.collect()
    }

    /// What `doctor` finds wrong, but for parts that a sweep left when it was cut short.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let output = self.run(&["doctor", "--json"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let checks = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        checks
            .filter(|check| {
                check["level"] == "attention" && check["what"] != "belongs to no session"
            })
            .map(|check| check.to_string())
            .collect()
    }
}

/// A program under way.
pub(crate) struct Running(std::process::Child);

impl Running {
    pub(crate) fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// Waits for its end, as long as it does not hang.
    pub(crate) fn end(mut self) -> Output {
        let (out, err) = (self.0.stdout.take().unwrap(), self.0.stderr.take().unwrap());
        let (out, err) = (drain(out), drain(err));
        let began = Instant::now();
        while self.is_running() {
            if began.elapsed() > HUNG {
                self.0.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let status = self.0.wait().unwrap();
        Output { status, stdout: out.join().unwrap(), stderr: err.join().unwrap() }
    }
}

fn drain(mut pipe: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

pub(crate) fn claude_path(name: &str) -> String {
    format!(".claude/projects/-src-app/{name}.jsonl")
}

pub(crate) fn told(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
