//! Secrets in decisions that come from elsewhere.

use backstory_distill::Redactor;
use backstory_model::Decision;
use backstory_store::HubDecision;

/// Replaces every secret in a decision.
pub(crate) fn redact(redactor: &Redactor, decision: &mut Decision) {
    let Decision { question_id, skill, header, question, options, free_text, .. } = decision;
    let offered =
        options.iter_mut().flat_map(|option| [&mut option.label, &mut option.description]);
    for text in [question_id, skill, header, question].into_iter().chain(free_text).chain(offered) {
        clean(redactor, text);
    }
}

/// The same for what a hub recorded, with what it says around it.
pub(crate) fn redact_recorded(redactor: &Redactor, recorded: &mut HubDecision) {
    let HubDecision { origin, project, repo, session, rationale, decision } = recorded;
    for text in [project, repo, session, rationale].into_iter().flatten().chain([origin]) {
        clean(redactor, text);
    }
    redact(redactor, decision);
}

fn clean(redactor: &Redactor, text: &mut String) {
    if let std::borrow::Cow::Owned(redacted) = redactor.redact(text) {
        *text = redacted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::DecisionOption;

    #[test]
    fn no_part_of_a_decision_keeps_a_secret() {
        let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let said = || format!("use {secret} here");
        let mut recorded = HubDecision {
            rationale: Some(said()),
            decision: Decision {
                question: said(),
                options: vec![DecisionOption {
                    label: said(),
                    description: said(),
                    ..DecisionOption::default()
                }],
                free_text: Some(said()),
                ..Decision::default()
            },
            ..HubDecision::default()
        };
        redact_recorded(&Redactor::new(), &mut recorded);
        assert!(!format!("{recorded:?}").contains(&secret), "{recorded:?}");
        assert!(recorded.decision.question.starts_with("use "));
    }
}
