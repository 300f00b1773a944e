//! What a pushed session came to so far: the same judgement as of any other session.

use super::file;
use backstory_adapters::pushed::{Line, Message, any_uid_of};
use backstory_adapters::{Batch, EventDraft, NoAncestry, Record};
use backstory_distill::overview::{OVERVIEW_MAX_CHARS, Overview, overview};
use backstory_distill::{Distilled, Distiller, Moment};
use backstory_model::{
    Cost, Flavor, Lineage, Outcome, SCHEMA_VERSION, Session, SessionEvent, SessionUid, Timestamp,
    Watermarks, summarize,
};
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;

/// Lines of messages begin so; the file is ours.
const MESSAGE: &[u8] = b"{\"message\"";

/// What the first messages of a session came to.
pub(super) fn of_first(path: &Path, id: &str, messages: u64) -> io::Result<Option<Overview>> {
    let Some(file) = file::open(path)? else { return Ok(None) };
    let mut reader = backstory_adapters::pushed::reader(path);
    let mut session = blank(any_uid_of(id));
    let (mut distiller, mut seq, mut seen) = (Distiller::new(), 0, 0);
    let mut is_first = true;
    file::for_each_line(&file, |line| {
        if std::mem::take(&mut is_first) {
            reader.begin(line);
        }
        if !line.starts_with(MESSAGE) {
            return Ok(true);
        }
        seen += 1;
        if seen > messages {
            return Ok(false);
        }
        let mut batch = Batch::with_room(line.len());
        reader.record(line, &mut NoAncestry, &mut batch);
        for located in batch.records() {
            match &located.record {
                Record::Event(draft) => {
                    let event = event(draft, &batch, &session.session_uid, seq);
                    seq += 1;
                    session.started_at = session.started_at.or(event.ts);
                    session.ended_at = event.ts.or(session.ended_at);
                    distiller.event(Moment { event: &event, text: batch.get(draft.payload) });
                }
                Record::Session(_, patch) => {
                    let title = patch.title.as_ref().map(|(_, title)| {
                        let mut short = String::new();
                        summarize(title, &mut short);
                        short
                    });
                    session.title = title.or(session.title.take());
                }
                _ => {}
            }
        }
        Ok(true)
    })?;
    session.events = seq;
    let Distilled { digest, signals, .. } = distiller.finish(&session);
    Ok(Some(overview(&session, &digest, &signals, OVERVIEW_MAX_CHARS)))
}

/// The messages behind the first so many.
pub(super) fn messages_behind(path: &Path, skipped: u64) -> io::Result<Vec<Message>> {
    let mut messages = Vec::new();
    for_each_message(path, skipped..u64::MAX, |message| {
        messages.push(message);
        ControlFlow::Continue(())
    })?;
    Ok(messages)
}

/// Hands some of the messages to `each`, the first of all being number 0, until it has enough.
pub(super) fn for_each_message(
    path: &Path,
    numbers: Range<u64>,
    mut each: impl FnMut(Message) -> ControlFlow<()>,
) -> io::Result<()> {
    let Some(file) = file::open(path)? else { return Ok(()) };
    let mut seen = 0;
    file::for_each_line(&file, |line| {
        if !line.starts_with(MESSAGE) {
            return Ok(true);
        }
        let number = seen;
        seen += 1;
        if number < numbers.start {
            return Ok(true);
        }
        if number >= numbers.end {
            return Ok(false);
        }
        Ok(match serde_json::from_slice(line) {
            Ok(Line::Message(message)) => each(message).is_continue(),
            _ => true,
        })
    })?;
    Ok(())
}

/// Every seal of a session.
pub(super) fn seals(path: &Path) -> io::Result<Vec<backstory_adapters::pushed::Seal>> {
    let Some(file) = file::open(path)? else { return Ok(Vec::new()) };
    let mut seals = Vec::new();
    file::for_each_line(&file, |line| {
        if line.starts_with(b"{\"seal\"")
            && let Ok(Line::Seal(seal)) = serde_json::from_slice(line)
        {
            seals.push(seal);
        }
        Ok(true)
    })?;
    Ok(seals)
}

fn event(draft: &EventDraft, batch: &Batch, uid: &SessionUid, seq: u32) -> SessionEvent {
    let text = |span| batch.get(span).to_owned();
    let mut summary = String::new();
    summarize(batch.get(draft.payload), &mut summary);
    SessionEvent {
        session_uid: uid.clone(),
        seq,
        parent_seq: None,
        native_id: None,
        ts: draft.ts,
        kind: draft.kind,
        role: draft.role,
        tool: draft.tool.map(text),
        call_id: draft.call_id.map(text),
        summary,
        payload_ref: None,
        tokens: 0,
        is_sidechain: false,
        exit_code: draft.exit_code,
        duration_ms: draft.duration_ms,
        files: Vec::new(),
    }
}

fn blank(uid: SessionUid) -> Session {
    Session {
        flavor: uid.flavor().unwrap_or(Flavor::Pushed),
        native_session_id: uid.native().to_owned(),
        session_uid: uid,
        lineage: Lineage::default(),
        repo: None,
        project_key: None,
        domain: None,
        cwd: None,
        git_branch: None,
        model: None,
        models: Vec::new(),
        cli_version: None,
        title: None,
        started_at: None::<Timestamp>,
        ended_at: None,
        outcome: Outcome::Unknown,
        outcome_reason: None,
        cost: Cost::default(),
        cost_in_parent: false,
        task_ref: None,
        source_path: String::new(),
        source_bytes: 0,
        events: 0,
        schema_version: SCHEMA_VERSION,
        watermarks: Watermarks::default(),
    }
}
