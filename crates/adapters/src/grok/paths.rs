//! Which files are Grok's, and what their paths say about the session.

use super::state::Dialect;
use crate::{Claim, Form};
use std::path::Path;

/// A file that is one JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Document {
    Summary,
    Usage,
    Signals,
    Subagent,
}

/// What a claimed file is to this adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Document(Document),
    /// A log of lines; `None` where only its content can tell which.
    Log(Option<Dialect>),
}

const UPDATES: &str = "updates";
const EVENTS: &str = "events";
const SUMMARY: &str = "summary";
const USAGE: &str = "usage";
const SIGNALS: &str = "signals";
const SUBAGENT: &str = "subagent-meta";
const CHAT: &str = "chat-history";
const ANY_LOG: &str = "log";

impl Role {
    /// The role a claim was made with.
    pub(super) fn of(name: &str) -> Self {
        match name {
            SUMMARY => Self::Document(Document::Summary),
            USAGE => Self::Document(Document::Usage),
            SIGNALS => Self::Document(Document::Signals),
            SUBAGENT => Self::Document(Document::Subagent),
            UPDATES => Self::Log(Some(Dialect::Updates)),
            EVENTS => Self::Log(Some(Dialect::Events)),
            CHAT => Self::Log(Some(Dialect::Chat)),
            _ => Self::Log(None),
        }
    }
}

/// Logs that hold no part of the conversation, or only a copy of it.
const SKIPPED_LOGS: &[&str] = &[
    "prompt_history.jsonl",
    "rewind_points.jsonl",
    "feedback.jsonl",
    "btw_history.jsonl",
    "hunk_records.jsonl",
    "history.jsonl",
    "unified.jsonl",
];

/// The claim on a file, judged by its path alone.
pub(super) fn claim(path: &Path) -> Option<Claim> {
    let name = path.file_name()?.to_str()?;
    let parent = folder(path, 1);
    let group = parent.map(str::to_owned);
    let log = |role, is_transcript, rank| Claim {
        form: Form::Lines,
        role,
        is_transcript,
        phase: 0,
        group: group.clone(),
        rank,
        better: None,
    };
    let document = |role, group: Option<String>, rank| Claim {
        form: Form::Document,
        role,
        is_transcript: false,
        phase: 0,
        group,
        rank,
        better: None,
    };
    match name {
        "updates.jsonl" => Some(log(UPDATES, true, 0)),
        "events.jsonl" => Some(log(EVENTS, false, 1)),
        "signals.json" => Some(document(SIGNALS, group, 1)),
        "summary.json" => Some(document(SUMMARY, group, 2)),
        "usage.json" => Some(document(USAGE, group, 3)),
        "meta.json" if folder(path, 2) == Some("subagents") => {
            Some(document(SUBAGENT, folder(path, 3).map(str::to_owned), 4))
        }
        // Not a transcript to be alarmed about: beside an `updates.jsonl` it rightly yields nothing.
        "chat_history.jsonl" => {
            Some(Claim { better: Some("updates.jsonl"), ..log(CHAT, false, 9) })
        }
        _ => claim_unnamed(path, name),
    }
}

/// A log under a name of its own, somewhere below a root. Inside a session folder every log of the
/// conversation has its known name, so an unknown one there is working state.
fn claim_unnamed(path: &Path, name: &str) -> Option<Claim> {
    let is_log = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("jsonl"));
    let in_session_folder = (1..=3).any(|above| folder(path, above).is_some_and(is_uuid));
    if !is_log || SKIPPED_LOGS.contains(&name) || name.starts_with('.') || in_session_folder {
        return None;
    }
    let mut claim = Claim::transcript(Form::Lines, ANY_LOG);
    claim.group = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
    Some(claim)
}

/// The name of the folder `above` levels over the file.
fn folder(path: &Path, above: usize) -> Option<&str> {
    path.ancestors().nth(above)?.file_name()?.to_str()
}

/// The session id the path gives: the session folder's name, or the file's own for a log under a
/// name of its own.
pub(super) fn session_id(path: &Path, role: Role) -> String {
    let parent = folder(path, 1);
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let found = match role {
        Role::Log(None) => stem,
        _ => parent.or(stem),
    };
    found.unwrap_or("unknown").to_owned()
}

/// The session a sub-agent's `meta.json` lies in.
pub(super) fn parent_of_subagent(path: &Path) -> Option<&str> {
    folder(path, 3)
}

/// The working directory the session folder's own folder is named after.
pub(super) fn cwd(path: &Path) -> Option<String> {
    let decoded = percent_decoded(folder(path, 2)?)?;
    let is_windows = decoded.as_bytes().get(1) == Some(&b':');
    (decoded.starts_with('/') || is_windows).then_some(decoded)
}

fn percent_decoded(name: &str) -> Option<String> {
    if !name.contains('%') {
        return None;
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let code = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok())?;
            bytes.push(u8::from_str_radix(code, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

/// True for text in the shape of a UUID, as every session id is.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SID: &str = "01990000-0000-7000-8000-00000000000a";

    fn claimed(path: &str) -> Option<(&'static str, u8, Option<String>)> {
        claim(Path::new(path)).map(|claim| (claim.role, claim.rank, claim.group))
    }

    #[test]
    fn session_files_are_claimed_in_reading_order() {
        let group = || Some(SID.to_owned());
        for (file, role, rank) in [
            ("updates.jsonl", UPDATES, 0),
            ("events.jsonl", EVENTS, 1),
            ("signals.json", SIGNALS, 1),
            ("summary.json", SUMMARY, 2),
            ("usage.json", USAGE, 3),
            ("subagents/child/meta.json", SUBAGENT, 4),
            ("chat_history.jsonl", CHAT, 9),
        ] {
            let path = format!("%2Fhome%2Fme%2Fapp/{SID}/{file}");
            assert_eq!(claimed(&path), Some((role, rank, group())), "{path}");
        }
    }

    #[test]
    fn only_logs_of_the_conversation_must_yield_some() {
        let is_transcript = |path: &str| claim(Path::new(path)).unwrap().is_transcript;
        assert!(is_transcript("a/b/updates.jsonl"));
        assert!(is_transcript("exports/one.jsonl"));
        assert!(!is_transcript("a/b/events.jsonl"));
        assert!(!is_transcript("a/b/chat_history.jsonl"));
    }

    #[test]
    fn other_files_are_left_alone() {
        for file in [
            "system_prompt.txt",
            "prompt_context.json",
            "summary.json.lock",
            "plan.json",
            "terminal/call-1.log",
            "workflows/run/journal.jsonl",
            "compaction/segment_001.md",
            "compaction_checkpoints/a.json",
            "rewind_points.jsonl",
            "feedback.jsonl",
            "hunk_records.jsonl",
            "not_known_yet.jsonl",
            "subagents/child/output.json",
            "auth.json",
        ] {
            assert_eq!(claimed(&format!("%2Fapp/{SID}/{file}")), None, "{file}");
        }
        assert_eq!(claimed("%2Fapp/prompt_history.jsonl"), None);
        assert_eq!(claimed("auth.json"), None);
        assert_eq!(claimed("meta.json"), None);
    }

    #[test]
    fn any_layout_below_a_root_is_readable() {
        assert_eq!(claimed("foo/updates.jsonl"), Some((UPDATES, 0, Some("foo".into()))));
        assert_eq!(claimed("updates.jsonl"), Some((UPDATES, 0, None)));
        assert_eq!(claimed("exports/run.jsonl"), Some((ANY_LOG, 0, Some("run".into()))));
        assert_eq!(claimed(&format!("{SID}/updates.jsonl")).unwrap().0, UPDATES);
    }

    #[test]
    fn paths_name_session_and_working_directory() {
        let path = Path::new("/r/%2Fhome%2Fme%2Fmy%20app/0199/updates.jsonl");
        assert_eq!(session_id(path, Role::of(UPDATES)), "0199");
        assert_eq!(cwd(path).as_deref(), Some("/home/me/my app"));
        assert_eq!(cwd(Path::new("r/C%3A%5Cwork/s/updates.jsonl")).as_deref(), Some("C:\\work"));
        for unreadable in
            ["slug-0123/s/u.jsonl", "%2/s/u.jsonl", "%ff%fe/s/u.jsonl", "%41/s/u.jsonl"]
        {
            assert_eq!(cwd(Path::new(unreadable)), None, "{unreadable}");
        }
        assert_eq!(session_id(Path::new("x/run.jsonl"), Role::of(ANY_LOG)), "run");
        assert_eq!(session_id(Path::new("updates.jsonl"), Role::of(UPDATES)), "updates");
    }
}
