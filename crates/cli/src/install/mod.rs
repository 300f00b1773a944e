//! Our hooks and our MCP server in the agents' own settings: where they go, what they are, and every
//! other byte left alone.
//!
//! Everything is decided before anything is written: one file that cannot be changed stops all.

mod command;
pub(crate) mod diff;
mod files;
mod hooks;
mod json;
pub(crate) mod plugin;
mod receipt;
mod rule;
mod server_json;
mod server_toml;
mod splice;
pub(crate) mod state;
#[cfg(test)]
mod tests;
pub(crate) mod trust;
mod version;

use crate::context::Context;
use crate::env::{self, Env};
use crate::error::{Failure, Kind};
use crate::settings::{Origin, Settings};
use backstory_model::{Flavor, Timestamp};
pub(crate) use command::{Program, seconds_granted};
pub(crate) use files::{Action, Change};
use receipt::Receipts;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use version::Version;

/// Variables an agent may keep from the server it starts.
const PASSED_ON: [&str; 5] =
    [env::XDG_DATA_HOME, env::XDG_CONFIG_HOME, "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GROK_HOME"];

/// Why a file is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The line it is about.
    pub(crate) line: Option<usize>,
    /// What is in the way.
    pub(crate) what: String,
}

/// What of ours a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Hooks, in JSON.
    Hooks,
    /// The MCP server, in JSON.
    JsonServer,
    /// The MCP server, in TOML.
    TomlServer,
    /// What an agent is told about the server.
    Rule,
}

/// A file of an agent that gets something of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    pub(crate) part: Part,
}

/// One agent on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Agent {
    pub(crate) flavor: Flavor,
    /// Where it keeps its settings.
    pub(crate) dir: PathBuf,
    pub(crate) targets: Vec<Target>,
}

impl Agent {
    /// Finds out where an agent keeps its settings.
    pub(crate) fn find(flavor: Flavor, env: &Env) -> Result<Self, Failure> {
        let (variable, default) = match flavor {
            Flavor::Claude => ("CLAUDE_CONFIG_DIR", ".claude"),
            Flavor::Codex => ("CODEX_HOME", ".codex"),
            Flavor::Grok => ("GROK_HOME", ".grok"),
            Flavor::Pushed => {
                return Err(Failure::usage("agents known by their plugins have no settings here"));
            }
        };
        let user = env.path(env::HOME);
        let named = env.path(variable).map(|dir| Env::absolute(&dir));
        let dir = named.clone().or_else(|| user.as_ref().map(|user| user.join(default)));
        let Some(dir) = dir else {
            return Err(Failure::usage(format!(
                "HOME is not set, so the settings of {flavor} are not found"
            )));
        };
        let target = |path: PathBuf, part| Target { path, part };
        let targets = match flavor {
            Flavor::Claude => {
                // Its state lies beside the folder, unless the folder is named.
                let state = match (named, user) {
                    (None, Some(user)) => user,
                    _ => dir.clone(),
                };
                vec![
                    target(dir.join("settings.json"), Part::Hooks),
                    target(state.join(".claude.json"), Part::JsonServer),
                ]
            }
            Flavor::Codex => vec![
                target(dir.join("hooks.json"), Part::Hooks),
                target(dir.join("config.toml"), Part::TomlServer),
            ],
            Flavor::Grok => vec![
                target(dir.join("hooks").join("backstory.json"), Part::Hooks),
                target(dir.join("config.toml"), Part::TomlServer),
                target(dir.join("AGENTS.md"), Part::Rule),
            ],
            Flavor::Pushed => Vec::new(),
        };
        Ok(Self { flavor, dir, targets })
    }

    /// True if it was ever used here.
    pub(crate) fn is_here(&self) -> bool {
        self.dir.is_dir()
    }
}

impl Program {
    /// This binary with this archive.
    pub(crate) fn here(context: &Context, settings: &Settings) -> Result<Self, Failure> {
        let text = |name: &str, path: PathBuf| match path.into_os_string().into_string() {
            Ok(text) if !text.contains(['\n', '\r', '\0']) => Ok(text),
            _ => Err(Failure::usage(format!("{name} is a path no settings can hold"))),
        };
        let path = text("this binary", lasting(Env::program()?, &context.env))?;
        if !command::is_ours(Path::new(&path)) {
            // What is not recognised afterwards could neither be brought up to date nor taken out.
            return Err(Failure::usage(format!("this binary is called {path}"))
                .hint("hooks are recognised by their program: call it `backstory`"));
        }
        let home = &settings.home;
        let is_chosen = matches!(home.origin, Origin::Flag(_) | Origin::Env(env::BACKSTORY_HOME));
        let home = if is_chosen { Some(text("the archive", home.value.clone())?) } else { None };
        let mut variables = BTreeMap::new();
        for name in PASSED_ON {
            if let Some(path) = context.env.path(name) {
                variables.insert(name.to_owned(), text(name, Env::absolute(&path))?);
            }
        }
        if let Some(state) = &settings.state {
            let state = text("the folder of the state", state.value.clone())?;
            variables.insert(env::BACKSTORY_STATE_DIR.to_owned(), state);
        }
        let claude = program_named("claude", &context.env).and_then(|claude| Version::of(&claude));
        Ok(Self { path, home, variables, claude })
    }

    /// What a person should know about the hooks of an agent.
    pub(crate) fn remark(&self, flavor: Flavor) -> Option<String> {
        let lacking = self.lacking(flavor);
        let version = self.claude.filter(|_| !lacking.is_empty())?;
        Some(format!(
            "Claude Code {version} has no {} hooks: update it, and run the command again",
            lacking.join(", ")
        ))
    }
}

/// The name a program is found by, if that leads to it: what it leads to may have the version in its
/// path and be gone after the next update.
fn lasting(program: PathBuf, env: &Env) -> PathBuf {
    let real = fs_err::canonicalize(&program).unwrap_or_else(|_| program.clone());
    let Some(name) = program.file_name() else { return program };
    let leads_here = |found: &PathBuf| fs_err::canonicalize(found).is_ok_and(|found| found == real);
    let mut found = folders(env).into_iter().map(|dir| dir.join(name));
    found.find(leads_here).unwrap_or(program)
}

/// The folders programs are looked for in.
fn folders(env: &Env) -> Vec<PathBuf> {
    let listed = env.get("PATH").unwrap_or_default();
    std::env::split_paths(&listed).filter(|dir| dir.is_absolute()).collect()
}

/// A program people would start by its name.
pub(crate) fn program_named(name: &str, env: &Env) -> Option<PathBuf> {
    folders(env).into_iter().map(|dir| dir.join(name)).find(|path| path.is_file())
}

/// The text of a file with what is ours in it.
fn with_ours(part: Part, flavor: Flavor, text: &str, program: &Program) -> Result<String, Refusal> {
    match part {
        Part::Hooks => hooks::with_hooks(object(text), &program.hooks(flavor)),
        Part::JsonServer => server_json::with_server(object(text), &program.server()),
        Part::TomlServer => server_toml::with_server(text, &program.server()),
        Part::Rule => Ok(rule::with_rule(text, rule::RECALL)),
    }
}

/// The text of a file without what is ours in it; `before` is what it was before we came.
fn without_ours(part: Part, text: &str, before: Option<&str>) -> Result<String, Refusal> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    match part {
        Part::Hooks => hooks::without_hooks(text, before),
        Part::JsonServer => server_json::without_server(text, before),
        Part::TomlServer => server_toml::without_server(text),
        Part::Rule => Ok(rule::without_rule(text)),
    }
}

/// An empty file is an empty object.
fn object(text: &str) -> &str {
    if text.trim().is_empty() { "{}\n" } else { text }
}

/// What is to be done to install or to uninstall.
pub(crate) struct Plan {
    receipts: Receipts,
    /// In the order of agents and their files.
    pub(crate) changes: Vec<(Flavor, Change)>,
}

impl Plan {
    /// What installing changes.
    pub(crate) fn install(
        agents: &[Agent],
        program: &Program,
        home: &Path,
    ) -> Result<Self, Failure> {
        Self::decide(agents, home, |agent, target, receipts| {
            let now = files::read(&target.path)?;
            let with = |text: &str| {
                with_ours(target.part, agent.flavor, text, program).map_err(|refusal| {
                    refused(&target.path, &refusal, agent.flavor, "nothing was installed")
                })
            };
            // If nobody else has changed it since, we begin again from what it was.
            let known = receipts.known(&target.path, now.as_deref());
            let base = match &known {
                Some(undone) => undone.before.clone(),
                None => now.clone(),
            };
            let after = with(base.as_deref().unwrap_or_default())?;
            let held_ours = now.as_deref().is_some_and(|now| {
                without_ours(target.part, now, None).is_ok_and(|without| without != now)
            });
            Ok(Change::written(target.path.clone(), now, after, known, held_ours))
        })
    }

    /// What uninstalling changes.
    pub(crate) fn uninstall(agents: &[Agent], home: &Path) -> Result<Self, Failure> {
        Self::decide(agents, home, |agent, target, receipts| {
            let now = files::read(&target.path)?;
            let Some(text) = now.as_deref() else {
                return Ok(Change::none(target.path.clone()));
            };
            if let Some(undone) = receipts.known(&target.path, Some(text)) {
                return Ok(Change::undone(target.path.clone(), now, undone));
            }
            let before = receipts.before(&target.path);
            let after = without_ours(target.part, text, before.as_deref()).map_err(|refusal| {
                refused(&target.path, &refusal, agent.flavor, "nothing was removed")
            })?;
            // A file with our name is not left behind empty.
            let is_named_after_us = target.path.file_stem().is_some_and(|name| name == "backstory");
            if is_named_after_us && after.trim() == "{}" {
                return Ok(Change::removed(target.path.clone(), now));
            }
            Ok(Change::cleared(target.path.clone(), now, after))
        })
    }

    /// Files with commands that run us and more, which are not ours to take out.
    pub(crate) fn left(&self, flavor: Flavor) -> impl Iterator<Item = &Path> {
        let own = self.changes.iter().filter(move |(of, _)| *of == flavor);
        let does_more = |text: &str| {
            let found = hooks::found(text).unwrap_or_default();
            found.iter().any(|here| here.registered.does_more)
        };
        own.filter(move |(_, change)| change.after.as_deref().is_some_and(does_more))
            .map(|(_, change)| change.path.as_path())
    }

    fn decide(
        agents: &[Agent],
        home: &Path,
        change: impl Fn(&Agent, &Target, &Receipts) -> Result<Change, Failure>,
    ) -> Result<Self, Failure> {
        let receipts = Receipts::load(home);
        let mut changes = Vec::new();
        for agent in agents {
            for target in &agent.targets {
                changes.push((agent.flavor, change(agent, target, &receipts)?));
            }
        }
        Ok(Self { receipts, changes })
    }

    /// Does it. What was done is told by the changes.
    pub(crate) fn carry_out(&mut self, now: Timestamp) -> Result<(), Failure> {
        for (_, change) in &mut self.changes {
            change.make(&mut self.receipts, now).map_err(|error| {
                Failure::new(Kind::Problems, "the settings cannot be written")
                    .cause(&error)
                    .hint("what was changed before is complete; run the command again")
            })?;
        }
        for (_, change) in &self.changes {
            change.sweep_up();
        }
        Ok(())
    }
}

fn refused(path: &Path, refusal: &Refusal, flavor: Flavor, consequence: &str) -> Failure {
    let place = match refusal.line {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    };
    let others = Flavor::LOGGED.iter().filter(|other| **other != flavor);
    let others: Vec<&str> = others.map(|other| other.name()).collect();
    Failure::usage(format!("{place}: {}", refusal.what))
        .hint(format!("correct the file and run the command again; {consequence}"))
        .hint(format!("or leave {flavor} out: name {} instead", others.join(" or ")))
}
