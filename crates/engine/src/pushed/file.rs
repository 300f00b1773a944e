//! The file of one pushed session: appended to in one write per request, read back as counts.
//!
//! A killed process may leave a torn last line. It was never acknowledged; the next append cuts it off.

use super::replay::{Memory, Print};
use backstory_adapters::pushed::{Line, Policy, Seal};
use backstory_store::{create_private_dir, private_file};
use fs_err::File;
use serde::Deserialize;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;

/// What is known of a session without holding its messages.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Bytes of whole lines.
    pub(super) len: u64,
    /// The id the plugin chose; empty while there is no line.
    pub(super) id: String,
    pub(super) created_at: i64,
    /// When the last message happened.
    pub(super) last_at: i64,
    pub(super) memory: Memory,
    /// Tokens of each message that is not sealed.
    pub(super) open: VecDeque<u32>,
    pub(super) tokens: u64,
    pub(super) seals: u32,
    pub(super) sealed: u64,
    /// How many messages the last seal left open.
    pub(super) keep: u64,
    pub(super) policy: Option<String>,
}

impl Counts {
    pub(super) fn messages(&self) -> u64 {
        self.memory.len() as u64
    }

    /// Tokens the next seal would close.
    pub(super) fn pending_tokens(&self) -> u64 {
        let closed = self.open.len().saturating_sub(self.keep as usize);
        self.open.iter().take(closed).map(|tokens| u64::from(*tokens)).sum()
    }

    fn take(&mut self, line: Skimmed) {
        match line {
            Skimmed::Session(opening) => {
                (self.id, self.created_at) = (opening.id, opening.at);
            }
            Skimmed::Message(message) => {
                self.memory.add(message.print());
                self.open.push_back(message.tokens);
                self.tokens += u64::from(message.tokens);
                self.last_at = self.last_at.max(message.at);
            }
            Skimmed::Seal(seal) => {
                let newly = seal.through.saturating_sub(self.sealed) as usize;
                self.open.drain(..newly.min(self.open.len()));
                (self.seals, self.sealed) = (seal.number, seal.through.max(self.sealed));
                self.keep = seal.keep;
            }
            Skimmed::Policy(policy) => self.policy = Some(policy.json),
            Skimmed::Other => {}
        }
    }
}

/// A line without its texts.
enum Skimmed {
    Session(backstory_adapters::pushed::Opening),
    Message(SkimmedMessage),
    Seal(SkimmedSeal),
    Policy(Policy),
    Other,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SkimmedMessage {
    at: i64,
    key: u64,
    sure: bool,
    told: bool,
    tokens: u32,
}

impl SkimmedMessage {
    fn print(&self) -> Print {
        let stamp = if self.told { self.at } else { 0 };
        Print { key: self.key, sure: self.sure, stamp }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SkimmedSeal {
    number: u32,
    through: u64,
    keep: u64,
}

fn skim(line: &[u8]) -> Skimmed {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Known {
        Session(backstory_adapters::pushed::Opening),
        Message(SkimmedMessage),
        Seal(SkimmedSeal),
        Policy(Policy),
    }
    match serde_json::from_slice(line) {
        Ok(Known::Session(opening)) => Skimmed::Session(opening),
        Ok(Known::Message(message)) => Skimmed::Message(message),
        Ok(Known::Seal(seal)) => Skimmed::Seal(seal),
        Ok(Known::Policy(policy)) => Skimmed::Policy(policy),
        // A newer version's line, or damage: the messages around it are still good.
        Err(_) => Skimmed::Other,
    }
}

/// Hands every whole line of a file to `each`; the result is how many bytes they take.
pub(super) fn for_each_line(
    file: &File,
    mut each: impl FnMut(&[u8]) -> io::Result<bool>,
) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(64 << 10, file);
    reader.seek(SeekFrom::Start(0))?;
    let (mut len, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            return Ok(len);
        }
        len += read as u64;
        if !each(&line)? {
            return Ok(len);
        }
    }
}

/// Opens a file to read; nothing if there is none.
pub(super) fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Counts what a file holds.
pub(super) fn count(file: &File) -> io::Result<Counts> {
    let mut counts = Counts::default();
    counts.len = for_each_line(file, |line| {
        counts.take(skim(line));
        Ok(true)
    })?;
    Ok(counts)
}

/// A file open for appending, which no other process appends to meanwhile.
pub(super) struct Appending {
    file: File,
}

impl Appending {
    /// Opens and locks the file, creating it if need be, and brings the counts up to date.
    pub(super) fn begin(path: &Path, counts: &mut Counts) -> io::Result<Self> {
        let file = loop {
            let file = opened(path)?;
            file.file().lock()?;
            // While we waited for the lock somebody may have removed it.
            if is_there(&file)? {
                break file;
            }
        };
        let len = file.metadata()?.len();
        if len != counts.len {
            *counts = count(&file)?;
            if len > counts.len {
                file.set_len(counts.len)?;
            }
        }
        Ok(Self { file })
    }

    /// Writes lines at once. They are in the hands of the system when this returns: a killed process
    /// loses nothing of them, a power cut may lose the last seconds.
    pub(super) fn write(&mut self, lines: &[Line], counts: &mut Counts) -> io::Result<()> {
        let mut bytes = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut bytes, line)?;
            bytes.push(b'\n');
        }
        self.file.seek(SeekFrom::Start(counts.len))?;
        if let Err(error) = self.file.write_all(&bytes) {
            // Half a line must not stand before the next one; if it cannot go now, the next append
            // cuts it off.
            let _ = self.file.set_len(counts.len);
            return Err(error);
        }
        counts.len += bytes.len() as u64;
        for line in lines {
            counts.take(skimmed(line));
        }
        Ok(())
    }

    /// Forces everything to the disk.
    pub(super) fn settle(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

fn opened(path: &Path) -> io::Result<File> {
    match private_file().open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if let Some(folder) = path.parent() {
                create_private_dir(folder)?;
            }
            private_file().open(path)
        }
        opened => opened,
    }
}

#[cfg(unix)]
fn is_there(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() > 0)
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_there(_file: &File) -> io::Result<bool> {
    Ok(true)
}

fn skimmed(line: &Line) -> Skimmed {
    match line {
        Line::Session(opening) => Skimmed::Session(opening.clone()),
        Line::Message(message) => Skimmed::Message(SkimmedMessage {
            at: message.at,
            key: message.key,
            sure: message.sure,
            told: message.told,
            tokens: message.tokens,
        }),
        Line::Seal(Seal { number, through, keep, .. }) => {
            Skimmed::Seal(SkimmedSeal { number: *number, through: *through, keep: *keep })
        }
        Line::Policy(policy) => Skimmed::Policy(policy.clone()),
    }
}
