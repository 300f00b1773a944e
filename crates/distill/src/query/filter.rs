//! The filters: their names, the values they take, and what is said about values they do not.

use super::{End, ExitFilter, Filters, ReadMoment};
use crate::nearest::nearest;
use backstory_model::{EventKind, Flavor, Outcome};

/// A filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterName {
    /// `agent:codex`
    Agent,
    /// `repo:app`
    Repo,
    /// `branch:main`
    Branch,
    /// `since:7d`
    Since,
    /// `until:yesterday`
    Until,
    /// `kind:error`
    Kind,
    /// `tool:Bash`
    Tool,
    /// `file:main.rs`
    File,
    /// `outcome:fail`
    Outcome,
    /// `session:1f2e`
    Session,
    /// `model:opus`
    Model,
    /// `exit:!0`
    Exit,
}

/// Names other tools have for what is called otherwise here.
const ELSEWHERE: [(&str, FilterName); 12] = [
    ("after", FilterName::Since),
    ("from", FilterName::Since),
    ("before", FilterName::Until),
    ("project", FilterName::Repo),
    ("repository", FilterName::Repo),
    ("path", FilterName::File),
    ("type", FilterName::Kind),
    ("status", FilterName::Outcome),
    ("result", FilterName::Outcome),
    ("flavor", FilterName::Agent),
    ("code", FilterName::Exit),
    ("id", FilterName::Session),
];

/// Kinds as people call them, beside the names of the model.
pub const KIND_GROUPS: [(&str, &[EventKind]); 10] = [
    ("prompt", &[EventKind::UserMsg, EventKind::HumanIntervention]),
    ("answer", &[EventKind::AssistantMsg]),
    ("message", &[EventKind::UserMsg, EventKind::HumanIntervention, EventKind::AssistantMsg]),
    ("thought", &[EventKind::Thinking]),
    ("tool", &[EventKind::ToolCall, EventKind::TestRun, EventKind::Edit, EventKind::Retry]),
    ("command", &[EventKind::ToolCall, EventKind::TestRun, EventKind::Retry]),
    ("output", &[EventKind::ToolResult, EventKind::Error]),
    ("test", &[EventKind::TestRun]),
    ("change", &[EventKind::Edit]),
    ("intervention", &[EventKind::HumanIntervention]),
];

/// Outcomes as people call them, beside the names of the model.
const OUTCOME_WORDS: [(&str, Outcome); 4] = [
    ("ok", Outcome::Success),
    ("succeeded", Outcome::Success),
    ("failed", Outcome::Fail),
    ("failure", Outcome::Fail),
];

const EXIT_WORDS: [(&str, ExitFilter); 5] = [
    ("ok", ExitFilter::Is(0)),
    ("success", ExitFilter::Is(0)),
    ("fail", ExitFilter::Not(0)),
    ("failed", ExitFilter::Not(0)),
    ("error", ExitFilter::Not(0)),
];

impl FilterName {
    /// Every filter, in the order help lists them.
    pub const ALL: [Self; 12] = [
        Self::Agent,
        Self::Repo,
        Self::Branch,
        Self::Since,
        Self::Until,
        Self::Kind,
        Self::Tool,
        Self::File,
        Self::Outcome,
        Self::Session,
        Self::Model,
        Self::Exit,
    ];

    /// What stands before the colon.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Repo => "repo",
            Self::Branch => "branch",
            Self::Since => "since",
            Self::Until => "until",
            Self::Kind => "kind",
            Self::Tool => "tool",
            Self::File => "file",
            Self::Outcome => "outcome",
            Self::Session => "session",
            Self::Model => "model",
            Self::Exit => "exit",
        }
    }

    /// The filter of this name, in whatever case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|filter| filter.name().eq_ignore_ascii_case(name))
    }

    /// The filter a name that is none was probably meant to be.
    pub(super) fn meant(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let elsewhere = ELSEWHERE.iter().find(|(other, _)| *other == name);
        elsewhere
            .map(|(_, filter)| *filter)
            .or_else(|| nearest(&name, &Self::ALL.map(Self::name)).and_then(Self::from_name))
    }

    /// Takes a value; otherwise says what is wrong with it.
    pub(super) fn add(
        self,
        value: &str,
        filters: &mut Filters,
        read_moment: ReadMoment<'_>,
    ) -> Result<(), String> {
        let value = value.trim();
        let small = value.to_ascii_lowercase();
        match self {
            Self::Agent => push(&mut filters.agents, agent(&small)?),
            Self::Repo => push(&mut filters.repos, value.to_owned()),
            Self::Branch => push(&mut filters.branches, value.to_owned()),
            Self::Since => {
                let at = read_moment(value, End::Since).ok_or_else(|| no_moment(value))?;
                filters.since = Some(filters.since.map_or(at, |other| other.min(at)));
            }
            Self::Until => {
                let at = read_moment(value, End::Until).ok_or_else(|| no_moment(value))?;
                filters.until = Some(filters.until.map_or(at, |other| other.max(at)));
            }
            Self::Kind => {
                for kind in kinds(&small)? {
                    push(&mut filters.kinds, kind);
                }
            }
            Self::Tool => push(&mut filters.tools, value.to_owned()),
            Self::File => push(&mut filters.files, value.to_owned()),
            Self::Outcome => push(&mut filters.outcomes, outcome(&small)?),
            Self::Session => {
                let id = value.strip_prefix("backstory://").unwrap_or(value);
                push(&mut filters.sessions, id.trim_end_matches('/').to_owned());
            }
            Self::Model => push(&mut filters.models, value.to_owned()),
            Self::Exit => push(&mut filters.exits, exit(&small)?),
        }
        Ok(())
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

fn agent(name: &str) -> Result<Flavor, String> {
    let short = name.strip_suffix("-cli").or_else(|| name.strip_suffix("-code")).unwrap_or(name);
    Flavor::from_name(short).ok_or_else(|| no_such("agent", name, &Flavor::ALL.map(Flavor::name)))
}

/// The kinds of a name: of the model, of a group, or the plural of either.
fn kinds(name: &str) -> Result<Vec<EventKind>, String> {
    let known = name.replace('-', "_");
    for name in [known.as_str(), known.strip_suffix('s').unwrap_or_default()] {
        if let Some(kind) = EventKind::from_name(name) {
            return Ok(vec![kind]);
        }
        if let Some((_, kinds)) = KIND_GROUPS.iter().find(|(group, _)| *group == name) {
            return Ok(kinds.to_vec());
        }
    }
    let groups = KIND_GROUPS.iter().map(|(group, _)| *group);
    let all: Vec<&str> = groups.chain(EventKind::ALL.map(EventKind::name)).collect();
    Err(no_such("kind", name, &all))
}

fn outcome(name: &str) -> Result<Outcome, String> {
    let by_word = OUTCOME_WORDS.iter().find(|(word, _)| *word == name).map(|(_, outcome)| *outcome);
    Outcome::from_name(name)
        .or(by_word)
        .ok_or_else(|| no_such("outcome", name, &Outcome::ALL.map(Outcome::name)))
}

fn exit(code: &str) -> Result<ExitFilter, String> {
    if let Some((_, filter)) = EXIT_WORDS.iter().find(|(word, _)| *word == code) {
        return Ok(*filter);
    }
    let (is_negated, digits) = match code.strip_prefix('!') {
        Some(digits) => (true, digits),
        None => (false, code),
    };
    match digits.parse() {
        Ok(code) if is_negated => Ok(ExitFilter::Not(code)),
        Ok(code) => Ok(ExitFilter::Is(code)),
        Err(_) => Err(format!("{code:?} is no exit code; try 0, 101, !0, ok or fail")),
    }
}

fn no_moment(text: &str) -> String {
    format!("{text:?} is no moment; try 2026-11-01, 7d, 3h, today or yesterday")
}

/// Names the nearest of the known names, or all of them.
fn no_such(what: &str, typed: &str, known: &[&str]) -> String {
    match nearest(typed, known) {
        Some(meant) => format!("{typed:?} is no {what}; did you mean {meant}?"),
        None => format!("{typed:?} is no {what}; there are {}", known.join(", ")),
    }
}

/// Every word a filter takes as its value, for the test that no word is lost.
#[cfg(test)]
pub(super) fn vocabulary() -> impl Iterator<Item = &'static str> {
    let words = OUTCOME_WORDS.iter().map(|(word, _)| *word);
    let words = words.chain(EXIT_WORDS.iter().map(|(word, _)| *word));
    let words = words.chain(KIND_GROUPS.iter().map(|(group, _)| *group));
    words.chain(FilterName::ALL.map(FilterName::name)).chain(["cli", "code"])
}
