//! Which passages a query's filters let through.

use backstory_distill::query::{ExitFilter, Filters};
use backstory_index::{Accept, AcceptPassage, Facts, Place, tool_key};
use backstory_model::EventKind;
use backstory_store::{SessionScope, StoreError, Vault};
use rustc_hash::FxHashSet;

use super::{Scope, Within};

/// Kinds of event that run a command.
const COMMANDS: [EventKind; 3] = [EventKind::ToolCall, EventKind::TestRun, EventKind::Retry];

/// So many sessions are looked through in no time.
const FEW_SESSIONS: usize = 500;

/// The filters of a query, ready to be asked.
#[derive(Debug)]
pub(super) struct Gate<'a> {
    sessions: Option<FxHashSet<i64>>,
    except: FxHashSet<i64>,
    filters: &'a Filters,
    kinds: Vec<EventKind>,
    tools: Vec<u64>,
    is_commands: bool,
}

impl<'a> Gate<'a> {
    pub(super) fn new(
        vault: &Vault,
        filters: &'a Filters,
        scope: Scope,
    ) -> Result<Self, StoreError> {
        let sessions = vault.ids_in(&SessionScope {
            flavors: filters.agents.clone(),
            repos: filters.repos.clone(),
            branches: filters.branches.clone(),
            outcomes: filters.outcomes.clone(),
            sessions: filters.sessions.clone(),
            models: filters.models.clone(),
        })?;
        let is_commands = scope == Scope::Commands;
        let mut kinds = filters.kinds.clone();
        if is_commands {
            kinds.retain(|kind| COMMANDS.contains(kind));
            if kinds.is_empty() {
                kinds = COMMANDS.to_vec();
            }
        }
        let tools = filters.tools.iter().map(|tool| tool_key(tool)).collect();
        let sessions = sessions.map(|sessions| sessions.into_iter().collect());
        Ok(Self { sessions, except: FxHashSet::default(), filters, kinds, tools, is_commands })
    }

    /// Lets some sessions through and nothing else keeps a passage out.
    pub(super) fn within(within: Within, filters: &'a Filters) -> Self {
        let sessions = within.only.map(|only| only.into_iter().collect());
        let except = within.except.into_iter().collect();
        let (kinds, tools) = (Vec::new(), Vec::new());
        Self { sessions, except, filters, kinds, tools, is_commands: false }
    }

    /// True if nothing is kept out.
    pub(super) fn is_open(&self) -> bool {
        self.sessions.is_none()
            && self.except.is_empty()
            && !self.asks_for_events()
            && !self.asks_for_times()
    }

    /// What the index asks of passages; nothing where none is kept out.
    pub(super) fn accept<'f>(
        &self,
        sessions: Option<&'f [i64]>,
        session: &'f (dyn Fn(i64) -> bool + Sync),
        passage: &'f AcceptPassage<'f>,
    ) -> Option<Accept<'f>> {
        let asks_more = self.asks_for_events() || self.asks_for_times();
        let passage = asks_more.then_some(passage);
        (!self.is_open()).then_some(Accept { sessions, session, passage })
    }

    /// True if only a few sessions may hold answers.
    pub(super) fn names_few_sessions(&self) -> bool {
        self.sessions.as_ref().is_some_and(|sessions| sessions.len() <= FEW_SESSIONS)
    }

    /// The sessions that may hold answers, in order, where not all may.
    pub(super) fn only_sessions(&self) -> Option<Vec<i64>> {
        let sessions = self.sessions.as_ref()?.iter().copied();
        let mut sessions: Vec<i64> =
            sessions.filter(|session| !self.except.contains(session)).collect();
        sessions.sort_unstable();
        Some(sessions)
    }

    /// True if a session may hold answers.
    pub(super) fn lets_session(&self, session: i64) -> bool {
        self.sessions.as_ref().is_none_or(|sessions| sessions.contains(&session))
            && !self.except.contains(&session)
    }

    /// True if a passage may be an answer, as far as the index can tell.
    pub(super) fn lets(&self, place: Place, facts: &Facts) -> bool {
        let filters = self.filters;
        let is_kind = match facts.kind {
            Some(kind) => self.kinds.is_empty() || self.kinds.contains(&kind),
            // A session as a whole is of no kind.
            None => !self.asks_for_events(),
        };
        is_kind
            && self.lets_session(place.session())
            && filters.since.is_none_or(|since| facts.ts >= since)
            && filters.until.is_none_or(|until| facts.ts < until)
            && (self.tools.is_empty() || self.tools.contains(&facts.tool))
            // A call does not know how it ended; its result is asked when it is told.
            && (self.is_commands || self.lets_exit(facts.exit))
    }

    pub(super) fn lets_exit(&self, exit: Option<i32>) -> bool {
        self.filters.exits.is_empty()
            || exit.is_some_and(|exit| {
                self.filters.exits.iter().any(|wanted| match wanted {
                    ExitFilter::Is(code) => exit == *code,
                    ExitFilter::Not(code) => exit != *code,
                })
            })
    }

    /// True if only events that touched certain files are wanted.
    pub(super) fn asks_for_files(&self) -> bool {
        !self.filters.files.is_empty()
    }

    /// True if an event touched one of the files asked for.
    pub(super) fn lets_files(&self, files: &[String], text: &str) -> bool {
        self.filters.files.iter().any(|wanted| {
            files.iter().any(|file| file.contains(wanted.as_str())) || text.contains(wanted)
        })
    }

    /// True if only single events can be answers.
    pub(super) fn asks_for_events(&self) -> bool {
        let filters = self.filters;
        !(self.kinds.is_empty()
            && filters.tools.is_empty()
            && filters.files.is_empty()
            && filters.exits.is_empty())
            || self.is_commands
    }

    /// True if only what happened in some time can be an answer.
    pub(super) fn asks_for_times(&self) -> bool {
        self.filters.since.is_some() || self.filters.until.is_some()
    }

    /// True if something is asked that only the event's row can tell.
    pub(super) fn must_look(&self) -> bool {
        self.asks_for_files() || (self.is_commands && !self.filters.exits.is_empty())
    }
}
