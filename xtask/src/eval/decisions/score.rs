//! Found decisions beside expected ones: how many of each are right.

use super::labelled::{Expected, Labelled};
use backstory_model::{Decision, DecisionForm};
use std::fmt::Write as _;

/// The agents and dialects cases name.
const AGENTS: [&str; 5] = ["claude", "codex", "codex-old", "codex-paginated", "grok"];

/// What was found in a case.
pub(super) struct Found<'a> {
    /// The case.
    pub(super) labelled: &'a Labelled,
    /// The decisions, in order.
    pub(super) rows: Vec<Decision>,
}

/// How many were found, expected, and right.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    found: usize,
    expected: usize,
    right: usize,
}

impl Tally {
    fn precision(self) -> f64 {
        share(self.right, self.found)
    }

    fn recall(self) -> f64 {
        share(self.right, self.expected)
    }
}

/// In percent; nothing of nothing is all of it.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// Which expected decision each row is, if any, and whether all of it is right.
struct Pairing {
    /// By row.
    rows: Vec<Option<(usize, Vec<String>)>>,
    /// By expectation.
    missing: Vec<usize>,
}

/// The report on one set, and its precision and recall; `verbose` lists what is wrong.
pub(super) fn report(title: &str, found: &[Found<'_>], verbose: bool) -> (String, (f64, f64)) {
    let pairings: Vec<Pairing> = found.iter().map(pair).collect();
    let total = tally(found, &pairings, |_| true, |_| true);
    let (precision, recall) = (total.precision(), total.recall());
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{title}: precision {precision:.1} %, recall {recall:.1} % ({} found, {} expected, {} right; {} cases)",
        total.found,
        total.expected,
        total.right,
        found.len()
    );
    for form in [DecisionForm::Tool, DecisionForm::Marker, DecisionForm::Pattern] {
        row(&mut text, form.name(), tally(found, &pairings, |_| true, |own| own == form));
    }
    for agent in AGENTS {
        row(&mut text, agent, tally(found, &pairings, |own| own == agent, |_| true));
    }
    if verbose {
        for (found, pairing) in found.iter().zip(&pairings) {
            mistakes(&mut text, found, pairing);
        }
    }
    (text, (precision, recall))
}

fn row(text: &mut String, name: &str, tally: Tally) {
    let (precision, recall) = (tally.precision(), tally.recall());
    let _ = writeln!(
        text,
        "  {name:<16} precision {precision:5.1} %  recall {recall:5.1} %  of {}",
        tally.expected
    );
}

fn tally(
    found: &[Found<'_>],
    pairings: &[Pairing],
    agent: impl Fn(&str) -> bool,
    form: impl Fn(DecisionForm) -> bool,
) -> Tally {
    let mut tally = Tally::default();
    for (found, pairing) in found.iter().zip(pairings) {
        if !agent(&found.labelled.agent) {
            continue;
        }
        tally.expected += found.labelled.expected.iter().filter(|one| form(one.form)).count();
        for (row, pair) in found.rows.iter().zip(&pairing.rows).filter(|(row, _)| form(row.form)) {
            tally.found += 1;
            let is_right = pair.as_ref().is_some_and(|(_, wrong)| wrong.is_empty());
            tally.right += usize::from(is_right && form(row.form));
        }
    }
    tally
}

/// Pairs each row with the first expected decision of its question that is still free.
fn pair(found: &Found<'_>) -> Pairing {
    let expected = &found.labelled.expected;
    let mut free: Vec<usize> = (0..expected.len()).collect();
    let rows = found
        .rows
        .iter()
        .map(|row| {
            let place = free.iter().position(|at| is_question(&expected[*at], row))?;
            let at = free.remove(place);
            Some((at, differences(&expected[at], row)))
        })
        .collect();
    Pairing { rows, missing: free }
}

fn is_question(expected: &Expected, row: &Decision) -> bool {
    row.question.contains(&expected.question)
}

/// What differs, each in a few words.
fn differences(expected: &Expected, row: &Decision) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |name: &str, is_right: bool, got: String| {
        if !is_right {
            wrong.push(format!("{name} {got}"));
        }
    };
    let labels: Vec<&str> = row.options.iter().map(|option| option.label.as_str()).collect();
    check("options", labels == expected.options, format!("{labels:?}"));
    let recommended = row.recommended.and_then(|at| labels.get(usize::from(at)).copied());
    check(
        "recommended",
        recommended == expected.recommended.as_deref(),
        format!("{recommended:?}"),
    );
    let mut chosen: Vec<&str> = row.choice().collect();
    check("chosen", same(&mut chosen, &expected.chosen), format!("{chosen:?}"));
    let is_free = match (&expected.free, &row.free_text) {
        (None, None) => true,
        (Some(part), Some(words)) => words.contains(part.as_str()),
        _ => false,
    };
    check("free", is_free, format!("{:?}", row.free_text));
    check("state", row.state == expected.state, row.state.name().to_owned());
    check("kind", row.kind == expected.kind, row.kind.name().to_owned());
    check("form", row.form == expected.form, row.form.name().to_owned());
    let is_id = expected.id.as_ref().is_none_or(|id| *id == row.question_id);
    check("id", is_id, row.question_id.clone());
    wrong
}

fn same(chosen: &mut Vec<&str>, expected: &[String]) -> bool {
    let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    chosen.sort_unstable();
    expected.sort_unstable();
    *chosen == expected
}

fn mistakes(text: &mut String, found: &Found<'_>, pairing: &Pairing) {
    let (name, agent) = (&found.labelled.case.name, &found.labelled.agent);
    for (row, pair) in found.rows.iter().zip(&pairing.rows) {
        match pair {
            None => {
                let _ = writeln!(text, "  {name} ({agent}): not expected: {:?}", row.question);
            }
            Some((_, wrong)) if !wrong.is_empty() => {
                let wrong = wrong.join("; ");
                let _ = writeln!(text, "  {name} ({agent}): {:?} has {wrong}", row.question);
            }
            Some(_) => {}
        }
    }
    for at in &pairing.missing {
        let question = &found.labelled.expected[*at].question;
        let _ = writeln!(text, "  {name} ({agent}): missed {question:?}");
    }
}
