//! What was said: prompts, answers, thoughts, and what the harness puts between them.

use super::images::{push_parts, push_text, push_url};
use super::injected::{self, developer_marker, harness_kind, split_ide};
use super::thread::{Cx, Note, Thread};
use super::turns::{Identity, Stream, Told, digest};
use super::wire::{Item, Part, Stamp};
use crate::hygiene::{Injected, remark, without_memories};
use crate::{SessionPatch, TitleRank};
use backstory_model::{EventKind, Role, summarize};

impl Thread {
    /// A message of any role in the model's stream. `false` if the role is not known.
    pub(super) fn message(&mut self, cx: &mut Cx<'_>, item: Item<'_>, stamp: &Stamp<'_>) -> bool {
        let parts = item.content.into_parts();
        match &*item.role {
            "user" => self.user_parts(cx, &parts, stamp),
            "assistant" => self.answer_parts(cx, &parts, &item.id),
            "developer" | "system" => self.developer_parts(cx, &parts, stamp, &item.role),
            _ => return false,
        }
        true
    }

    fn developer_parts(
        &mut self,
        cx: &mut Cx<'_>,
        parts: &[Part<'_>],
        stamp: &Stamp<'_>,
        role: &str,
    ) {
        for (at, part) in parts.iter().enumerate() {
            let kind = stamp.content_item_kinds.get(at).and_then(|kind| harness_kind(kind));
            let name = injected::marker(&part.text)
                .or(kind)
                .unwrap_or_else(|| developer_marker(&part.text, role));
            self.inject(cx, Stream::Model, name, &part.text);
        }
        if parts.is_empty() {
            self.inject(cx, Stream::Model, role, "");
        }
    }

    fn user_parts(&mut self, cx: &mut Cx<'_>, parts: &[Part<'_>], stamp: &Stamp<'_>) {
        let mut said = String::new();
        let mut shown = Vec::new();
        let mut injected_any = false;
        for (at, part) in parts.iter().enumerate() {
            if !part.image_url.is_empty() || &*part.kind == "input_image" {
                shown.push(part);
                continue;
            }
            // Codex puts a tag before and after each image.
            let wraps_image = part.text.starts_with("<image") || &*part.text == "</image>";
            if wraps_image && parts.len() > 1 {
                continue;
            }
            let stated = stamp.content_item_kinds.get(at).filter(|kind| !kind.is_empty());
            let name = injected::memory(&part.text).or_else(|| match stated {
                Some(kind) => harness_kind(kind),
                None => injected::marker(&part.text),
            });
            if let Some(name) = name {
                injected_any = true;
                self.inject(cx, Stream::Model, name, &part.text);
            } else {
                if !said.is_empty() {
                    said.push('\n');
                }
                said.push_str(&part.text);
            }
        }
        if !injected_any || !said.trim().is_empty() || !shown.is_empty() {
            self.prompt(cx, Stream::Model, &said, |out| {
                for part in shown {
                    out.push('\n');
                    push_url(out, &part.image_url);
                }
            });
        }
    }

    /// Text the harness wrote in the human's or the developer's place.
    pub(super) fn inject(&mut self, cx: &mut Cx<'_>, stream: Stream, name: &str, text: &str) {
        let content = digest(text);
        if self.turns.is_mirror(stream, Told::Injected, content) {
            return;
        }
        if name == "environment_context"
            && let Some(cwd) = injected::environment_cwd(text)
        {
            self.use_cwd(cx, cwd);
        }
        let note = Note::lifecycle(Identity::InTurn("injected", content), name);
        self.emit(cx, &note, |out| push_text(out, text));
        self.turns.told(stream, Told::Injected, content);
    }

    fn inject_all(&mut self, cx: &mut Cx<'_>, stream: Stream, blocks: &[Injected<'_>]) {
        for block in blocks {
            self.inject(cx, stream, block.name, &block.text);
        }
    }

    /// The human's words.
    pub(super) fn prompt(
        &mut self,
        cx: &mut Cx<'_>,
        stream: Stream,
        text: &str,
        attachments: impl FnOnce(&mut String),
    ) {
        let (added, request) = split_ide(text);
        let request = request.trim();
        let content = digest(request);
        if self.turns.is_mirror(stream, Told::Prompt, content) {
            return;
        }
        let own = without_memories(request);
        let mut shown = String::new();
        attachments(&mut shown);
        if own.words.is_empty() && shown.is_empty() && !own.injected.is_empty() {
            return self.inject_all(cx, stream, &own.injected);
        }
        let steers = self.task.running && self.task.prompts > 0;
        let kind = if steers { EventKind::HumanIntervention } else { EventKind::UserMsg };
        self.emit(cx, &Note::new(Identity::Prompt(content), kind, Role::User), |out| {
            push_text(out, &own.words);
            out.push_str(&shown);
        });
        self.task.prompts += 1;
        self.turns.told(stream, Told::Prompt, content);
        self.inject_all(cx, stream, &own.injected);
        if let Some(added) = added {
            let note =
                Note::lifecycle(Identity::InTurn("ide_context", digest(added)), "ide_context");
            self.emit(cx, &note, |out| push_text(out, added.trim()));
        }
        self.title(cx, &own.words);
    }

    fn title(&mut self, cx: &mut Cx<'_>, request: &str) {
        if self.told.title || self.lineage.is_copying() || !remark(request).can_name() {
            return;
        }
        self.told.title = true;
        let mut title = String::new();
        summarize(request, &mut title);
        let title = Some((TitleRank::Prompt, title));
        self.patch(cx, SessionPatch { title, ..SessionPatch::default() });
    }

    fn answer_parts(&mut self, cx: &mut Cx<'_>, parts: &[Part<'_>], id: &str) {
        let mut said = false;
        for part in parts.iter().filter(|part| !part.text.is_empty()) {
            self.answer(cx, Stream::Model, &part.text, id);
            said = true;
        }
        if !said {
            self.answer(cx, Stream::Model, "", id);
        }
    }

    /// The agent's words.
    pub(super) fn answer(&mut self, cx: &mut Cx<'_>, stream: Stream, text: &str, id: &str) {
        let content = digest(text);
        if self.turns.is_mirror(stream, Told::Answer, content) {
            return;
        }
        let identity = Identity::InTurn("assistant", content);
        let note = Note::new(identity, EventKind::AssistantMsg, Role::Assistant);
        self.emit(cx, &Note { native_id: id, ..note }, |out| push_text(out, text));
        self.turns.told(stream, Told::Answer, content);
    }

    /// The agent's reasoning in the model's stream. Where it is encrypted an event without text
    /// remains.
    pub(super) fn reasoning(&mut self, cx: &mut Cx<'_>, item: Item<'_>) {
        let id = item.id;
        let mut thought = false;
        let parts = item.summary.into_parts().into_iter().chain(item.content.into_parts());
        for part in parts.filter(|part| !part.text.is_empty()) {
            self.thought(cx, Stream::Model, &part.text, &id);
            thought = true;
        }
        if !thought {
            let content = digest(item.encrypted_content.or(&id));
            let note = Note::new(
                Identity::InTurn("sealed", content),
                EventKind::Thinking,
                Role::Assistant,
            );
            self.emit(cx, &Note { native_id: &id, ..note }, |_| {});
        }
    }

    /// One piece of reasoning.
    pub(super) fn thought(&mut self, cx: &mut Cx<'_>, stream: Stream, text: &str, id: &str) {
        let content = digest(text);
        if self.turns.is_mirror(stream, Told::Thought, content) {
            return;
        }
        let identity = Identity::InTurn("reasoning", content);
        let note = Note::new(identity, EventKind::Thinking, Role::Assistant);
        self.emit(cx, &Note { native_id: id, ..note }, |out| push_text(out, text));
        self.turns.told(stream, Told::Thought, content);
    }

    /// A letter between agents.
    pub(super) fn mail(&mut self, cx: &mut Cx<'_>, item: Item<'_>) {
        let parts = item.content.into_parts();
        let text: String = parts.iter().map(|part| &*part.text).collect();
        let summary = format!("{} → {}", item.author.or("?"), item.recipient.or("?"));
        let identity = match item.id.some() {
            Some(id) => Identity::Named("agent_message", id),
            None => Identity::InTurn("agent_message", digest(&text)),
        };
        let note = Note::new(identity, EventKind::ToolCall, Role::Assistant);
        let note = Note { tool: "agent_message", summary: &summary, native_id: &item.id, ..note };
        self.emit(cx, &note, |out| push_parts(out, &parts));
    }
}
