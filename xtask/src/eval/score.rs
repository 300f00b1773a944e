//! Judgements beside labels: how many agree, and where the others went.

use super::case::Case;
use backstory_model::{Flavor, Judgement, Outcome};
use std::fmt::Write as _;

/// A case and how it was judged.
#[derive(Clone, Debug)]
pub struct Verdict<'a> {
    /// The case.
    pub case: &'a Case,
    /// The judgement.
    pub judgement: Judgement,
}

impl Verdict<'_> {
    fn is_right(&self) -> bool {
        self.judgement.outcome == self.case.label
    }
}

/// The share of right verdicts in percent.
pub(crate) fn accuracy(verdicts: &[Verdict<'_>]) -> f64 {
    let right = verdicts.iter().filter(|verdict| verdict.is_right()).count();
    if verdicts.is_empty() { 0.0 } else { 100.0 * right as f64 / verdicts.len() as f64 }
}

/// The report on one set; `with_misses` lists every wrong verdict and what it stands on.
pub(crate) fn report(title: &str, verdicts: &[Verdict<'_>], with_misses: bool) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{title}: {:.1} % of {}", accuracy(verdicts), verdicts.len());
    for flavor in Flavor::LOGGED {
        let own: Vec<Verdict<'_>> =
            verdicts.iter().filter(|verdict| verdict.case.flavor == flavor).cloned().collect();
        let _ = writeln!(text, "  {:<10} {:5.1} % of {}", flavor.name(), accuracy(&own), own.len());
    }
    confusion(&mut text, verdicts);
    let [right, wrong] = [true, false].map(|side| mean_confidence(verdicts, side));
    let _ = writeln!(text, "  mean confidence: {right} when right, {wrong} when wrong");
    if with_misses {
        for verdict in verdicts.iter().filter(|verdict| !verdict.is_right()) {
            miss(&mut text, verdict);
        }
    }
    text
}

/// Rows are the truth, columns the judgement.
fn confusion(text: &mut String, verdicts: &[Verdict<'_>]) {
    let _ = write!(text, "  {:<12}", "truth \\ said");
    for said in Outcome::ALL {
        let _ = write!(text, " {:>9}", said.name());
    }
    text.push('\n');
    for truth in Outcome::ALL {
        let _ = write!(text, "  {:<12}", truth.name());
        for said in Outcome::ALL {
            let count = verdicts
                .iter()
                .filter(|verdict| verdict.case.label == truth)
                .filter(|verdict| verdict.judgement.outcome == said)
                .count();
            let _ = write!(text, " {count:>9}");
        }
        text.push('\n');
    }
}

fn mean_confidence(verdicts: &[Verdict<'_>], right: bool) -> String {
    let of: Vec<u64> = verdicts
        .iter()
        .filter(|verdict| verdict.is_right() == right)
        .map(|verdict| u64::from(verdict.judgement.confidence))
        .collect();
    if of.is_empty() {
        return "–".to_owned();
    }
    format!("{:.0}", of.iter().sum::<u64>() as f64 / of.len() as f64)
}

fn miss(text: &mut String, verdict: &Verdict<'_>) {
    let Verdict { case, judgement } = verdict;
    let _ = writeln!(
        text,
        "  {} ({}): {}, judged {} ({})",
        case.name,
        case.flavor,
        case.label.name(),
        judgement.outcome.name(),
        judgement.confidence
    );
    for (seq, why) in &judgement.evidence {
        let _ = writeln!(text, "      @{seq} {why}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str, flavor: Flavor, label: Outcome) -> Case {
        let dialect = crate::eval::case::Dialect::Usual;
        Case { name: name.to_owned(), flavor, label, dialect, is_exec: false, steps: Vec::new() }
    }

    #[test]
    fn rates_matrix_and_misses() {
        let cases = [
            case("good", Flavor::Claude, Outcome::Success),
            case("bad", Flavor::Codex, Outcome::Fail),
            case("odd", Flavor::Codex, Outcome::Fail),
            case("left", Flavor::Grok, Outcome::Abandoned),
        ];
        let said = [
            (Outcome::Success, 90, "tests pass"),
            (Outcome::Fail, 70, "said no"),
            (Outcome::Success, 40, "said done"),
            (Outcome::Abandoned, 50, "interrupted"),
        ];
        let verdicts: Vec<Verdict<'_>> = cases
            .iter()
            .zip(said)
            .map(|(case, (outcome, confidence, why))| {
                let evidence = vec![(7, why.to_owned())];
                Verdict { case, judgement: Judgement { outcome, confidence, evidence } }
            })
            .collect();
        assert_eq!(
            report("set", &verdicts, true),
            "set: 75.0 % of 4
  claude     100.0 % of 1
  codex       50.0 % of 2
  grok       100.0 % of 1
  truth \\ said   success      fail abandoned   unknown
  success              1         0         0         0
  fail                 1         1         0         0
  abandoned            0         0         1         0
  unknown              0         0         0         0
  mean confidence: 70 when right, 40 when wrong
  odd (codex): fail, judged success (40)
      @7 said done
"
        );
        assert!(!report("set", &verdicts, false).contains("odd"));
        assert!(accuracy(&[]).abs() < f64::EPSILON);
    }
}
