//! What a session is told when it begins: what holds in its project, what helps there, and what was done
//! last and left open.
//!
//! Nobody has asked anything yet. So it is only what was written down for the project, what was said or met
//! in several of its latest sessions, and what the very latest came to.

use super::fixes::{fix_text, is_part_of};
use super::items::{cut, day, digest_text};
use super::memories::{Memory, memories};
use super::whose::Folder;
use super::{Muted, Recall, RecallItem};
use crate::SyncError;
use backstory_distill::patterns::{Pattern, patterns};
use backstory_distill::recall::{
    Budget, Candidate, Category, START_BYTES, Source, choose, render, tokens,
};
use backstory_model::{
    Digest, Session, SessionUid, Sighting, Signal, SignalKind, Timestamp, address,
};
use backstory_store::{StoreError, Vault};

/// Sessions looked at, the latest.
const LOOKED_AT: usize = 30;
/// What was said or met in so many of them is more than a whim of one.
const SEVERAL: u32 = 2;
/// How many of each are told at most.
const MEMORIES: usize = 3;
const PREFERENCES: usize = 3;
const RULES: usize = 3;
const FIXES: usize = 2;
const SESSIONS: usize = 3;
/// Where each begin in the order they are told in: what lasts longest comes first.
const MEMORY_SCORE: f32 = 2.0;
const PREFERENCE_SCORE: f32 = 1.9;
const RULE_SCORE: f32 = 1.8;
const FIX_SCORE: f32 = 1.6;
const SESSION_SCORE: f32 = 1.4;

/// Who begins, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartOptions {
    /// The `project_key` of where the agent works. Without one there is nothing to tell.
    pub project: Option<String>,
    /// The session that begins, or the one whose sub-agent does: it is never told of itself.
    pub session: Option<SessionUid>,
    /// What the latest sessions came to as well. A sub-agent gets its work from its session, and needs only
    /// what holds for all.
    pub with_sessions: bool,
    /// The block is not longer than this, nor than 3,000.
    pub max_bytes: usize,
}

/// What is told of a project to a session that begins in it. The same archive gives the same bytes,
/// whenever it is asked.
pub fn start_recall(vault: &Vault, options: &StartOptions) -> Result<Recall, SyncError> {
    let Some(project) = &options.project else { return Ok(Recall::default()) };
    let muted = Muted::read(vault.home()).map_err(StoreError::from)?;
    if muted.has_project(Some(project)) {
        return Ok(Recall::default());
    }
    let mut latest = vault.latest_of_project(project, LOOKED_AT)?;
    latest.retain(|(_, session)| {
        let uid = &session.session_uid;
        !is_part_of(uid, options.session.as_ref()) && !muted.has_session(uid, None)
    });
    let ids: Vec<i64> = latest.iter().map(|(id, _)| *id).collect();
    let mut accounts = vault.digests(&ids, &[])?;
    let known: Vec<(Session, Digest, Vec<Signal>)> = latest
        .into_iter()
        .filter_map(|(id, session)| {
            let (digest, signals) = accounts.remove(&id)?;
            Some((session, digest, signals))
        })
        .collect();
    let mut candidates = written_down(vault, &known);
    candidates.extend(met_again(&known));
    if options.with_sessions {
        candidates.extend(done_last(&known));
    }
    candidates.retain(|candidate| !muted.has_address(&candidate.item.address));
    let considered = candidates.len();
    let budget = Budget {
        items: MEMORIES + PREFERENCES + RULES + FIXES + SESSIONS,
        bytes: options.max_bytes.min(START_BYTES),
        given: &[],
        heard: &[],
        prompt: "",
    };
    let items = choose(candidates, &budget);
    let text = render(&items, Source::Start);
    Ok(Recall { items, text, considered, ..Recall::default() })
}

/// What lies in the folder of memories that has the project's name, and preferences.
fn written_down(vault: &Vault, known: &[(Session, Digest, Vec<Signal>)]) -> Vec<Candidate> {
    let Some(repo) = known.iter().find_map(|(session, ..)| session.repo.as_deref()) else {
        return Vec::new();
    };
    let is_own = |name: &str| name.eq_ignore_ascii_case(repo);
    let is_of_project = |memory: &Memory| {
        let is_in = matches!(memory.folder(), Folder::Named(name) if is_own(name));
        is_in && !memory.is_preference()
    };
    // Preferences hold everywhere, unless they lie in a folder with the name of a project.
    let is_preference = |memory: &Memory| {
        memory.is_preference()
            && match memory.folder() {
                Folder::General => true,
                Folder::Named(name) | Folder::Peer(name) => is_own(name),
            }
    };
    let written = memories(vault.home());
    let of_project = written.iter().filter(|memory| is_of_project(memory)).take(MEMORIES);
    let told = |score: f32, reason: &'static str| {
        move |(place, memory): (usize, &Memory)| {
            let lines = memory.text.lines().filter(|line| !line.starts_with('#'));
            let text = lines.collect::<Vec<_>>().join(" ");
            let text = if text.trim().is_empty() { &memory.name } else { &text };
            let address = memory.address.clone();
            thing(Category::Memory, address, &memory.address, text, (score, place, reason))
        }
    };
    let of_project =
        of_project.enumerate().map(told(MEMORY_SCORE, "written down for this project"));
    let preferences = written.iter().filter(|memory| is_preference(memory)).take(PREFERENCES);
    let preferences = preferences.enumerate().map(told(PREFERENCE_SCORE, "a preference"));
    of_project.chain(preferences).collect()
}

/// Rules the human gave, and errors with what helped against them, that several sessions have met.
fn met_again(known: &[(Session, Digest, Vec<Signal>)]) -> Vec<Candidate> {
    let sightings: Vec<Sighting> = known
        .iter()
        .flat_map(|(session, _, signals)| signals.iter().map(move |signal| (session, signal)))
        .map(|(session, signal)| Sighting {
            session_uid: session.session_uid.clone(),
            repo: None,
            tokens_per_event: 0.0,
            signal: Signal { ts: signal.ts.or(session.started_at), ..signal.clone() },
        })
        .collect();
    // Whether it was met lately plays no part: the same archive gives the same answer.
    let mut again = patterns(&sightings, Timestamp(0));
    again.retain(|pattern| pattern.sessions >= SEVERAL);
    let rules = again.iter().filter(|pattern| pattern.kind == SignalKind::Instruction);
    let rules = rules.take(RULES).enumerate().filter_map(|(place, pattern)| rule(pattern, place));
    let fixes = again.iter().filter(|pattern| pattern.fix.is_some());
    let fixes = fixes.take(FIXES).enumerate().filter_map(|(place, pattern)| fix(pattern, place));
    rules.chain(fixes).collect()
}

fn rule(pattern: &Pattern, place: usize) -> Option<Candidate> {
    let said = pattern.evidence.first()?;
    let (uid, at) = (&said.session_uid, address(&said.session_uid, said.seq));
    let text = format!("{}{}", day(said.ts), pattern.what);
    let reason = format!("said in {} sessions of this project", pattern.sessions);
    let judged = (RULE_SCORE, place, reason.as_str());
    Some(thing(Category::Correction, at, uid.as_str(), &text, judged))
}

fn fix(pattern: &Pattern, place: usize) -> Option<Candidate> {
    let known = pattern.fix.as_ref()?;
    let (uid, at) = (&known.session_uid, address(&known.session_uid, known.fix.seq));
    let text = fix_text(&pattern.what, &known.fix.what, &known.fix.tried, known.ts);
    let reason = format!("met in {} sessions of this project", pattern.sessions);
    let judged = (FIX_SCORE, place, reason.as_str());
    Some(thing(Category::Fix, at, uid.as_str(), &text, judged))
}

/// What the latest sessions in which something was done came to.
fn done_last(known: &[(Session, Digest, Vec<Signal>)]) -> Vec<Candidate> {
    let done = known.iter().filter_map(|(session, digest, _)| {
        Some((session.session_uid.as_str(), digest_text(session, digest)?))
    });
    let told = |(place, (uid, text)): (usize, (&str, String))| {
        let judged = (SESSION_SCORE, place, "done last in this project");
        thing(Category::Digest, format!("backstory://{uid}"), uid, &text, judged)
    };
    done.take(SESSIONS).enumerate().map(told).collect()
}

/// A thing that may be told, at its place among those of its kind.
fn thing(
    category: Category,
    address: String,
    of: &str,
    text: &str,
    (score, place, reason): (f32, usize, &str),
) -> Candidate {
    let text = cut(text);
    let item = RecallItem {
        category,
        address,
        tokens: tokens(&text),
        text,
        score: score - place as f32 / 100.0,
        why: reason.to_owned(),
    };
    Candidate { item, of: of.to_owned() }
}
