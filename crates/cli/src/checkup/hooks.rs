//! Do agents tell us what they do, and is what they run there and trusted?

use super::check;
use crate::context::Context;
use crate::figures::plural;
use crate::install::state::{self, Found, Presence};
use crate::install::{Agent, Part, program_named, trust};
use backstory_api::{Check, Level};
use backstory_model::Flavor;

/// Looks at every agent that was used here.
pub(super) fn check_all(context: &Context) -> Vec<Check> {
    let mut checks = Vec::new();
    for flavor in Flavor::LOGGED {
        let Ok(agent) = Agent::find(flavor, &context.env) else { continue };
        if !agent.is_here() {
            continue;
        }
        let mut found = check_agent(&agent, context);
        for check in &mut found {
            check.flavor = Some(flavor.name().to_owned());
            check.path.get_or_insert_with(|| agent.dir.display().to_string());
        }
        checks.extend(found);
    }
    checks
}

fn check_agent(agent: &Agent, context: &Context) -> Vec<Check> {
    let found = state::of(agent);
    let is_absent = |file: &&Found| file.presence == Presence::Absent;
    let lacking: Vec<&Found> = found.iter().filter(is_absent).collect();
    let unclear = found.iter().any(|file| matches!(file.presence, Presence::Unclear(_)));
    let advice = format!("`backstory install {}`", agent.flavor);
    if lacking.len() == found.len() {
        let mut none = check("hooks", Level::Note, "not installed: it works without its memory");
        none.hint = Some(format!("{advice} adds hooks and the MCP server"));
        return vec![none];
    }
    let mut checks: Vec<Check> =
        found.iter().filter_map(|file| check_file(file, &advice)).collect();
    if checks.is_empty() && !unclear {
        checks.push(check("hooks", Level::Ok, "hooks and MCP server installed"));
    }
    let has_hooks = found
        .iter()
        .any(|file| file.target.part == Part::Hooks && !matches!(file.presence, Presence::Absent));
    if agent.flavor == Flavor::Codex && has_hooks {
        checks.extend(check_trust(agent, context));
    }
    checks
}

fn check_file(file: &Found, advice: &str) -> Option<Check> {
    let again = format!("run {advice} again");
    let trouble = match &file.presence {
        Presence::Unclear(refusal) => {
            let mut trouble = check("hooks", Level::Attention, refusal.what.clone());
            trouble.lines = refusal.line.map(|line| line as u64).into_iter().collect();
            trouble.hint = Some("correct the file".into());
            Some(trouble)
        }
        Presence::Absent => {
            let what = match file.target.part {
                Part::Hooks => "no hooks of ours in it",
                Part::JsonServer | Part::TomlServer => "no MCP server of ours in it",
                Part::Rule => "no rule of ours in it",
            };
            Some(check("hooks", Level::Attention, what))
        }
        Presence::Partial(events) => {
            let what = format!("no hook for {}", events.join(", "));
            Some(check("hooks", Level::Attention, what))
        }
        Presence::Whole => None,
    };
    let gone = file.gone.iter().next().map(|program| {
        let what = format!("runs {}, which is gone", program.display());
        check("hooks", Level::Attention, what)
    });
    let mut found = gone.or(trouble)?;
    found.hint.get_or_insert(again);
    found.path = Some(file.target.path.display().to_string());
    Some(found)
}

/// Codex says nothing about hooks it leaves out.
fn check_trust(agent: &Agent, context: &Context) -> Option<Check> {
    let codex = program_named("codex", &context.env)?;
    let trust = match trust::ask(&codex, &agent.dir) {
        Ok(trust) => trust,
        Err(why) => {
            let what =
                format!("whether it trusts the hooks is not known: {} {why}", codex.display());
            return Some(check("hooks", Level::Note, what));
        }
    };
    let mut distrust = if !trust.untrusted.is_empty() {
        let hooks = plural(trust.untrusted.len() as u64, "hook");
        check("hooks", Level::Attention, format!("{hooks} not trusted yet: Codex leaves them out"))
    } else if !trust.disabled.is_empty() {
        let hooks = plural(trust.disabled.len() as u64, "hook");
        check("hooks", Level::Note, format!("{hooks} switched off in Codex"))
    } else if trust.trusted == 0 {
        check("hooks", Level::Attention, "Codex does not load the hooks")
    } else {
        return None;
    };
    distrust.hint = Some("start `codex` and type /hooks to look at them and trust them".into());
    Some(distrust)
}
