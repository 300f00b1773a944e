//! System lines: ends of turns, compactions, failures of the API, local commands.

use super::lenient::Number;
use super::map::Mapper;
use super::prompt::take_apart;
use super::text::{push_content, push_text};
use super::wire::{Content, Line};
use crate::Span;
use backstory_model::{EventKind, Role};
use serde::Deserialize;
use std::fmt::Write;

/// Subtypes that are notes of the harness.
const NOTES: &[&str] = &[
    "away_summary",
    "bridge_status",
    "informational",
    "init",
    "model_refusal_fallback",
    "session_start",
    "stop_hook_summary",
];

/// The first version that tells how long a turn took. Before it, the summary of the stop hooks is
/// the only sign that a turn has ended.
const TELLS_TURN_END: [u32; 3] = [2, 1, 2];

impl Mapper<'_> {
    /// Maps a system line.
    pub(super) fn system(&mut self, line: &Line<'_>) {
        match line.subtype.as_str() {
            "turn_duration" => self.completion(line, "turn_duration"),
            "stop_hook_summary" if is_before(line.version.as_str(), TELLS_TURN_END) => {
                self.completion(line, "stop_hook_summary");
            }
            subtype @ ("compact_boundary" | "microcompact_boundary") => {
                let Some(mut place) = self.open(line, "") else { return };
                let payload = self.system_text(line);
                self.compaction(&mut place, subtype, payload);
            }
            subtype @ ("api_error" | "api_refusal" | "error") => self.failure(line, subtype),
            "local_command" => self.local_command(line),
            "" if line.content.is_empty() => self.unknown("system", line),
            "" if line.level.as_str() == "error" => self.failure(line, "system"),
            "" => self.system_note(line, "system"),
            subtype if NOTES.contains(&subtype) => self.system_note(line, subtype),
            subtype => self.unknown(&format!("system/{subtype}"), line),
        }
    }

    fn system_note(&mut self, line: &Line<'_>, tool: &str) {
        let Some(mut place) = self.open(line, "") else { return };
        let payload = self.system_text(line);
        self.note(&mut place, tool, payload);
    }

    fn system_text(&mut self, line: &Line<'_>) -> Span {
        self.out.text_with(|text| push_content(&line.content, text))
    }

    fn completion(&mut self, line: &Line<'_>, tool: &str) {
        let Some(mut place) = self.open(line, "") else { return };
        let mut draft = place.draft(EventKind::Completion, Role::System);
        draft.tool = Some(self.out.text(tool));
        draft.duration_ms = line.duration_ms.count();
        self.out.event(draft);
    }

    fn failure(&mut self, line: &Line<'_>, tool: &str) {
        let Some(mut place) = self.open(line, "") else { return };
        let mut draft = place.draft(EventKind::Error, Role::System);
        draft.tool = Some(self.out.text(tool));
        draft.payload = if line.error.is_empty() {
            self.system_text(line)
        } else {
            self.out.text_with(|text| push_text(line.error.as_str(), text))
        };
        draft.summary = self.failure_summary(line);
        self.out.event(draft);
    }

    fn failure_summary(&mut self, line: &Line<'_>) -> Option<Span> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Failure {
            status: Number,
        }
        let status = line.error.parse::<Failure>()?.status.count()?;
        Some(self.out.text_with(|text| {
            // Writing to a String cannot fail.
            let _ = write!(text, "API error {status}");
        }))
    }

    fn local_command(&mut self, line: &Line<'_>) {
        let Some(mut place) = self.open(line, "") else { return };
        let Content::Text(text) = &line.content else {
            return self.note(&mut place, "local_command", Span::default());
        };
        let parts = take_apart(text);
        for piece in &parts.pieces {
            self.piece(&mut place, piece);
        }
        if place.is_bare() || !parts.prompt.is_empty() {
            let payload = self.out.text(&parts.prompt);
            self.note(&mut place, "local_command", payload);
        }
    }
}

/// Whether a version is older than another.
fn is_before(version: &str, other: [u32; 3]) -> bool {
    let mut parts = version.split(['.', '-']).map(|part| part.parse().ok());
    let [Some(major), Some(minor), Some(patch)] = [0; 3].map(|_| parts.next().flatten()) else {
        return false;
    };
    [major, minor, patch] < other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert!(is_before("2.0.64", TELLS_TURN_END));
        assert!(is_before("1.0.128", TELLS_TURN_END));
        assert!(!is_before("2.1.2", TELLS_TURN_END));
        assert!(!is_before("2.1.81", TELLS_TURN_END));
        assert!(!is_before("", TELLS_TURN_END));
    }
}
