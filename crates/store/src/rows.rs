//! Rows ↔ model.

use crate::StoreError;
use crate::cursor::{Cursor, SourceStat};
use crate::database::{Row, Value};
use backstory_model::{
    Cost, EventKind, Flavor, Lineage, Outcome, Role, Session, SessionEvent, SessionUid, Timestamp,
    Watermarks,
};

/// Block number of a payload whose pack was lost.
pub(crate) const LOST_BLOCK: i64 = -1;
/// [`crate::EventRow::is_sidechain`] in the flags column.
pub(crate) const FLAG_SIDECHAIN: u8 = 1;

/// A uid that stands alone in its row.
pub(crate) fn uid(row: &dyn Row) -> Result<SessionUid, StoreError> {
    Ok(SessionUid::from_stored(row.get(0)?))
}

pub(crate) const CURSOR_SQL: &str = "SELECT id, path_key, path, flavor, role, is_transcript, dev,
    inode, size, mtime_ns, \"offset\", lines, head_print, tail_print, state, session_id, messages, bad,
    unknown, problem, read_at FROM own_sources WHERE path_key = ?1";

pub(crate) fn cursor(row: &dyn Row) -> Result<Cursor, StoreError> {
    let flavor: String = row.get(3)?;
    Ok(Cursor {
        id: row.get(0)?,
        path_key: row.get(1)?,
        path: row.get(2)?,
        flavor: Flavor::from_name(&flavor).map_or("unknown", Flavor::name),
        role: row.get(4)?,
        is_transcript: row.get(5)?,
        stat: SourceStat {
            dev: row.count(6)?,
            inode: row.count(7)?,
            size: row.count(8)?,
            mtime_ns: row.get(9)?,
        },
        offset: row.count(10)?,
        lines: row.count(11)?,
        head_print: row.get(12)?,
        tail_print: row.get(13)?,
        // A damaged memory is none: the file is read again from its start.
        state: crate::blob::unfold(row.get(14)?).unwrap_or_default(),
        session_id: row.get(15)?,
        messages: row.count(16)?,
        bad: row.count(17)?,
        unknown: row.count(18)?,
        problem: row.get(19)?,
        read_at: row.get::<Option<i64>>(20)?.map(Timestamp),
    })
}

pub(crate) const SESSION_SQL: &str = "SELECT session_uid, flavor, parent_session_uid,
    forked_from_uid, continues_uid, parent_call_id, agent_name, repo, project_key, domain, cwd,
    git_branch, model, models, cli_version, title, started_at, ended_at, outcome, outcome_reason,
    input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
    reasoning_tokens, usd, turns, retries, cost_in_parent, task_ref, source_path, source_bytes,
    events, schema_version, discovered_at, ingested_at, analyzed_at, evicted_at, pinned_at, id FROM
    sessions";
/// Where a session's row id is in it.
pub(crate) const ID_COLUMN: usize = 40;

pub(crate) fn session(row: &dyn Row) -> Result<Session, StoreError> {
    let uid = SessionUid::from_stored(row.get(0)?);
    let flavor: String = row.get(1)?;
    let at = |column: usize| -> Result<Option<Timestamp>, StoreError> {
        Ok(row.get::<Option<i64>>(column)?.map(Timestamp))
    };
    let other = |column: usize| -> Result<Option<SessionUid>, StoreError> {
        Ok(row.get::<Option<String>>(column)?.map(SessionUid::from_stored))
    };
    let models: String = row.get(13)?;
    let outcome: String = row.get(18)?;
    let (started_at, ended_at) = (at(16)?, at(17)?);
    Ok(Session {
        native_session_id: uid.native().to_owned(),
        session_uid: uid,
        flavor: Flavor::from_name(&flavor).unwrap_or(Flavor::Claude),
        lineage: Lineage {
            parent_session_uid: other(2)?,
            forked_from_uid: other(3)?,
            continues_uid: other(4)?,
            parent_call_id: row.get(5)?,
            agent_name: row.get(6)?,
        },
        repo: row.get(7)?,
        project_key: row.get(8)?,
        domain: row.get(9)?,
        cwd: row.get(10)?,
        git_branch: row.get(11)?,
        model: row.get(12)?,
        models: models.split('\n').filter(|model| !model.is_empty()).map(str::to_owned).collect(),
        cli_version: row.get(14)?,
        title: row.get(15)?,
        started_at,
        ended_at,
        outcome: Outcome::from_name(&outcome).unwrap_or_default(),
        outcome_reason: row.get(19)?,
        cost: cost(row, started_at, ended_at)?,
        cost_in_parent: row.get(29)?,
        task_ref: row.get(30)?,
        source_path: row.get(31)?,
        source_bytes: row.count(32)?,
        events: row.get(33)?,
        schema_version: row.get(34)?,
        watermarks: Watermarks {
            discovered_at: at(35)?,
            ingested_at: at(36)?,
            analyzed_at: at(37)?,
            evicted_at: at(38)?,
            pinned_at: at(39)?,
        },
    })
}

fn cost(
    row: &dyn Row,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
) -> Result<Cost, StoreError> {
    let tokens = |column: usize| row.count(column);
    let wall_clock_s = match (started_at, ended_at) {
        (Some(from), Some(to)) => (to.0.saturating_sub(from.0) / 1000).max(0) as u64,
        _ => 0,
    };
    Ok(Cost {
        input_tokens: tokens(20)?,
        output_tokens: tokens(21)?,
        cache_read_tokens: tokens(22)?,
        cache_write_5m_tokens: tokens(23)?,
        cache_write_1h_tokens: tokens(24)?,
        reasoning_tokens: tokens(25)?,
        usd: row.get(26)?,
        wall_clock_s,
        turns: row.get(27)?,
        retries: row.get(28)?,
    })
}

macro_rules! event_columns {
    () => {
        "SELECT session_id, seq, parent_seq, native_id, ts, kind, role, flags, tool, call_id, summary,
        block, \"offset\", len, tokens, exit_code, duration_ms, files, key"
    };
}

pub(crate) const EVENT_SQL: &str = concat!(event_columns!(), " FROM events WHERE session_id = ?1");
/// Of several stretches at once: their numbers, sessions, first and last seq are told in a table.
pub(crate) const STRETCHES_SQL: &str = concat!(
    event_columns!(),
    ", number FROM wanted CROSS JOIN events WHERE session_id = wanted.id
        AND seq BETWEEN wanted.first AND wanted.last ORDER BY number, seq"
);
/// Where the number of the stretch is in it.
pub(crate) const NUMBER_COLUMN: usize = 19;
/// Where an event's identity is in it.
pub(crate) const KEY_COLUMN: usize = 18;

/// Block, offset and length of a row's payload.
pub(crate) fn place(row: &dyn Row) -> Result<Option<(i64, usize, usize)>, StoreError> {
    let Some(block) = row.get::<Option<i64>>(11)? else { return Ok(None) };
    let (offset, len): (i64, i64) = (row.get(12)?, row.get(13)?);
    Ok(Some((block, offset as usize, len as usize)))
}

pub(crate) fn event(row: &dyn Row, session_uid: &SessionUid) -> Result<SessionEvent, StoreError> {
    let session_id: i64 = row.get(0)?;
    let mut event = event_without_payload(row, session_uid)?;
    event.payload_ref = place(row)?.map(|(block, offset, len)| match block {
        LOST_BLOCK => format!("pack://{session_id}/lost"),
        block => format!("pack://{session_id}/{block}+{offset}+{len}"),
    });
    Ok(event)
}

pub(crate) fn kind(row: &dyn Row) -> Result<EventKind, StoreError> {
    Ok(EventKind::from_code(row.get(5)?).unwrap_or(EventKind::Lifecycle))
}

/// For readers that take the payload themselves.
pub(crate) fn event_without_payload(
    row: &dyn Row,
    session_uid: &SessionUid,
) -> Result<SessionEvent, StoreError> {
    let flags: u8 = row.get(7)?;
    let files: Option<String> = row.get(17)?;
    Ok(SessionEvent {
        session_uid: session_uid.clone(),
        seq: row.get(1)?,
        parent_seq: row.get(2)?,
        native_id: native_id(row)?,
        ts: row.get::<Option<i64>>(4)?.map(Timestamp),
        kind: kind(row)?,
        role: Role::from_code(row.get(6)?).unwrap_or(Role::System),
        is_sidechain: flags & FLAG_SIDECHAIN != 0,
        tool: row.get(8)?,
        call_id: row.get(9)?,
        summary: row.get(10)?,
        payload_ref: None,
        tokens: row.get::<Option<i64>>(14)?.unwrap_or(0) as u64,
        exit_code: row.get(15)?,
        duration_ms: row.get::<Option<i64>>(16)?.map(|ms| ms as u64),
        files: files.map(|files| files.lines().map(str::to_owned).collect()).unwrap_or_default(),
    })
}

/// Session row, block position, offset and length of a payload reference.
pub(crate) fn parse_payload_ref(reference: &str) -> Option<(i64, u64, usize, usize)> {
    let (session, place) = reference.strip_prefix("pack://")?.split_once('/')?;
    let mut parts = place.split('+');
    let place = (
        session.parse().ok()?,
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
    );
    Some(place)
}

/// A native id as it is stored: canonical UUIDs as their 16 bytes, anything else as text.
pub(crate) fn native_id_value<'a>(id: &'a str, bytes: &'a mut [u8; 16]) -> Value<'a> {
    if parse_uuid(id, bytes) { Value::Bytes(bytes) } else { Value::Text(id) }
}

/// The native id of a row of [`EVENT_SQL`], as the agent wrote it.
pub(crate) fn native_id(row: &dyn Row) -> Result<Option<String>, StoreError> {
    Ok(match row.value(3)? {
        Value::Text(text) => Some(text.to_owned()),
        Value::Bytes(bytes) if bytes.len() == 16 => Some(format_uuid(bytes)),
        _ => None,
    })
}

const HYPHENS: [usize; 4] = [8, 13, 18, 23];

fn parse_uuid(text: &str, out: &mut [u8; 16]) -> bool {
    let text = text.as_bytes();
    if text.len() != 36 || HYPHENS.iter().any(|at| text[*at] != b'-') {
        return false;
    }
    let mut digits = text.iter().enumerate().filter(|(at, _)| !HYPHENS.contains(at));
    let mut digit = || match digits.next() {
        Some((_, byte @ b'0'..=b'9')) => Some(byte - b'0'),
        Some((_, byte @ b'a'..=b'f')) => Some(byte - b'a' + 10),
        _ => None,
    };
    for byte in out.iter_mut() {
        let (Some(high), Some(low)) = (digit(), digit()) else { return false };
        *byte = high << 4 | low;
    }
    true
}

/// A UUID as everyone writes it.
pub fn format_uuid(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_uuids_are_stored_small_and_come_back_whole() {
        let mut bytes = [0; 16];
        let id = "0198c0de-1234-7abc-8def-0123456789ab";
        assert!(matches!(native_id_value(id, &mut bytes), Value::Bytes(_)));
        assert_eq!(format_uuid(&bytes), id);
        for other in ["call_1", "0198C0DE-1234-7abc-8def-0123456789ab", "é".repeat(18).as_str()] {
            assert!(matches!(native_id_value(other, &mut bytes), Value::Text(_)));
        }
    }

    #[test]
    fn payload_references_are_parsed_or_refused() {
        assert_eq!(parse_payload_ref("pack://3/8+10+20"), Some((3, 8, 10, 20)));
        assert_eq!(parse_payload_ref("pack://3/lost"), None);
    }
}
