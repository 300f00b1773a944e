//! Which files are rollouts, and what their names say.

use crate::{Claim, Form};
use std::path::Path;

/// Files beside rollouts that share their extension but are not transcripts.
const NOT_ROLLOUTS: &[&str] = &["history.jsonl", "session_index.jsonl", "events.jsonl"];

/// Claims rollouts by name: `*.jsonl`, `*.jsonl.zst`, and `rollout*.json` of the TypeScript CLI.
pub(super) fn claim(path: &Path) -> Option<Claim> {
    let name = path.file_name()?.to_str()?;
    // Hidden files and editors' or writers' temporaries are never transcripts.
    if name.starts_with('.') || NOT_ROLLOUTS.contains(&name) {
        return None;
    }
    let form = form_of(name)?;
    let mut claim = Claim::transcript(form, "rollout");
    // Names begin with the time of creation, so they sort parents before their forks.
    claim.group = Some(stem(name).to_owned());
    Some(claim)
}

fn form_of(name: &str) -> Option<Form> {
    let (rest, extension) = name.rsplit_once('.')?;
    match extension {
        "jsonl" if !rest.contains("journal") => Some(Form::Lines),
        "zst" => rest.strip_suffix(".jsonl").map(|_| Form::ZstdLines),
        "json" if rest.starts_with("rollout") => Some(Form::Document),
        _ => None,
    }
}

fn stem(name: &str) -> &str {
    name.split_once(".json").map_or(name, |(stem, _)| stem)
}

/// The thread id a file name gives: its first uuid, else the whole stem. A reverted thread's file
/// is `…-<thread uuid>_<rollout uuid>`: the first one is the thread.
pub(super) fn thread_id(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let stem = stem(&name);
    first_uuid(stem).unwrap_or(stem).to_owned()
}

fn first_uuid(text: &str) -> Option<&str> {
    (0..text.len()).find_map(|at| text.get(at..at + 36).filter(|part| is_uuid(part)))
}

/// Whether a text is a uuid in its usual form.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether an id is a version 7 uuid: such ids sort by the time they were made.
pub(super) fn is_dated(id: &str) -> bool {
    is_uuid(id) && id.as_bytes()[14] == b'7'
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "0198c1f2-7a3b-7c4d-8e5f-0123456789ab";

    fn form(name: &str) -> Option<Form> {
        claim(Path::new(name)).map(|claim| claim.form)
    }

    #[test]
    fn rollouts_are_claimed_in_any_layout() {
        let nested = format!("2026/08/20/rollout-2026-08-20T10-00-00-{UUID}.jsonl");
        assert_eq!(form(&nested), Some(Form::Lines));
        assert_eq!(form(&format!("{nested}.zst")), Some(Form::ZstdLines));
        assert_eq!(form("any/where/0__session.jsonl"), Some(Form::Lines));
        assert_eq!(form("rollout-2025-08-23-x.json"), Some(Form::Document));
        let group = claim(Path::new(&format!("{nested}.zst"))).unwrap().group.unwrap();
        assert_eq!(group, format!("rollout-2026-08-20T10-00-00-{UUID}"));
    }

    #[test]
    fn other_files_are_left_alone() {
        for name in [
            "auth.json",
            "history.jsonl",
            "session_index.jsonl",
            "config.toml",
            "state_5.sqlite",
            "package.json",
            ".rollout-x.jsonl",
            "rollout-x.jsonl.tmp",
            "compression-journal.jsonl",
        ] {
            assert_eq!(form(name), None, "{name}");
        }
    }

    #[test]
    fn names_give_the_thread() {
        let other = UUID.replace("0198", "0199");
        let reverted = format!("rollout-2026-08-20T10-00-00-{UUID}_{other}.jsonl.zst");
        assert_eq!(thread_id(Path::new(&reverted)), UUID);
        assert_eq!(thread_id(Path::new("a/b/standard.jsonl")), "standard");
        assert!(is_dated(UUID) && !is_dated("standard"));
    }
}
