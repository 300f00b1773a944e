//! Completed items of the paginated dialect: the person's view, typed.

use super::images::push_url;
use super::injected;
use super::table::{Says, Scope, find};
use super::thread::{Cx, Thread};
use super::turns::Stream;
use super::wire::{Event, Part, Text, raw_str, read};

impl Thread {
    /// Maps the item of an `item_completed`.
    pub(super) fn turn_item(&mut self, cx: &mut Cx<'_>, json: &str) {
        let Some(item) = read::<Event<'_>>(json) else {
            return self.unknown(cx, "event_msg/item_completed");
        };
        let Some(row) = find(Scope::Item, &item.kind) else {
            let name = format!("{}{}", Scope::Item.prefix(), item.kind.or("?"));
            return self.unknown(cx, &name);
        };
        match row.2 {
            Says::UserItem => self.user_item(cx, item),
            Says::AgentItem => {
                let id = item.id;
                for part in item.content.into_parts() {
                    self.answer(cx, Stream::Screen, &part.text, &id);
                }
            }
            Says::ReasoningItem => self.reasoning_item(cx, &item),
            Says::HookPrompt => {
                for part in item.fragments.into_parts() {
                    self.inject(cx, Stream::Screen, "hook_prompt", &part.text);
                }
            }
            Says::Plan => self.note(cx, "plan", &item.text),
            Says::Extension if item.sort.starts_with("web.") => self.search_end(cx, &item),
            Says::Extension if item.sort.starts_with("image_gen.") => self.image_end(cx, &item),
            Says::Extension => self.note(cx, "extension", &item.sort),
            says => self.event_or_item(cx, &item, row.1, says),
        }
    }

    fn user_item(&mut self, cx: &mut Cx<'_>, item: Event<'_>) {
        let parts = item.content.into_parts();
        let (texts, shown): (Vec<Part<'_>>, Vec<Part<'_>>) =
            parts.into_iter().partition(|part| !part.text.is_empty());
        let said: Vec<&str> = texts.iter().map(|part| &*part.text).collect();
        let said = said.join("\n");
        if let Some(name) = injected::marker(&said) {
            return self.inject(cx, Stream::Screen, name, &said);
        }
        self.screen_prompt(cx, &said, |out| {
            for part in &shown {
                let link = part.image_url.or(part.path.or(&part.name));
                if !link.is_empty() {
                    out.push('\n');
                    push_url(out, link);
                }
            }
        });
    }

    fn reasoning_item(&mut self, cx: &mut Cx<'_>, item: &Event<'_>) {
        // Without text it says no more than the sealed response item.
        for raw in [&item.summary_text, &item.raw_content] {
            let texts: Vec<Text<'_>> = read(raw_str(raw)).unwrap_or_default();
            for text in texts.iter().filter(|text| !text.is_empty()) {
                self.thought(cx, Stream::Screen, text, &item.id);
            }
        }
    }
}
