//! The floors: what reading, parsing and storing cost at the least. Each runs in a process of its
//! own, so that its CPU time and memory can be told apart.

use super::extract::{Row, Taken};
use super::lines::{each_line, files, read_only};
use clap::{Args, ValueEnum};
use crossbeam_channel::{Receiver, Sender, bounded};
use fs_err as fs;
use rusqlite::Connection;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Payloads are compressed in blocks of this size, as the product does …
const BLOCK: usize = 128 * 1024;
/// … at this level.
const LEVEL: i32 = 1;
/// Source bytes of one transaction.
const COMMIT: u64 = 64_000_000;
/// Text handed to the writer at once.
const BATCH: usize = 4 << 20;

/// Which floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Reading the bytes.
    A,
    /// Parsing and taking the text.
    B,
    /// The same, compressed and stored with bare rows.
    C,
}

/// A floor to run.
#[derive(Args, Clone, Debug)]
pub struct StageOptions {
    /// Which one.
    #[arg(value_enum)]
    pub stage: Stage,
    /// The home directory to read.
    #[arg(long)]
    pub home: PathBuf,
    /// Where the third floor stores.
    #[arg(long)]
    pub store: Option<PathBuf>,
}

/// Runs a floor; prints bytes of text and rows.
pub fn run(options: &StageOptions) -> io::Result<()> {
    let files = files(&options.home)?;
    let mut buffer = Vec::new();
    let (text, rows) = match options.stage {
        Stage::A => {
            let mut total = 0;
            for (path, _) in &files {
                total += read_only(path, &mut buffer)?;
            }
            (total, 0)
        }
        Stage::B => {
            let (mut text, mut rows) = (0, 0);
            let mut taken = Taken::default();
            for (path, _) in &files {
                take(path, &mut buffer, &mut taken, &mut |taken| {
                    text += taken.text.len() as u64;
                    rows += taken.rows.len() as u64;
                    taken.text.clear();
                    taken.rows.clear();
                    true
                })?;
            }
            (text, rows)
        }
        Stage::C => {
            let store =
                options.store.as_deref().ok_or_else(|| io::Error::other("--store is missing"))?;
            store_all(&files, store)?
        }
    };
    writeln!(io::stdout(), "{text} {rows}")
}

/// Takes the conversation of a file; `full` is handed the text whenever there is enough of it.
fn take(
    path: &Path,
    buffer: &mut Vec<u8>,
    taken: &mut Taken,
    full: &mut impl FnMut(&mut Taken) -> bool,
) -> io::Result<()> {
    let name = path.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    // Logs beside the conversation, and one that repeats it.
    if ["events.jsonl", "chat_history.jsonl"].contains(&name) {
        return Ok(());
    }
    let extension = path.extension().unwrap_or_default();
    if extension == "jsonl" || extension == "zst" {
        each_line(path, buffer, &mut |line| {
            taken.line(line);
            if taken.text.len() >= BATCH {
                full(taken);
            }
        })?;
    } else if name.starts_with("rollout-") {
        taken.document(&fs::read(path)?);
    }
    full(taken);
    Ok(())
}

/// A stretch of one session on its way to the writer.
struct Batch {
    session: u32,
    source_bytes: u64,
    taken: Taken,
}

fn store_all(files: &[(PathBuf, u64)], store: &Path) -> io::Result<(u64, u64)> {
    fs::create_dir_all(store)?;
    let (to_writer, batches) = bounded(4);
    let (to_reader, empty) = bounded(8);
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || write_all(store, &batches, &to_reader));
        let (mut buffer, mut taken) = (Vec::new(), Taken::default());
        for (session, (path, size)) in files.iter().enumerate() {
            let mut size = *size;
            take(path, &mut buffer, &mut taken, &mut |taken| {
                let next: Taken = empty.try_recv().unwrap_or_default();
                let batch = Batch {
                    session: session as u32,
                    source_bytes: std::mem::take(&mut size),
                    taken: std::mem::replace(taken, next),
                };
                // The writer ends early only with an error, which is reported below.
                to_writer.send(batch).is_ok()
            })?;
        }
        drop(to_writer);
        writer.join().map_err(|_| io::Error::other("the writer thread ended badly"))?
    })
}

fn write_all(
    store: &Path,
    batches: &Receiver<Batch>,
    done: &Sender<Taken>,
) -> io::Result<(u64, u64)> {
    let mut sink = Sink::open(store).map_err(io::Error::other)?;
    while let Ok(mut batch) = batches.recv() {
        sink.add(&batch).map_err(io::Error::other)?;
        batch.taken.text.clear();
        batch.taken.rows.clear();
        // The reader makes a new buffer when this queue is full or gone.
        let _ = done.try_send(batch.taken);
    }
    sink.finish().map_err(io::Error::other)
}

/// The pack and the database.
struct Sink {
    database: Connection,
    pack: fs::File,
    compressor: zstd::bulk::Compressor<'static>,
    block: Vec<u8>,
    packed: Vec<u8>,
    blocks: u32,
    seq: u64,
    session: u32,
    since_commit: u64,
    text: u64,
    rows: u64,
}

type AnyResult<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

impl Sink {
    #[expect(clippy::disallowed_methods, reason = "the floor's own database, not the product's")]
    fn open(store: &Path) -> AnyResult<Self> {
        let database = Connection::open(store.join("rows.db"))?;
        database.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32768;
             CREATE TABLE row(session INTEGER, seq INTEGER, ts INTEGER, kind INTEGER,
                              block INTEGER, offset INTEGER, len INTEGER,
                              PRIMARY KEY(session, seq)) WITHOUT ROWID;
             BEGIN;",
        )?;
        Ok(Self {
            database,
            pack: fs::File::create(store.join("pack"))?,
            compressor: zstd::bulk::Compressor::new(LEVEL)?,
            block: Vec::with_capacity(BLOCK),
            packed: Vec::with_capacity(zstd::zstd_safe::compress_bound(BLOCK)),
            blocks: 0,
            seq: 0,
            session: 0,
            since_commit: 0,
            text: 0,
            rows: 0,
        })
    }

    fn add(&mut self, batch: &Batch) -> AnyResult<()> {
        if batch.session != self.session {
            self.session = batch.session;
            self.seq = 0;
        }
        let mut from = 0;
        for row in &batch.taken.rows {
            self.row(row)?;
            let mut text = &batch.taken.text.as_bytes()[from..from + row.len as usize];
            from += row.len as usize;
            while !text.is_empty() {
                let part = text.len().min(BLOCK - self.block.len());
                self.block.extend_from_slice(&text[..part]);
                text = &text[part..];
                if self.block.len() == BLOCK {
                    self.flush()?;
                }
            }
        }
        self.text += from as u64;
        self.rows += batch.taken.rows.len() as u64;
        self.since_commit += batch.source_bytes;
        if self.since_commit >= COMMIT {
            self.since_commit = 0;
            self.database.execute_batch("COMMIT; BEGIN;")?;
        }
        Ok(())
    }

    fn row(&mut self, row: &Row) -> AnyResult<()> {
        let mut insert =
            self.database.prepare_cached("INSERT INTO row VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
        insert.execute((
            self.session,
            self.seq as i64,
            row.time,
            row.kind,
            self.blocks,
            self.block.len() as i64,
            row.len,
        ))?;
        self.seq += 1;
        Ok(())
    }

    fn flush(&mut self) -> AnyResult<()> {
        self.packed.clear();
        self.compressor.compress_to_buffer(&self.block, &mut self.packed)?;
        self.pack.write_all(&(self.packed.len() as u32).to_le_bytes())?;
        self.pack.write_all(&self.packed)?;
        self.block.clear();
        self.blocks += 1;
        Ok(())
    }

    fn finish(mut self) -> AnyResult<(u64, u64)> {
        self.flush()?;
        self.database.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE);")?;
        Ok((self.text, self.rows))
    }
}
