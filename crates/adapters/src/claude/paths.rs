//! Which files are Claude Code's, and what their names say.

use crate::{Claim, Form};
use std::path::Path;

/// Role of a main transcript.
pub(super) const TRANSCRIPT: &str = "transcript";
/// Role of a sub-agent's transcript.
pub(super) const SUBAGENT: &str = "subagent";
/// Role of the small file that says what a sub-agent was started for.
pub(super) const META: &str = "meta";
/// Role of a tool output too large for the transcript.
pub(super) const OVERFLOW: &str = "tool-result";

const META_SUFFIX: &str = ".meta.json";
const OVERFLOW_FOLDER: &str = "tool-results";

/// Line files that are not conversations: the prompt history and a workflow's journal.
const NO_TRANSCRIPTS: &[&str] = &["history.jsonl", "journal.jsonl"];

/// Folders of the agent that hold no transcripts, whatever their files are called.
const NO_TRANSCRIPT_FOLDERS: &[&str] = &[
    OVERFLOW_FOLDER,
    "memory",
    "todos",
    "tasks",
    "file-history",
    "shell-snapshots",
    "debug",
    "statsig",
    "plans",
    "plugins",
    "telemetry",
];

/// Judges a file by its path.
pub(super) fn claim(path: &Path) -> Option<Claim> {
    let name = path.file_name()?.to_str()?;
    let folder = folder_name(path).unwrap_or_default();
    if name.starts_with('.') {
        return None;
    }
    if folder == OVERFLOW_FOLDER {
        return name.strip_suffix(".txt").map(|_| Claim::sidecar(Form::Document, OVERFLOW));
    }
    if NO_TRANSCRIPT_FOLDERS.contains(&folder) || NO_TRANSCRIPTS.contains(&name) {
        return None;
    }
    if name.starts_with("agent-") && name.ends_with(META_SUFFIX) {
        return Some(Claim::sidecar(Form::Document, META));
    }
    let stem = name.strip_suffix(".jsonl")?;
    if stem.starts_with("agent-") {
        // Sub-agents may repeat their parent's history, so the parent is read first.
        return Some(Claim { phase: 1, ..Claim::transcript(Form::Lines, SUBAGENT) });
    }
    Some(Claim::transcript(Form::Lines, TRANSCRIPT))
}

/// What a path tells about the session, used where the records do not.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NameHint {
    /// Session id of the main conversation.
    pub(super) root: Option<String>,
    /// Id of the sub-agent.
    pub(super) agent: Option<String>,
    /// The file name without its ending.
    pub(super) stem: String,
}

impl NameHint {
    /// Reads the path of a transcript, a sub-agent or its meta file.
    pub(super) fn of(path: &Path) -> Self {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let stem = name
            .strip_suffix(META_SUFFIX)
            .or_else(|| name.strip_suffix(".jsonl"))
            .or_else(|| name.strip_suffix(".txt"))
            .unwrap_or(name);
        let agent = stem.strip_prefix("agent-").filter(|id| !id.is_empty()).map(str::to_owned);
        Self {
            root: folder_above(path, "subagents")
                .or_else(|| folder_above(path, OVERFLOW_FOLDER))
                .or_else(|| find_uuid(stem).map(str::to_owned)),
            agent,
            stem: stem.to_owned(),
        }
    }
}

fn folder_name(path: &Path) -> Option<&str> {
    path.parent()?.file_name()?.to_str()
}

/// The name of the folder that holds the nearest folder called `below`.
fn folder_above(path: &Path, below: &str) -> Option<String> {
    let folder = path.ancestors().skip(1).find(|folder| folder.ends_with(below))?;
    folder_name(folder).map(str::to_owned)
}

/// The first UUID inside a name.
fn find_uuid(name: &str) -> Option<&str> {
    const LEN: usize = 36;
    (0..=name.len().checked_sub(LEN)?)
        .filter_map(|at| name.get(at..at + LEN))
        .find(|part| is_uuid(part))
}

fn is_uuid(part: &str) -> bool {
    part.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(path: &str) -> Option<(&'static str, u8)> {
        claim(Path::new(path)).map(|claim| (claim.role, claim.phase))
    }

    #[test]
    fn every_layout_is_claimed() {
        assert_eq!(role("-home-a/0f.jsonl"), Some((TRANSCRIPT, 0)));
        assert_eq!(role("any/depth/full.jsonl"), Some((TRANSCRIPT, 0)));
        assert_eq!(role("-home-a/agent-1a2b.jsonl"), Some((SUBAGENT, 1)));
        assert_eq!(role("p/s/subagents/agent-a1.jsonl"), Some((SUBAGENT, 1)));
        assert_eq!(role("p/s/subagents/workflows/wf_1/agent-a1.jsonl"), Some((SUBAGENT, 1)));
        assert_eq!(role("p/s/subagents/agent-a1.meta.json"), Some((META, 2)));
        assert_eq!(role("p/s/tool-results/toolu_1.txt"), Some((OVERFLOW, 2)));
    }

    #[test]
    fn other_files_are_left_alone() {
        for path in [
            ".credentials.json",
            ".credentials.jsonl",
            "settings.json",
            "settings.local.json",
            "history.jsonl",
            "p/sessions-index.json",
            "p/s/subagents/journal.jsonl",
            "p/s/subagents/workflows/wf_1/journal.jsonl",
            "p/s/tool-results/x.jsonl",
            "p/memory/notes.jsonl",
            "p/memory/MEMORY.md",
            "todos/a.jsonl",
            "p/readme.txt",
        ] {
            assert_eq!(role(path), None, "{path}");
        }
    }

    #[test]
    fn names_give_ids_where_records_do_not() {
        let uuid = "0a1b2c3d-0000-4000-8000-00000000000f";
        let hint = NameHint::of(Path::new(&format!("x/0__{uuid}.jsonl")));
        assert_eq!((hint.root.as_deref(), hint.agent), (Some(uuid), None));
        let hint = NameHint::of(Path::new("p/root/subagents/workflows/wf_1/agent-a7.meta.json"));
        assert_eq!((hint.root.as_deref(), hint.agent.as_deref()), (Some("root"), Some("a7")));
        let hint = NameHint::of(Path::new("p/root/tool-results/toolu_9.txt"));
        assert_eq!((hint.root.as_deref(), hint.stem.as_str()), (Some("root"), "toolu_9"));
        assert_eq!(
            NameHint::of(Path::new("täglich-übersicht-und-noch-mehr-text.jsonl")).root,
            None
        );
    }
}
