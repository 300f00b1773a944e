//! Answers that are not for keeping: the agent asked for a secret.

use super::wire::{Maybe, Raw, Text, raw_str, read};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Questions remembered of a call, and bytes of their ids; what is asked beyond is taken for a secret too.
const QUESTIONS: usize = 32;
const ID_MAX: usize = 64;
/// Stands for what the human said.
const BLANK: &str = "[secret]";

/// The input of a call that asks.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked<'a> {
    #[serde(borrow)]
    questions: Vec<Question<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Question<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(rename = "isSecret", alias = "is_secret")]
    is_secret: Maybe<bool>,
}

/// What comes back: answers by the ids of their questions.
#[derive(Deserialize)]
struct Filed<'a> {
    #[serde(borrow)]
    answers: BTreeMap<String, Raw<'a>>,
    #[serde(default)]
    interrupted: Maybe<bool>,
}

/// Of a call that asks for a secret: the ids of its other questions, whose answers may be kept.
pub(super) fn others(input: &str) -> Option<Vec<String>> {
    // Hardly any call does.
    if !input.contains("isSecret") && !input.contains("is_secret") {
        return None;
    }
    // Where the questions cannot be told apart, any of them may be the one.
    let asked = read::<Asked<'_>>(input).unwrap_or_default().questions;
    let (secret, others): (Vec<_>, Vec<_>) =
        asked.iter().partition(|question| question.is_secret.0 == Some(true));
    let is_harmless = secret.is_empty() && !asked.is_empty();
    let ids = others.iter().take(QUESTIONS).map(|question| question.id.to_string());
    (!is_harmless).then(|| ids.filter(|id| id.len() <= ID_MAX).collect())
}

/// A reply without the answers that may not be kept.
pub(super) fn blanked(reply: &str, kept: &[String]) -> String {
    // Said by the harness: nobody answered.
    if ["request_user_input", "aborted"].iter().any(|opening| reply.starts_with(opening)) {
        return reply.to_owned();
    }
    let Some(filed) = read::<Filed<'_>>(reply) else { return BLANK.to_owned() };
    let answers: Vec<String> = filed
        .answers
        .iter()
        .map(|(id, answer)| {
            let key = sonic_rs::to_string(id).unwrap_or_default();
            if kept.contains(id) {
                return format!("{key}:{}", raw_str(answer));
            }
            format!(r#"{key}:{{"answers":["{BLANK}"]}}"#)
        })
        .collect();
    let more = if filed.interrupted.0 == Some(true) { r#","interrupted":true"# } else { "" };
    format!(r#"{{"answers":{{{}}}{more}}}"#, answers.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_ask_for_a_secret_are_known() {
        let two = r#"{"questions":[{"id":"key","isSecret":true},{"id":"port","isSecret":false}]}"#;
        assert_eq!(others(two), Some(vec!["port".to_owned()]));
        assert_eq!(others(r#"{"questions":[{"id":"key","is_secret":true}]}"#), Some(vec![]));
        assert_eq!(others(r#"{"questions":[{"id":"port","isSecret":false}]}"#), None);
        assert_eq!(others(r#"{"questions":[{"id":"port"}]}"#), None);
        assert_eq!(others(r#"{"questions":"isSecret"}"#), Some(vec![]));
    }

    #[test]
    fn only_what_may_be_kept_is() {
        let kept = ["port".to_owned()];
        let reply = r#"{"answers":{"key":{"answers":["hunter2"]},"port":{"answers":["80"]}}}"#;
        let left = r#"{"answers":{"key":{"answers":["[secret]"]},"port":{"answers":["80"]}}}"#;
        assert_eq!(blanked(reply, &kept), left);
        assert_eq!(blanked("hunter2", &kept), BLANK);
        assert_eq!(blanked(r#"{"answers":"hunter2"}"#, &kept), BLANK);
        assert_eq!(blanked("aborted by user after 2s", &kept), "aborted by user after 2s");
        let stopped = r#"{"answers":{},"interrupted":true}"#;
        assert_eq!(blanked(stopped, &kept), stopped);
    }
}
