//! Response items: the stable spine of every dialect.

use super::images::push_reference;
use super::table::{Row, Says, Scope, find};
use super::thread::{Cx, Note, Thread};
use super::tools::{Search, ToolUse};
use super::turns::{Identity, Stream, digest};
use super::wire::{ChatCall, Detail, Item, Raw, Stamp, Text, raw_str, read};
use backstory_model::{EventKind, Role};
use std::borrow::Cow;

impl Thread {
    /// Maps one item.
    pub(super) fn item(&mut self, cx: &mut Cx<'_>, mut item: Item<'_>) {
        // Early files and the chat form of the TypeScript CLI name only the role.
        let kind = item.kind.or(if item.role.is_empty() { "?" } else { "message" }).to_owned();
        let Some(row) = find(Scope::Response, &kind) else {
            return self.unknown(cx, &format!("{}{kind}", Scope::Response.prefix()));
        };
        let origin = item.stamp.take();
        let stamp: Stamp<'_> = read(raw_str(&origin)).unwrap_or_default();
        self.cross(cx, &stamp.turn_id, false);
        match row.2 {
            Says::Message if is_chat(&item) => self.chat_message(cx, item),
            Says::Message => {
                let role = item.role.to_string();
                if !self.message(cx, item, &stamp) {
                    self.unknown(cx, &format!("response_item/message/{role}"));
                }
            }
            Says::Reasoning => self.reasoning(cx, item),
            Says::AgentMail => self.mail(cx, item),
            Says::CallOutput => {
                let output =
                    if raw_str(&item.output).is_empty() { &item.result } else { &item.output };
                self.call_output(cx, &item.call_id, raw_str(output), &item.name);
            }
            Says::WebSearchCall => {
                let action = raw_str(&item.action);
                let search = Search { id: &item.id, query: "", action, results: "" };
                self.web_search(cx, Stream::Model, &search);
            }
            Says::ImageCall => self.image_call(cx, &item),
            Says::Compacted => self.compaction(cx, row.1, ""),
            Says::FunctionCall | Says::CustomCall | Says::ShellCall => {
                self.model_call(cx, &item, row);
            }
            _ => self.note(cx, row.1, ""),
        }
    }

    fn model_call(&mut self, cx: &mut Cx<'_>, item: &Item<'_>, row: &Row) {
        let function: Detail<'_> = read(raw_str(&item.function)).unwrap_or_default();
        let name = item.name.or(function.name.or(match row.2 {
            Says::ShellCall => "local_shell",
            _ => row.1,
        }));
        let tool: Cow<'_, str> = match item.namespace.some() {
            Some(space) => Cow::Owned(format!("{space}__{name}")),
            None => Cow::Borrowed(name),
        };
        let input = match row.2 {
            Says::ShellCall => Cow::Borrowed(raw_str(&item.action)),
            Says::CustomCall => Cow::Borrowed(&*item.input),
            _ => string_or_json(&item.arguments),
        };
        let call_id = item.call_id.or(match row.2 {
            Says::ShellCall => &item.id,
            _ => "",
        });
        let call = ToolUse { native_id: &item.id, ..ToolUse::new(&tool, call_id, &input) };
        self.call(cx, call);
    }

    fn image_call(&mut self, cx: &mut Cx<'_>, item: &Item<'_>) {
        let result: Text<'_> = read(raw_str(&item.result)).unwrap_or_default();
        let call_id = item.call_id.or(&item.id);
        if !call_id.is_empty() && self.calls.is_done(call_id) {
            return;
        }
        self.image(cx, call_id, &item.revised_prompt, &result);
    }

    /// A generated image: one call whose result is a reference.
    pub(super) fn image(&mut self, cx: &mut Cx<'_>, call_id: &str, prompt: &str, result: &str) {
        let identity = if call_id.is_empty() {
            Identity::InTurn("image", digest(prompt))
        } else {
            self.calls.closed(call_id);
            Identity::Call(call_id, 0)
        };
        let note = Note::new(identity, EventKind::ToolCall, Role::Assistant);
        self.emit(cx, &Note { tool: "image_generation", call_id, ..note }, |out| {
            out.push_str(prompt);
            if !result.is_empty() {
                if !prompt.is_empty() {
                    out.push('\n');
                }
                push_reference(out, "image/png", result);
            }
        });
    }

    /// A message in chat form: reasoning, text and tool calls in one, or a tool's answer.
    fn chat_message(&mut self, cx: &mut Cx<'_>, item: Item<'_>) {
        if &*item.role == "tool" {
            let parts = item.content.into_parts();
            let text: String = parts.iter().map(|part| &*part.text).collect();
            let output = sonic_rs::to_string(&text).unwrap_or_default();
            return self.call_output(cx, &item.call_id, &output, &item.name);
        }
        if let Some(thought) = item.reasoning.some() {
            self.thought(cx, Stream::Model, thought, "");
        }
        for part in item.content.into_parts().iter().filter(|part| !part.text.is_empty()) {
            self.answer(cx, Stream::Model, &part.text, "");
        }
        let calls: Vec<ChatCall<'_>> = read(raw_str(&item.tool_calls)).unwrap_or_default();
        for call in &calls {
            let function: Detail<'_> = read(raw_str(&call.function)).unwrap_or_default();
            let input = string_or_json(&function.arguments);
            self.call(cx, ToolUse::new(function.name.or("function"), &call.id, &input));
        }
    }

    /// The context was compacted. Several records tell it; between two pieces of conversation each
    /// kind of record tells it once, so a kind met again is another compaction.
    pub(super) fn compaction(&mut self, cx: &mut Cx<'_>, kind: &'static str, message: &str) {
        let bit = match kind {
            "compacted" => 1,
            "context_compacted" | "ContextCompaction" => 2,
            _ => 4,
        };
        let told = self.compaction;
        if told != 0 && told & bit == 0 {
            self.compaction |= bit;
            return;
        }
        let note = Note {
            tool: kind,
            ..Note::new(Identity::InTurn("compaction", 0), EventKind::Compaction, Role::System)
        };
        self.emit(cx, &note, |out| out.push_str(message));
        self.compaction = bit;
    }

    /// Bookkeeping kept under its native name.
    pub(super) fn note(&mut self, cx: &mut Cx<'_>, name: &'static str, text: &str) {
        let note = Note::lifecycle(Identity::InTurn(name, digest(text)), name);
        self.emit(cx, &note, |out| super::images::push_text(out, text));
    }
}

/// Whether a message has what only the chat form has.
fn is_chat(item: &Item<'_>) -> bool {
    &*item.role == "tool" || !item.reasoning.is_empty() || !raw_str(&item.tool_calls).is_empty()
}

/// The text of a JSON string, or the JSON itself.
pub(super) fn string_or_json<'a>(raw: &'a Raw<'_>) -> Cow<'a, str> {
    let json = raw_str(raw);
    if json.starts_with('"') {
        read::<Text<'_>>(json).unwrap_or_default().0
    } else {
        Cow::Borrowed(json)
    }
}
