//! Digests and signals: written once a session is understood, read when its events are gone.

use crate::{IndexDebt, StoreError, Vault, Writer, blob, rows};
use backstory_model::{
    Digest, EventKind, Fix, Flavor, SessionEvent, SessionUid, Sighting, Signal, SignalKind,
    Timestamp,
};
use rusqlite::{OptionalExtension, Row, ToSql, params};
use std::borrow::Cow;

/// A session whose digest does not cover all of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingSession {
    /// Row id.
    pub id: i64,
    /// Uid.
    pub uid: SessionUid,
    /// The first event the digest has not seen; 0 to begin anew.
    pub from_seq: u32,
    /// Where it will end.
    pub next_seq: u32,
}

/// What is kept of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Account {
    /// The digest.
    pub digest: Digest,
    /// What was noticed.
    pub signals: Vec<Signal>,
    /// The distiller's memory.
    pub state: Vec<u8>,
}

impl Account {
    /// Every word in it, for a plain search.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string(&self.digest).unwrap_or_default();
        for signal in &self.signals {
            text.push('\n');
            text.push_str(&signal.what);
            for part in signal.fix.iter().flat_map(|fix| [&fix.what, &fix.tried]) {
                text.push('\n');
                text.push_str(part);
            }
        }
        text
    }
}

/// Which signals to list.
#[derive(Clone, Debug, Default)]
pub struct SignalFilter {
    /// Only these kinds; none means all.
    pub kinds: Vec<SignalKind>,
    /// Only of this session.
    pub session: Option<SessionUid>,
    /// Only of this repository.
    pub repo: Option<String>,
    /// Only at or after.
    pub since: Option<Timestamp>,
    /// Only this fingerprint.
    pub fingerprint: Option<u64>,
    /// At most so many.
    pub limit: Option<usize>,
}

const SIGNAL_COLUMNS: &str = "x.kind, x.fingerprint, x.seq, x.last_seq, x.ts, x.count, x.what,
    x.fix_seq, x.fix, x.tried";

impl Vault {
    /// Sessions to distil; with `all` also those that are up to date. Where no event is left, there
    /// is nothing to distil: an empty digest would hide a loss.
    pub fn pending(&self, all: bool) -> Result<Vec<PendingSession>, StoreError> {
        let mut statement = self.connection.prepare(if all {
            "SELECT id, session_uid, iif(evicted_before > 0, analyzed_seq, 0), next_seq
             FROM sessions WHERE events > 0 AND next_seq > evicted_before ORDER BY id"
        } else {
            "SELECT id, session_uid, analyzed_seq, next_seq
             FROM sessions
             WHERE analyzed_at IS NULL AND events > 0 AND next_seq > evicted_before ORDER BY id"
        })?;
        let pending = statement.query_map([], |row| {
            Ok(PendingSession {
                id: row.get(0)?,
                uid: SessionUid::from_stored(row.get(1)?),
                from_seq: row.get(2)?,
                next_seq: row.get(3)?,
            })
        })?;
        Ok(pending.collect::<Result<_, _>>()?)
    }

    /// Hands the events of a session from a seq on to `each`, with their content; where a payload
    /// cannot be read back, the summary stands in for it.
    pub fn for_each_moment(
        &self,
        session: &PendingSession,
        wants: impl Fn(EventKind) -> bool,
        mut each: impl FnMut(SessionEvent, &str),
    ) -> Result<(), StoreError> {
        // Grok writes two logs side by side; only the time tells what came first.
        let order = if session.uid.flavor() == Some(Flavor::Grok) { "ts, seq" } else { "seq" };
        let sql = format!("{} AND seq >= ?2 ORDER BY {order}", rows::EVENT_SQL);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = statement.query(params![session.id, session.from_seq])?;
        while let Some(row) = found.next()? {
            if !wants(rows::kind(row)?) {
                continue;
            }
            let event = rows::event_without_payload(row, &session.uid)?;
            let bytes = match rows::place(row)? {
                // Bookkeeping is told by its summary.
                _ if event.kind == EventKind::Lifecycle => None,
                Some((block, offset, len)) if block != rows::LOST_BLOCK => self
                    .payloads
                    .block(session.id, block as u64)
                    .ok()
                    .map(|bytes| (bytes, offset..offset + len)),
                _ => None,
            };
            let text =
                bytes.as_ref().and_then(|(bytes, range)| bytes.get(range.clone())).map(as_text);
            let text = text.unwrap_or_else(|| event.summary.clone().into());
            each(event, &text);
        }
        Ok(())
    }

    /// Hands the full content of every resident event of a session to `each`.
    pub fn for_each_text(
        &self,
        uid: &SessionUid,
        mut each: impl FnMut(&str),
    ) -> Result<(), StoreError> {
        let Some(head) = self.session_head(uid)? else { return Ok(()) };
        let whole =
            PendingSession { id: head.id, uid: uid.clone(), from_seq: 0, next_seq: head.next_seq };
        self.for_each_moment(&whole, |_| true, |_, text| each(text))
    }

    /// What is kept of a session.
    pub fn account(&self, uid: &SessionUid) -> Result<Option<Account>, StoreError> {
        let found: Option<(i64, Vec<u8>, Vec<u8>)> = self
            .connection
            .prepare_cached(
                "SELECT session_id, digest, state FROM digests
                 WHERE session_id = (SELECT id FROM sessions WHERE session_uid = ?1)",
            )?
            .query_row([uid.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((id, digest, state)) = found else { return Ok(None) };
        let digest = serde_json::from_slice(&blob::unfold(digest)?).map_err(|error| {
            StoreError::Io(std::io::Error::other(format!("digest of {uid}: {error}")))
        })?;
        let sql = format!(
            "SELECT {SIGNAL_COLUMNS} FROM signals x WHERE session_id = ?1 ORDER BY seq, kind"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let signals = statement.query_map([id], |row| signal(row, 0))?;
        Ok(Some(Account {
            digest,
            signals: signals.collect::<Result<_, _>>()?,
            state: blob::unfold(state)?,
        }))
    }

    /// Signals of all sessions, the latest first.
    pub fn signals(&self, filter: &SignalFilter) -> Result<Vec<Sighting>, StoreError> {
        let mut sql = format!(
            "SELECT s.session_uid, s.repo, s.output_tokens * 1.0 / max(s.events, 1),
                coalesce(x.ts, s.started_at), {SIGNAL_COLUMNS}
             FROM signals x JOIN sessions s ON s.id = x.session_id WHERE TRUE"
        );
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut add = |clause: &str, value: Box<dyn ToSql>| {
            values.push(value);
            sql.push_str(&clause.replace('?', &format!("?{}", values.len())));
        };
        if !filter.kinds.is_empty() {
            let codes: Vec<String> =
                filter.kinds.iter().map(|kind| kind.code().to_string()).collect();
            add(" AND instr(',' || ? || ',', ',' || x.kind || ',') > 0", Box::new(codes.join(",")));
        }
        if let Some(uid) = &filter.session {
            add(" AND s.session_uid = ?", Box::new(uid.as_str().to_owned()));
        }
        if let Some(repo) = &filter.repo {
            add(" AND s.repo = ?", Box::new(repo.clone()));
        }
        if let Some(since) = filter.since {
            add(" AND coalesce(x.ts, s.started_at) >= ?", Box::new(since.0));
        }
        if let Some(fingerprint) = filter.fingerprint {
            add(" AND x.fingerprint = ?", Box::new(fingerprint as i64));
        }
        let limit = filter.limit.map_or(-1, |limit| limit as i64);
        add(
            " ORDER BY coalesce(x.ts, s.started_at) DESC, s.session_uid, x.seq, x.kind LIMIT ?",
            Box::new(limit),
        );
        let mut statement = self.connection.prepare(&sql)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let signals = statement.query_map(values.as_slice(), |row| {
            let mut signal = signal(row, 4)?;
            signal.ts = row.get::<_, Option<i64>>(3)?.map(Timestamp);
            Ok(Sighting {
                session_uid: SessionUid::from_stored(row.get(0)?),
                repo: row.get(1)?,
                tokens_per_event: row.get(2)?,
                signal,
            })
        })?;
        Ok(signals.collect::<Result<_, _>>()?)
    }
}

fn signal(row: &Row<'_>, first: usize) -> rusqlite::Result<Signal> {
    let fix_seq: Option<u32> = row.get(first + 7)?;
    let text =
        |column: usize| row.get::<_, Option<String>>(first + column).map(Option::unwrap_or_default);
    Ok(Signal {
        kind: SignalKind::from_code(row.get(first)?).unwrap_or(SignalKind::Error),
        fingerprint: row.get::<_, i64>(first + 1)? as u64,
        seq: row.get(first + 2)?,
        last_seq: row.get(first + 3)?,
        ts: row.get::<_, Option<i64>>(first + 4)?.map(Timestamp),
        count: row.get(first + 5)?,
        what: row.get(first + 6)?,
        fix: match fix_seq {
            Some(seq) => Some(Fix { seq, what: text(8)?, tried: text(9)? }),
            None => None,
        },
    })
}

impl Writer {
    /// Stores what was distilled of a session up to `session.next_seq` and sets its watermark.
    pub fn put_account(
        &mut self,
        session: &PendingSession,
        account: &Account,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.begin()?;
        let digest = serde_json::to_vec(&account.digest).map_err(std::io::Error::other)?;
        let digest = self.blobs.shrink(digest);
        let state = self.blobs.shrink(account.state.clone());
        self.connection.execute_batch("SAVEPOINT account")?;
        let result = self.put_account_rows(session, account, (&digest, &state), now);
        // One session that cannot be stored must not take the others with it.
        self.connection.execute_batch(match result {
            Ok(()) => "RELEASE account",
            Err(_) => "ROLLBACK TO account; RELEASE account",
        })?;
        result
    }

    fn put_account_rows(
        &self,
        session: &PendingSession,
        account: &Account,
        (digest, state): (&[u8], &[u8]),
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO digests VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![session.id, account.digest.version, digest, state])?;
        self.connection
            .prepare_cached("DELETE FROM signals WHERE session_id = ?1")?
            .execute([session.id])?;
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO signals VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?;
        for signal in &account.signals {
            let fix = signal.fix.as_ref();
            insert.execute(params![
                session.id,
                signal.kind.code(),
                signal.fingerprint as i64,
                signal.seq,
                signal.last_seq,
                signal.ts.map(|at| at.0),
                signal.count,
                signal.what,
                fix.map(|fix| fix.seq),
                fix.map(|fix| fix.what.as_str()),
                fix.map(|fix| fix.tried.as_str()),
            ])?;
        }
        let judgement = &account.digest.judgement;
        let reason = judgement.evidence.first().map(|(_, words)| words.as_str());
        self.connection
            .prepare_cached(
                "UPDATE sessions SET analyzed_at = ?2, analyzed_seq = ?3, outcome = ?4,
                    outcome_reason = ?5
                 WHERE id = ?1 AND next_seq = ?3",
            )?
            .execute(params![
                session.id,
                now.0,
                session.next_seq,
                judgement.outcome.name(),
                reason
            ])?;
        self.owe_index(session.id, IndexDebt::CARD)
    }
}

/// What we wrote is text; only a damaged pack makes it something else, and looking for that in every
/// character takes far longer than a check of the whole.
fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
