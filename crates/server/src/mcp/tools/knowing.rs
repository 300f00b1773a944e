//! What is known: sessions, errors and their fixes, decisions, patterns.

use super::finding::about;
use super::{Effect, Spec, reading};
use crate::mcp::answer::{Answer, Lines, MAX_CHARS, Refusal};
use crate::mcp::args::{Arg, Args, Kind};
use crate::mcp::desk::Desk;
use backstory_distill::patterns::Pattern;
use backstory_distill::query::End;
use backstory_engine::ledger;
use backstory_engine::tree::{PatternChoice, tell_decision, tell_pattern};
use backstory_model::{DecisionKind, DecisionState, Flavor, Outcome, SignalKind, Timestamp};
use backstory_store::{DecisionFilter, SessionFilter};

const SESSIONS: &str = "List coding sessions, the most recently active first, each with its address, title, \
    project, day and outcome. Use it to see what was worked on lately or in a project. Example: \
    {\"project\": \"app\", \"since\": \"7d\"}";
const SESSION: &str = "Tell one session: its overview (goal, outcome, decisions, files, what was left open), \
    its digest (all that is kept) or its transcript (everything said and done, in parts). The id may be \
    the beginning of one, or last. Example: {\"id\": \"last\", \"part\": \"overview\"}";
const ERRORS: &str = "Tell whether an error was met before and what made it go away. Call it when a command or \
    test fails, with the error message or the whole output, before trying things yourself. Without a \
    message it lists the most widespread errors. Example: {\"message\": \"error[E0308]: mismatched types\"}";
const DECISIONS: &str = "List what the user was asked and what they chose, the latest first: what was offered, \
    what was recommended, addresses. Call it with your question before asking the user something that may \
    have been answered before. Example: {\"question\": \"which database?\", \"project\": \"app\"}";
/// Decisions a question is compared with, the latest first.
const LOOKED_AT: usize = 2_000;
const PATTERNS: &str = "List what happens again and again over sessions: errors, corrections by the user, \
    repeated instructions, slow commands, denied permissions; with what is known to help. Use it to learn \
    how the user wants things done and what usually goes wrong. Example: {\"kind\": \"user_correction\"}";

const PROJECT: Arg = Arg::may("project", Kind::Text, "Only of this repository, by its name");
const SINCE: Arg =
    Arg::may("since", Kind::Text, "Only at or after this moment: 7d, 3h, yesterday, 2026-11-01");
const LIMIT: Arg = Arg::may("limit", Kind::Number, "At most so many (default 20, at most 200)");
const OFFSET: Arg = Arg::may("offset", Kind::Number, "Pass over so many, to see those behind");

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "sessions",
        about: SESSIONS,
        args: &[
            PROJECT,
            Arg::may(
                "agent",
                Kind::Choice(&["claude", "codex", "grok", "pushed"]),
                "Only of this agent",
            ),
            SINCE,
            Arg::may("until", Kind::Text, "Only begun before this moment; a day is included"),
            Arg::may(
                "outcome",
                Kind::Choice(&["success", "fail", "abandoned", "unknown"]),
                "Only those that ended like this",
            ),
            LIMIT,
            OFFSET,
        ],
        effect: Effect::Reads,
        run: sessions,
    },
    Spec {
        name: "session",
        about: SESSION,
        args: &[
            Arg::must("id", Kind::Text, "The session's id, the beginning of it, or last"),
            Arg::may(
                "part",
                Kind::Choice(&["overview", "digest", "transcript"]),
                "What to tell (default overview)",
            ),
            Arg::may("offset", Kind::Number, "Pass over so many characters (default 0)"),
            Arg::may("limit", Kind::Number, "At most so many characters (default and most 20000)"),
        ],
        effect: Effect::Reads,
        run: session,
    },
    Spec {
        name: "errors",
        about: ERRORS,
        args: &[
            Arg::may("message", Kind::Text, "The error message, or a whole output with it"),
            PROJECT,
            LIMIT,
            OFFSET,
        ],
        effect: Effect::Reads,
        run: errors,
    },
    Spec {
        name: "decisions",
        about: DECISIONS,
        args: &[
            Arg::may("question", Kind::Text, "Only those about the same, the most similar first"),
            PROJECT,
            SINCE,
            Arg::may(
                "state",
                Kind::Choice(&["open", "answered", "skipped", "interrupted"]),
                "Only in this state",
            ),
            LIMIT,
            OFFSET,
        ],
        effect: Effect::Reads,
        run: decisions,
    },
    Spec {
        name: "patterns",
        about: PATTERNS,
        args: &[
            Arg::may(
                "kind",
                Kind::Text,
                "Only this kind, e.g. error, user_correction, instruction",
            ),
            PROJECT,
            SINCE,
            Arg::may("min_sessions", Kind::Number, "Only in at least so many sessions (default 2)"),
            LIMIT,
            OFFSET,
        ],
        effect: Effect::Reads,
        run: patterns,
    },
];

fn page(args: &Args) -> (usize, usize) {
    (args.number("limit", 20, 200).max(1), args.number("offset", 0, 1_000_000))
}

fn moment(
    desk: &Desk,
    args: &Args,
    name: &'static str,
    end: End,
) -> Result<Option<Timestamp>, Refusal> {
    let Some(text) = args.text(&[name]) else { return Ok(None) };
    let read = (desk.read_moment)(&text, end, desk.now());
    let refuse =
        || Refusal(format!("{name}: {text:?} is no moment; try 7d, 3h, yesterday or 2026-11-01."));
    read.map(Some).ok_or_else(refuse)
}

/// One of a few words, or what is wrong with it.
fn word<T>(
    args: &Args,
    name: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Refusal> {
    let Some(text) = args.text(&[name]) else { return Ok(None) };
    let word = text.trim().to_lowercase();
    read(&word).map(Some).ok_or_else(|| Refusal(format!("{name}: there is no {text:?}.")))
}

fn sessions(desk: &Desk, args: &Args) -> Answer {
    let (limit, offset) = page(args);
    let filter = SessionFilter {
        flavor: word(args, "agent", Flavor::from_name)?,
        repo: args.text(&["project", "repo"]),
        since: moment(desk, args, "since", End::Since)?,
        until: moment(desk, args, "until", End::Until)?,
        outcome: word(args, "outcome", Outcome::from_name)?,
        limit: Some(offset + limit + 1),
        ..SessionFilter::default()
    };
    let tree = desk.tree()?;
    let found = tree.vault()?.sessions(&filter)?;
    let mut lines = Lines::default();
    for session in found.iter().skip(offset).take(limit) {
        let uid = &session.session_uid;
        lines.add(&format!("- backstory://sessions/{uid}/overview.md\n    {}", about(session)));
    }
    if lines.told() == 0 {
        return Ok("No session matches.".into());
    }
    Ok(lines.paged(offset, found.len() > offset + limit))
}

fn session(desk: &Desk, args: &Args) -> Answer {
    let id = args.needed(&["id", "session_id", "session", "uri"])?;
    let part = args.text(&["part"]).unwrap_or_else(|| "overview".into());
    if !["overview", "digest", "transcript"].contains(&part.as_str()) {
        return Err(Refusal(format!("part: there is no {part:?}.")));
    }
    let tree = desk.tree()?;
    let name = id.trim().trim_start_matches("backstory://").trim_start_matches("sessions/");
    let Some(session) = tree.named_session(name.trim_end_matches('/'))? else {
        return Err(Refusal(format!("No session is called {id:?}; sessions lists them.")));
    };
    let address = format!("backstory://sessions/{}/{part}.md", session.session_uid);
    let limit = args.number("limit", MAX_CHARS, MAX_CHARS);
    reading::part(&tree, &address, args.number("offset", 0, usize::MAX), limit)
}

fn errors(desk: &Desk, args: &Args) -> Answer {
    let tree = desk.tree()?;
    let repo = args.text(&["project", "repo"]);
    let Some(message) = args.text(&["message", "query", "error"]) else {
        let choice = PatternChoice {
            kinds: vec![SignalKind::Error, SignalKind::ToolchainTrouble],
            repo,
            min_sessions: 1,
            ..PatternChoice::default()
        };
        return Ok(tell_all(&tree.patterns(&choice)?, args, "No error is known."));
    };
    let found = tree.known_errors(&message, repo)?;
    if found.is_empty() {
        return Ok("This error has not been met before, nor one like it.".into());
    }
    let (limit, offset) = page(args);
    let mut lines = Lines::default();
    for known in found.iter().skip(offset).take(limit) {
        let likeness = if known.is_same {
            "Met before".to_owned()
        } else {
            format!("Reads alike ({:.0} %)", known.similarity * 100.0)
        };
        let helped = match known.pattern.fix {
            Some(_) => "",
            None => "- nobody is known to have fixed it\n",
        };
        lines.add(&format!("{likeness}:\n{}{helped}", tell_pattern(&known.pattern)));
    }
    Ok(lines.paged(offset, found.len() > offset + limit))
}

fn decisions(desk: &Desk, args: &Args) -> Answer {
    let (limit, offset) = page(args);
    let tree = desk.tree()?;
    // Without an archive there is something to say about that.
    tree.vault()?;
    let question = args.text(&["question", "query", "text"]);
    let filter = DecisionFilter {
        repo: args.text(&["project", "repo"]),
        since: moment(desk, args, "since", End::Since)?,
        state: word(args, "state", DecisionState::from_name)?,
        // Permissions are many, and nobody asks for them again.
        kinds: vec![DecisionKind::Question, DecisionKind::Plan],
        limit: Some(if question.is_some() { LOOKED_AT } else { offset + limit + 1 }),
        ..DecisionFilter::default()
    };
    let mut found = tree.decisions(&filter)?;
    if let Some(question) = question {
        found = ledger::similar(found, &question);
    }
    let mut lines = Lines::default();
    for entry in found.iter().skip(offset).take(limit) {
        lines.add(&tell_decision(entry));
    }
    if lines.told() == 0 {
        return Ok("No decision is known.".into());
    }
    Ok(lines.paged(offset, found.len() > offset + limit))
}

fn patterns(desk: &Desk, args: &Args) -> Answer {
    let choice = PatternChoice {
        kinds: word(args, "kind", SignalKind::from_name)?.into_iter().collect(),
        repo: args.text(&["project", "repo"]),
        since: moment(desk, args, "since", End::Since)?,
        min_sessions: args.number("min_sessions", 2, 1_000_000) as u32,
    };
    Ok(tell_all(&desk.tree()?.patterns(&choice)?, args, "No pattern matches."))
}

fn tell_all(found: &[Pattern], args: &Args, nothing: &str) -> String {
    let (limit, offset) = page(args);
    let mut lines = Lines::default();
    for pattern in found.iter().skip(offset).take(limit) {
        lines.add(&tell_pattern(pattern));
    }
    if lines.told() == 0 {
        return nothing.into();
    }
    lines.paged(offset, found.len() > offset + limit)
}
