//! Cases as native logs of their agents.

mod claude;
mod codex;
mod grok;

use super::case::Case;
use crate::corpus::clock::{LAST, Millis, iso};
use backstory_model::{Flavor, SessionUid};
use serde_json::Value;

/// Where every labelled session works.
const CWD: &str = "/home/dev/app";
/// The branch it works on.
const BRANCH: &str = "main";

/// The log of a case.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The session it must become.
    pub uid: SessionUid,
    /// Paths below the home directory, and what the files say.
    pub files: Vec<(String, String)>,
}

/// Where and when a session takes place.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// Makes the ids of the session its own.
    pub(crate) number: usize,
    /// Where it works.
    pub(crate) cwd: String,
    /// The branch it works on.
    pub(crate) branch: String,
    /// When it begins.
    pub(crate) began: Millis,
    /// Only the conversation, without the bookkeeping agents write beside it.
    pub(crate) is_bare: bool,
}

impl Scene {
    /// The place where all labelled sessions work, one after the other.
    pub(crate) fn of_case(number: usize) -> Self {
        let began = LAST + number as Millis * 600_000;
        Self { number, cwd: CWD.to_owned(), branch: BRANCH.to_owned(), began, is_bare: false }
    }
}

/// Writes a case as its agent would have.
pub(crate) fn render(case: &Case, scene: &Scene) -> Rendered {
    match case.flavor {
        Flavor::Claude => claude::render(case, scene),
        Flavor::Codex => codex::render(case, scene),
        Flavor::Grok => grok::render(case, scene),
        // Nobody keeps a log of it.
        Flavor::Pushed => {
            Rendered { uid: SessionUid::new(case.flavor, &case.name), files: Vec::new() }
        }
    }
}

/// The folder below the home directory in which an agent keeps its sessions.
pub(crate) const fn root(flavor: Flavor) -> &'static str {
    match flavor {
        Flavor::Claude => ".claude/projects",
        Flavor::Codex => ".codex/sessions",
        Flavor::Grok => ".grok/sessions",
        Flavor::Pushed => "",
    }
}

/// A clock that goes on with every record.
#[derive(Clone, Copy, Debug)]
struct Clock {
    now: Millis,
}

impl Clock {
    const fn new(scene: &Scene) -> Self {
        Self { now: scene.began }
    }

    fn pass(&mut self, span: Millis) {
        self.now += span;
    }

    fn stamp(&mut self) -> String {
        self.pass(700);
        iso(self.now)
    }
}

/// A v4 id; `place` tells ids of one session apart.
fn uuid4(number: usize, place: usize) -> String {
    format!("{number:08x}-0e7a-4000-8000-{place:012x}")
}

/// A v7 id; `place` tells ids of one session apart.
fn uuid7(number: usize, place: usize) -> String {
    format!("019a7d3e-{number:04x}-7000-8000-{place:012x}")
}

/// The labels or words of an answer.
fn chosen(answer: &Value) -> Vec<String> {
    match answer {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn lines(records: &[Value]) -> String {
    records.iter().fold(String::new(), |mut out, record| {
        out.push_str(&record.to_string());
        out.push('\n');
        out
    })
}
