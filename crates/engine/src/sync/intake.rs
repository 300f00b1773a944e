//! Reading one file: lines to records, records to their sessions, each event once.

use super::book::{Book, Standing};
use super::discover::stat_of;
use super::draft::{Draft, PlacedEvent, SessionDraft, Strange};
use super::forgotten::{refuse_subagents, refused};
use super::lines::{LINE_LIMIT, Lines, Step};
use super::pipeline::Pipeline;
use super::plan::{Task, prints};
use super::posted::{Posted, is_posted};
use super::report::{Problem, SyncReport};
use super::stop::Stop;
use super::{Progress, SyncOptions};
use crate::live::StandIns;
use crate::project::Projects;
use backstory_adapters::{Batch, EventDraft, Form, HEAD_BYTES, Located, Reader, Record};
use backstory_model::{EventKind, SessionUid};
use backstory_store::{Cursor, SessionDelta, StoreError};
use std::io::{Read, Seek, SeekFrom};

/// Text gathered before a draft is handed on.
const DRAFT_TEXT: usize = 1 << 20;
/// Records gathered before a draft is handed on.
const DRAFT_RECORDS: usize = 4096;
/// Largest whole-file document that is read.
const DOCUMENT_LIMIT: u64 = 64 << 20;

/// The reading end of a sweep.
pub(crate) struct Intake<'a> {
    pub(crate) options: &'a SyncOptions,
    pub(crate) book: Book<'a>,
    pub(crate) posted: Posted<'a>,
    pub(crate) pipeline: &'a Pipeline,
    pub(crate) projects: Projects<'a>,
    pub(crate) report: SyncReport,
    pub(crate) progress: Progress,
    pub(crate) on_progress: &'a mut dyn FnMut(Progress),
    pub(crate) next_source_id: i64,
    pub(crate) buffer: Vec<u8>,
    pub(crate) stand_ins: StandIns,
}

/// A file being read.
struct Reading {
    task: Task,
    reader: Box<dyn Reader>,
    cursor: Cursor,
    restarts: bool,
    /// Size the archive last knew of.
    counted: u64,
    /// True if its session was forgotten: not a word of the file may be kept.
    is_forgotten: bool,
}

impl Reading {
    fn set_prints(&mut self, file: &fs_err::File) -> std::io::Result<()> {
        let (head, tail) = prints(file, self.cursor.offset)?;
        (self.cursor.head_print, self.cursor.tail_print) = (head, tail);
        Ok(())
    }
}

impl Intake<'_> {
    /// Reads a file, or reports why not.
    pub(crate) fn take(&mut self, task: Task) -> Result<(), StoreError> {
        let (flavor, path, bytes) = (task.file.flavor, task.file.path.clone(), task.bytes());
        let mut reading = self.begin(task)?;
        match self.read(&mut reading) {
            Ok(()) => {}
            Err(Stop::Store(error)) => return Err(error),
            Err(Stop::File(error)) => {
                let what = format!("cannot be read: {error}; it will be tried again next time");
                reading.cursor.problem = Some(what.clone());
                // A time no file has: the next sweep looks at it again.
                reading.cursor.stat.mtime_ns = 0;
                self.hand_on(&mut reading, Batch::default())?;
                let path = path.display().to_string();
                self.report.problem(Problem { flavor: Some(flavor), path, line: None, what });
            }
        }
        if let Some(error) = self.book.take_failure() {
            return Err(error);
        }
        self.progress.files_done += 1;
        self.progress.bytes_done += bytes;
        (self.on_progress)(self.progress);
        if let Some(flavor) = self.report.flavor(flavor) {
            flavor.files_read += 1;
        }
        Ok(())
    }

    fn begin(&mut self, mut task: Task) -> Result<Reading, StoreError> {
        let file = &task.file;
        let reader = file.adapter.reader(&file.path, &file.claim);
        let known = task.cursor.take();
        let fresh = known.is_none();
        let mut cursor = known.unwrap_or_default();
        if fresh {
            cursor.id = self.next_source_id;
            self.next_source_id += 1;
        }
        cursor.path_key = file.path_key;
        cursor.path = file.path.display().to_string();
        cursor.flavor = file.flavor.name();
        file.claim.role.clone_into(&mut cursor.role);
        cursor.is_transcript = file.claim.is_transcript;
        cursor.problem = None;
        let counted = cursor.stat.size;
        let is_forgotten = match cursor.session_id {
            Some(session_id) => self.book.is_forgotten(session_id)?,
            None => false,
        };
        Ok(Reading { task, reader, cursor, restarts: false, counted, is_forgotten })
    }

    fn read(&mut self, reading: &mut Reading) -> Result<(), Stop> {
        if is_posted(&reading.task) && self.posted.has_log(&reading.task.file.path)? {
            // Noted as looked at, so that the next sweep passes it over.
            reading.cursor.stat = reading.task.file.stat;
            reading.counted = reading.cursor.stat.size;
            return Ok(self.hand_on(reading, Batch::default())?);
        }
        let file = fs_err::File::open(&reading.task.file.path)?;
        // The file may have grown since it was listed; what is read now is what is recorded.
        let stat = stat_of(&file.metadata()?);
        let rest = match reading.task.file.claim.form {
            Form::Lines => {
                let resumed = self.can_resume(reading, &file, stat.size);
                if !resumed {
                    restart(reading);
                }
                let offset = reading.cursor.offset;
                (&file).seek(SeekFrom::Start(offset))?;
                // Exactly the bytes that were there when the file was looked at.
                let input = (&file).take(stat.size.saturating_sub(offset));
                let rest = self.read_lines(reading, input, !resumed)?;
                reading.set_prints(&file)?;
                rest
            }
            Form::ZstdLines => {
                restart(reading);
                self.read_lines(reading, zstd::Decoder::new(file)?, true)?
            }
            Form::Document => {
                restart(reading);
                self.read_document(reading, file, stat.size)?
            }
        };
        reading.cursor.stat = stat;
        Ok(self.hand_on(reading, rest)?)
    }

    /// A cursor is good if the bytes around it are still the ones it was made from.
    fn can_resume(&self, reading: &mut Reading, file: &fs_err::File, size: u64) -> bool {
        let cursor = &reading.cursor;
        if self.options.reparse || cursor.offset == 0 || cursor.offset > size {
            return false;
        }
        let same = prints(file, cursor.offset)
            .is_ok_and(|now| now == (cursor.head_print, cursor.tail_print));
        same && reading.reader.restore(&cursor.state)
    }

    /// Reads to the end; what was not handed on yet is returned.
    fn read_lines(
        &mut self,
        reading: &mut Reading,
        input: impl Read,
        from_start: bool,
    ) -> Result<Batch, Stop> {
        let buffer = std::mem::take(&mut self.buffer);
        let offset = reading.cursor.offset;
        let mut lines = Lines::new(input, buffer, offset, reading.cursor.lines);
        if from_start {
            reading.reader.begin(lines.head(HEAD_BYTES)?);
        }
        let mut batch = Batch::with_room(lines.buffered().min(DRAFT_TEXT));
        loop {
            batch.at_line(lines.line() + 1);
            match lines.next(backstory_adapters::is_complete)? {
                None => break,
                Some(Step::Line(line)) => {
                    if !line.trim_ascii().is_empty() {
                        reading.reader.record(line, &mut self.book, &mut batch);
                    }
                }
                Some(Step::Oversized(sample)) => {
                    let limit = LINE_LIMIT >> 20;
                    batch.bad(format!("line is longer than {limit} MiB and was left out"), sample);
                }
            }
            reading.cursor.offset = lines.position();
            reading.cursor.lines = lines.line();
            if batch.text_len() >= DRAFT_TEXT || batch.records().len() >= DRAFT_RECORDS {
                let full = std::mem::replace(&mut batch, Batch::with_room(DRAFT_TEXT));
                self.hand_on_partial(reading, full)?;
            }
        }
        let read = lines.position() - offset;
        self.count(reading, |flavor| flavor.bytes_read += read);
        self.buffer = lines.into_buffer();
        Ok(batch)
    }

    fn read_document(
        &mut self,
        reading: &mut Reading,
        mut file: fs_err::File,
        size: u64,
    ) -> Result<Batch, Stop> {
        let mut batch = Batch::default();
        batch.at_line(1);
        if size > DOCUMENT_LIMIT {
            let limit = DOCUMENT_LIMIT >> 20;
            batch.bad(format!("file is larger than {limit} MiB and was left out"), b"");
        } else {
            let mut bytes = Vec::with_capacity(size as usize);
            file.read_to_end(&mut bytes)?;
            reading.reader.begin(&bytes[..bytes.len().min(HEAD_BYTES)]);
            reading.reader.record(&bytes, &mut self.book, &mut batch);
        }
        self.count(reading, |flavor| flavor.bytes_read += size);
        reading.cursor.offset = size;
        Ok(batch)
    }

    /// Hands on a stretch that is not the last: until the file's end is reached the recorded time
    /// is one no file has, so that a killed sweep is taken up again where it stood.
    fn hand_on_partial(&mut self, reading: &mut Reading, batch: Batch) -> Result<(), Stop> {
        if reading.task.file.claim.form == Form::Lines {
            // A handle of its own: the one being read must keep its position.
            reading.set_prints(&fs_err::File::open(&reading.task.file.path)?)?;
            reading.cursor.stat.size = reading.cursor.offset;
        }
        reading.cursor.stat.mtime_ns = 0;
        Ok(self.hand_on(reading, batch)?)
    }

    fn hand_on(&mut self, reading: &mut Reading, mut batch: Batch) -> Result<(), StoreError> {
        let records = batch.take_records();
        let uids = batch.sessions().to_vec();
        let mut draft = Draft {
            batch,
            cursor: Cursor::default(),
            restarts: std::mem::take(&mut reading.restarts),
            grown_bytes: 0,
            supersedes: Vec::new(),
            sessions: Vec::new(),
            events: Vec::with_capacity(records.len()),
            usage: Vec::new(),
            strange: Vec::new(),
        };
        let flavor = reading.cursor.flavor;
        refuse_subagents(&mut self.book, &records, &uids, &mut draft, flavor)?;
        let refused = refused(&mut self.book, &uids)?;
        self.book.ask_about(&records, &uids)?;
        for Located { line, record } in records {
            if is_refused(&record, &refused, reading) {
                continue;
            }
            self.place(line, record, &uids, &mut draft, reading)?;
        }
        for session in &mut draft.sessions {
            let uid = SessionUid::from_stored(session.delta.uid.clone());
            session.delta.next_seq = self.book.open(&uid)?.next_seq;
        }
        reading.cursor.state = reading.reader.save();
        draft.cursor = reading.cursor.clone();
        if reading.is_forgotten {
            draft.cursor.path.clear();
            draft.cursor.state.clear();
        }
        if draft.cursor.session_id.is_some() {
            draft.grown_bytes = draft.cursor.stat.size as i64 - reading.counted as i64;
            reading.counted = draft.cursor.stat.size;
            touch_owner(&mut draft, reading);
        }
        self.pipeline.send(draft)
    }

    fn place(
        &mut self,
        line: u64,
        record: Record,
        uids: &[SessionUid],
        draft: &mut Draft,
        reading: &mut Reading,
    ) -> Result<(), StoreError> {
        match record {
            Record::Event(event) => {
                let uid = &uids[event.session.index()];
                self.place_event(line, event, uid, draft, reading)?;
            }
            Record::Session(session, patch) => {
                let uid = &uids[session.index()];
                let at = self.session_draft(uid, draft, reading)?;
                if let Some(cwd) = &patch.cwd {
                    self.locate(cwd, uid, &mut draft.sessions[at].delta)?;
                } else if let Some(peer) = &patch.peer {
                    self.locate_by_peer(peer, uid, &mut draft.sessions[at].delta)?;
                }
                if let Some(origin) = &patch.forked_from {
                    self.book.add_fork(origin, uid);
                }
                draft.sessions[at].patches.push(*patch);
            }
            Record::Usage(usage) => {
                let uid = &uids[usage.session.index()];
                let at = self.session_draft(uid, draft, reading)?;
                draft.usage.push((draft.sessions[at].delta.id, usage));
            }
            Record::Unknown { type_name, cli_version, raw } => {
                reading.cursor.unknown += 1;
                self.count(reading, |flavor| flavor.unknown += 1);
                draft.strange.push(Strange { line, type_name, cli_version, reason: None, raw });
            }
            Record::Bad { reason, raw } => {
                reading.cursor.bad += 1;
                self.count(reading, |flavor| flavor.bad += 1);
                let path = reading.cursor.path.clone();
                let flavor = reading.task.file.flavor;
                self.report.problem(Problem {
                    flavor: Some(flavor),
                    path,
                    line: Some(line),
                    what: reason.clone(),
                });
                draft.strange.push(Strange {
                    line,
                    type_name: "unreadable".to_owned(),
                    cli_version: None,
                    reason: Some(reason),
                    raw,
                });
            }
        }
        Ok(())
    }

    fn place_event(
        &mut self,
        line: u64,
        event: EventDraft,
        uid: &SessionUid,
        draft: &mut Draft,
        reading: &mut Reading,
    ) -> Result<(), StoreError> {
        if event.kind.is_conversation() {
            reading.cursor.messages += 1;
        }
        let at = self.session_draft(uid, draft, reading)?;
        if reading.cursor.session_id.is_none() {
            let id = draft.sessions[at].delta.id;
            reading.cursor.session_id = Some(id);
            if reading.task.file.claim.is_transcript && self.posted.log_of(uid, id) {
                draft.supersedes.push(id);
            }
        }
        let known = self.book.known(uid, event.key)?;
        if known.is_none() && self.stands_in(uid, &event, draft)? {
            self.count(reading, |flavor| flavor.known_events += 1);
            return Ok(());
        }
        if let Some(known) = known {
            self.count(reading, |flavor| flavor.known_events += 1);
            if !(self.options.reparse || known.payload_lost) {
                return Ok(());
            }
        }
        let parent_seq = match event.parent {
            Some(parent) => self.book.known(uid, parent)?.map(|parent| parent.seq),
            None => None,
        };
        let seq = match known {
            Some(known) => known.seq,
            None => self.book.add(uid, event.key)?,
        };
        let delta = &mut draft.sessions[at].delta;
        if let Some(ts) = event.ts {
            delta.started_at = Some(delta.started_at.map_or(ts, |known| known.min(ts)));
            delta.ended_at = Some(delta.ended_at.map_or(ts, |known| known.max(ts)));
        }
        if known.is_none() {
            delta.events += 1;
            delta.turns += u32::from(event.kind == EventKind::UserMsg && !event.is_sidechain);
            delta.retries += u32::from(event.kind == EventKind::Retry);
            if event.opens_chain {
                self.book.add_root(event.key, uid);
            }
            self.progress.events += 1;
            self.count(reading, |flavor| flavor.new_events += 1);
        }
        draft.events.push(PlacedEvent {
            line,
            session_id: draft.sessions[at].delta.id,
            seq,
            parent_seq,
            event,
            refresh: known.is_some(),
            with_payload: known.is_none_or(|known| known.payload_lost),
        });
        Ok(())
    }

    fn count(&mut self, reading: &Reading, add: impl FnOnce(&mut super::report::FlavorProgress)) {
        if let Some(flavor) = self.report.flavor(reading.task.file.flavor) {
            add(flavor);
        }
    }

    /// The place of a session in the draft.
    fn session_draft(
        &mut self,
        uid: &SessionUid,
        draft: &mut Draft,
        reading: &Reading,
    ) -> Result<usize, StoreError> {
        let known = draft.sessions.iter().rposition(|known| known.delta.uid == uid.as_str());
        if let Some(at) = known {
            return Ok(at);
        }
        let open = self.book.open(uid)?;
        let id = open.id;
        if open.standing == Standing::New {
            open.standing = Standing::Known;
            self.count(reading, |flavor| flavor.new_sessions += 1);
        }
        let delta = SessionDelta {
            id,
            uid: uid.as_str().to_owned(),
            flavor: reading.cursor.flavor,
            source_path: reading.cursor.path.clone(),
            ..SessionDelta::default()
        };
        draft.sessions.push(SessionDraft { delta, patches: Vec::new() });
        Ok(draft.sessions.len() - 1)
    }

    /// Repository, project and domain, from the first working directory known.
    fn locate(
        &mut self,
        cwd: &str,
        uid: &SessionUid,
        delta: &mut SessionDelta,
    ) -> Result<(), StoreError> {
        let open = self.book.open(uid)?;
        if std::mem::replace(&mut open.has_cwd, true) {
            return Ok(());
        }
        if let Some(project) = self.projects.of(cwd) {
            delta.domain = self.options.domains.get(&project.repo).cloned();
            delta.repo = Some(project.repo);
            delta.project_key = Some(project.key);
        }
        Ok(())
    }
}

/// True for a record of a forgotten session; of the file it stands in, only that is remembered.
fn is_refused(record: &Record, refused: &[Option<i64>], reading: &mut Reading) -> bool {
    let session = match record {
        Record::Event(event) => event.session,
        Record::Session(session, _) => *session,
        Record::Usage(usage) => usage.session,
        Record::Unknown { .. } | Record::Bad { .. } => return reading.is_forgotten,
    };
    let Some(id) = refused[session.index()] else { return false };
    reading.cursor.session_id.get_or_insert(id);
    reading.is_forgotten = true;
    true
}

fn restart(reading: &mut Reading) {
    let cursor = &mut reading.cursor;
    reading.restarts = cursor.offset > 0 || cursor.lines > 0;
    (cursor.offset, cursor.lines) = (0, 0);
    (cursor.messages, cursor.bad, cursor.unknown) = (0, 0, 0);
}

/// Growth is added to the session that owns the file, even if nothing else changes about it.
fn touch_owner(draft: &mut Draft, reading: &Reading) {
    let Some(owner) = draft.cursor.session_id else { return };
    if draft.grown_bytes == 0 || draft.sessions.iter().any(|known| known.delta.id == owner) {
        return;
    }
    let delta = SessionDelta { id: owner, flavor: reading.cursor.flavor, ..Default::default() };
    draft.sessions.push(SessionDraft { delta, patches: Vec::new() });
}
