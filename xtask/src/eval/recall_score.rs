//! Figures of retrieval: how often the answer is among the first few.

use backstory_engine::search::Mode;
use std::fmt::Write as _;
use std::time::Duration;

/// How much of its wording a question shares with what answers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum QuestionClass {
    /// As it comes.
    #[default]
    Plain,
    /// No content word of the answering event.
    Paraphrase,
    /// No content word of the whole session: beyond what the goals ask for.
    Blind,
}

/// One question asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    /// 0-based rank of each session with an answer.
    pub(super) session_ranks: Vec<Option<usize>>,
    /// The same for each answering event.
    pub(super) moment_ranks: Vec<Option<usize>>,
    /// How much of its wording it shares with the answer.
    pub(super) class: QuestionClass,
    /// How long it took.
    pub(super) took: Duration,
}

impl Asked {
    pub(super) fn has_session_within(&self, k: usize) -> bool {
        any_within(&self.session_ranks, k)
    }
}

/// All questions of a set, asked in one mode.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) asked: Vec<Asked>,
}

fn any_within(ranks: &[Option<usize>], k: usize) -> bool {
    ranks.iter().flatten().any(|rank| *rank < k)
}

fn share_within(ranks: &[Option<usize>], k: usize) -> f64 {
    let found = ranks.iter().flatten().filter(|rank| **rank < k).count();
    found as f64 / ranks.len().max(1) as f64
}

fn reciprocal(ranks: &[Option<usize>]) -> f64 {
    ranks.iter().flatten().min().map_or(0.0, |rank| 1.0 / (*rank as f64 + 1.0))
}

impl Tally {
    fn mean(&self, value: impl Fn(&Asked) -> f64) -> f64 {
        100.0 * self.asked.iter().map(value).sum::<f64>() / self.asked.len().max(1) as f64
    }

    fn session_any(&self, k: usize) -> f64 {
        self.mean(|asked| f64::from(u8::from(asked.has_session_within(k))))
    }

    fn moment_recall(&self, k: usize) -> f64 {
        self.mean(|asked| share_within(&asked.moment_ranks, k))
    }

    fn of(&self, classes: &[QuestionClass]) -> Self {
        let asked = self.asked.iter().filter(|asked| classes.contains(&asked.class));
        Self { asked: asked.cloned().collect() }
    }

    fn percentile(&self, share: f64) -> f64 {
        let mut took: Vec<Duration> = self.asked.iter().map(|asked| asked.took).collect();
        took.sort_unstable();
        let at = ((took.len().saturating_sub(1)) as f64 * share).round() as usize;
        took.get(at).map_or(0.0, |took| took.as_secs_f64() * 1000.0)
    }

    fn row(&self) -> String {
        let moment_any =
            |k| self.mean(|asked| f64::from(u8::from(any_within(&asked.moment_ranks, k))));
        let figures = [
            self.session_any(1),
            self.session_any(5),
            self.session_any(10),
            self.mean(|asked| share_within(&asked.session_ranks, 10)),
            self.mean(|asked| reciprocal(&asked.session_ranks)),
            moment_any(5),
            moment_any(10),
            self.moment_recall(10),
            self.mean(|asked| reciprocal(&asked.moment_ranks)),
        ];
        let mut row = String::new();
        for figure in figures {
            let _ = write!(row, "{figure:>8.1}");
        }
        let _ = write!(row, "{:>9.2}{:>8.2}", self.percentile(0.5), self.percentile(0.99));
        row
    }
}

/// What a set must reach in the fused mode.
fn goals(set: &str, fused: &Tally) -> Vec<(&'static str, f64, f64)> {
    if set == "locomo" {
        vec![
            ("session any@5", fused.session_any(5), 93.0),
            ("session any@10", fused.session_any(10), 97.5),
            ("moment rec@10", fused.moment_recall(10), 70.0),
        ]
    } else {
        let paraphrases = fused.of(&[QuestionClass::Paraphrase]);
        let all = fused.of(&[QuestionClass::Plain, QuestionClass::Paraphrase]);
        vec![
            ("session any@5", all.session_any(5), 90.0),
            ("session any@5 of paraphrases", paraphrases.session_any(5), 80.0),
        ]
    }
}

/// Writes a set's table; true if its goals are met.
pub(super) fn write(report: &mut String, set: &str, tallies: &[(Mode, Tally)]) -> bool {
    let _ = writeln!(
        report,
        "{:<22}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>9}{:>8}",
        "",
        "s any@1",
        "any@5",
        "any@10",
        "rec@10",
        "MRR",
        "m any@5",
        "any@10",
        "rec@10",
        "MRR",
        "p50 ms",
        "p99 ms"
    );
    let mut is_good = true;
    for (mode, tally) in tallies {
        let name = match mode {
            Mode::Lexical => "lexical",
            Mode::Semantic => "semantic",
            Mode::Fused => "fused",
        };
        let _ = writeln!(report, "{name:<22}{}", tally.row());
        let classes = [("paraphrases", QuestionClass::Paraphrase), ("blind", QuestionClass::Blind)];
        for (name, class) in classes {
            let some = tally.of(&[class]);
            if !some.asked.is_empty() {
                let name = format!("  {} {name}", some.asked.len());
                let _ = writeln!(report, "{name:<22}{}", some.row());
            }
        }
        if *mode != Mode::Fused {
            continue;
        }
        for (what, reached, wanted) in goals(set, tally) {
            let is_met = reached >= wanted;
            let verdict = if is_met { "ok" } else { "FAIL" };
            let _ = writeln!(report, "  {what}: {reached:.1} of {wanted} wanted: {verdict}");
            is_good &= is_met;
        }
        for (other, single) in tallies.iter().filter(|(other, _)| other != mode) {
            let is_met = tally.session_any(5) >= single.session_any(5);
            if !is_met {
                let _ = writeln!(report, "  fused is below {other:?} at session any@5: FAIL");
            }
            is_good &= is_met;
        }
    }
    is_good
}
