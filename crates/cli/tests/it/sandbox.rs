//! A user with a home directory, a fixed clock and nothing else.

use crate::store::{self, Store};
use backstory_store::Home;
use backstory_testkit::postgres;
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What every run takes for now.
pub(crate) const NOW: &str = "2026-11-15T12:00:00Z";

/// Lines whose sizes depend on where rows are kept.
const OF_THE_STORE: [&str; 5] =
    ["stored", "rows of raw events", "search index  ", "tier 1, raw", "tier 2, distilled"];
/// Lines of which only the words are the same wherever rows are kept.
const SIZED_BY_THE_STORE: [&str; 2] = ["tier 1  ", "tier 2  "];

/// A home directory of its own, removed in the end.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
    variables: Vec<(&'static str, String)>,
    store: Store,
}

/// What a run printed, with the sandbox's paths replaced.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    /// An empty home directory.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir(dir.path().join("user")).unwrap();
        Self { dir, variables: Vec::new(), store: Store::default() }
    }

    /// A home directory with the demo's history, taken in.
    pub(crate) fn with_history() -> Self {
        let mut sandbox = Self::new();
        let demo = sandbox.run(&["demo", "--keep", "."]);
        assert_eq!(demo.code, 0, "{demo}");
        let archive = sandbox.home().join("archive");
        sandbox.set("BACKSTORY_HOME", &archive.display().to_string());
        if store::is_postgres() {
            // What is made up stays in a file; here it is taken in once more.
            fs_err::remove_dir_all(archive).unwrap();
            let sync = sandbox.run(&["sync"]);
            assert_eq!(sync.code, 0, "{sync}");
        }
        sandbox
    }

    /// The user's home directory.
    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("user")
    }

    /// The archive of a home below it.
    pub(crate) fn archive_in(&self, dir: &str) -> Home {
        self.store.home(&self.home().join(dir))
    }

    /// Whether a row of that archive holds a text.
    pub(crate) fn rows_hold(&self, dir: &Path, text: &str) -> bool {
        self.store.rows_hold(dir, text)
    }

    /// Removes a home below it, with its archive.
    pub(crate) fn remove_archive(&self, dir: &str) {
        self.store.remove(&self.home().join(dir));
    }

    /// The home a run with these arguments would have.
    fn home_of(&self, arguments: &[&str]) -> PathBuf {
        let flag = arguments.iter().position(|argument| *argument == "--home");
        let named = flag.and_then(|at| arguments.get(at + 1)).copied();
        let mut set = self.variables.iter().rev();
        let set = set.find(|(name, _)| *name == "BACKSTORY_HOME").map(|(_, value)| value.as_str());
        self.home().join(named.or(set).unwrap_or(".local/share/backstory"))
    }

    /// Sets a variable for the runs that follow.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.variables.push((name, value.to_owned()));
    }

    /// Writes a file below the home directory.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.home().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    /// A short Claude Code session: prompts with their answers.
    pub(crate) fn write_claude(&self, id: &str, turns: &[(&str, &str)]) {
        self.write(&format!(".claude/projects/-shop/{id}.jsonl"), &claude(id, turns));
    }

    /// The command, ready to run.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backstory"));
        command
            .args(arguments)
            .current_dir(self.home())
            .env_clear()
            .env("HOME", self.home())
            .env("TZ", "UTC")
            .env("BACKSTORY_NOW", NOW)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        if arguments.first() != Some(&"demo") {
            let variables = self.store.variables(&self.home_of(arguments)).into_iter();
            // What is in force must not depend on where these tests keep archives.
            let is_shown = ["config", "schedule", "install", "uninstall"]
                .iter()
                .any(|command| arguments.contains(command));
            command.envs(variables.filter(|(name, _)| !is_shown || *name != "BACKSTORY_STORE"));
        }
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.finish(self.command(arguments))
    }

    /// Runs a command that is ready.
    pub(crate) fn finish(&self, mut command: Command) -> Run {
        let output = command.output().unwrap();
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: self.neutral(&output.stdout),
            stderr: self.neutral(&output.stderr),
        }
    }

    /// Runs the command and reads its JSON Lines.
    pub(crate) fn json(&self, arguments: &[&str]) -> Vec<Value> {
        let run = self.run(arguments);
        let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{run}"));
        run.stdout.lines().map(read).collect()
    }

    /// Output without what differs from run to run.
    fn neutral(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        assert!(!text.contains(postgres::PASSWORD), "a password is shown: {text}");
        let home = self.home().display().to_string();
        let slug = home.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let text = text.replace(&home, "[HOME]").replace(&slug, "[SLUG]");
        let neutral = |line: &str| {
            let sized = OF_THE_STORE.iter().find(|name| line.starts_with(*name));
            sized.map_or_else(|| line.to_owned(), |name| format!("{name:<10} [SIZES]"))
        };
        let lines = text.lines().map(neutral).map(|line| without_sizes(&line) + "\n");
        lines.map(|line| without_shapes(&line)).collect()
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}\n{}", self.code, self.stdout)?;
        if !self.stderr.is_empty() {
            write!(f, "--- stderr\n{}", self.stderr)?;
        }
        Ok(())
    }
}

/// The length of the sandbox's path is part of every file: sizes keep only their shape.
fn without_sizes(line: &str) -> String {
    let mut line = line.to_owned();
    for unit in [" kB", " B"] {
        let ends: Vec<usize> = line.match_indices(unit).map(|(at, _)| at).collect();
        for end in ends {
            let digits = line[..end].bytes().rev();
            let start = end - digits.take_while(|b| b.is_ascii_digit() || *b == b'.').count();
            let masked = line[start..end].replace(|c: char| c.is_ascii_digit(), "9");
            line.replace_range(start..end, &masked);
        }
    }
    line
}

/// Even the shape of a size differs from store to store.
fn without_shapes(line: &str) -> String {
    if !SIZED_BY_THE_STORE.iter().any(|name| line.starts_with(name)) {
        return line.to_owned();
    }
    let shapes = ["999 kB", "99.9 kB", "9.9 kB", "999 B"];
    shapes.iter().fold(line.to_owned(), |line, shape| line.replace(shape, "[SIZE]"))
}

/// Lines of a short Claude Code session, one minute per turn.
pub(crate) fn claude(id: &str, turns: &[(&str, &str)]) -> String {
    let mut lines = String::new();
    for (at, (prompt, answer)) in turns.iter().enumerate() {
        let common = |role: &str, second: u32| {
            serde_json::json!({"type": role, "uuid": format!("{id}-{role}-{at}"),
                "parentUuid": null, "sessionId": id, "cwd": "/shop", "version": "2.1.217",
                "isSidechain": false, "userType": "external",
                "timestamp": format!("2026-11-14T10:{at:02}:{second:02}.000Z")})
        };
        let mut user = common("user", 0);
        user["message"] = serde_json::json!({"role": "user", "content": prompt});
        let mut assistant = common("assistant", 5);
        assistant["requestId"] = format!("req-{id}-{at}").into();
        assistant["message"] = serde_json::json!({"role": "assistant", "type": "message",
            "id": format!("msg-{id}-{at}"), "model": "claude-opus-4-8",
            "content": [{"type": "text", "text": answer}],
            "usage": {"input_tokens": 10, "output_tokens": 20}});
        lines.extend([user.to_string(), "\n".into(), assistant.to_string(), "\n".into()]);
    }
    lines
}
