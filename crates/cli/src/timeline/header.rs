//! Who a session is: the lines above its timeline, the same for every teller.

use crate::context::Context;
use crate::digest;
use crate::error::Failure;
use crate::figures::{count, duration, local_clock, local_day, local_minute, plural, token_line};
use crate::ids::ShortIds;
use crate::table::cut;
use crate::ui::{BOLD, DIM, paint};
use crate::untrusted::one_line;
use backstory_model::{Decision, Digest, Outcome, Seal, Session, SessionUid};
use backstory_store::{SessionFilter, Vault};
use std::fmt::Write;
use std::io;

/// Sub-agents named one by one.
const LISTED_SUBAGENTS: usize = 12;

/// What is known around a session's own events.
#[derive(Debug, Default)]
pub(crate) struct Background {
    /// Short ids of all sessions.
    pub(crate) ids: ShortIds,
    /// Its sub-agents, in the order they began.
    pub(crate) children: Vec<Session>,
    /// What was distilled of it.
    pub(crate) digest: Option<Digest>,
    /// What the human was asked in it, in order.
    pub(crate) decisions: Vec<Decision>,
    /// When a stretch of it was closed last, and why.
    pub(crate) seal: Option<Seal>,
}

/// Looks up what is known around a session.
pub(crate) fn background(vault: &Vault, uid: &SessionUid) -> Result<Background, Failure> {
    let filter = SessionFilter { parent: Some(uid.clone()), ..SessionFilter::default() };
    let mut children = vault.sessions(&filter)?;
    children.sort_by_key(|child| child.started_at);
    let (digest, decisions) =
        vault.account(uid)?.map(|account| (account.digest, account.decisions)).unzip();
    let seal = vault.latest_seal(uid)?;
    let decisions = decisions.unwrap_or_default();
    Ok(Background { ids: ShortIds::new(vault)?, children, digest, decisions, seal })
}

/// A line of the header: what it is about, and what is known.
struct Fact {
    name: &'static str,
    text: String,
}

/// The title, or the best stand-in for one.
fn title(session: &Session) -> String {
    match &session.title {
        Some(title) if !title.trim().is_empty() => one_line(title),
        _ => "untitled session".into(),
    }
}

/// Everything worth knowing before the first event.
fn facts(session: &Session, background: &Background, context: &Context) -> Vec<Fact> {
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
    add("outcome", outcome(session, background.digest.as_ref()));
    // Where raw events have left, the whole digest follows.
    let is_told = session.watermarks.evicted_at.is_none();
    add("digest", background.digest.as_ref().filter(|_| is_told).and_then(digest::gist));
    add("sealed", background.seal.as_ref().map(|seal| sealed(seal, context)));
    add("archive", stay(session, context));
    add("task", session.task_ref.clone());
    let lineage = &session.lineage;
    for (name, other) in [
        ("sub-agent of", &lineage.parent_session_uid),
        ("forked from", &lineage.forked_from_uid),
        ("continues", &lineage.continues_uid),
    ] {
        add(name, other.as_ref().map(|uid| named(uid, background)));
    }
    for child in background.children.iter().take(LISTED_SUBAGENTS) {
        add("sub-agent", Some(subagent(child, background)));
    }
    let more = background.children.len().saturating_sub(LISTED_SUBAGENTS);
    add("sub-agents", (more > 0).then(|| format!("and {more} more")));
    facts
}

/// Title and facts for a terminal, an empty line below.
pub(crate) fn write_terminal(
    session: &Session,
    background: &Background,
    context: &Context,
    columns: Option<usize>,
    out: &mut dyn io::Write,
) -> Result<(), Failure> {
    let fit = |text: &str, taken: usize| match columns {
        Some(columns) => cut(text, columns.saturating_sub(taken)),
        None => text.to_owned(),
    };
    let mut write = |line: String| writeln!(out, "{line}").map_err(Failure::output);
    write(paint(BOLD, fit(&title(session), 0)))?;
    for fact in facts(session, background, context) {
        let name = format!("{:<13}", fact.name);
        write(format!("{}{}", paint(DIM, name), fit(&fact.text, 13)))?;
    }
    write(String::new())
}

/// Title and facts as Markdown.
pub(crate) fn write_markdown(
    session: &Session,
    background: &Background,
    context: &Context,
    out: &mut dyn io::Write,
) -> Result<(), Failure> {
    let mut text = format!("# {}\n\n", title(session));
    for fact in facts(session, background, context) {
        text.extend(["- **", fact.name, "**: ", fact.text.as_str(), "\n"]);
    }
    out.write_all(text.as_bytes()).map_err(Failure::output)
}

/// Says that a digest stands in for raw events; nothing where they are all here.
pub(super) fn departure(session: &Session, context: &Context) -> Option<String> {
    let left = local_minute(session.watermarks.evicted_at?, context.zone());
    Some(format!("The raw events up to {left} have left the archive; this is kept of them."))
}

/// `a1b2c3d4 explore: Find the config loader`.
pub(super) fn subagent(child: &Session, background: &Background) -> String {
    let id = background.ids.get(&child.session_uid);
    let name = child.lineage.agent_name.as_deref().map(one_line).unwrap_or_default();
    let title = child.title.as_deref().map(one_line).unwrap_or_default();
    let about = [name, title].into_iter().filter(|part| !part.is_empty());
    format!("{id}  {}", about.collect::<Vec<_>>().join(": ")).trim_end().to_owned()
}

fn named(uid: &SessionUid, background: &Background) -> String {
    let short = background.ids.get(uid);
    if short == uid.as_str() { short.to_owned() } else { format!("{short}  ({uid})") }
}

/// The agent's name as people write it.
pub(super) fn label(session: &Session) -> &'static str {
    backstory_adapters::label(&session.session_uid)
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

fn outcome(session: &Session, digest: Option<&Digest>) -> Option<String> {
    let name = digest.and_then(digest::outcome).unwrap_or_else(|| session.outcome.name().into());
    match (&session.outcome_reason, session.outcome) {
        (Some(reason), _) => Some(format!("{name} ({})", one_line(reason))),
        (None, Outcome::Unknown) => None,
        (None, _) => Some(name),
    }
}

/// `2026-11-01 10:00 (ended), to event 41`.
fn sealed(seal: &Seal, context: &Context) -> String {
    let at = local_minute(seal.sealed_at, context.zone());
    format!("{at} ({}), to event {}", seal.reason.name(), seal.last_seq)
}

/// What a human or the budget decided about its raw events.
fn stay(session: &Session, context: &Context) -> Option<String> {
    let day = |at| local_minute(at, context.zone());
    let marks = &session.watermarks;
    let parts = [
        marks.pinned_at.map(|at| format!("pinned {}", day(at))),
        marks.evicted_at.map(|at| format!("raw events left {}", day(at))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}
