//! Labelled cases with the decisions they hold. `xtask/eval/decisions/README.md` describes the format.

use crate::eval::case::{Case, Dialect, Misread, read_line};
use backstory_model::{DecisionForm, DecisionKind, DecisionState, Flavor, Outcome};
use serde::Deserialize;

/// A case and what must be found in it.
#[derive(Clone, Debug)]
pub(super) struct Labelled {
    /// The session.
    pub(super) case: Case,
    /// The agent as the case names it, dialect included.
    pub(super) agent: String,
    /// The decisions, in order.
    pub(super) expected: Vec<Expected>,
}

/// A decision as a human reads it out of the log.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    /// A part of the question.
    pub(super) question: String,
    /// The labels of the options.
    #[serde(default)]
    pub(super) options: Vec<String>,
    /// The recommended one.
    pub(super) recommended: Option<String>,
    /// The chosen ones.
    #[serde(default)]
    pub(super) chosen: Vec<String>,
    /// A part of the human's own words.
    pub(super) free: Option<String>,
    /// What became of it.
    pub(super) state: DecisionState,
    /// What it asks for.
    #[serde(default)]
    pub(super) kind: DecisionKind,
    /// How it is put.
    pub(super) form: DecisionForm,
    /// The name its marker gives it.
    pub(super) id: Option<String>,
}

/// Reads a file of cases.
pub(super) fn parse(text: &str) -> Result<Vec<Labelled>, Misread> {
    let mut cases: Vec<Labelled> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let misread = |what: String| Misread { line: at + 1, what };
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        if let Some(head) = line.strip_prefix("=== ") {
            let labelled = head_of(head).map_err(misread)?;
            if cases.iter().any(|known| known.case.name == labelled.case.name) {
                return Err(misread(format!("there is a case {:?} already", labelled.case.name)));
            }
            cases.push(labelled);
            continue;
        }
        let Some(labelled) = cases.last_mut() else {
            return Err(misread("no case has begun".to_owned()));
        };
        match line.strip_prefix("expect: ") {
            Some(json) => {
                let expected =
                    serde_json::from_str(json).map_err(|why| misread(why.to_string()))?;
                labelled.expected.push(expected);
            }
            None => read_line(&mut labelled.case.steps, line).map_err(misread)?,
        }
    }
    Ok(cases)
}

fn head_of(head: &str) -> Result<Labelled, String> {
    let fields: Vec<&str> = head.split('|').map(str::trim).collect();
    let (name, agent, is_exec) = match fields[..] {
        [name, agent] => (name, agent, false),
        [name, agent, "exec"] => (name, agent, true),
        _ => return Err("expected `=== name | agent`".to_owned()),
    };
    let (flavor, dialect) = match agent {
        "codex-old" => (Flavor::Codex, Dialect::Old),
        "codex-paginated" => (Flavor::Codex, Dialect::Paginated),
        agent => {
            let flavor = Flavor::logged_from_name(agent);
            (flavor.ok_or_else(|| format!("no agent {agent:?}"))?, Dialect::Usual)
        }
    };
    let case = Case {
        name: name.to_owned(),
        flavor,
        label: Outcome::Unknown,
        dialect,
        is_exec,
        steps: Vec::new(),
    };
    Ok(Labelled { case, agent: agent.to_owned(), expected: Vec::new() })
}
