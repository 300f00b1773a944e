//! Reads lines and files with the adapter, and shows what came out.

use backstory_adapters::{
    Adapter, Ancestry, Batch, EventDraft, Form, NoAncestry, Reader, Record, SessionPatch,
    UsageDraft,
};
use backstory_model::{EventKey, EventKind, Flavor, SessionUid};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;

/// The session the tests are about.
pub(crate) const SID: &str = "01990000-0000-7000-8000-00000000000a";
/// A sub-agent or fork of it.
pub(crate) const CHILD: &str = "01990000-0000-7000-8000-0000000000c1";

/// The path of a file of a session.
pub(crate) fn path_of(session: &str, file: &str) -> String {
    format!("%2Fhome%2Fme%2Fapp/{session}/{file}")
}

/// The adapter.
pub(crate) fn adapter() -> &'static dyn Adapter {
    backstory_adapters::of(Flavor::Grok).unwrap()
}

/// A reader of a file.
pub(crate) fn reader(path: &str) -> (Box<dyn Reader>, Form) {
    let path = Path::new(path);
    let claim = adapter().claim(path).expect("claimed");
    (adapter().reader(path, &claim), claim.form)
}

/// Reads a whole file.
pub(crate) fn read_with(path: &str, content: &str, ancestry: &mut dyn Ancestry) -> Batch {
    let (mut reader, form) = reader(path);
    let mut out = Batch::default();
    reader.begin(content.as_bytes());
    if form == Form::Document {
        reader.record(content.as_bytes(), ancestry, &mut out);
        return out;
    }
    for (at, line) in content.lines().enumerate() {
        out.at_line(at as u64 + 1);
        reader.record(line.as_bytes(), ancestry, &mut out);
    }
    out
}

/// Reads a whole file as if it were the only one.
pub(crate) fn read(path: &str, content: &str) -> Batch {
    read_with(path, content, &mut NoAncestry)
}

/// Reads lines of the main session's `updates.jsonl`.
pub(crate) fn updates(lines: &[String]) -> Batch {
    read(&path_of(SID, "updates.jsonl"), &lines.join("\n"))
}

/// Reads lines of the main session's `events.jsonl`.
pub(crate) fn events(lines: &[&str]) -> Batch {
    read(&path_of(SID, "events.jsonl"), &lines.join("\n"))
}

/// An enveloped line with an event id.
pub(crate) fn acp(number: u32, update: &str) -> String {
    line_of(SID, SID, number, update)
}

/// A line of a session that was first written by another.
pub(crate) fn line_of(session: &str, writer: &str, number: u32, update: &str) -> String {
    format!(
        r#"{{"timestamp":1790000000,"method":"session/update","params":{{"sessionId":"{session}","update":{update},"_meta":{{"eventId":"{writer}-{number}","agentTimestampMs":{}}}}}}}"#,
        1_790_000_000_000_u64 + u64::from(number)
    )
}

/// A line of text by one side.
pub(crate) fn chunk(number: u32, name: &str, text: &str) -> String {
    acp(number, &chunk_update(name, text))
}

/// The update of such a line.
pub(crate) fn chunk_update(name: &str, text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!(r#"{{"sessionUpdate":"{name}","content":{{"type":"text","text":"{text}"}}}}"#)
}

/// The events of a batch without the one that only says the log was opened.
pub(crate) fn events_of(batch: &Batch) -> Vec<&EventDraft> {
    let all = batch.records().iter().filter_map(|located| match &located.record {
        Record::Event(event) => Some(event),
        _ => None,
    });
    all.filter(|event| event.tool.map(|tool| batch.get(tool)) != Some("session_log")).collect()
}

/// The only event of a batch.
pub(crate) fn only(batch: &Batch) -> &EventDraft {
    let events = events_of(batch);
    assert_eq!(events.len(), 1, "{}", shown(batch));
    events[0]
}

/// The kinds of a batch's events.
pub(crate) fn kinds(batch: &Batch) -> Vec<EventKind> {
    events_of(batch).iter().map(|event| event.kind).collect()
}

/// What a batch says about a session.
pub(crate) fn patches<'a>(batch: &'a Batch, session: &str) -> Vec<&'a SessionPatch> {
    let uid = SessionUid::new(Flavor::Grok, session);
    let patches = batch.records().iter().filter_map(|located| match &located.record {
        Record::Session(ix, patch) if batch.sessions()[ix.index()] == uid => Some(&**patch),
        _ => None,
    });
    patches.collect()
}

/// The usage of a batch.
pub(crate) fn usage_of(batch: &Batch) -> Vec<&UsageDraft> {
    let usage = batch.records().iter().filter_map(|located| match &located.record {
        Record::Usage(usage) => Some(usage),
        _ => None,
    });
    usage.collect()
}

/// Names of the unknown record types of a batch.
pub(crate) fn unknown_of(batch: &Batch) -> Vec<&str> {
    let names = batch.records().iter().filter_map(|located| match &located.record {
        Record::Unknown { type_name, .. } => Some(type_name.as_str()),
        _ => None,
    });
    names.collect()
}

/// Everything a batch holds, one record per line; texts only by their beginning.
pub(crate) fn shown(batch: &Batch) -> String {
    let mut text = String::new();
    for located in batch.records() {
        let _ = write!(text, "{}: ", located.line);
        match &located.record {
            Record::Event(event) => show_event(event, batch, &mut text),
            Record::Session(ix, patch) => {
                let _ = write!(text, "{} is {}", batch.sessions()[ix.index()], facts(patch));
            }
            Record::Usage(usage) => {
                let model = usage.model.map_or("?", |model| batch.get(model));
                let _ = write!(text, "usage {model} {:?} {:?}", usage.usage, usage.usd);
            }
            Record::Unknown { type_name, raw, .. } => {
                let _ = write!(text, "unknown {type_name} {}", short(batch.get(*raw)));
            }
            Record::Bad { reason, raw } => {
                let _ = write!(text, "bad {reason}: {}", short(batch.get(*raw)));
            }
        }
        text.push('\n');
    }
    text
}

fn show_event(event: &EventDraft, batch: &Batch, text: &mut String) {
    let _ = write!(text, "{} {}", event.kind.name(), event.role.name());
    if let Some(tool) = event.tool {
        let _ = write!(text, " [{}]", batch.get(tool));
    }
    if let Some(code) = event.exit_code {
        let _ = write!(text, " exit {code}");
    }
    for file in &event.files {
        let _ = write!(text, " @{}", batch.get(*file));
    }
    let words = event.summary.unwrap_or(event.payload);
    let _ = write!(text, " {}", short(batch.get(words)));
}

fn short(text: &str) -> String {
    text.replace('\n', "⏎").chars().take(70).collect()
}

fn facts(patch: &SessionPatch) -> String {
    let debug = format!("{patch:?}");
    let fields = debug.trim_start_matches("SessionPatch { ").trim_end_matches(" }").split(", ");
    let told: Vec<&str> =
        fields.filter(|field| !field.ends_with(": None") && !field.ends_with("false")).collect();
    told.join(", ")
}

/// Sessions and events that are stored already.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) events: HashSet<(SessionUid, EventKey)>,
    pub(crate) roots: HashMap<EventKey, SessionUid>,
}

impl Known {
    /// Everything in a batch is stored.
    pub(crate) fn take(&mut self, batch: &Batch) {
        for located in batch.records() {
            if let Record::Event(event) = &located.record {
                let uid = batch.sessions()[event.session.index()].clone();
                if event.opens_chain {
                    self.roots.entry(event.key).or_insert_with(|| uid.clone());
                }
                self.events.insert((uid, event.key));
            }
        }
    }
}

impl Ancestry for Known {
    fn owner_of_root(&mut self, key: EventKey) -> Option<SessionUid> {
        self.roots.get(&key).cloned()
    }

    fn has_session(&mut self, session: &SessionUid) -> bool {
        self.events.iter().any(|(known, _)| known == session)
    }

    fn has_event(&mut self, session: &SessionUid, key: EventKey) -> bool {
        self.events.contains(&(session.clone(), key))
    }
}
