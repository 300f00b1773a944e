//! What of ours is in an agent's settings now, for `doctor`.

use super::command::Program;
use super::{Agent, Part, Refusal, Target, files, hooks, rule, server_json, server_toml};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What was found in one file.
pub(crate) struct Found {
    pub(crate) target: Target,
    pub(crate) presence: Presence,
    /// Programs it runs that are not there.
    pub(crate) gone: BTreeSet<PathBuf>,
}

/// Whether what belongs into a file is in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// All of it.
    Whole,
    /// Only some; these events lack.
    Partial(Vec<&'static str>),
    /// None of it.
    Absent,
    /// The file cannot be understood.
    Unclear(Refusal),
}

/// Looks into every file of an agent.
pub(crate) fn of(agent: &Agent) -> Vec<Found> {
    let look = |target: &Target| {
        let text = match files::read(&target.path) {
            Ok(text) => text.unwrap_or_default(),
            Err(failure) => {
                let refusal = Refusal { line: None, what: failure.message };
                return Found {
                    target: target.clone(),
                    presence: Presence::Unclear(refusal),
                    gone: BTreeSet::new(),
                };
            }
        };
        let (presence, programs) = if text.trim().is_empty() {
            (Presence::Absent, Vec::new())
        } else {
            understood(agent, target.part, &text)
                .unwrap_or_else(|refusal| (Presence::Unclear(refusal), Vec::new()))
        };
        // A bare name is looked for by the agent's shell, in whatever folders it knows.
        let is_gone = |path: &PathBuf| path.is_absolute() && !path.exists();
        let gone = programs.into_iter().filter(is_gone).collect();
        Found { target: target.clone(), presence, gone }
    };
    agent.targets.iter().map(look).collect()
}

fn understood(agent: &Agent, part: Part, text: &str) -> Result<(Presence, Vec<PathBuf>), Refusal> {
    let one = |program: Option<PathBuf>| match program {
        Some(program) => (Presence::Whole, vec![program]),
        None => (Presence::Absent, Vec::new()),
    };
    Ok(match part {
        Part::JsonServer => one(server_json::found(text)?),
        Part::TomlServer => one(server_toml::found(text)?),
        Part::Rule if rule::is_there(text) => (Presence::Whole, Vec::new()),
        Part::Rule => (Presence::Absent, Vec::new()),
        Part::Hooks => {
            let found = hooks::found(text)?;
            let lacking: Vec<&'static str> = Program::events(agent.flavor)
                .filter(|event| found.iter().all(|here| here.event != *event))
                .collect();
            let presence = match (found.is_empty(), lacking.is_empty()) {
                (true, _) => Presence::Absent,
                (false, true) => Presence::Whole,
                (false, false) => Presence::Partial(lacking),
            };
            (presence, found.into_iter().map(|here| here.registered.program).collect())
        }
    })
}
