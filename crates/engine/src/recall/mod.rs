//! What an agent is handed of earlier sessions: when a session begins, at a prompt, when a tool fails,
//! when a session goes on.
//!
//! Hooks, MCP, HTTP and the command line ask the same functions. [`start_recall`], [`recall`],
//! [`error_recall`] and [`overview_recall`] only look; [`at_start`], [`at_prompt`], [`at_error`] and
//! [`at_resume`] also remember what a session was told and record the injection. Whoever only looks and
//! then tells an agent records it itself.

pub mod compress;
mod decided;
mod fixes;
mod given;
mod injections;
mod items;
mod look;
mod memories;
mod mute;
mod occasions;
mod start;
mod whose;

pub use compress::{Compress, Wording};
pub use fixes::error_recall;
pub use given::{Given, forget_given};
pub use injections::{InjectedItem, Injection, Occasion, injections, record, unnamed};
pub use mute::{Mute, Muted, Target, mute, unmute};
pub use occasions::{at_error, at_prompt, at_resume, at_start};
pub use start::{StartOptions, start_recall};

use crate::SyncError;
use crate::search::{Mode, Scope, SearchOptions, Searcher, Sort, Within};
use backstory_distill::overview::overview;
use backstory_distill::recall::{
    Budget, Candidate, Cue, DEFAULT_ITEMS, MAX_BYTES, Source, chars_within, choose, render,
    render_overview, tokens,
};
pub use backstory_distill::recall::{Category, Item as RecallItem, OVERVIEW_CHARS};
use backstory_distill::snippet::Wanted;
use backstory_model::{SessionUid, Timestamp};
use backstory_store::{Home, StoreError, Vault};
use std::collections::HashSet;
use std::io;

/// What to recall for a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallOptions {
    /// The user's own words.
    pub prompt: String,
    /// The `project_key` of where the agent works. Without one there is no project to look in.
    pub project: Option<String>,
    /// Sessions of other projects too.
    pub everywhere: bool,
    /// The session that asks, or whose sub-agent does: it and its sub-agents are never told of themselves.
    pub session: Option<SessionUid>,
    /// The block is not longer than this, nor than 10,000.
    pub max_bytes: usize,
    /// At most so many items.
    pub limit: usize,
    /// Addresses the session was told already.
    pub already_given: Vec<String>,
    /// Put into fewer words, if there are any.
    pub compress: Option<Compress>,
    /// What it heard already of what came of sessions.
    pub already_heard: Vec<String>,
    /// Nothing but this session is looked at, whatever its project.
    pub only: Option<SessionUid>,
}

impl Default for RecallOptions {
    fn default() -> Self {
        Self {
            prompt: String::new(),
            project: None,
            everywhere: false,
            session: None,
            max_bytes: MAX_BYTES,
            limit: DEFAULT_ITEMS,
            already_given: Vec::new(),
            compress: None,
            already_heard: Vec::new(),
            only: None,
        }
    }
}

/// What an agent is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recall {
    /// The things, the most relevant first.
    pub items: Vec<RecallItem>,
    /// The block to hand over; empty when nothing is relevant.
    pub text: String,
    /// How many things were looked at.
    pub considered: usize,
    /// The words it is told in, if they are not its own.
    pub wording: Option<Wording>,
    /// What fewer words for it are to be asked for by, if there are none yet.
    pub compressible: Option<String>,
}

impl Recall {
    /// True if there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// What to recall for the output of a tool that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorOptions {
    /// What the tool said.
    pub output: String,
    /// The `project_key` of where the agent works.
    pub project: Option<String>,
    /// Fixes found in other projects too, where this one knows none.
    pub everywhere: bool,
    /// The session that asks: what it found out itself it knows.
    pub session: Option<SessionUid>,
    /// Addresses the session was told already.
    pub already_given: Vec<String>,
}

/// What earlier sessions know about a prompt. The same archive gives the same bytes, whenever it is asked.
pub fn recall(
    vault: &Vault,
    searcher: &Searcher<'_>,
    options: &RecallOptions,
) -> Result<Recall, SyncError> {
    let Some(mut cue) = Cue::of(&options.prompt) else { return Ok(Recall::default()) };
    let muted = Muted::read(vault.home()).map_err(StoreError::from)?;
    if muted.has_project(options.project.as_deref()) {
        return Ok(Recall::default());
    }
    let query = cue.query();
    let search = SearchOptions {
        query: query.clone(),
        limit: look::SESSIONS,
        moments: look::MOMENTS,
        context: 0,
        sort: Sort::Score,
        mode: Mode::Fused,
        scope: Scope::Everything,
        project: options.project.clone(),
    };
    let within = within(vault, options, &muted)?;
    let places = searcher.places(&search, within)?;
    let weights = places.words.iter().map(|word| (word.stem.as_str(), word.rarity, word.is_known));
    cue.weigh(&weights.collect::<Vec<_>>());
    let look = look::Look { vault, options, muted: &muted, cue: &cue, wanted: &Wanted::of(&query) };
    let mut candidates = look.at_sessions(&places)?;
    if options.only.is_none() {
        look.at_decisions(&mut candidates)?;
        candidates.extend(look.at_memories()?);
        candidates.extend(pasted_error(vault, options, &muted)?);
    }
    let considered = places.considered.max(candidates.len());
    let budget = Budget {
        items: options.limit,
        bytes: options.max_bytes,
        given: &options.already_given,
        heard: &options.already_heard,
        prompt: &options.prompt,
    };
    let items = choose(candidates, &budget);
    let text = render(&items, Source::Prompt);
    let found = Recall { items, text, considered, ..Recall::default() };
    Ok(match options.compress {
        Some(compress) => compress::reword(vault.home(), found, &cue, compress),
        None => found,
    })
}

/// The fix of an error that was pasted into a prompt.
fn pasted_error(
    vault: &Vault,
    options: &RecallOptions,
    muted: &Muted,
) -> Result<Option<Candidate>, SyncError> {
    let pasted = ErrorOptions {
        output: options.prompt.clone(),
        project: options.project.clone(),
        everywhere: options.everywhere,
        session: options.session.clone(),
        already_given: Vec::new(),
    };
    let item = fixes::known_fix(vault, &pasted, muted, &mut 0)?;
    Ok(item.map(|item| Candidate { of: item.address.clone(), item }))
}

/// Which sessions may be told of.
fn within(vault: &Vault, options: &RecallOptions, muted: &Muted) -> Result<Within, StoreError> {
    let mut except = HashSet::new();
    for uid in options.session.iter().cloned().chain(muted.sessions()) {
        except.extend(vault.session_head(&uid)?.map(|head| head.id));
    }
    let only = match (&options.only, &options.project) {
        (Some(only), _) => {
            Some(vault.session_head(only)?.into_iter().map(|head| head.id).collect())
        }
        _ if options.everywhere => None,
        (None, Some(project)) => Some(vault.ids_of_project(project)?),
        (None, None) => Some(HashSet::new()),
    };
    Ok(Within { only, except })
}

/// The state a session was left in, in at most so many characters and tokens, with its address.
pub fn overview_recall(
    vault: &Vault,
    session: &SessionUid,
    (max_chars, max_tokens): (usize, u32),
) -> Result<Recall, SyncError> {
    let muted = Muted::read(vault.home()).map_err(StoreError::from)?;
    let Some(row) = vault.session(session)? else { return Ok(Recall::default()) };
    if muted.has_session(session, row.project_key.as_deref()) {
        return Ok(Recall::default());
    }
    let max_chars = max_chars.min(OVERVIEW_CHARS);
    let overview = match vault.latest_seal(session)? {
        Some(seal) => seal.overview,
        None => match vault.account(session)? {
            Some(account) => overview(&row, &account.digest, &account.signals, max_chars).text,
            None => return Ok(Recall::default()),
        },
    };
    let address = format!("backstory://{session}");
    let max_chars = max_chars.min(chars_within(&overview, max_tokens));
    let text = render_overview(&overview, &address, max_chars);
    let item = RecallItem {
        category: Category::Overview,
        address,
        tokens: tokens(&text),
        text: overview,
        score: 1.0,
        why: "the state this session was left in".into(),
    };
    Ok(Recall { items: vec![item], text, considered: 1, ..Recall::default() })
}

/// Removes what was noted of some sessions: what they were told, and what others were told of them.
pub(crate) fn erase(home: &Home, sessions: &[SessionUid]) -> io::Result<()> {
    given::erase(home, sessions)?;
    compress::erase(home, sessions)?;
    injections::erase(home, sessions)
}

/// Lets go of what is remembered of sessions that are long over, and of words nobody was told for long.
pub(crate) fn expire(home: &Home, now: Timestamp) -> io::Result<()> {
    given::expire(home, now)?;
    compress::expire(home, now)
}
