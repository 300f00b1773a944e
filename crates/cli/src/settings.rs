//! What is in force, and where each value came from: flag, environment, `config.toml` or default.

mod decisions;
mod file;
mod hub;
mod retention;
mod server;
pub(crate) mod size;
mod store;

pub(crate) use hub::{Token, wrong_with as wrong_with_hub};

use crate::env::{self, Env};
use crate::error::Failure;
use backstory_distill::capture;
use backstory_distill::recall::{self, compress};
use backstory_engine::live;
use backstory_model::Flavor;
use file::ConfigFile;
use hub::Hub;
pub(crate) use retention::Retention;
pub(crate) use server::Server;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
pub(crate) use store::{Place, Store};

/// Branches named after a work item, prompts that begin with one, and references behind a word that
/// announces them. Bare `SHA-256` or `UTF-8` in the middle of a prompt is none.
const TASK_REF_PATTERNS: [&str; 4] = [
    r"\b([A-Z][A-Z0-9]+-WP-\d+-T\d+)\b",
    r"^(?:[A-Za-z0-9_.-]+/)*([A-Z][A-Z0-9]+-\d+)\b",
    r"(?i:\b(?:fix|close|resolve|implement|issue|ticket|task|bug)(?:e?[sd])?:? )([A-Z][A-Z0-9]+-\d+|#\d+)\b",
    r"^(?:[A-Za-z0-9_.-]+/)*(#\d+)\b",
];

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Built in.
    Default,
    /// `config.toml`, and the line.
    File(PathBuf, usize),
    /// An environment variable.
    Env(&'static str),
    /// A flag.
    Flag(&'static str),
}

impl Origin {
    /// The kind of place.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File(..) => "file",
            Self::Env(_) => "env",
            Self::Flag(_) => "flag",
        }
    }

    /// Which place exactly.
    pub(crate) fn detail(&self) -> Option<String> {
        match self {
            Self::Default => None,
            Self::File(path, line) => Some(format!("{}:{line}", path.display())),
            Self::Env(name) | Self::Flag(name) => Some((*name).to_owned()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail() {
            Some(detail) => write!(f, "{detail}"),
            None => f.write_str("default"),
        }
    }
}

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

impl<T> Value<T> {
    fn default(value: T) -> Self {
        Self { value, origin: Origin::Default }
    }
}

/// Everything that can be configured.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Our own directory.
    pub(crate) home: Value<PathBuf>,
    /// Where the state of running sessions lies, if it is not below that directory.
    pub(crate) state: Option<Value<PathBuf>>,
    /// Where the archive is kept.
    pub(crate) store: Store,
    /// The file that was looked for.
    pub(crate) file: PathBuf,
    /// True if it exists.
    pub(crate) file_exists: bool,
    /// How much is kept, and how long.
    pub(crate) retention: Retention,
    /// Folders of each agent.
    pub(crate) sources: Vec<(Flavor, Value<Vec<PathBuf>>)>,
    /// Repository → domain.
    pub(crate) domains: Value<BTreeMap<String, String>>,
    /// How work items are recognised.
    pub(crate) task_ref_patterns: Value<Vec<String>>,
    /// When running sessions are sealed.
    pub(crate) live: live::Knobs,
    /// What can be tuned about recall.
    pub(crate) recall: recall::Knobs,
    /// What can be tuned about saying it in fewer words.
    pub(crate) compress: compress::Knobs,
    /// What can be tuned about hooks and what is posted.
    pub(crate) capture: capture::Knobs,
    /// Who is told about notable events.
    pub(crate) hub: Hub,
    /// How `serve` works.
    pub(crate) server: Server,
    /// How briefs mark a question.
    pub(crate) marker: Value<String>,
    /// What is odd about the file.
    pub(crate) warnings: Vec<String>,
}

impl Settings {
    /// Reads the file and combines everything.
    pub(crate) fn load(
        env: &Env,
        home_flag: Option<&Path>,
        store_flag: Option<&str>,
    ) -> Result<Self, Failure> {
        let (home, file_path) = places(env, home_flag)?;
        let mut warnings = Vec::new();
        let text = file::read(&file_path)?;
        let parsed = match &text {
            Some(text) => ConfigFile::parse(&file_path, text, &mut warnings)?,
            None => ConfigFile::default(),
        };
        let sources = Flavor::LOGGED
            .into_iter()
            .map(|flavor| (flavor, sources_of(flavor, &parsed, env, &file_path)))
            .collect();
        let retention = Retention::from_file(&parsed)?;
        let variable = |name: &str| env.get(name)?.into_string().ok();
        let server = Server::new(env, parsed.server, &file_path)?;
        let patterns = || TASK_REF_PATTERNS.map(str::to_owned).to_vec();
        Ok(Self {
            home,
            state: state(env),
            store: Store::new(env, store_flag, parsed.store)?,
            file_exists: text.is_some(),
            file: file_path,
            retention,
            sources,
            domains: parsed.domains.unwrap_or_else(|| Value::default(BTreeMap::new())),
            task_ref_patterns: parsed.task_ref.unwrap_or_else(|| Value::default(patterns())),
            live: live::Knobs::from_variables(variable),
            recall: recall::Knobs::from_variables(variable),
            compress: compress::Knobs::from_variables(variable),
            capture: capture::Knobs::from_variables(variable),
            hub: Hub::new(parsed.hub_url, env),
            server,
            marker: decisions::marker(env, parsed.marker)?,
            warnings,
        })
    }

    /// The folders of one agent.
    pub(crate) fn sources_of(&self, flavor: Flavor) -> &[PathBuf] {
        self.sources
            .iter()
            .find(|(known, _)| *known == flavor)
            .map_or(&[], |(_, folders)| folders.value.as_slice())
    }
}

/// Where archive and configuration lie.
fn places(env: &Env, home_flag: Option<&Path>) -> Result<(Value<PathBuf>, PathBuf), Failure> {
    let chosen = match (home_flag, env.path(env::BACKSTORY_HOME)) {
        (Some(dir), _) => Some((dir.to_owned(), Origin::Flag("--home"))),
        (None, Some(dir)) => Some((dir, Origin::Env(env::BACKSTORY_HOME))),
        (None, None) => None,
    };
    if let Some((dir, origin)) = chosen {
        let dir = Env::absolute(&dir);
        let file = dir.join("config.toml");
        return Ok((Value { value: dir, origin }, file));
    }
    let user = env.path(env::HOME);
    let below = |variable: &'static str, default: &str| match (env.path(variable), &user) {
        (Some(dir), _) if dir.is_absolute() => Some((dir, Origin::Env(variable))),
        (_, Some(user)) => Some((user.join(default), Origin::Default)),
        (_, None) => None,
    };
    let data = below(env::XDG_DATA_HOME, ".local/share");
    let config = below(env::XDG_CONFIG_HOME, ".config");
    match (data, config) {
        (Some((data, origin)), Some((config, _))) => Ok((
            Value { value: data.join("backstory"), origin },
            config.join("backstory").join("config.toml"),
        )),
        _ => Err(Failure::usage("HOME is not set, so there is no place for the archive")
            .hint("choose one with --home DIR")),
    }
}

/// Where the state of running sessions lies, if somebody says.
fn state(env: &Env) -> Option<Value<PathBuf>> {
    let named = [env::BACKSTORY_STATE_DIR, env::OPENVIKING_CODEX_STATE_DIR];
    named.into_iter().find_map(|name| {
        let dir = Env::absolute(&env.path(name)?);
        Some(Value { value: dir, origin: Origin::Env(name) })
    })
}

/// The agent's folders: the file speaks to Backstory and wins over the agent's own variable.
fn sources_of(
    flavor: Flavor,
    file: &ConfigFile,
    env: &Env,
    file_path: &Path,
) -> Value<Vec<PathBuf>> {
    if let Some(listed) = file.sources.get(&flavor) {
        let base = file_path.parent().unwrap_or(Path::new(""));
        let folders = listed.value.iter().map(|dir| base.join(env.expand_tilde(dir)));
        return Value { value: folders.collect(), origin: listed.origin.clone() };
    }
    let Some(adapter) = backstory_adapters::of(flavor) else {
        return Value::default(Vec::new());
    };
    let roots = &adapter.spec().roots;
    let folders = roots.resolve(&|name| env.get(name));
    let origin =
        if env.get(roots.env).is_some() { Origin::Env(roots.env) } else { Origin::Default };
    Value { value: folders, origin }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_comes_from_flag_then_variable_then_xdg() {
        let env = Env::fixed([(env::HOME, "/h".into()), (env::BACKSTORY_HOME, "/b".into())]);
        let flag = places(&env, Some(Path::new("/f"))).unwrap();
        assert_eq!(flag.0, Value { value: "/f".into(), origin: Origin::Flag("--home") });
        let (home, file) = places(&env, None).unwrap();
        assert_eq!(home.origin, Origin::Env("BACKSTORY_HOME"));
        assert_eq!(file, PathBuf::from("/b/config.toml"));
        let env = Env::fixed([(env::HOME, "/h".into()), (env::XDG_DATA_HOME, "/d".into())]);
        let (home, file) = places(&env, None).unwrap();
        assert_eq!(home.value, PathBuf::from("/d/backstory"));
        assert_eq!(file, PathBuf::from("/h/.config/backstory/config.toml"));
    }

    #[test]
    fn without_any_home_the_way_out_is_named() {
        let failure = places(&Env::fixed([]), None).unwrap_err();
        assert_eq!(failure.kind.code(), 2);
        assert!(failure.hints[0].contains("--home"));
    }
}
