//! Builds transcript lines and shows what they are read as.

use backstory_adapters::{
    Ancestry, Batch, EventDraft, Form, HEAD_BYTES, NoAncestry, Reader, Record, SessionPatch, of,
};
use backstory_model::{EventKey, EventKind, Flavor, SessionUid, Usage};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

pub(crate) const SESSION: &str = "11111111-2222-4333-8444-555555555555";
pub(crate) const MAIN_PATH: &str = "-home-dev-shop/11111111-2222-4333-8444-555555555555.jsonl";

/// A line with an envelope; `rest` completes it.
pub(crate) fn line(kind: &str, uuid: &str, parent: &str, rest: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"userType":"external","cwd":"/home/dev/shop","sessionId":"{SESSION}","version":"2.1.100","gitBranch":"main","type":"{kind}","uuid":"{uuid}","timestamp":"2026-01-02T03:04:05.678Z",{rest}}}"#
    )
}

/// A user line with this content.
pub(crate) fn user(uuid: &str, parent: &str, content: &str) -> String {
    line("user", uuid, parent, &format!(r#""message":{{"role":"user","content":{content}}}"#))
}

/// An assistant line with this content.
pub(crate) fn assistant(uuid: &str, parent: &str, content: &str) -> String {
    let usage = r#"{"input_tokens":3,"output_tokens":7}"#;
    line(
        "assistant",
        uuid,
        parent,
        &format!(
            r#""requestId":"req_1","message":{{"id":"msg_{uuid}","role":"assistant","model":"claude-x-1","content":{content},"usage":{usage}}}"#
        ),
    )
}

/// A tool call line.
pub(crate) fn call(uuid: &str, parent: &str, id: &str, tool: &str, input: &str) -> String {
    let block = format!(r#"[{{"type":"tool_use","id":"{id}","name":"{tool}","input":{input}}}]"#);
    assistant(uuid, parent, &block)
}

/// A tool result line; `block` completes the block, `twin` is the structured result.
pub(crate) fn result(uuid: &str, parent: &str, id: &str, block: &str, twin: &str) -> String {
    line(
        "user",
        uuid,
        parent,
        &format!(
            r#""toolUseResult":{twin},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}",{block}}}]}}"#
        ),
    )
}

/// A reader of the file at this path.
pub(crate) fn reader(path: &str) -> Box<dyn Reader> {
    let adapter = of(Flavor::Claude).unwrap();
    let path = Path::new(path);
    let claim = adapter.claim(path).unwrap();
    adapter.reader(path, &claim)
}

/// Reads a whole file, line by line or at once as its form asks.
pub(crate) fn read_with(path: &str, file: &[u8], ancestry: &mut dyn Ancestry) -> Batch {
    let mut reader = reader(path);
    let claim = of(Flavor::Claude).unwrap().claim(Path::new(path)).unwrap();
    if claim.form == Form::Document {
        let mut batch = Batch::default();
        batch.at_line(1);
        reader.record(file, ancestry, &mut batch);
        return batch;
    }
    reader.begin(&file[..file.len().min(HEAD_BYTES)]);
    let mut batch = Batch::default();
    feed(&mut *reader, file, 0, ancestry, &mut batch);
    batch
}

/// Reads lines; the first one is `skipped + 1`.
pub(crate) fn feed(
    reader: &mut dyn Reader,
    file: &[u8],
    skipped: u64,
    ancestry: &mut dyn Ancestry,
    batch: &mut Batch,
) {
    for (at, line) in file.split(|byte| *byte == b'\n').enumerate() {
        batch.at_line(skipped + at as u64 + 1);
        reader.record(line, ancestry, batch);
    }
}

/// Reads lines of a main transcript nobody knows anything about.
pub(crate) fn read(lines: &[String]) -> Batch {
    read_with(MAIN_PATH, lines.join("\n").as_bytes(), &mut NoAncestry)
}

/// The events of a batch.
pub(crate) fn events(batch: &Batch) -> impl Iterator<Item = &EventDraft> {
    batch.records().iter().filter_map(|located| match &located.record {
        Record::Event(event) => Some(event),
        _ => None,
    })
}

/// The kinds of the events of a batch.
pub(crate) fn kinds(batch: &Batch) -> Vec<EventKind> {
    events(batch).map(|event| event.kind).collect()
}

/// Kind, tool and payload of the events of a batch.
pub(crate) fn said(batch: &Batch) -> Vec<(EventKind, &str, &str)> {
    events(batch)
        .map(|event| {
            let tool = event.tool.map_or("", |tool| batch.get(tool));
            (event.kind, tool, batch.get(event.payload))
        })
        .collect()
}

/// The patches of a batch and the sessions they are for.
pub(crate) fn patches(batch: &Batch) -> Vec<(&str, &SessionPatch)> {
    let patches = batch.records().iter().filter_map(|located| match &located.record {
        Record::Session(session, patch) => {
            Some((batch.sessions()[session.index()].as_str(), &**patch))
        }
        _ => None,
    });
    patches.collect()
}

/// What the responses of a batch cost, merged as the store would.
pub(crate) fn usage(batch: &Batch) -> HashMap<EventKey, Usage> {
    let mut merged: HashMap<EventKey, Usage> = HashMap::new();
    for located in batch.records() {
        if let Record::Usage(draft) = &located.record {
            let known = merged.entry(draft.key).or_default();
            *known = known.max(draft.usage);
        }
    }
    merged
}

/// The unknown types of a batch.
pub(crate) fn unknown(batch: &Batch) -> Vec<&str> {
    let unknown = batch.records().iter().filter_map(|located| match &located.record {
        Record::Unknown { type_name, .. } => Some(type_name.as_str()),
        _ => None,
    });
    unknown.collect()
}

/// Why records of a batch could not be read.
pub(crate) fn bad(batch: &Batch) -> Vec<&str> {
    let bad = batch.records().iter().filter_map(|located| match &located.record {
        Record::Bad { reason, .. } => Some(reason.as_str()),
        _ => None,
    });
    bad.collect()
}

/// Everything a batch holds, one record a line, spans resolved.
pub(crate) fn show(batch: &Batch) -> String {
    let mut text = String::new();
    for located in batch.records() {
        let line = located.line;
        match &located.record {
            Record::Event(event) => show_event(batch, line, event, &mut text),
            Record::Session(session, patch) => {
                let session = batch.sessions()[session.index()].as_str();
                writeln!(text, "{line} patch {session} {}", show_patch(patch)).unwrap();
            }
            Record::Usage(draft) => {
                let model = draft.model.map_or("", |model| batch.get(model));
                let session = batch.sessions()[draft.session.index()].as_str();
                writeln!(
                    text,
                    "{line} usage {session} {:016x} {model} {:?} {:?}",
                    draft.key.0, draft.usage, draft.merge
                )
                .unwrap();
            }
            Record::Unknown { type_name, cli_version, raw } => {
                let raw = batch.get(*raw);
                writeln!(text, "{line} unknown {type_name} {cli_version:?} {raw}").unwrap();
            }
            Record::Bad { reason, raw } => {
                writeln!(text, "{line} bad {reason}: {}", batch.get(*raw)).unwrap();
            }
        }
    }
    text
}

fn show_event(batch: &Batch, line: u64, event: &EventDraft, text: &mut String) {
    let session = batch.sessions()[event.session.index()].as_str();
    let span = |span: Option<_>| span.map_or("-", |span| batch.get(span));
    let files: Vec<&str> = event.files.iter().map(|file| batch.get(*file)).collect();
    writeln!(
        text,
        "{line} event {session} {:016x} parent={} {} {} tool={} call={} id={} ts={:?} tokens={} exit={:?} ms={:?} files={files:?}{}{} summary={} {:?}",
        event.key.0,
        event.parent.map_or_else(|| "-".to_owned(), |parent| format!("{:016x}", parent.0)),
        event.kind.name(),
        event.role.name(),
        span(event.tool),
        span(event.call_id),
        span(event.native_id),
        event.ts.map(|ts| ts.0),
        event.tokens,
        event.exit_code,
        event.duration_ms,
        if event.is_sidechain { " sidechain" } else { "" },
        if event.opens_chain { " root" } else { "" },
        span(event.summary),
        batch.get(event.payload),
    )
    .unwrap();
}

fn show_patch(patch: &SessionPatch) -> String {
    let fields = [
        ("cwd", patch.cwd.clone()),
        ("branch", patch.git_branch.clone()),
        ("model", patch.model.clone()),
        ("version", patch.cli_version.clone()),
        ("title", patch.title.as_ref().map(|(rank, title)| format!("{rank:?} {title}"))),
        ("parent", patch.parent.as_ref().map(ToString::to_string)),
        ("forked_from", patch.forked_from.as_ref().map(ToString::to_string)),
        ("call", patch.parent_call_id.clone()),
        ("agent", patch.agent_name.clone()),
    ];
    let told = fields.into_iter().filter_map(|(name, value)| Some(format!("{name}={:?}", value?)));
    told.collect::<Vec<_>>().join(" ")
}

/// Remembers what other files held, as the store does.
#[derive(Default)]
pub(crate) struct Stored {
    roots: HashMap<EventKey, SessionUid>,
    events: Vec<(SessionUid, EventKey)>,
}

impl Stored {
    /// Takes a batch in.
    pub(crate) fn take(&mut self, batch: &Batch) {
        for event in events(batch) {
            let session = batch.sessions()[event.session.index()].clone();
            if event.opens_chain {
                self.roots.entry(event.key).or_insert_with(|| session.clone());
            }
            self.events.push((session, event.key));
        }
    }
}

impl Ancestry for Stored {
    fn owner_of_root(&mut self, key: EventKey) -> Option<SessionUid> {
        self.roots.get(&key).cloned()
    }

    fn has_session(&mut self, session: &SessionUid) -> bool {
        self.events.iter().any(|(known, _)| known == session)
    }

    fn has_event(&mut self, session: &SessionUid, key: EventKey) -> bool {
        self.events.iter().any(|(known, event)| known == session && *event == key)
    }
}
