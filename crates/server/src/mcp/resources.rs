//! Sessions and memories as resources, for clients that let people pick them.

use super::answer::Refusal;
use super::desk::Desk;
use backstory_engine::tree::{Entry, Part};
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use std::fmt::Write;

/// Resources on one page.
const PAGE: usize = 100;
/// Memories listed.
const MOST_MEMORIES: usize = 1000;
/// The longest text of a resource, in characters: a person chose it.
const MAX_CHARS: usize = 100_000;
const MARKDOWN: &str = "text/markdown";

/// A page of memories and sessions, the memories first.
pub(super) fn list(desk: &Desk, cursor: Option<&str>) -> Result<ListResourcesResult, Refusal> {
    let from: usize = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let tree = desk.tree()?;
    let memories = tree.walk("backstory://memories", usize::MAX, MOST_MEMORIES)?;
    let memories = memories.entries.into_iter().map(|(_, entry)| entry);
    let memories = memories.filter(|entry| !entry.is_folder);
    let overview = |entry: Entry| Entry {
        address: format!("{}/overview.md", entry.address),
        is_folder: false,
        ..entry
    };
    let sessions = tree.list("backstory://sessions")?.into_iter().map(overview);
    let mut page: Vec<Entry> = memories.chain(sessions).skip(from).take(PAGE + 1).collect();
    let has_more = page.len() > PAGE;
    page.truncate(PAGE);
    let mut listed = ListResourcesResult::with_all_items(page.into_iter().map(resource).collect());
    listed.next_cursor = has_more.then(|| (from + PAGE).to_string());
    Ok(listed)
}

fn resource(entry: Entry) -> Resource {
    let mut resource = Resource::new(entry.address, entry.name).with_mime_type(MARKDOWN);
    resource.description = entry.about;
    resource.size = entry.bytes;
    resource
}

/// What can be read by address.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    [
        ("backstory://sessions/{uid}/overview.md", "overview", "What a session came to, in short"),
        ("backstory://sessions/{uid}/digest.md", "digest", "All that is kept of a session"),
        ("backstory://sessions/{uid}/transcript.md", "transcript", "A session from its beginning"),
        ("backstory://{uid}/{seq}", "event", "One event of a session, in full"),
        ("backstory://errors/{fingerprint}.md", "error", "An error met before and what helped"),
        ("backstory://memories/{path}", "memory", "A memory"),
    ]
    .into_iter()
    .map(|(template, name, about)| {
        ResourceTemplate::new(template, name).with_description(about).with_mime_type(MARKDOWN)
    })
    .collect()
}

/// The text at an address.
pub(super) fn read(desk: &Desk, address: &str) -> Result<ReadResourceResult, Refusal> {
    let reading = desk.tree()?.read(address, Part::chars(0, MAX_CHARS))?;
    let mut text = reading.text;
    if let Some(next) = reading.next {
        let _ = writeln!(text, "\n(cut: the tool read tells the rest, with offset={next})");
    }
    let contents = ResourceContents::text(text, address).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}
