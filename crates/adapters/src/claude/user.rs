//! User lines: prompts, injected text, and the answers of tools.

use super::assistant::has_words;
use super::map::{Mapper, Place};
use super::prompt::{Parts, Piece, What, take_apart};
use super::text::{decode, push_reference};
use super::wire::{Block, Content, Line};
use crate::hygiene::remark;
use crate::{SessionPatch, Span, TitleRank};
use backstory_model::{EventKey, EventKind, Role, summarize};
use std::borrow::Cow;

/// Who may speak in a user line besides the human.
const OTHER_ORIGINS: &[&str] =
    &["task-notification", "coordinator", "teammate", "hook", "system", "channel"];

/// What the words of a user line are when nothing in them says otherwise.
enum Voice<'l> {
    /// The human's (or, in a side conversation, the calling agent's) prompt.
    Prompt,
    /// Injected, by the native name of the speaker.
    Injected(Cow<'l, str>),
    /// The summary after a compaction.
    Summary,
}

impl Mapper<'_> {
    /// Maps a user line.
    pub(super) fn user(&mut self, line: &Line<'_>) {
        let Some(message) = line.message.0.as_ref().filter(|message| has_words(message)) else {
            return self.unknown("user", line);
        };
        let Some(mut place) = self.open(line, "") else { return };
        let voice = voice_of(line);
        match &message.content {
            Content::Text(text) => self.speak(&mut place, &voice, text),
            Content::Blocks(blocks) => self.user_blocks(line, &mut place, &voice, blocks),
            Content::Absent | Content::Other => {}
        }
        if place.is_bare() {
            self.note(&mut place, "empty", Span::default());
        }
    }

    fn user_blocks(
        &mut self,
        line: &Line<'_>,
        place: &mut Place<'_>,
        voice: &Voice<'_>,
        blocks: &[Block<'_>],
    ) {
        let mut words = Cow::Borrowed("");
        for (at, block) in blocks.iter().enumerate() {
            match block.kind.as_str() {
                "tool_result" => self.tool_result(line, place, at, block),
                "text" => join(&mut words, Cow::Borrowed(block.text.as_str())),
                kind @ ("image" | "document") => {
                    let mut reference = String::new();
                    push_reference(kind, block.source.0.as_ref(), &mut reference);
                    join(&mut words, Cow::Owned(reference));
                }
                kind => self.unknown_part(&format!("user/{kind}"), line, self.raw),
            }
        }
        if !words.is_empty() {
            self.speak(place, voice, &words);
        }
    }

    /// Yields the words of a user line: the prompt first, then what was wrapped around it.
    fn speak(&mut self, place: &mut Place<'_>, voice: &Voice<'_>, words: &str) {
        if matches!(voice, Voice::Summary) {
            let payload = self.out.text(words);
            return self.compaction(place, "compact-summary", payload);
        }
        let Parts { prompt, pieces } = take_apart(words);
        if !prompt.is_empty() {
            match voice {
                Voice::Injected(speaker) => {
                    let payload = self.out.text(&prompt);
                    self.note(place, speaker, payload);
                }
                _ => self.prompt(place, &prompt),
            }
        }
        for piece in &pieces {
            self.piece(place, piece);
        }
    }

    fn prompt(&mut self, place: &mut Place<'_>, prompt: &str) {
        let is_own_session = !place.is_sidechain() || self.identity.parent.is_some();
        if is_own_session
            && remark(prompt).can_name()
            && !std::mem::replace(&mut self.state.is_titled, true)
        {
            let mut title = String::new();
            summarize(prompt, &mut title);
            self.title(TitleRank::Prompt, title);
        }
        let mut draft = place.draft(EventKind::UserMsg, Role::User);
        draft.payload = self.out.text(prompt);
        self.out.event(draft);
    }

    /// Tells a title of this file's session.
    pub(super) fn title(&mut self, rank: TitleRank, title: String) {
        let me = self.me();
        self.out.patch(me, SessionPatch { title: Some((rank, title)), ..SessionPatch::default() });
    }

    /// Yields a stretch of text that is not a prompt.
    pub(super) fn piece(&mut self, place: &mut Place<'_>, piece: &Piece<'_>) {
        match piece.what {
            What::Injected(tool) => {
                let payload = self.out.text(&piece.text);
                self.note(place, tool, payload);
            }
            What::Interrupt => self.intervention(place, "interrupt", &piece.text),
            What::Summary => {
                let payload = self.out.text(&piece.text);
                self.compaction(place, "compact-summary", payload);
            }
            What::Notification => self.notification(place, &piece.text),
        }
    }

    /// Yields something the human did to a running turn.
    pub(super) fn intervention(&mut self, place: &mut Place<'_>, tool: &str, text: &str) {
        let mut draft = place.draft(EventKind::HumanIntervention, Role::User);
        draft.tool = Some(self.out.text(tool));
        draft.payload = self.out.text(text);
        self.out.event(draft);
    }

    /// Yields the news of a background task. The same text, its task and call ids in it, is queued,
    /// taken off the queue, attached and said: its key makes them one event.
    fn notification(&mut self, place: &mut Place<'_>, text: &str) {
        let key = EventKey::of_parts(&[b"task-notification", text.as_bytes()]);
        let is_first = place.is_bare();
        if self.is_copied(key) {
            return place.settle();
        }
        let payload = self.out.text(text);
        let mut draft = self.note_draft(place, "task-notification", payload);
        draft.key = key;
        if is_first && place.has_id() {
            self.state.rename(place.key(), key);
        }
        self.out.event(draft);
    }

    /// Yields a compaction.
    pub(super) fn compaction(&mut self, place: &mut Place<'_>, tool: &str, payload: Span) {
        let mut draft = place.draft(EventKind::Compaction, Role::System);
        draft.tool = Some(self.out.text(tool));
        draft.payload = payload;
        self.out.event(draft);
    }
}

fn voice_of<'l>(line: &'l Line<'_>) -> Voice<'l> {
    if line.is_compact_summary.0 {
        return Voice::Summary;
    }
    if line.is_meta.0 {
        return Voice::Injected("meta".into());
    }
    if let Some(kind) = line.origin.field("kind") {
        let kind = decode(kind.as_raw_str()).unwrap_or_default().into_owned();
        if OTHER_ORIGINS.contains(&kind.as_str()) {
            return Voice::Injected(kind.into());
        }
    }
    if line.prompt_source.as_str() == "system" {
        return Voice::Injected("system".into());
    }
    Voice::Prompt
}

fn join<'t>(words: &mut Cow<'t, str>, more: Cow<'t, str>) {
    if words.is_empty() {
        *words = more;
    } else if !more.is_empty() {
        let words = words.to_mut();
        words.push('\n');
        words.push_str(&more);
    }
}
