//! Who a session is: the lines above its timeline, the same for every teller.

use crate::context::Context;
use crate::error::Failure;
use crate::figures::{count, duration, local_clock, local_day, local_minute, plural, token_line};
use crate::ids::ShortIds;
use crate::untrusted::one_line;
use backstory_model::{Outcome, Session, SessionUid};
use backstory_store::{SessionFilter, Vault};
use std::fmt::Write;

/// Sub-agents named one by one.
const LISTED_SUBAGENTS: usize = 12;

/// The sessions around a session.
#[derive(Debug, Default)]
pub(crate) struct Family {
    /// Short ids of all sessions.
    pub(crate) ids: ShortIds,
    /// Its sub-agents, in the order they began.
    pub(crate) children: Vec<Session>,
}

/// Looks up the sessions around a session.
pub(crate) fn family(vault: &Vault, uid: &SessionUid) -> Result<Family, Failure> {
    let filter = SessionFilter { parent: Some(uid.clone()), ..SessionFilter::default() };
    let mut children = vault.sessions(&filter)?;
    children.sort_by_key(|child| child.started_at);
    Ok(Family { ids: ShortIds::new(vault)?, children })
}

/// A line of the header: what it is about, and what is known.
pub(super) struct Fact {
    pub(super) name: &'static str,
    pub(super) text: String,
}

/// The title, or the best stand-in for one.
pub(super) fn title(session: &Session) -> String {
    match &session.title {
        Some(title) if !title.trim().is_empty() => one_line(title),
        _ => "untitled session".into(),
    }
}

/// Everything worth knowing before the first event.
pub(super) fn facts(session: &Session, family: &Family, context: &Context) -> Vec<Fact> {
    let mut facts = vec![Fact { name: "session", text: session.session_uid.to_string() }];
    let mut add = |name: &'static str, text: Option<String>| {
        facts.extend(text.filter(|text| !text.is_empty()).map(|text| Fact { name, text }));
    };
    add("agent", Some(agent(session)));
    add("place", place(session, context));
    add("when", when(session, context));
    add("work", Some(work(session)));
    add(
        "tokens",
        token_line(&session.cost).map(|line| {
            let note = if session.cost_in_parent { " (counted in the parent session)" } else { "" };
            format!("{line}{note}")
        }),
    );
    add("outcome", outcome(session));
    add("task", session.task_ref.clone());
    let lineage = &session.lineage;
    for (name, other) in [
        ("sub-agent of", &lineage.parent_session_uid),
        ("forked from", &lineage.forked_from_uid),
        ("continues", &lineage.continues_uid),
    ] {
        add(name, other.as_ref().map(|uid| named(uid, family)));
    }
    for child in family.children.iter().take(LISTED_SUBAGENTS) {
        add("sub-agent", Some(subagent(child, family)));
    }
    let more = family.children.len().saturating_sub(LISTED_SUBAGENTS);
    add("sub-agents", (more > 0).then(|| format!("and {more} more")));
    facts
}

/// `a1b2c3d4 explore: Find the config loader`.
pub(super) fn subagent(child: &Session, family: &Family) -> String {
    let id = family.ids.get(&child.session_uid);
    let name = child.lineage.agent_name.as_deref().map(one_line).unwrap_or_default();
    let title = child.title.as_deref().map(one_line).unwrap_or_default();
    let about = [name, title].into_iter().filter(|part| !part.is_empty());
    format!("{id}  {}", about.collect::<Vec<_>>().join(": ")).trim_end().to_owned()
}

fn named(uid: &SessionUid, family: &Family) -> String {
    let short = family.ids.get(uid);
    if short == uid.as_str() { short.to_owned() } else { format!("{short}  ({uid})") }
}

/// The agent's name as people write it.
pub(super) fn label(session: &Session) -> &'static str {
    backstory_adapters::of(session.flavor)
        .map_or(session.flavor.name(), |adapter| adapter.spec().label)
}

fn agent(session: &Session) -> String {
    let mut text = label(session).to_owned();
    if let Some(version) = &session.cli_version {
        text = format!("{text} {version}");
    }
    if !session.models.is_empty() {
        text = format!("{text} · {}", session.models.join(", "));
    }
    one_line(&text)
}

fn place(session: &Session, context: &Context) -> Option<String> {
    let cwd = session.cwd.as_deref().map(|cwd| context.short_path(cwd));
    let repo = match (&session.repo, &session.git_branch) {
        (Some(repo), Some(branch)) => Some(format!("{repo} on {branch}")),
        (Some(repo), None) => Some(repo.clone()),
        (None, branch) => branch.clone(),
    };
    let domain = session.domain.as_ref().map(|domain| format!("domain {domain}"));
    let parts: Vec<String> = [repo, domain, cwd].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| one_line(&parts.join(" · ")))
}

fn when(session: &Session, context: &Context) -> Option<String> {
    let zone = context.zone();
    let started = session.started_at?;
    let Some(ended) = session.ended_at.filter(|ended| *ended > started) else {
        return Some(local_minute(started, zone));
    };
    let same_day = local_day(started, zone) == local_day(ended, zone);
    let end = if same_day { local_clock(ended, zone) } else { local_minute(ended, zone) };
    let end = if same_day { end.get(..5).unwrap_or(&end).to_owned() } else { end };
    let span = duration(session.cost.wall_clock_s * 1000);
    Some(format!("{} → {end} ({span})", local_minute(started, zone)))
}

fn work(session: &Session) -> String {
    let mut text = plural(u64::from(session.cost.turns), "turn");
    let _ = write!(text, " · {} events", count(u64::from(session.events)));
    if session.cost.retries > 0 {
        let _ = write!(text, " · {} repeated after failing", session.cost.retries);
    }
    text
}

fn outcome(session: &Session) -> Option<String> {
    let name = session.outcome.name();
    match (&session.outcome_reason, session.outcome) {
        (Some(reason), _) => Some(format!("{name} ({})", one_line(reason))),
        (None, Outcome::Unknown) => None,
        (None, _) => Some(name.to_owned()),
    }
}
