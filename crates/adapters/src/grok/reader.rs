//! Reads the logs of lines: finds out which log it is, and maps each line by its dialect.

use super::paths::{self, Role};
use super::stamp::Desk;
use super::state::{Dialect, State};
use super::wire::{Envelope, Notification, Scalar};
use super::{chat, events, updates};
use crate::json::{is_too_deep, readable, recover};
use crate::{Ancestry, Batch, Reader};
use serde::Deserialize;
use std::path::Path;

/// Reads one log.
pub(super) struct LogReader {
    state: State,
    cwd: Option<String>,
    /// Whether a chat history speaks for its session; asked once per reading.
    is_chat_needed: Option<bool>,
}

/// The fields by which a line shows which log it is from.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Peek<'a> {
    #[serde(borrow, rename = "sessionUpdate")]
    update: Scalar<'a>,
    session_id: Scalar<'a>,
    ts: Scalar<'a>,
    #[serde(rename = "type")]
    kind: Scalar<'a>,
    role: Scalar<'a>,
}

impl LogReader {
    pub(super) fn new(dialect: Option<Dialect>, path: &Path) -> Self {
        let session = paths::session_id(path, Role::Log(dialect));
        Self { state: State::new(dialect, session), cwd: paths::cwd(path), is_chat_needed: None }
    }

    fn peek(&mut self, line: &str) {
        if let Ok(envelope) = sonic_rs::from_str::<Envelope<'_>>(line)
            && let Some(params) = envelope.params
        {
            self.saw(Dialect::Updates, params.session_id.text());
            return;
        }
        if let Ok(bare) = sonic_rs::from_str::<Notification<'_>>(line)
            && bare.update.is_some()
        {
            self.saw(Dialect::Updates, bare.session_id.text());
            return;
        }
        let Ok(peek) = sonic_rs::from_str::<Peek<'_>>(line) else { return };
        if peek.update.text().is_some() {
            self.saw(Dialect::Updates, None);
        } else if !peek.ts.is_nothing() && peek.kind.text().is_some() {
            self.saw(Dialect::Events, peek.session_id.text());
        } else if peek.role.text().or(peek.kind.text()).is_some_and(chat::is_record_type) {
            self.saw(Dialect::Chat, None);
        }
    }

    fn saw(&mut self, dialect: Dialect, session_id: Option<&str>) {
        let known = *self.state.dialect.get_or_insert(dialect);
        if known == dialect
            && let Some(id) = session_id
        {
            self.state.confirm_session(id);
        }
    }

    /// Maps one document; `false` if it is none.
    fn document(&mut self, json: &str, ancestry: &mut dyn Ancestry, out: &mut Batch) -> bool {
        let dialect = self.state.dialect.unwrap_or(Dialect::Foreign);
        let mut desk = Desk { state: &mut self.state, ancestry, out };
        match dialect {
            Dialect::Updates => updates::record(json, self.cwd.as_deref(), &mut desk),
            Dialect::Events => events::record(json, &mut desk),
            Dialect::Chat => {
                let needed = &mut self.is_chat_needed;
                chat::record(json, needed, &mut desk)
            }
            Dialect::Foreign => {
                desk.out.unknown("unrecognised-log", None, json.as_bytes());
                true
            }
        }
    }
}

impl Reader for LogReader {
    fn begin(&mut self, head: &[u8]) {
        // The last line of the head may be cut off; then it does not parse and tells nothing.
        for line in head.split(|byte| *byte == b'\n') {
            if self.state.is_session_sure && self.state.dialect.is_some() {
                break;
            }
            if let Some(line) = readable(line) {
                self.peek(line);
            }
        }
    }

    fn record(&mut self, bytes: &[u8], ancestry: &mut dyn Ancestry, out: &mut Batch) {
        if bytes.trim_ascii().is_empty() {
            return;
        }
        if is_too_deep(bytes) {
            return out.bad("nested too deeply to be read", bytes);
        }
        if let Some(line) = readable(bytes) {
            if self.state.dialect.is_none() {
                self.peek(line);
            }
            if self.document(line, ancestry, out) {
                return;
            }
        }
        // A write that was cut off leaves one line of rubbish; whole records in it are still read.
        let mut is_read = false;
        for document in recover(bytes) {
            is_read |= self.document(&document, ancestry, out);
        }
        if !is_read {
            out.bad("not a JSON record", bytes);
        }
    }

    fn save(&self) -> Vec<u8> {
        self.state.save()
    }

    fn restore(&mut self, saved: &[u8]) -> bool {
        match State::restored(saved) {
            Some(state) => {
                self.state = state;
                true
            }
            None => false,
        }
    }
}
