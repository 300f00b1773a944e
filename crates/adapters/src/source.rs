//! What a claimed file is and when it is read.

/// How the bytes of a file are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// One record per line, appended to.
    Lines,
    /// The same, zstd-compressed; read from the start whenever it changed.
    ZstdLines,
    /// One record for the whole file; read again whenever it changed.
    Document,
}

/// An adapter's claim on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// How to read it.
    pub form: Form,
    /// What the file is to its adapter, e.g. `transcript`, `subagent`, `meta`, `updates`.
    pub role: &'static str,
    /// True for files that must yield conversation: an empty yield is an alarm.
    pub is_transcript: bool,
    /// Files of a lower phase are read first, over the whole sweep.
    pub phase: u8,
    /// Chronological sort key within the phase where the name gives one (Codex file stem, Grok
    /// session directory); otherwise the file's age decides.
    pub group: Option<String>,
    /// Order among files of one group.
    pub rank: u8,
    /// Name of a file beside it that tells the same better. A young file waits for that one, which its
    /// agent may be about to write.
    pub better: Option<&'static str>,
}

impl Claim {
    /// A transcript in the first phase, ordered by age.
    pub fn transcript(form: Form, role: &'static str) -> Self {
        Self { form, role, is_transcript: true, phase: 0, group: None, rank: 0, better: None }
    }

    /// A small file beside a transcript that completes what is known about a session.
    pub fn sidecar(form: Form, role: &'static str) -> Self {
        Self { form, role, is_transcript: false, phase: 2, group: None, rank: 0, better: None }
    }
}
