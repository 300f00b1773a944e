//! How far each source file has been read, and how a changed file is told from a grown one.

use backstory_model::Timestamp;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The key a source is stored under.
pub fn path_key(path: &Path) -> i64 {
    xxh3_64(path.as_os_str().as_encoded_bytes()) as i64
}

/// What `stat` says, as far as a sweep compares it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceStat {
    /// Length in bytes.
    pub size: u64,
    /// Modification time.
    pub mtime_ns: i64,
    /// File number on its device.
    pub inode: u64,
    /// Device.
    pub dev: u64,
}

/// The stored state of one source file.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// Row id; 0 for a file never read.
    pub id: i64,
    /// Hash of the path.
    pub path_key: i64,
    /// The path, secrets redacted.
    pub path: String,
    /// Agent family.
    pub flavor: &'static str,
    /// What the file is to its adapter.
    pub role: String,
    /// True if it must yield conversation.
    pub is_transcript: bool,
    /// As last seen.
    pub stat: SourceStat,
    /// Bytes consumed, up to the end of the last complete line.
    pub offset: u64,
    /// Lines consumed.
    pub lines: u64,
    /// Hash of the first bytes.
    pub head_print: i64,
    /// Hash of the bytes before `offset`.
    pub tail_print: i64,
    /// The reader's own memory.
    pub state: Vec<u8>,
    /// The session it mainly belongs to.
    pub session_id: Option<i64>,
    /// Conversation events it yielded, copies included.
    pub messages: u64,
    /// Records that could not be read.
    pub bad: u64,
    /// Records of unknown type.
    pub unknown: u64,
    /// Why it could not be read the last time.
    pub problem: Option<String>,
    /// When it was last read.
    pub read_at: Option<Timestamp>,
}
