//! Writes rollout lines and reads them back as plain values.

use backstory_adapters::{Ancestry, Batch, Form, HEAD_BYTES, Reader, Record, SessionPatch, of};
use backstory_model::{EventKey, EventKind, Flavor, Role, SessionUid, Timestamp, Usage};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// A thread id whose embedded time is `n`.
pub(crate) fn id(n: u32) -> String {
    format!("0198{n:04x}-1111-7000-8000-000000000000")
}

/// The file a thread is written to.
pub(crate) fn path(n: u32) -> PathBuf {
    format!("2026/08/20/rollout-2026-08-20T10-00-{:02}-{}.jsonl", n % 60, id(n)).into()
}

/// A line of the wrapped dialect at a second of the hour.
pub(crate) fn at(second: u32, kind: &str, payload: &str) -> String {
    let (minute, second) = (second / 60, second % 60);
    format!(
        r#"{{"timestamp":"2026-08-20T10:{minute:02}:{second:02}.000Z","type":"{kind}","payload":{payload}}}"#
    )
}

/// The same line in the paginated dialect.
pub(crate) fn ordinal(n: u64, line: &str) -> String {
    line.replacen("\"type\"", &format!("\"ordinal\":{n},\"type\""), 1)
}

/// A head of a thread, with more fields.
pub(crate) fn meta(n: u32, more: &str) -> String {
    let id = id(n);
    at(
        0,
        "session_meta",
        &format!(
            r#"{{"id":"{id}","timestamp":"2026-08-20T09:59:58.000Z","cwd":"/w/app","cli_version":"0.149.0","source":"cli"{more}}}"#
        ),
    )
}

pub(crate) fn item(payload: &str) -> String {
    at(1, "response_item", payload)
}

pub(crate) fn event(payload: &str) -> String {
    at(1, "event_msg", payload)
}

pub(crate) fn completed(item: &str) -> String {
    event(&format!(r#"{{"type":"item_completed","thread_id":"t","turn_id":"u","item":{item}}}"#))
}

pub(crate) fn user(text: &str) -> String {
    item(&format!(
        r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#
    ))
}

pub(crate) fn user_event(text: &str) -> String {
    event(&format!(r#"{{"type":"user_message","message":"{text}","images":[]}}"#))
}

pub(crate) fn assistant(text: &str) -> String {
    item(&format!(
        r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}"#
    ))
}

pub(crate) fn assistant_event(text: &str) -> String {
    event(&format!(r#"{{"type":"agent_message","message":"{text}"}}"#))
}

pub(crate) fn started(turn: &str) -> String {
    event(&format!(r#"{{"type":"task_started","turn_id":"{turn}"}}"#))
}

pub(crate) fn done(turn: &str) -> String {
    event(&format!(r#"{{"type":"task_complete","turn_id":"{turn}","last_agent_message":"x"}}"#))
}

pub(crate) fn exec(call: &str, command: &str) -> String {
    item(&format!(
        r#"{{"type":"function_call","name":"exec_command","arguments":"{{\"cmd\":\"{command}\"}}","call_id":"{call}"}}"#
    ))
}

pub(crate) fn output(call: &str, text: &str) -> String {
    item(&format!(r#"{{"type":"function_call_output","call_id":"{call}","output":"{text}"}}"#))
}

pub(crate) fn count(total: u64, last: u64) -> String {
    event(&format!(
        r#"{{"type":"token_count","info":{{"total_token_usage":{},"last_token_usage":{}}},"rate_limits":null}}"#,
        counts(total),
        counts(last)
    ))
}

/// Counts of `n` input tokens (half of them cached) and as many output tokens.
pub(crate) fn counts(n: u64) -> String {
    format!(
        r#"{{"input_tokens":{n},"cached_input_tokens":{},"output_tokens":{n},"reasoning_output_tokens":0,"total_tokens":{}}}"#,
        n / 2,
        n * 2
    )
}

/// An event as plain values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) session: String,
    pub(crate) key: EventKey,
    pub(crate) parent: Option<EventKey>,
    pub(crate) kind: EventKind,
    pub(crate) role: Role,
    pub(crate) tool: String,
    pub(crate) call_id: String,
    pub(crate) summary: String,
    pub(crate) payload: String,
    pub(crate) exit_code: Option<i32>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) files: Vec<String>,
    pub(crate) ts: Option<Timestamp>,
    pub(crate) is_sidechain: bool,
}

/// Everything read from one file.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) events: Vec<Seen>,
    pub(crate) usage: Vec<(String, EventKey, Usage, String)>,
    pub(crate) patches: Vec<(String, SessionPatch)>,
    pub(crate) unknown: Vec<String>,
    pub(crate) bad: usize,
    /// Records per line.
    pub(crate) yields: Vec<usize>,
}

impl Reading {
    /// Kinds of the events that are conversation.
    pub(crate) fn talk(&self) -> Vec<(EventKind, &str)> {
        let talk = self.events.iter().filter(|event| event.kind.is_conversation());
        talk.map(|event| (event.kind, event.payload.as_str())).collect()
    }

    pub(crate) fn only(&self, kind: EventKind) -> &Seen {
        let mut found = self.events.iter().filter(|event| event.kind == kind);
        let first = found.next().unwrap_or_else(|| panic!("no {kind:?} in {:#?}", self.events));
        assert!(found.next().is_none(), "more than one {kind:?}: {:#?}", self.events);
        first
    }

    pub(crate) fn of(&self, session: &str) -> Vec<&Seen> {
        self.events.iter().filter(|event| event.session == session).collect()
    }

    /// All patches of a session laid over each other.
    pub(crate) fn session(&self, n: u32) -> SessionPatch {
        let uid = uid(n);
        let mut all = SessionPatch::default();
        for (_, patch) in self.patches.iter().filter(|(session, _)| *session == uid) {
            let patch = patch.clone();
            all.cwd = all.cwd.or(patch.cwd);
            all.git_branch = patch.git_branch.or(all.git_branch);
            all.model = patch.model.or(all.model);
            all.cli_version = patch.cli_version.or(all.cli_version);
            all.title = patch.title.or(all.title);
            all.parent = patch.parent.or(all.parent);
            all.forked_from = patch.forked_from.or(all.forked_from);
            all.parent_call_id = patch.parent_call_id.or(all.parent_call_id);
            all.agent_name = patch.agent_name.or(all.agent_name);
            all.started_at = all.started_at.or(patch.started_at);
        }
        all
    }

    pub(crate) fn tokens(&self) -> u64 {
        self.usage.iter().map(|(_, _, usage, _)| usage.input + usage.cache_read).sum()
    }
}

pub(crate) fn uid(n: u32) -> String {
    format!("codex:{}", id(n))
}

/// Knows what was read before, like a store.
#[derive(Default)]
pub(crate) struct Known(HashMap<String, HashSet<EventKey>>);

impl Known {
    /// Reads a file and remembers its events.
    pub(crate) fn read(&mut self, n: u32, lines: &[String]) -> Reading {
        let mut reader = open(n, lines);
        let mut reading = Reading::default();
        feed(reader.as_mut(), lines, 0, self, &mut reading);
        for event in &reading.events {
            self.0.entry(event.session.clone()).or_default().insert(event.key);
        }
        reading
    }
}

impl Ancestry for Known {
    fn owner_of_root(&mut self, _: EventKey) -> Option<SessionUid> {
        None
    }

    fn has_session(&mut self, session: &SessionUid) -> bool {
        self.0.contains_key(session.as_str())
    }

    fn has_event(&mut self, session: &SessionUid, key: EventKey) -> bool {
        self.0.get(session.as_str()).is_some_and(|keys| keys.contains(&key))
    }
}

/// A reader of these lines, shown their head.
pub(crate) fn open(n: u32, lines: &[String]) -> Box<dyn Reader> {
    let adapter = of(Flavor::Codex).unwrap();
    let path = path(n);
    let mut reader = adapter.reader(&path, &adapter.claim(&path).unwrap());
    let head = lines.join("\n");
    reader.begin(&head.as_bytes()[..head.len().min(HEAD_BYTES)]);
    reader
}

/// Feeds lines to a reader, numbered from `first`.
pub(crate) fn feed(
    reader: &mut dyn Reader,
    lines: &[impl AsRef<[u8]>],
    first: usize,
    ancestry: &mut dyn Ancestry,
    reading: &mut Reading,
) {
    let mut batch = Batch::default();
    for (at, line) in lines.iter().enumerate() {
        batch.at_line((first + at + 1) as u64);
        let before = batch.records().len();
        reader.record(line.as_ref(), ancestry, &mut batch);
        reading.yields.push(batch.records().len() - before);
    }
    collect(&batch, reading);
}

fn collect(batch: &Batch, reading: &mut Reading) {
    let session = |at: usize| batch.sessions()[at].as_str().to_owned();
    let text = |span| batch.get(span).to_owned();
    for located in batch.records() {
        match &located.record {
            Record::Event(event) => reading.events.push(Seen {
                session: session(event.session.index()),
                key: event.key,
                parent: event.parent,
                kind: event.kind,
                role: event.role,
                tool: event.tool.map(text).unwrap_or_default(),
                call_id: event.call_id.map(text).unwrap_or_default(),
                summary: event.summary.map(text).unwrap_or_default(),
                payload: text(event.payload),
                exit_code: event.exit_code,
                duration_ms: event.duration_ms,
                files: event.files.iter().map(|file| text(*file)).collect(),
                ts: event.ts,
                is_sidechain: event.is_sidechain,
            }),
            Record::Usage(usage) => reading.usage.push((
                session(usage.session.index()),
                usage.key,
                usage.usage,
                usage.model.map(text).unwrap_or_default(),
            )),
            Record::Session(at, patch) => {
                reading.patches.push((session(at.index()), (**patch).clone()));
            }
            Record::Unknown { type_name, .. } => reading.unknown.push(type_name.clone()),
            Record::Bad { .. } => reading.bad += 1,
        }
    }
}

/// Reads lines of thread 1 with nothing known before.
pub(crate) fn read(lines: &[String]) -> Reading {
    Known::default().read(1, lines)
}

/// Reads a whole TypeScript file.
pub(crate) fn read_document(text: &str) -> Reading {
    let adapter = of(Flavor::Codex).unwrap();
    let path = PathBuf::from(format!("rollout-2025-08-23-{}.json", id(1)));
    let claim = adapter.claim(&path).unwrap();
    assert_eq!(claim.form, Form::Document);
    let mut reader = adapter.reader(&path, &claim);
    let mut reading = Reading::default();
    feed(reader.as_mut(), &[text], 0, &mut Known::default(), &mut reading);
    reading
}
