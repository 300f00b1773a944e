//! Digests and signals: written once a session is understood, read when its events are gone.

use crate::clauses::{Clauses, SHORT_LIST};
use crate::database::{Row, values};
use crate::{IndexDebt, PackFault, StoreError, Vault, Writer, blob, rows};
use backstory_model::{
    Decision, Digest, EventKind, Fix, Flavor, Role, SessionEvent, SessionUid, Sighting, Signal,
    SignalKind, Timestamp,
};
use std::borrow::Cow;
use std::collections::HashMap;

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
    /// What the human was asked, and answered.
    pub decisions: Vec<Decision>,
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
        for decision in &self.decisions {
            let offered = decision.options.iter().map(|option| option.label.as_str());
            let said = [Some(decision.question.as_str()), decision.free_text.as_deref()];
            for part in said.into_iter().flatten().chain(offered) {
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
    /// Only of this project.
    pub project: Option<String>,
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
        let sql = if all {
            "SELECT id, session_uid, CASE WHEN evicted_before > 0 THEN analyzed_seq ELSE 0 END,
                next_seq
             FROM sessions WHERE events > 0 AND next_seq > evicted_before ORDER BY id"
        } else {
            "SELECT id, session_uid, analyzed_seq, next_seq
             FROM sessions
             WHERE analyzed_at IS NULL AND events > 0 AND next_seq > evicted_before ORDER BY id"
        };
        self.database.all(sql, &[], |row| {
            Ok(PendingSession {
                id: row.get(0)?,
                uid: SessionUid::from_stored(row.get(1)?),
                from_seq: row.get(2)?,
                next_seq: row.get(3)?,
            })
        })
    }

    /// Hands the events of a session from a seq on to `each`, with their content; where a payload
    /// cannot be read back, the summary stands in for it, and for bookkeeping always.
    pub fn for_each_moment(
        &self,
        session: &PendingSession,
        wants: impl Fn(EventKind) -> bool,
        each: impl FnMut(SessionEvent, &str),
    ) -> Result<(), StoreError> {
        self.each_moment(session, wants, |event| event.kind != EventKind::Lifecycle, each)
    }

    fn each_moment(
        &self,
        session: &PendingSession,
        wants: impl Fn(EventKind) -> bool,
        is_read: impl Fn(&SessionEvent) -> bool,
        mut each: impl FnMut(SessionEvent, &str),
    ) -> Result<(), StoreError> {
        // Grok writes two logs side by side; only the time tells what came first.
        let order =
            if session.uid.flavor() == Some(Flavor::Grok) { "ts NULLS FIRST, seq" } else { "seq" };
        let sql = format!("{} AND seq >= ?2 ORDER BY {order}", rows::EVENT_SQL);
        self.database.each(&sql, values![session.id, session.from_seq], |row| {
            if !wants(rows::kind(row)?) {
                return Ok(());
            }
            let event = rows::event_without_payload(row, &session.uid)?;
            let bytes = match rows::place(row)? {
                _ if !is_read(&event) => None,
                Some((block, offset, len)) if block != rows::LOST_BLOCK => {
                    match self.payloads.block(session.id, block as u64) {
                        Ok(bytes) => Some((bytes, offset..offset + len)),
                        Err(PackFault::Lost(_)) => None,
                        // A judgement on summaries alone would be taken for the final one.
                        Err(PackFault::Unreachable(reason)) => {
                            return Err(StoreError::Packs(reason));
                        }
                    }
                }
                _ => None,
            };
            let text =
                bytes.as_ref().and_then(|(bytes, range)| bytes.get(range.clone())).map(as_text);
            let text = text.unwrap_or_else(|| event.summary.clone().into());
            each(event, &text);
            Ok(())
        })
    }

    /// Hands the full content of every resident event of a session to `each`; of bookkeeping the summary,
    /// unless a tool said it.
    pub fn for_each_text(
        &self,
        uid: &SessionUid,
        mut each: impl FnMut(&str),
    ) -> Result<(), StoreError> {
        let Some(head) = self.session_head(uid)? else { return Ok(()) };
        let whole =
            PendingSession { id: head.id, uid: uid.clone(), from_seq: 0, next_seq: head.next_seq };
        let is_read =
            |event: &SessionEvent| event.kind != EventKind::Lifecycle || event.role == Role::Tool;
        self.each_moment(&whole, |_| true, is_read, |_, text| each(text))
    }

    /// What is kept of a session.
    pub fn account(&self, uid: &SessionUid) -> Result<Option<Account>, StoreError> {
        let sql = "SELECT session_id, digest, state FROM digests
            WHERE session_id = (SELECT id FROM sessions WHERE session_uid = ?1)";
        let found = self.database.one(sql, values![uid.as_str()], |row| {
            Ok((row.get::<i64>(0)?, row.get(1)?, row.get(2)?))
        })?;
        let Some((id, digest, state)) = found else { return Ok(None) };
        let digest = serde_json::from_slice(&blob::unfold(digest)?).map_err(|error| {
            StoreError::Io(std::io::Error::other(format!("digest of {uid}: {error}")))
        })?;
        let sql = format!(
            "SELECT {SIGNAL_COLUMNS} FROM signals x WHERE session_id = ?1 ORDER BY seq, kind"
        );
        let signals = self.database.all(&sql, values![id], |row| signal(row, 0))?;
        let decisions = self.decisions_of(id)?;
        Ok(Some(Account { digest, signals, decisions, state: blob::unfold(state)? }))
    }

    /// What people are told of sessions, by their row ids: without the distiller's memory, and without
    /// digests that cannot be read. Signals are of these kinds alone, if any are named.
    pub fn digests(
        &self,
        ids: &[i64],
        kinds: &[SignalKind],
    ) -> Result<HashMap<i64, (Digest, Vec<Signal>)>, StoreError> {
        let sql = "SELECT session_id, digest FROM digests WHERE session_id IN (";
        let stored = self.by_id(sql, ids, |row| Ok((row.get(0)?, row.get::<Vec<u8>>(1)?)))?;
        let read = |(id, digest)| {
            let digest = serde_json::from_slice(&blob::unfold(digest).ok()?).ok()?;
            Some((id, (digest, Vec::new())))
        };
        let mut found: HashMap<i64, (Digest, Vec<Signal>)> =
            stored.into_iter().filter_map(read).collect();
        let ids: Vec<i64> = found.keys().copied().collect();
        for ids in ids.chunks(SHORT_LIST) {
            let mut asked = Clauses::new(format!(
                "SELECT {SIGNAL_COLUMNS}, session_id FROM signals x WHERE session_id IN ("
            ));
            asked.add_list(ids);
            asked.add_any("kind = ?", kinds.iter().map(|kind| kind.code()));
            asked.sql.push_str(" ORDER BY seq, kind");
            self.database.each(&asked.sql, &asked.values, |row| -> Result<(), StoreError> {
                if let Some((_, signals)) = found.get_mut(&row.get(10)?) {
                    signals.push(signal(row, 0)?);
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// Signals of all sessions, the latest first.
    pub fn signals(&self, filter: &SignalFilter) -> Result<Vec<Sighting>, StoreError> {
        let mut asked = Clauses::new(format!(
            "SELECT s.session_uid, s.repo,
                CAST(s.output_tokens AS DOUBLE PRECISION)
                    / CASE WHEN s.events > 1 THEN s.events ELSE 1 END,
                coalesce(x.ts, s.started_at), {SIGNAL_COLUMNS}
             FROM signals x JOIN sessions s ON s.id = x.session_id WHERE TRUE"
        ));
        asked.add_any("x.kind = ?", filter.kinds.iter().map(|kind| kind.code()));
        let session = filter.session.as_ref().map(SessionUid::as_str);
        asked.add_if(" AND s.session_uid = ?", session);
        asked.add_if(" AND s.repo = ?", filter.repo.as_ref());
        asked.add_if(" AND s.project_key = ?", filter.project.as_ref());
        asked.add_if(" AND coalesce(x.ts, s.started_at) >= ?", filter.since.map(|at| at.0));
        asked.add_if(" AND x.fingerprint = ?", filter.fingerprint.map(u64::cast_signed));
        asked.finish(
            " ORDER BY coalesce(x.ts, s.started_at) DESC NULLS LAST, s.session_uid, x.seq, x.kind",
            filter.limit,
        );
        self.database.all(&asked.sql, &asked.values, |row| {
            let mut signal = signal(row, 4)?;
            signal.ts = row.get::<Option<i64>>(3)?.map(Timestamp);
            Ok(Sighting {
                session_uid: rows::uid(row)?,
                repo: row.get(1)?,
                tokens_per_event: row.get(2)?,
                signal,
            })
        })
    }
}

fn signal(row: &dyn Row, first: usize) -> Result<Signal, StoreError> {
    let fix_seq: Option<u32> = row.get(first + 7)?;
    let text =
        |column: usize| row.get::<Option<String>>(first + column).map(Option::unwrap_or_default);
    Ok(Signal {
        kind: SignalKind::from_code(row.get(first)?).unwrap_or(SignalKind::Error),
        fingerprint: row.count(first + 1)?,
        seq: row.get(first + 2)?,
        last_seq: row.get(first + 3)?,
        ts: row.get::<Option<i64>>(first + 4)?.map(Timestamp),
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
        self.database.run("SAVEPOINT account", &[])?;
        let result = self.put_account_rows(session, account, (&digest, &state), now);
        if result.is_err() {
            // One session that cannot be stored must not take the others with it.
            self.database.run("ROLLBACK TO SAVEPOINT account", &[])?;
        }
        self.database.run("RELEASE SAVEPOINT account", &[])?;
        result
    }

    fn put_account_rows(
        &self,
        session: &PendingSession,
        account: &Account,
        (digest, state): (&[u8], &[u8]),
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.database.run(
            "INSERT INTO digests (session_id, version, digest, state) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session_id) DO UPDATE SET version = excluded.version,
                digest = excluded.digest, state = excluded.state",
            values![session.id, account.digest.version, digest, state],
        )?;
        self.database.run("DELETE FROM signals WHERE session_id = ?1", values![session.id])?;
        let insert = "INSERT INTO signals (session_id, kind, fingerprint, seq, last_seq, ts, count,
                what, fix_seq, fix, tried)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        for signal in &account.signals {
            let fix = signal.fix.as_ref();
            self.database.run(
                insert,
                values![
                    session.id,
                    signal.kind.code(),
                    signal.fingerprint as i64,
                    signal.seq,
                    signal.last_seq,
                    signal.ts.map(|at| at.0),
                    signal.count,
                    &signal.what,
                    fix.map(|fix| fix.seq),
                    fix.map(|fix| fix.what.as_str()),
                    fix.map(|fix| fix.tried.as_str()),
                ],
            )?;
        }
        self.put_decisions(session.id, &account.decisions)?;
        let judgement = &account.digest.judgement;
        let reason = judgement.evidence.first().map(|(_, words)| words.as_str());
        let (outcome, covered) = (judgement.outcome.name(), session.next_seq);
        self.database.run(
            "UPDATE sessions SET analyzed_at = ?2, analyzed_seq = ?3, outcome = ?4,
                outcome_reason = ?5
             WHERE id = ?1 AND next_seq = ?3",
            values![session.id, now.0, covered, outcome, reason],
        )?;
        self.owe_index(session.id, IndexDebt::CARD)
    }
}

/// What we wrote is text; only a damaged pack makes it something else, and looking for that in every
/// character takes far longer than a check of the whole.
fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
