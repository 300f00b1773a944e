//! Assistant lines: words, thoughts, tool calls, and the tokens they cost.

use super::map::{Mapper, Place};
use super::text::{push_content, push_reference};
use super::wire::{Block, Content, Line, Message, ToolInput, UsageWire};
use crate::{CallClass, Span, UsageDraft, UsageMerge, classify_call};
use backstory_model::{EventKey, EventKind, Role, Usage};

/// The model of lines the harness wrote itself.
const SYNTHETIC: &str = "<synthetic>";

/// What the harness writes where a turn ended without an answer; no failure.
const NO_RESPONSE: &str = "No response requested.";

/// True for tools that put a question, or a plan to approve, to the human.
pub(super) fn is_question(tool: &str) -> bool {
    matches!(tool, "AskUserQuestion" | "ExitPlanMode")
}

impl Mapper<'_> {
    /// Maps an assistant line.
    pub(super) fn assistant(&mut self, line: &Line<'_>) {
        let Some(message) = line.message.0.as_ref().filter(|message| has_words(message)) else {
            return self.unknown("assistant", line);
        };
        let is_synthetic = message.model.as_str() == SYNTHETIC;
        let model = if is_synthetic { "" } else { message.model.as_str() };
        let Some(mut place) = self.open(line, model) else { return };
        let mut tokens = if is_synthetic { 0 } else { self.usage(line, message, &place) };
        let is_error = line.is_api_error_message.0 || is_synthetic;
        match &message.content {
            Content::Blocks(blocks) if !blocks.is_empty() => {
                for (at, block) in blocks.iter().enumerate() {
                    self.assistant_block(line, &mut place, (at, block), is_error, &mut tokens);
                }
            }
            content => {
                let payload = self.out.text_with(|text| push_content(content, text));
                self.words(&mut place, payload, is_error, &mut tokens);
            }
        }
    }

    fn assistant_block(
        &mut self,
        line: &Line<'_>,
        place: &mut Place<'_>,
        (at, block): (usize, &Block<'_>),
        is_error: bool,
        tokens: &mut u64,
    ) {
        match block.kind.as_str() {
            "text" => {
                let payload = self.out.text(block.text.as_str());
                self.words(place, payload, is_error, tokens);
            }
            "thinking" | "redacted_thinking" => {
                let mut draft = place.draft(EventKind::Thinking, Role::Assistant);
                draft.payload = self.out.text(block.thinking.as_str());
                draft.tokens = std::mem::take(tokens);
                self.out.event(draft);
            }
            "tool_use" | "server_tool_use" | "mcp_tool_use" => self.call(place, block, tokens),
            kind @ ("image" | "document") => {
                let payload =
                    self.out.text_with(|text| push_reference(kind, block.source.0.as_ref(), text));
                self.words(place, payload, is_error, tokens);
            }
            // Tools that run at the API answer within the assistant's message.
            kind if kind.ends_with("_tool_result") => {
                let mut draft = place.draft(EventKind::ToolResult, Role::Tool);
                draft.call_id = self.out.opt_text(Some(block.tool_use_id.as_str()));
                draft.payload = self.content_text(&block.content, at);
                self.out.event(draft);
            }
            "fallback" => self.note(place, "fallback", Span::default()),
            kind => {
                let raw = self.raw_at(&sonic_rs::pointer!["message", "content", at]);
                let raw = raw.as_ref().map_or(self.raw, |raw| raw.as_raw_str());
                self.unknown_part(&format!("assistant/{kind}"), line, raw);
            }
        }
    }

    fn words(&mut self, place: &mut Place<'_>, payload: Span, is_error: bool, tokens: &mut u64) {
        if is_error && self.out.get(payload) == NO_RESPONSE {
            return self.note(place, "no-response", payload);
        }
        let kind = if is_error { EventKind::Error } else { EventKind::AssistantMsg };
        let mut draft = place.draft(kind, Role::Assistant);
        draft.payload = payload;
        draft.tokens = std::mem::take(tokens);
        self.out.event(draft);
    }

    fn call(&mut self, place: &mut Place<'_>, block: &Block<'_>, tokens: &mut u64) {
        let (id, tool) = (block.id.as_str(), block.name.as_str());
        let raw_input = block.input.as_str();
        let input: ToolInput<'_> = block.input.parse().unwrap_or_default();
        let command = Some(input.command.as_str()).filter(|command| !command.is_empty());
        let class = classify_call(tool, command.filter(|_| runs_commands(tool)));
        let kind = self.call_kind(id, tool, raw_input, class);
        self.state.note_call(id, tool);
        let mut draft = place.draft(kind, Role::Assistant);
        draft.tool = self.out.opt_text(Some(tool));
        draft.call_id = self.out.opt_text(Some(id));
        draft.payload = self.out.text(raw_input);
        draft.tokens = std::mem::take(tokens);
        for file in [&input.file_path, &input.notebook_path, &input.path] {
            draft.files.extend(self.out.opt_text(Some(file.as_str())));
        }
        self.out.event(draft);
    }

    fn call_kind(&mut self, id: &str, tool: &str, input: &str, class: CallClass) -> EventKind {
        if is_question(tool) {
            return EventKind::Decision;
        }
        self.state.retries.call(id, tool, input.as_bytes(), class)
    }

    /// Yields what a response cost. Each of its lines repeats the numbers, the last one has them
    /// in full. Returns the output tokens on the first line of a response only.
    fn usage(&mut self, line: &Line<'_>, message: &Message<'_>, place: &Place<'_>) -> u64 {
        let Some(wire) = &message.usage.0 else { return 0 };
        let usage = usage_of(wire);
        let id = [&message.id, &line.uuid].into_iter().find(|id| !id.is_empty());
        let key = match id {
            Some(id) => EventKey::of_parts(&[b"claude", id.as_str().as_bytes()]),
            None => place.key(),
        };
        let model = self.out.opt_text(Some(message.model.as_str()));
        self.out.usage(UsageDraft {
            session: place.session,
            key,
            ts: place.ts(),
            model,
            usage,
            usd: None,
            merge: UsageMerge::Max,
        });
        if self.state.is_new_response(key) { usage.output } else { 0 }
    }
}

/// Whether a message is one of ours: other agents' logs look alike but have no content.
pub(super) fn has_words(message: &Message<'_>) -> bool {
    matches!(message.content, Content::Text(_) | Content::Blocks(_))
}

/// Tools whose `command` is a shell line.
fn runs_commands(tool: &str) -> bool {
    matches!(tool, "Bash" | "PowerShell" | "Monitor")
}

fn usage_of(wire: &UsageWire) -> Usage {
    let written = wire.cache_creation_input_tokens.count().unwrap_or(0);
    let split = wire.cache_creation.0.as_ref();
    let one_hour = split.and_then(|split| split.ephemeral_1h_input_tokens.count()).unwrap_or(0);
    let five_minutes = split.and_then(|split| split.ephemeral_5m_input_tokens.count()).unwrap_or(0);
    let details = wire.output_tokens_details.0.as_ref();
    let reasoning = wire
        .thinking_tokens
        .count()
        .or_else(|| details.and_then(|details| details.thinking_tokens.count()))
        .or_else(|| details.and_then(|details| details.reasoning_tokens.count()));
    Usage {
        input: wire.input_tokens.count().unwrap_or(0),
        output: wire.output_tokens.count().unwrap_or(0),
        cache_read: wire.cache_read_input_tokens.count().unwrap_or(0),
        // What the split does not account for lives five minutes, the default.
        cache_write_5m: five_minutes.max(written.saturating_sub(one_hour)),
        cache_write_1h: one_hour,
        reasoning: reasoning.unwrap_or(0),
    }
}
