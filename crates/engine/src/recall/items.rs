//! Words of what is told.

use backstory_distill::recall::{ITEM_CHARS, neutral};
use backstory_model::{Digest, OpenEnd, Outcome, Session, Timestamp};
use std::fmt::Write;

/// Files of a session that are named.
const FILES: usize = 3;

/// The day something happened, in front of it; a date is the same whenever it is read.
pub(super) fn day(at: Option<Timestamp>) -> String {
    at.map_or_else(String::new, |at| format!("{}: ", at.to_string().get(..10).unwrap_or_default()))
}

/// On one line, no longer than a thing may be.
pub(super) fn cut(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = neutral(&words.join(" "));
    match line.char_indices().nth(ITEM_CHARS - 1) {
        Some((at, last)) if at + last.len_utf8() < line.len() => format!("{}…", &line[..at]),
        _ => line,
    }
}

/// Reasons, in one line.
pub(super) fn why(reasons: &[String]) -> String {
    let said: Vec<&str> =
        reasons.iter().map(String::as_str).filter(|reason| !reason.is_empty()).collect();
    said.join("; ")
}

/// What came of a session; nothing if it only talked, for then its moments tell more.
pub(super) fn digest_text(session: &Session, digest: &Digest) -> Option<String> {
    if digest.commits.is_empty() && digest.files.is_empty() && digest.open_ends.is_empty() {
        return None;
    }
    let goal = digest.goal.as_ref().map(|goal| goal.text.as_str());
    let title = session.title.as_deref().or(goal).unwrap_or("a session without a title");
    let mut text = format!("{}{}", day(session.ended_at.or(session.started_at)), first_line(title));
    let outcome = match digest.judgement.outcome {
        Outcome::Success => "; it succeeded",
        Outcome::Fail => "; it failed",
        Outcome::Abandoned => "; it was left unfinished",
        Outcome::Unknown => "",
    };
    text.push_str(outcome);
    if let Some(commit) = digest.commits.last() {
        let _ = write!(text, "; committed \"{}\"", commit.subject);
    }
    let files: Vec<&str> = digest.files.iter().take(FILES).map(|file| file.path.as_str()).collect();
    if !files.is_empty() {
        let _ = write!(text, "; changed {}", files.join(", "));
    }
    if let Some(OpenEnd { what, .. }) = digest.open_ends.first() {
        let _ = write!(text, "; left open: {what}");
    }
    Some(cut(&text))
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}
