//! The real agent CLIs, driven headless against the scripted model.

mod claude;
mod codex;
mod grok;
pub(crate) mod install;
mod process;
mod record;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use backstory_model::Flavor;
use serde_json::Value;
use walkdir::WalkDir;

use crate::mock::Mock;
use crate::sandbox::Sandbox;

pub use install::{Clis, InstallError, PACKAGES, Package, cache, install};
pub use process::Stop;
pub use record::{
    Part, RecordError, RecordedSession, Recording, ToolRun, record, record_all, total,
};

/// A turn takes a second or two; a busy machine gets a lot more before we give up.
const DEADLINE: Duration = Duration::from_secs(90);

/// Why a turn did not end well.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The CLI could not be started.
    #[error("{flavor} could not be run: {source}")]
    Io {
        /// Which.
        flavor: Flavor,
        /// Why.
        source: io::Error,
    },
    /// It ran too long, failed, or printed no answer.
    #[error("{flavor} gave no answer ({ending})\n--- stdout\n{stdout}\n--- stderr\n{stderr}")]
    NoAnswer {
        /// Which.
        flavor: Flavor,
        /// Its exit status.
        ending: String,
        /// What it printed.
        stdout: String,
        /// What it complained about.
        stderr: String,
    },
}

/// What a turn came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The agent's own id of the session.
    pub session: String,
    /// The final text.
    pub text: String,
}

/// A session's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The agent's own id of the session.
    pub id: String,
    /// Where it is written.
    pub file: PathBuf,
}

/// How a turn begins.
#[derive(Clone, Copy, Debug)]
enum Launch<'a> {
    /// In a new session.
    Fresh,
    /// In the session used last in this project.
    Latest,
    /// In a copy of a session.
    Fork(&'a str),
}

/// One CLI in its own sandbox.
#[derive(Debug)]
pub struct Agent<'a> {
    flavor: Flavor,
    program: PathBuf,
    sandbox: Sandbox,
    mock: &'a Mock,
    /// More words of its command line.
    extra: Vec<String>,
    /// More of its environment.
    variables: Vec<(String, String)>,
}

impl<'a> Agent<'a> {
    /// Creates the sandbox below `root` and writes the CLI's configuration.
    pub fn prepare(
        flavor: Flavor,
        clis: &Clis,
        root: &Path,
        mock: &'a Mock,
    ) -> Result<Self, AgentError> {
        let failed = |source| AgentError::Io { flavor, source };
        let sandbox = Sandbox::create(root).map_err(failed)?;
        match flavor {
            Flavor::Claude | Flavor::Pushed => Ok(()),
            Flavor::Codex => codex::configure(&sandbox, &mock.url()),
            Flavor::Grok => grok::configure(&sandbox, &mock.url()),
        }
        .map_err(failed)?;
        Ok(Self {
            flavor,
            program: clis.program(flavor),
            sandbox,
            mock,
            extra: Vec::new(),
            variables: Vec::new(),
        })
    }

    /// The same, with more words on its command line.
    #[must_use]
    pub fn with(mut self, extra: &[&str]) -> Self {
        self.extra.extend(extra.iter().map(|word| (*word).to_owned()));
        self
    }

    /// The same, with a variable in its environment.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same, running hooks nobody has reviewed: only Codex asks for that.
    #[must_use]
    pub fn trusting_hooks(self) -> Self {
        if self.flavor == Flavor::Codex {
            return self.with(&["--dangerously-bypass-hook-trust"]);
        }
        self
    }

    /// Which it is.
    pub fn flavor(&self) -> Flavor {
        self.flavor
    }

    /// Its directories.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// The first turn of a new session.
    pub fn run(&self, prompt: &str) -> Result<Turn, AgentError> {
        self.launch(Launch::Fresh, prompt)
    }

    /// One more turn in the session used last.
    pub fn resume(&self, prompt: &str) -> Result<Turn, AgentError> {
        self.launch(Launch::Latest, prompt)
    }

    /// A turn in a copy of a session.
    pub fn fork(&self, session: &str, prompt: &str) -> Result<Turn, AgentError> {
        self.launch(Launch::Fork(session), prompt)
    }

    /// Directives that make the model hand a prompt to a sub-agent and wait for it.
    pub fn delegate(&self, prompt: &str) -> String {
        match self.flavor {
            Flavor::Claude => claude::delegate(prompt),
            Flavor::Codex => codex::delegate(prompt),
            Flavor::Grok => grok::delegate(prompt),
            Flavor::Pushed => String::new(),
        }
    }

    /// The file the CLI keeps a session in.
    pub fn transcript(&self, session: &str) -> Option<PathBuf> {
        let home = &self.sandbox.home;
        match self.flavor {
            Flavor::Claude => claude::transcript(home, session),
            Flavor::Codex => codex::transcript(home, session),
            Flavor::Grok => grok::transcript(home, session),
            Flavor::Pushed => None,
        }
    }

    /// The sessions of a session's sub-agents.
    pub fn children(&self, session: &str) -> Vec<Transcript> {
        let home = &self.sandbox.home;
        match self.flavor {
            Flavor::Claude => claude::children(home, session),
            Flavor::Codex => codex::children(home, session),
            Flavor::Grok => grok::children(home, session),
            Flavor::Pushed => Vec::new(),
        }
    }

    /// Starts the first turn of a new session and ends the CLI after so long, as a power cut would.
    pub fn run_until_killed(&self, prompt: &str, after: Duration) -> Result<(), AgentError> {
        let mut command = self.command(Launch::Fresh, prompt);
        process::run(&mut command, &self.sandbox.tmp, after)
            .map(|_| ())
            .map_err(|source| AgentError::Io { flavor: self.flavor, source })
    }

    /// Starts the first turn of a new session, and stops the CLI once `is_ready` says so.
    pub fn run_until_stopped(
        &self,
        prompt: &str,
        how: Stop,
        is_ready: &dyn Fn() -> bool,
    ) -> Result<(), AgentError> {
        let mut command = self.command(Launch::Fresh, prompt);
        process::stop(&mut command, &self.sandbox.tmp, DEADLINE, (how, is_ready))
            .map(|_| ())
            .map_err(|source| AgentError::Io { flavor: self.flavor, source })
    }

    fn command(&self, launch: Launch<'_>, prompt: &str) -> Command {
        let mut command = self.sandbox.command(&self.program);
        let url = self.mock.url();
        match self.flavor {
            Flavor::Claude => claude::environment(&mut command, &self.sandbox, &url),
            Flavor::Codex => codex::environment(&mut command),
            Flavor::Grok => grok::environment(&mut command, &url),
            Flavor::Pushed => {}
        }
        let arguments = match self.flavor {
            Flavor::Claude => claude::arguments(launch, &self.extra, prompt),
            Flavor::Codex => codex::arguments(launch, &self.extra, prompt),
            Flavor::Grok => grok::arguments(launch, &self.extra, prompt),
            Flavor::Pushed => Vec::new(),
        };
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn launch(&self, launch: Launch<'_>, prompt: &str) -> Result<Turn, AgentError> {
        let mut command = self.command(launch, prompt);
        let finished = process::run(&mut command, &self.sandbox.tmp, DEADLINE)
            .map_err(|source| AgentError::Io { flavor: self.flavor, source })?;
        let turn = match self.flavor {
            Flavor::Claude => claude::turn(&finished.stdout),
            Flavor::Codex => codex::turn(&finished.stdout),
            Flavor::Grok => grok::turn(&finished.stdout),
            Flavor::Pushed => None,
        };
        let succeeded = finished.status.is_some_and(|status| status.success());
        turn.filter(|_| succeeded).ok_or_else(|| AgentError::NoAnswer {
            flavor: self.flavor,
            ending: finished.status.map_or_else(|| "out of time".to_owned(), |s| s.to_string()),
            stdout: finished.stdout,
            stderr: finished.stderr,
        })
    }
}

/// A tool directive whose arguments hold no live directives of their own.
fn scripted_tool(name: &str, arguments: &Value) -> String {
    format!("@@tool {name} {}@@", arguments.to_string().replace('@', "\\u0040"))
}

fn files_below(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    WalkDir::new(directory)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
}
