//! The only reader of the environment, the clock and the current directory.
//!
//! Every variable that changes what Backstory does is a [`Variable`] here; help and docs list them
//! from [`VARIABLES`].

use crate::error::{Failure, Kind};
use backstory_distill::{capture, live, recall};
use backstory_model::Timestamp;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// An environment variable and what it does.
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
}

/// Where the archive lies.
pub(crate) const BACKSTORY_HOME: &str = "BACKSTORY_HOME";
/// Where the state of running sessions lies, and what the OpenViking plugins call that.
pub(crate) const BACKSTORY_STATE_DIR: &str = "BACKSTORY_STATE_DIR";
pub(crate) const OPENVIKING_CODEX_STATE_DIR: &str = "OPENVIKING_CODEX_STATE_DIR";
/// Where the archive is kept.
pub(crate) const BACKSTORY_STORE: &str = "BACKSTORY_STORE";
/// Whose archive it is.
pub(crate) const BACKSTORY_TENANT: &str = "BACKSTORY_TENANT";
/// Who brings in what is read here.
pub(crate) const BACKSTORY_OWNER: &str = "BACKSTORY_OWNER";
/// Where packs are kept.
pub(crate) const BACKSTORY_PACKS: &str = "BACKSTORY_PACKS";
/// What lets us into a bucket.
pub(crate) const AWS_ACCESS_KEY_ID: &str = "AWS_ACCESS_KEY_ID";
/// Its secret half.
pub(crate) const AWS_SECRET_ACCESS_KEY: &str = "AWS_SECRET_ACCESS_KEY";
/// A third part, where keys are lent for a while.
pub(crate) const AWS_SESSION_TOKEN: &str = "AWS_SESSION_TOKEN";
/// Where the bucket is.
pub(crate) const AWS_REGION: &str = "AWS_REGION";
/// The server of the bucket.
pub(crate) const AWS_ENDPOINT_URL: &str = "AWS_ENDPOINT_URL";
/// The moment the program takes for now.
pub(crate) const BACKSTORY_NOW: &str = "BACKSTORY_NOW";
/// What lets us into the hub.
pub(crate) const BACKSTORY_HUB_TOKEN: &str = "BACKSTORY_HUB_TOKEN";
/// What lets askers into our own server.
pub(crate) const BACKSTORY_SERVER_KEY: &str = "BACKSTORY_SERVER_KEY";
/// Where our own server listens.
pub(crate) const BACKSTORY_SERVER_LISTEN: &str = "BACKSTORY_SERVER_LISTEN";
/// How briefs mark a question.
pub(crate) const BACKSTORY_DECISIONS_MARKER: &str = "BACKSTORY_DECISIONS_MARKER";
/// The user's home directory.
pub(crate) const HOME: &str = "HOME";
/// The base of the default archive directory.
pub(crate) const XDG_DATA_HOME: &str = "XDG_DATA_HOME";
/// The base of the default configuration directory.
pub(crate) const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// No colours, whatever its value.
pub(crate) const NO_COLOR: &str = "NO_COLOR";

/// Every variable that is read, in the order help shows them.
pub(crate) const VARIABLES: &[Variable] = &[
    Variable { name: BACKSTORY_HOME, meaning: "where the archive and config.toml lie" },
    Variable {
        name: BACKSTORY_STATE_DIR,
        meaning: "where the state of running sessions lies [state/ below BACKSTORY_HOME]; or \
            OPENVIKING_CODEX_STATE_DIR",
    },
    Variable {
        name: BACKSTORY_STORE,
        meaning: "where the archive is kept: local, or postgres://… [local]",
    },
    Variable { name: BACKSTORY_TENANT, meaning: "whose archive it is on a server [default]" },
    Variable { name: BACKSTORY_OWNER, meaning: "who brings in what is read here [user@host]" },
    Variable {
        name: BACKSTORY_PACKS,
        meaning: "where packs are: a folder, or s3://bucket/prefix [below BACKSTORY_HOME]",
    },
    Variable { name: AWS_ACCESS_KEY_ID, meaning: "key of the bucket of BACKSTORY_PACKS" },
    Variable { name: AWS_SECRET_ACCESS_KEY, meaning: "its secret half" },
    Variable { name: AWS_SESSION_TOKEN, meaning: "its third part, if there is one" },
    Variable { name: AWS_REGION, meaning: "where the bucket is [us-east-1]" },
    Variable { name: AWS_ENDPOINT_URL, meaning: "the server of the bucket, if it is not Amazon's" },
    Variable {
        name: XDG_DATA_HOME,
        meaning: "base of the archive when BACKSTORY_HOME is not set [~/.local/share]",
    },
    Variable { name: XDG_CONFIG_HOME, meaning: "base of backstory/config.toml [~/.config]" },
    Variable { name: HOME, meaning: "base of every default folder" },
    Variable { name: "CLAUDE_CONFIG_DIR", meaning: "where Claude Code keeps its state" },
    Variable { name: "CODEX_HOME", meaning: "where Codex CLI keeps its state" },
    Variable { name: "GROK_HOME", meaning: "where Grok CLI keeps its state" },
    Variable { name: BACKSTORY_HUB_TOKEN, meaning: "bearer token for the hub of config.toml" },
    Variable { name: BACKSTORY_SERVER_LISTEN, meaning: "where `serve` listens [127.0.0.1:1933]" },
    Variable { name: BACKSTORY_SERVER_KEY, meaning: "key that `serve` asks for" },
    Variable {
        name: BACKSTORY_DECISIONS_MARKER,
        meaning: "NAME in `<NAME:id>`, the mark of questions in prose [gstack-qid]",
    },
    Variable { name: NO_COLOR, meaning: "set to anything: no colours" },
    Variable { name: "TZ", meaning: "time zone of the times on screen" },
    Variable {
        name: BACKSTORY_NOW,
        meaning: "an RFC 3339 time taken for now; only for tests of the program",
    },
];

/// Names and meanings for help: those above, then everything that can be tuned about hooks, live sessions
/// and recall.
pub(crate) fn documented() -> Vec<(&'static str, String)> {
    let fixed = VARIABLES.iter().map(|variable| (variable.name, variable.meaning.to_owned()));
    let knobs = capture::KNOBS
        .iter()
        .chain(&live::KNOBS)
        .chain(&recall::KNOBS)
        .chain(&recall::compress::KNOBS);
    let tuned = knobs.map(|knob| {
        let alias = knob.alias.map(|alias| format!("; or {alias}")).unwrap_or_default();
        (knob.name, format!("{}{alias}", knob.meaning))
    });
    fixed.chain(tuned).collect()
}

/// The variables a run sees: the process's own, or a fixed set.
#[derive(Clone, Debug)]
pub(crate) struct Env {
    fixed: Option<BTreeMap<&'static str, OsString>>,
}

impl Env {
    /// The environment of this process.
    pub(crate) fn process() -> Self {
        Self { fixed: None }
    }

    /// These variables and no others.
    pub(crate) fn fixed(variables: impl IntoIterator<Item = (&'static str, OsString)>) -> Self {
        Self { fixed: Some(variables.into_iter().collect()) }
    }

    /// A variable that is set and not empty.
    #[expect(clippy::disallowed_methods, reason = "this is the shim every other file goes through")]
    pub(crate) fn get(&self, name: &str) -> Option<OsString> {
        let value = match &self.fixed {
            Some(variables) => variables.get(name).cloned(),
            None => std::env::var_os(name),
        };
        value.filter(|value| !value.is_empty())
    }

    /// A variable that holds a path.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// A path with a leading `~/` replaced by the home directory.
    pub(crate) fn expand_tilde(&self, path: &str) -> PathBuf {
        match (path.strip_prefix('~'), self.path(HOME)) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => PathBuf::from(path),
        }
    }

    /// A path that does not depend on the current directory, without `.` in it.
    #[expect(clippy::disallowed_methods, reason = "this is the shim every other file goes through")]
    pub(crate) fn absolute(path: &Path) -> PathBuf {
        let here = std::env::current_dir().unwrap_or_default();
        here.join(path).components().collect()
    }

    /// Who works here, on which machine.
    pub(crate) fn person(&self) -> String {
        let named = |names: [&str; 2]| names.iter().find_map(|name| self.get(name));
        let user = named(["USER", "LOGNAME"]).unwrap_or_else(|| "someone".into());
        #[cfg(unix)]
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        #[cfg(not(unix))]
        let host = self.get("COMPUTERNAME").unwrap_or_default().to_string_lossy().into_owned();
        format!("{}@{host}", user.to_string_lossy())
    }

    /// The file of this program.
    pub(crate) fn program() -> Result<PathBuf, Failure> {
        std::env::current_exe().map_err(|error| {
            Failure::new(Kind::Problems, "the file of this program is not known").cause(&error)
        })
    }

    /// Now, as every command of this run sees it.
    #[expect(clippy::disallowed_methods, reason = "this is the shim every other file goes through")]
    pub(crate) fn now(&self) -> Result<Timestamp, Failure> {
        let Some(fixed) = self.get(BACKSTORY_NOW) else {
            return Ok(Timestamp(jiff::Timestamp::now().as_millisecond()));
        };
        fixed.to_str().and_then(Timestamp::parse).ok_or_else(|| {
            Failure::usage(format!(
                "{BACKSTORY_NOW}={} is not an RFC 3339 time",
                fixed.to_string_lossy()
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_variables_count_as_unset_and_tildes_are_expanded() {
        let env = Env::fixed([(HOME, "/h".into()), (BACKSTORY_HOME, "".into())]);
        assert_eq!(env.get(BACKSTORY_HOME), None);
        assert_eq!(env.expand_tilde("~/logs"), PathBuf::from("/h/logs"));
        assert_eq!(env.expand_tilde("~"), PathBuf::from("/h"));
        assert_eq!(env.expand_tilde("~other/logs"), PathBuf::from("~other/logs"));
    }

    #[test]
    fn every_agents_variable_is_documented() {
        for adapter in backstory_adapters::all() {
            let name = adapter.spec().roots.env;
            // Until an agent's reader exists its specification names no real variable.
            assert!(
                name.len() < 2 || VARIABLES.iter().any(|variable| variable.name == name),
                "{name} is read but not documented"
            );
        }
    }

    #[test]
    fn a_broken_clock_variable_is_a_usage_error() {
        let env = Env::fixed([(BACKSTORY_NOW, "soon".into())]);
        assert_eq!(env.now().unwrap_err().kind.code(), 2);
    }
}
