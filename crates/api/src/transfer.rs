//! The lines of an export: sessions as another archive takes them in, identities included.

use backstory_model::{Decision, Digest, Outcome, Timestamp};
use serde::{Deserialize, Serialize};

/// The format of exports; a reader refuses what is newer.
pub const EXPORT_FORMAT: u32 = 1;

/// One line. Each session is followed by all that belongs to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ExportLine {
    /// The first line.
    Backstory {
        /// [`EXPORT_FORMAT`].
        format: u32,
    },
    /// A session.
    Session(Box<ExportedSession>),
    /// An event of the session above.
    Event(Box<ExportedEvent>),
    /// Tokens of one response of the session above.
    Usage(ExportedUsage),
    /// The digest of the session above.
    Digest {
        /// Its events up to this seq are covered.
        analyzed_seq: u32,
        /// The digest.
        digest: Box<Digest>,
        /// The distiller's memory.
        state: String,
    },
    /// A signal of the session above.
    Signal(ExportedSignal),
    /// A closed stretch of the session above.
    Seal(ExportedSeal),
    /// A question of the session above, and the answer.
    Decision(Box<Decision>),
    /// A decision a hub recorded; it is of no session.
    HubDecision(Box<ExportedHubDecision>),
}

/// A session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExportedSession {
    /// `<flavor>:<native id>`.
    pub session_uid: String,
    /// The session that started this one.
    pub parent_session_uid: Option<String>,
    /// The session it began as a copy of.
    pub forked_from_uid: Option<String>,
    /// The session it carries on.
    pub continues_uid: Option<String>,
    /// The call that started it.
    pub parent_call_id: Option<String>,
    /// Name of the sub-agent.
    pub agent_name: Option<String>,
    /// Repository.
    pub repo: Option<String>,
    /// Project.
    pub project_key: Option<String>,
    /// Domain.
    pub domain: Option<String>,
    /// Working directory.
    pub cwd: Option<String>,
    /// Branch.
    pub git_branch: Option<String>,
    /// Models in order of first use.
    pub models: Vec<String>,
    /// Agent version.
    pub cli_version: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// How good the title is.
    pub title_rank: u8,
    /// First event, in milliseconds since 1970.
    pub started_at: Option<Timestamp>,
    /// Last event.
    pub ended_at: Option<Timestamp>,
    /// How it ended.
    pub outcome: Outcome,
    /// True when another session's cost includes this one's.
    pub cost_in_parent: bool,
    /// Work item.
    pub task_ref: Option<String>,
    /// Where it was read from.
    pub source_path: String,
    /// When its raw events left, if they did.
    pub evicted_at: Option<Timestamp>,
    /// The next free seq.
    pub next_seq: u32,
    /// Identities of chain-opening events, in hexadecimal.
    pub roots: Vec<String>,
    /// Identities of events that have left, in hexadecimal.
    pub departed: String,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportedEvent {
    /// Identity within the session, in hexadecimal.
    pub key: String,
    /// Place in the session.
    pub seq: u32,
    /// The event it follows.
    pub parent_seq: Option<u32>,
    /// The agent's own id.
    pub native_id: Option<String>,
    /// When, in milliseconds since 1970.
    pub ts: Option<Timestamp>,
    /// What.
    pub kind: String,
    /// Who.
    pub role: String,
    /// Tool or native record type.
    pub tool: Option<String>,
    /// Joins call and result.
    pub call_id: Option<String>,
    /// Short text.
    pub summary: String,
    /// Output tokens of the response it opens.
    pub tokens: u64,
    /// In a side conversation.
    pub is_sidechain: bool,
    /// Exit code.
    pub exit_code: Option<i32>,
    /// Duration.
    pub duration_ms: Option<u64>,
    /// Files.
    pub files: Vec<String>,
    /// The full content, where there is more than the summary.
    pub payload: Option<String>,
}

/// Tokens of one response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportedUsage {
    /// Identity over all sessions, in hexadecimal.
    pub key: String,
    /// When, in milliseconds since 1970.
    pub ts: Option<Timestamp>,
    /// Model.
    pub model: Option<String>,
    /// Uncached input.
    pub input_tokens: u64,
    /// Output, reasoning included.
    pub output_tokens: u64,
    /// Read from the cache.
    pub cache_read_tokens: u64,
    /// Written to the five-minute cache.
    pub cache_write_5m_tokens: u64,
    /// Written to the one-hour cache.
    pub cache_write_1h_tokens: u64,
    /// The part of the output that was reasoning.
    pub reasoning_tokens: u64,
    /// Money, if the agent stated it.
    pub usd: Option<f64>,
}

/// A signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedSignal {
    /// What was noticed.
    pub kind: String,
    /// Identity over all sessions, in hexadecimal.
    pub fingerprint: String,
    /// First event that shows it.
    pub seq: u32,
    /// Last one.
    pub last_seq: u32,
    /// When, in milliseconds since 1970.
    pub ts: Option<Timestamp>,
    /// How often.
    pub count: u32,
    /// What it says.
    pub what: String,
    /// The event after which it was gone.
    pub fix_seq: Option<u32>,
    /// What made it go away.
    pub fix: Option<String>,
    /// What was tried before.
    pub tried: Option<String>,
}

/// A closed stretch of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedSeal {
    /// Its number in the session.
    pub number: u32,
    /// The last event it covers.
    pub last_seq: u32,
    /// When it was made, in milliseconds since 1970.
    pub sealed_at: Timestamp,
    /// Why.
    pub reason: String,
    /// What it came to, in short.
    #[serde(rename = "abstract")]
    pub abstract_text: String,
    /// The same at length.
    pub overview: String,
}

/// A decision a hub recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedHubDecision {
    /// What it is called there.
    pub origin: String,
    /// Project.
    pub project: Option<String>,
    /// Repository.
    pub repo: Option<String>,
    /// The session it was made in, as the hub names it.
    pub session: Option<String>,
    /// Why it was decided so.
    pub rationale: Option<String>,
    /// What was decided.
    pub decision: Decision,
}

/// What `import --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Import {
    /// Sessions new to the archive.
    pub new_sessions: u64,
    /// Sessions that were known.
    pub known_sessions: u64,
    /// Sessions forgotten here; they stay so.
    pub forgotten_sessions: u64,
    /// Events new to the archive.
    pub new_events: u64,
    /// Events that were known.
    pub known_events: u64,
}

/// Bytes in hexadecimal.
pub fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Bytes from hexadecimal; nothing if it is none.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)
    };
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_round_trips() {
        let bytes = [0, 1, 0xab, 0xff];
        assert_eq!(to_hex(&bytes), "0001abff");
        assert_eq!(from_hex("0001abff").unwrap(), bytes);
        assert_eq!(from_hex("0"), None);
        assert_eq!(from_hex("+0"), None);
    }
}
