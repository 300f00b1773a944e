//! Answers of tools: what came out, whether it failed, who stopped it.

use super::assistant::is_question;
use super::map::{Mapper, Place};
use super::state::usable_id;
use super::text::{decode, push_text};
use super::wire::{Block, Line, ToolUseResult, Twin};
use crate::Span;
use backstory_model::{EventKind, Role};

/// The tool that runs commands, and how its answer begins when the command goes on without it.
const SHELL_TOOL: &str = "Bash";
const BACKGROUND: &str = "Command running in background";

/// How the harness tells the model that the human said no.
const DENIALS: &[&str] = &[
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "User rejected tool use",
    "[Request interrupted by user",
];

impl Mapper<'_> {
    /// Maps one tool result block and its structured twin.
    pub(super) fn tool_result(
        &mut self,
        line: &Line<'_>,
        place: &mut Place<'_>,
        at: usize,
        block: &Block<'_>,
    ) {
        let call_id = block.tool_use_id.as_str();
        let none = ToolUseResult::default();
        let twin = match &line.tool_use_result {
            Twin::Object(twin) => twin,
            _ => &none,
        };
        let tool = self.state.tool_of(call_id).map(str::to_owned);
        let is_answer =
            tool.as_deref().is_some_and(is_question) || (twin.questions.0 && twin.answers.0);
        let answers = (is_answer && !block.is_error.0).then(|| self.answers(twin)).flatten();
        let payload = answers.unwrap_or_else(|| self.output(line, at, block));
        let verdict = self.judge(line, block, twin, payload);
        let kind = match verdict.kind {
            EventKind::ToolResult if is_answer => EventKind::Decision,
            kind => kind,
        };
        self.state.retries.result(call_id, kind == EventKind::Error);
        if let Some(agent) = usable_id(twin.agent_id.as_str()) {
            // Later calls speak of the same agent; the one that started it repeats its prompt.
            let call = Some(call_id).filter(|_| twin.prompt.0);
            let name = usable_id(twin.agent_type.as_str());
            self.link_child(agent, call, name);
        }
        let mut draft = place.draft(kind, Role::Tool);
        draft.tool = self.out.opt_text(tool.as_deref());
        draft.call_id = self.out.opt_text(Some(call_id));
        draft.payload = payload;
        draft.exit_code = verdict.exit_code;
        draft.duration_ms = twin
            .duration_ms
            .count()
            .or_else(|| twin.total_duration_ms.count())
            .or_else(|| twin.duration_seconds.seconds());
        draft.files.extend(self.out.opt_text(Some(twin.file_path.as_str())));
        if let Some(file) = &twin.file.0 {
            draft.files.extend(self.out.opt_text(Some(file.file_path.as_str())));
        }
        self.out.event(draft);
        self.permission(line, place, call_id);
    }

    /// Yields the human's consent to a call; a refusal is told by the call's result.
    fn permission(&mut self, line: &Line<'_>, place: &mut Place<'_>, call_id: &str) {
        let told = &line.permission_decision;
        let word = |name: &str| {
            let raw = told.field(name)?;
            decode(raw.as_raw_str()).map(std::borrow::Cow::into_owned)
        };
        let Some(source) = word("source").filter(|source| source.starts_with("user_")) else {
            return;
        };
        let summary =
            format!("permission_resolved {} {source}", word("decision").unwrap_or_default());
        let payload = self.out.text(told.as_str());
        let mut draft = self.note_draft(place, "permission_resolved", payload);
        draft.summary = Some(self.out.text(&summary));
        draft.call_id = self.out.opt_text(Some(call_id));
        self.out.event(draft);
    }

    /// The human's answers as the harness filed them, with the notes beside them. What it tells the model
    /// instead cannot be taken apart again where people type quotes.
    fn answers(&mut self, twin: &ToolUseResult<'_>) -> Option<Span> {
        let part = |name: &str| self.raw_at(&sonic_rs::pointer!["toolUseResult", name]);
        let filed = |raw: &str| {
            let inside = raw.trim_start().strip_prefix('{').map(str::trim_start);
            inside.is_some_and(|inside| !inside.starts_with('}'))
        };
        let answers = twin.answers.0.then(|| part("answers")).flatten();
        let answers = answers.filter(|answers| filed(answers.as_raw_str()))?;
        let notes = part("annotations").filter(|notes| filed(notes.as_raw_str()));
        Some(self.out.text_with(|text| {
            text.push_str("{\"answers\":");
            text.push_str(answers.as_raw_str());
            if let Some(notes) = &notes {
                text.push_str(",\"annotations\":");
                text.push_str(notes.as_raw_str());
            }
            text.push('}');
        }))
    }

    /// The output as text: the block's content, else what the twin has of it.
    fn output(&mut self, line: &Line<'_>, at: usize, block: &Block<'_>) -> Span {
        if !block.content.is_empty() {
            return self.content_text(&block.content, at);
        }
        match &line.tool_use_result {
            Twin::Text(text) => self.out.text(text),
            Twin::Object(twin) if twin.stdout.0 || twin.stderr.0 => {
                let parts = ["stdout", "stderr"]
                    .map(|name| self.raw_at(&sonic_rs::pointer!["toolUseResult", name]));
                self.out.text_with(|text| {
                    for part in parts.iter().flatten() {
                        push_text(part.as_raw_str(), text);
                    }
                })
            }
            Twin::Object(_) | Twin::Absent => Span::default(),
        }
    }

    fn judge(
        &self,
        line: &Line<'_>,
        block: &Block<'_>,
        twin: &ToolUseResult<'_>,
        payload: Span,
    ) -> Verdict {
        let text = self.out.get(payload);
        let plain = text.strip_prefix("Error: ").unwrap_or(text);
        let is_refused = DENIALS.iter().any(|denial| plain.starts_with(denial));
        let is_error_text =
            matches!(&line.tool_use_result, Twin::Text(text) if text.starts_with("Error"));
        let has_failed = block.is_error.0 || is_error_text;
        if twin.interrupted.0
            || (has_failed && (is_refused || line.tool_denial_kind.as_str().starts_with("user")))
        {
            return Verdict { kind: EventKind::HumanIntervention, exit_code: None };
        }
        // Sub-agents' results come without a twin; what a shell does not call failed ended well.
        let is_shell = match &line.tool_use_result {
            Twin::Absent => {
                self.state.tool_of(block.tool_use_id.as_str()) == Some(SHELL_TOOL)
                    && !plain.starts_with(BACKGROUND)
            }
            Twin::Object(_) | Twin::Text(_) => twin.stdout.0 && twin.background_task_id.is_empty(),
        };
        let exit_code = stated_exit_code(plain)
            .or(twin.exit_code.code())
            .or((is_shell && !has_failed).then_some(0));
        let has_failed = has_failed || exit_code.is_some_and(|code| code != 0);
        let kind = if has_failed { EventKind::Error } else { EventKind::ToolResult };
        Verdict { kind, exit_code }
    }
}

struct Verdict {
    kind: EventKind,
    exit_code: Option<i32>,
}

/// The code in `Exit code 2`, with which the output of a failed command begins.
fn stated_exit_code(text: &str) -> Option<i32> {
    let rest = text.strip_prefix("Exit code ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::stated_exit_code;

    #[test]
    fn exit_codes_are_read_from_the_beginning() {
        assert_eq!(stated_exit_code("Exit code 137\nkilled"), Some(137));
        assert_eq!(stated_exit_code("Exit code 1"), Some(1));
        assert_eq!(stated_exit_code("it said: Exit code 1"), None);
        assert_eq!(stated_exit_code("Exit code unknown"), None);
    }
}
