//! A small made-up history, written the way the three agents write theirs.
//!
//! One shop, one week: a test that fails and is mended, a sub-agent that looks around, a fork that
//! goes its own way, a token pasted where it should not be, and two other agents that carry on.

mod claude;
mod codex;
mod grok;

use backstory_model::Timestamp;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Where and when the story takes place.
struct Stage<'a> {
    /// The user's home directory.
    home: &'a Path,
    /// The repository everybody works in.
    repo: PathBuf,
    now: Timestamp,
}

impl Stage<'_> {
    fn cwd(&self) -> String {
        self.repo.display().to_string()
    }

    /// A clock that starts so long before now.
    fn clock(&self, before_now: i64) -> Clock {
        Clock(self.now.0 - before_now)
    }

    fn write_lines(&self, path: &str, lines: &[Value]) -> io::Result<()> {
        let mut text = String::new();
        for line in lines {
            text.push_str(&line.to_string());
            text.push('\n');
        }
        self.write(path, &text)
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.home.join(path);
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        fs_err::write(path, text)
    }
}

/// Time passes with every tick.
struct Clock(i64);

impl Clock {
    /// The moment after so many seconds.
    fn after(&mut self, seconds: i64) -> Timestamp {
        self.0 += seconds * 1000;
        Timestamp(self.0)
    }
}

/// Writes the whole history below a home directory.
pub(crate) fn write(home: &Path, now: Timestamp) -> io::Result<()> {
    let stage = Stage { home, repo: home.join("src").join("teashop"), now };
    stage.write("src/teashop/.git/HEAD", "ref: refs/heads/main\n")?;
    stage.write("src/teashop/.git/config", "[core]\n\tbare = false\n")?;
    fs_err::create_dir_all(stage.repo.join(".git/objects"))?;
    fs_err::create_dir_all(stage.repo.join(".git/refs"))?;
    claude::write(&stage)?;
    codex::write(&stage)?;
    grok::write(&stage)
}
