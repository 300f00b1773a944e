//! A decision in words: what was asked, what was answered, whether that was what had been recommended.

use backstory_distill::recall::Cue;
use backstory_model::{Decision, DecisionState};
use backstory_store::LedgerEntry;

/// What was asked, on one line: its header, unless the question says it already.
pub fn question(decision: &Decision) -> String {
    let asked = one_line(&decision.question);
    let header = one_line(&decision.header);
    if header.is_empty() || asked.to_lowercase().contains(&header.to_lowercase()) {
        return asked;
    }
    if asked.is_empty() { header } else { format!("{header}: {asked}") }
}

/// What came of it, on one line.
pub fn answer(decision: &Decision) -> String {
    match decision.state {
        DecisionState::Open => "no answer yet".into(),
        DecisionState::Skipped => "skipped".into(),
        DecisionState::Interrupted => "interrupted".into(),
        DecisionState::Answered => {
            let chosen: Vec<String> = decision.choice().map(one_line).collect();
            let said = decision.free_text.as_deref().map(one_line).filter(|said| !said.is_empty());
            match (chosen.join(", "), said) {
                (chosen, None) if chosen.is_empty() => "answered".into(),
                (chosen, None) => chosen,
                (chosen, Some(said)) if chosen.is_empty() => said,
                (chosen, Some(said)) => format!("{chosen}, \"{said}\""),
            }
        }
    }
}

/// Whether the human did what was recommended, in words; nothing if nothing was, or nobody answered.
pub fn advice(decision: &Decision) -> Option<String> {
    let recommended = decision.recommended.and_then(|at| decision.options.get(usize::from(at)));
    match (decision.followed()?, recommended) {
        (true, _) => Some("as recommended".into()),
        (false, Some(option)) => Some(format!("instead of {}", one_line(&option.label))),
        (false, None) => Some("not as recommended".into()),
    }
}

/// Rows about the same as a text, the most similar first.
pub fn similar(entries: Vec<LedgerEntry>, text: &str) -> Vec<LedgerEntry> {
    let Some(cue) = Cue::of(text) else { return Vec::new() };
    let mut judged: Vec<(f32, LedgerEntry)> = Vec::new();
    for entry in entries {
        let decision = &entry.decision;
        let offered = decision.options.iter().map(|option| option.label.as_str());
        let beside = offered.chain(entry.title.as_deref()).collect::<Vec<_>>().join(" ");
        let fit = cue.fit(&format!("{} {}", question(decision), answer(decision)), &beside);
        let relevance = cue.relevance(&fit, None);
        if relevance >= 1.0 {
            judged.push((relevance, entry));
        }
    }
    // Among equals the latest, as they came.
    judged.sort_by(|one, other| other.0.total_cmp(&one.0));
    judged.into_iter().map(|(_, entry)| entry).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::DecisionOption;

    fn decided(chosen: &[u16], said: Option<&str>) -> Decision {
        let option = |label: &str| DecisionOption { label: label.into(), ..Default::default() };
        Decision {
            state: DecisionState::Answered,
            header: "Database".into(),
            question: "Where do rows\n go?".into(),
            options: vec![option("SQLite"), option("Postgres")],
            recommended: Some(0),
            chosen: chosen.to_vec(),
            free_text: said.map(str::to_owned),
            ..Decision::default()
        }
    }

    #[test]
    fn similar_questions_are_found() {
        let entry = |question: &str| LedgerEntry {
            decision: Decision { question: question.into(), ..decided(&[0], None) },
            ..LedgerEntry::default()
        };
        let entries = ["Which colour for the button?", "Which host do deploys use?"].map(entry);
        let found = similar(entries.to_vec(), "what host should the deploy go to?");
        assert_eq!(found, [entries[1].clone()]);
        assert!(similar(entries.to_vec(), "ok").is_empty());
        assert!(similar(entries.to_vec(), "how tall is the tower").is_empty());
    }

    #[test]
    fn decisions_are_told_on_a_line() {
        let told = |decision: &Decision| (question(decision), answer(decision), advice(decision));
        let (asked, answered, advised) = told(&decided(&[0], None));
        assert_eq!(asked, "Database: Where do rows go?");
        assert_eq!((answered.as_str(), advised.as_deref()), ("SQLite", Some("as recommended")));
        let (_, answered, advised) = told(&decided(&[1], Some("on\nheron")));
        assert_eq!(answered, "Postgres, \"on heron\"");
        assert_eq!(advised.as_deref(), Some("instead of SQLite"));
        let (answered, advised) = (decided(&[0], Some("but on heron")), Some("as recommended"));
        assert_eq!(
            (answer(&answered).as_str(), advice(&answered).as_deref()),
            ("SQLite, \"but on heron\"", advised)
        );
        assert_eq!(answer(&decided(&[], Some("neither"))), "neither");
        let open = Decision { state: DecisionState::Open, ..decided(&[], None) };
        assert_eq!((answer(&open).as_str(), advice(&open)), ("no answer yet", None));
        let named = Decision { question: "Which DATABASE?".into(), ..decided(&[], None) };
        assert_eq!(question(&named), "Which DATABASE?");
    }
}
