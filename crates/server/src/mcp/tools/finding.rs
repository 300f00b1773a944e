//! Finding what happened before: by words and meaning, and what matters for a task.

use super::{Effect, Spec};
use crate::mcp::answer::{Answer, Lines, Refusal};
use crate::mcp::args::{Arg, Args, Kind};
use crate::mcp::desk::Desk;
use backstory_distill::query::{FilterName, Query};
use backstory_engine::pushed::any_uid_of;
use backstory_engine::recall::{Occasion, RecallOptions, recall as engine_recall, record, unnamed};
use backstory_engine::search::{
    FoundMoment, FoundSession, Mode, Scope, SearchOptions, Searcher, Sort, search,
};
use backstory_engine::tree::{Below, Tree};
use backstory_model::{Outcome, Session, SessionUid, address};
use std::fmt::Write;

const SEARCH: &str = "Find moments of earlier coding sessions, of any agent and project, by words and by \
    meaning: what was said, run, printed, changed or decided. Use it when you want to know whether and \
    how something was done, discussed or fixed before. Words are ranked; \"two words\" in quotes must \
    stand in a row; -word must not occur; name:value filters, e.g. repo:app agent:codex since:7d \
    kind:error outcome:fail file:main.rs. Answers are addresses with a line each; use read to see all of \
    one. Example: {\"query\": \"sqlite busy timeout repo:app\", \"limit\": 5}";
const FIND: &str = "The same as search: find moments of earlier coding sessions and memories by words and \
    by meaning. Example: {\"query\": \"deploy script staging\"}";
const RECALL: &str = "Tell what earlier sessions know about a task: decisions, fixes, facts and overviews \
    that matter for it, short, each with its address. Call it at the start of a task with the task in a \
    sentence or two, in the user's words; it answers nothing rather than something irrelevant. Example: \
    {\"query\": \"make the login test pass on CI\"}";
const MEMORY_RECALL: &str = "The same as recall: tell what earlier sessions know about a task. Example: \
    {\"query\": \"rename the billing module\"}";

const SEARCH_ARGS: &[Arg] = &[
    Arg::must(
        "query",
        Kind::Text,
        "Words, a question, a name or an error message; filters as name:value",
    ),
    Arg::may("limit", Kind::Number, "At most so many sessions (default 10, at most 50)"),
    Arg::may("offset", Kind::Number, "Pass over so many sessions, to see those behind"),
    Arg::may("project", Kind::Text, "Only sessions of this repository, by its name"),
    Arg::may("agent", Kind::Text, "Only sessions of this agent: claude, codex, grok or pushed"),
    Arg::may("since", Kind::Text, "Only at or after this moment: 7d, 3h, yesterday, 2026-11-01"),
    Arg::may("until", Kind::Text, "Only before this moment; a day is included"),
    Arg::may(
        "target_uri",
        Kind::Text,
        "Only below this address: backstory://memories or a folder of it, backstory://skills, or one session: \
         backstory://sessions/<id>",
    ),
    Arg::may(
        "mode",
        Kind::Choice(&["list", "context"]),
        "list tells addresses; context tells what recall tells",
    ),
];
const RECALL_ARGS: &[Arg] = &[
    Arg::must("query", Kind::Text, "The task or question, in a sentence or two"),
    Arg::may("everywhere", Kind::Flag, "Look at other projects too, not only at this one"),
    Arg::may("limit", Kind::Number, "At most so many things (at most 20)"),
    Arg::may("session_id", Kind::Text, "Your own session's id: you are not told of yourself"),
];

pub(super) const TOOLS: &[Spec] = &[
    Spec { name: "search", about: SEARCH, args: SEARCH_ARGS, effect: Effect::Reads, run: find },
    Spec { name: "recall", about: RECALL, args: RECALL_ARGS, effect: Effect::Reads, run: recall },
    Spec { name: "find", about: FIND, args: SEARCH_ARGS, effect: Effect::Reads, run: find },
    Spec {
        name: "memory_recall",
        about: MEMORY_RECALL,
        args: RECALL_ARGS,
        effect: Effect::Reads,
        run: recall,
    },
];

/// Moments told of one session.
const MOMENTS: usize = 3;
/// Memories told before sessions.
const MEMORIES: usize = 5;
/// Where memories lie.
const ALL_MEMORIES: &str = "backstory://memories";
const NOTHING: &str = "No matching context found.";

/// Where a search looks.
enum Target {
    Everything,
    /// Memories below this address.
    Memories(String),
    Session(SessionUid),
}

fn find(desk: &Desk, args: &Args) -> Answer {
    let text = args.needed(&["query", "pattern", "text"])?;
    if args.text(&["mode"]).as_deref() == Some("context") {
        return recall(desk, args);
    }
    let limit = args.number("limit", 10, 50).max(1);
    let offset = args.number("offset", 0, 1000);
    let tree = desk.tree()?;
    let target = target(args, &tree)?;
    let mut lines = Lines::default();
    let below = match &target {
        Target::Everything => Some(ALL_MEMORIES),
        Target::Memories(below) => Some(below.as_str()),
        Target::Session(_) => None,
    };
    if let Some(below) = below.filter(|_| offset == 0) {
        for found in tree.find_memories(below, &text, MEMORIES.min(limit))? {
            let share = (found.score * 100.0).round();
            lines.add_beside(&format!(
                "- [memory {share:.0}%] {}\n    {}",
                found.address, found.about
            ));
        }
    }
    let memories = lines.told();
    let mut has_more = false;
    let mut notes = Vec::new();
    if !matches!(target, Target::Memories(_)) {
        match find_sessions(desk, args, &text, &tree, (&target, offset + limit)) {
            Ok((sessions, more, said)) => {
                has_more = more;
                notes = said;
                let best = sessions.first().map_or(1.0, |found| found.score);
                for found in sessions.iter().skip(offset) {
                    lines.add(&tell(found, best));
                }
            }
            // Memories are found without an archive.
            Err(_) if memories > 0 => {}
            Err(refusal) => return Err(refusal),
        }
    }
    let told = lines.told();
    if told == 0 {
        notes.insert(0, NOTHING.to_owned());
        return Ok(notes.join("\n"));
    }
    let listed = lines.paged(offset, has_more);
    let mut text = format!("Found {told} item(s):\n{listed}");
    for note in &notes {
        let _ = writeln!(text, "({note})");
    }
    text.push_str("Use the read tool to expand a URI.");
    Ok(text)
}

fn target(args: &Args, tree: &Tree) -> Result<Target, Refusal> {
    let Some(address) = args.text(&["target_uri"]) else { return Ok(Target::Everything) };
    Ok(match Below::of(&address)? {
        Below::Everything => Target::Everything,
        Below::Memories | Below::Folder | Below::Resources | Below::Skills => {
            Target::Memories(address)
        }
        Below::Session(name) => match tree.named_session(&name)? {
            Some(session) => Target::Session(session.session_uid),
            None => return Err(Refusal(format!("No session is called {name:?}."))),
        },
    })
}

type FoundSessions = (Vec<FoundSession>, bool, Vec<String>);

fn find_sessions(
    desk: &Desk,
    args: &Args,
    text: &str,
    tree: &Tree,
    (target, limit): (&Target, usize),
) -> Result<FoundSessions, Refusal> {
    let now = desk.now();
    let read_moment = |text: &str, end| (desk.read_moment)(text, end, now);
    let mut query = Query::parse(text, &read_moment);
    for (name, words) in [
        (FilterName::Repo, &["project", "repo"][..]),
        (FilterName::Agent, &["agent"]),
        (FilterName::Since, &["since"]),
        (FilterName::Until, &["until"]),
    ] {
        if let Some(value) = args.text(words) {
            let added = query.narrow(name, &value, &read_moment);
            added.map_err(|why| Refusal(format!("{}: {why}", words[0])))?;
        }
    }
    if let Target::Session(uid) = target {
        query.filters.sessions = vec![uid.as_str().to_owned()];
    }
    let notes = query.hints.clone();
    if query.is_empty() {
        return Err(Refusal::new(
            "There is nothing to look for: give words, a \"phrase\" or a filter.",
        ));
    }
    let options = SearchOptions {
        query,
        limit,
        moments: MOMENTS,
        context: 0,
        sort: Sort::Score,
        mode: Mode::Fused,
        scope: Scope::Everything,
        project: desk.project.clone(),
    };
    let answer = search(tree.vault()?, &*desk.archive.index, &options, now)?;
    Ok((answer.sessions, answer.more, notes.into_iter().chain(answer.paths.notes).collect()))
}

/// A session and its best moments.
fn tell(found: &FoundSession, best: f32) -> String {
    let share = if best > 0.0 { (found.score / best * 100.0).round() } else { 100.0 };
    let uid = &found.session.session_uid;
    let mut text = format!(
        "- [session {share:.0}%] backstory://sessions/{uid}/overview.md\n    {}",
        about(&found.session)
    );
    for moment in &found.moments {
        if let Some(line) = tell_moment(moment) {
            let _ = write!(text, "\n    - {line}");
        }
    }
    text
}

fn tell_moment(moment: &FoundMoment) -> Option<String> {
    let event = moment.event.as_ref()?;
    let place = address(&event.session_uid, event.seq);
    Some(format!("{place} {}: {}", event.kind.name(), moment.snippet.text))
}

/// A session on one line.
pub(super) fn about(session: &Session) -> String {
    let place = match (&session.repo, &session.git_branch) {
        (Some(repo), Some(branch)) => Some(format!("{repo}@{branch}")),
        (Some(repo), None) => Some(repo.clone()),
        (None, _) => session.cwd.clone(),
    };
    let day = session.ended_at.or(session.started_at).map(|at| at.to_string());
    let title = session.title.as_deref().unwrap_or("untitled session");
    let title: String = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = [
        Some(title.chars().take(160).collect()),
        place,
        day.map(|day| day.chars().take(10).collect()),
        (session.outcome != Outcome::Unknown).then(|| session.outcome.name().to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn recall(desk: &Desk, args: &Args) -> Answer {
    let prompt = args.needed(&["query", "prompt", "task"])?;
    let tree = desk.tree()?;
    let Ok(vault) = tree.vault() else {
        // Memories are found without an archive.
        let mut asked = args.clone();
        asked.0.remove("mode");
        return find(desk, &asked);
    };
    let name = args.text(&["session_id"]);
    let asking = match &name {
        Some(name) => tree.named_session(name)?.map(|session| session.session_uid),
        None => None,
    };
    let everywhere = args.flag("everywhere") || desk.project.is_none();
    let options = RecallOptions {
        prompt,
        project: desk.project.clone(),
        everywhere,
        session: asking.clone(),
        limit: args.number("limit", RecallOptions::default().limit, 20).max(1),
        ..RecallOptions::default()
    };
    let searcher = Searcher::open(vault, &*desk.archive.index)?;
    let found = engine_recall(vault, &searcher, &options)?;
    if !found.is_empty() {
        let session = asking.or_else(|| name.as_deref().map(uid)).unwrap_or_else(unnamed);
        let occasion = Occasion { session: &session, event: "MCP recall", at: desk.now() };
        // What cannot be put on record is told all the same.
        let _ = record(&desk.archive.home, &occasion, &options.prompt, &found);
        return Ok(found.text);
    }
    let further = if everywhere { "" } else { " everywhere=true looks at other projects too;" };
    Ok(format!("Nothing that is known matters for this.{further} search looks for words."))
}

/// A session that has not been taken in yet, by its uid or by what a plugin calls it.
fn uid(name: &str) -> SessionUid {
    let whole = SessionUid::from_stored(name.to_owned());
    if whole.flavor().is_some() { whole } else { any_uid_of(name) }
}
