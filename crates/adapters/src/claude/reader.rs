//! Reads a transcript line by line: finds its session, survives damaged lines.

use super::map::{Identity, Mapper};
use super::paths::NameHint;
use super::state::{State, agent_uid, root_uid, usable_id};
use super::text::decode;
use super::wire::Line;
use crate::{Ancestry, Batch, Reader, json};
use std::path::Path;

/// Reader of main and sub-agent transcripts.
pub(super) struct TranscriptReader {
    hint: NameHint,
    is_subagent: bool,
    identity: Identity,
    state: State,
}

impl TranscriptReader {
    /// A reader for a file; its records say whose session it is, else its path.
    pub(super) fn new(path: &Path, is_subagent: bool) -> Self {
        let hint = NameHint::of(path);
        let root = hint.root.clone().unwrap_or_else(|| hint.stem.clone());
        let agent = hint.agent.clone().filter(|_| is_subagent);
        let state = State::new(root, agent);
        Self { hint, is_subagent, identity: identity_of(&state), state }
    }

    fn map(&mut self, line: &Line<'_>, raw: &str, ancestry: &mut dyn Ancestry, out: &mut Batch) {
        Mapper { identity: &self.identity, state: &mut self.state, ancestry, out, raw }.line(line);
    }

    /// Reads what can be read of a line that is no JSON object as it stands.
    fn salvage(&mut self, line: &[u8], why: &str, ancestry: &mut dyn Ancestry, out: &mut Batch) {
        let documents = json::recover(line);
        for document in &documents {
            match parse(document) {
                Ok(line) => self.map(&line, document, ancestry, out),
                Err(reason) => out.bad(reason, document.as_bytes()),
            }
        }
        let read: usize = documents.iter().map(|document| visible(document)).sum();
        if read < visible(&String::from_utf8_lossy(line)) {
            out.bad(why, line);
        }
    }
}

impl Reader for TranscriptReader {
    fn begin(&mut self, head: &[u8]) {
        let found = Head::of(head);
        let is_agent = self.is_subagent || (found.is_sidechain && found.agent.is_some());
        let root = found.session.or_else(|| self.hint.root.clone());
        let agent = found.agent.or_else(|| self.hint.agent.clone()).filter(|_| is_agent);
        self.state = State::new(root.unwrap_or_else(|| self.hint.stem.clone()), agent);
        self.identity = identity_of(&self.state);
    }

    fn record(&mut self, bytes: &[u8], ancestry: &mut dyn Ancestry, out: &mut Batch) {
        let Some(first) = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) else { return };
        if json::is_too_deep(bytes) {
            return out.bad("nested too deeply", bytes);
        }
        // The parser trusts its input to be UTF-8 wherever it hands out a stretch of it.
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return self.salvage(bytes, &error.to_string(), ancestry, out),
        };
        match parse(text) {
            Ok(line) => self.map(&line, text, ancestry, out),
            // A scalar or a list is whole, only not a record.
            Err(_) if b"[\"-0123456789tfn".contains(first) => out.bad("not a JSON object", bytes),
            Err(reason) => self.salvage(bytes, &reason, ancestry, out),
        }
    }

    fn save(&self) -> Vec<u8> {
        self.state.save()
    }

    fn restore(&mut self, saved: &[u8]) -> bool {
        let Some(state) = State::restore(saved) else { return false };
        self.identity = identity_of(&state);
        self.state = state;
        true
    }
}

fn parse(text: &str) -> Result<Line<'_>, String> {
    // A list would be taken for the fields of a line in their order.
    if !text.trim_ascii_start().starts_with('{') {
        return Err("not a JSON object".to_owned());
    }
    sonic_rs::from_str(text).map_err(|error| reason(&error))
}

/// What is wrong and where; the lines after the first only quote the text.
pub(super) fn reason(error: &sonic_rs::Error) -> String {
    error.to_string().lines().next().unwrap_or("not JSON").to_owned()
}

fn visible(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).count()
}

fn identity_of(state: &State) -> Identity {
    let root = root_uid(&state.root);
    match &state.agent {
        Some(agent) => Identity { me: agent_uid(&state.root, agent), parent: Some(root) },
        None => Identity { me: root, parent: None },
    }
}

/// What the first records say about the session.
#[derive(Default)]
struct Head {
    session: Option<String>,
    agent: Option<String>,
    is_sidechain: bool,
}

impl Head {
    fn of(head: &[u8]) -> Self {
        let mut found = Self::default();
        for bytes in head.split(|byte| *byte == b'\n') {
            if json::is_too_deep(bytes) {
                continue;
            }
            let Some(line) = std::str::from_utf8(bytes).ok().and_then(|text| parse(text).ok())
            else {
                // The first line alone may be longer than the head.
                found.session = found.session.or_else(|| scan_session(bytes));
                continue;
            };
            let session = usable_id(line.session_id.as_str()).map(str::to_owned);
            if !line.uuid.is_empty() {
                found.agent = usable_id(line.agent_id.as_str()).map(str::to_owned);
                found.is_sidechain = line.is_sidechain.0;
                if session.is_some() {
                    found.session = session;
                }
                break;
            }
            found.session = found.session.or(session);
        }
        found
    }
}

/// The session id in a torn line. Inside a text its quotes would be escaped.
fn scan_session(bytes: &[u8]) -> Option<String> {
    const KEY: &[u8] = b"\"sessionId\":";
    let at = memchr::memmem::find(bytes, KEY)? + KEY.len();
    let rest = bytes.get(at..)?;
    let end = memchr::memchr(b'"', rest.get(1..)?)? + 2;
    let id = decode(std::str::from_utf8(rest.get(..end)?).ok()?)?;
    usable_id(&id).map(str::to_owned)
}
