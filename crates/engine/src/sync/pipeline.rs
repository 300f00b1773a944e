//! Reading, redacting and writing overlap: drafts go through a few workers and reach the one
//! writer in the order they were read.

use super::draft::Draft;
use super::prepare::Preparer;
use backstory_model::Timestamp;
use backstory_store::{Chunk, StoreError, Writer};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::thread::{Scope, ScopedJoinHandle};

/// Source bytes stored per transaction: large enough to be cheap, small enough to lose little.
const COMMIT_BYTES: u64 = 16 << 20;
/// Events stored per transaction.
const COMMIT_EVENTS: usize = 20_000;
/// Text of small drafts that travels together.
const TOGETHER_BYTES: usize = 512 << 10;
/// Drafts that travel together.
const TOGETHER_DRAFTS: usize = 64;
/// Workers beyond this only wait for the reader.
const MAX_WORKERS: usize = 4;

enum Job {
    Drafts(Vec<Draft>),
    Settle(Sender<()>),
}

enum Ready {
    Chunks(Vec<Chunk>),
    Settle(Sender<()>),
}

/// The way into the workers.
pub(crate) struct Pipeline {
    jobs: Sender<(u64, Job)>,
    next: Cell<u64>,
    /// Small drafts travel together: waking a worker costs more than a small file is worth.
    waiting: RefCell<Vec<Draft>>,
    waiting_bytes: Cell<usize>,
}

impl Pipeline {
    /// Hands a draft on. Fails only after the writer failed.
    pub(crate) fn send(&self, draft: Draft) -> Result<(), StoreError> {
        self.waiting_bytes.set(self.waiting_bytes.get() + draft.batch.text_len());
        let mut waiting = self.waiting.borrow_mut();
        waiting.push(draft);
        let full = self.waiting_bytes.get() >= TOGETHER_BYTES || waiting.len() >= TOGETHER_DRAFTS;
        drop(waiting);
        if full { self.flush() } else { Ok(()) }
    }

    /// Sends on what is still waiting for company.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        self.waiting_bytes.set(0);
        let drafts = self.waiting.take();
        if drafts.is_empty() { Ok(()) } else { self.submit(Job::Drafts(drafts)) }
    }

    /// Waits until everything sent so far is committed.
    pub(crate) fn settle(&self) -> Result<(), StoreError> {
        self.flush()?;
        let (done, settled) = bounded(1);
        self.submit(Job::Settle(done))?;
        settled.recv().map_err(|_| stopped())
    }

    fn submit(&self, job: Job) -> Result<(), StoreError> {
        let number = self.next.replace(self.next.get() + 1);
        self.jobs.send((number, job)).map_err(|_| stopped())
    }
}

fn stopped() -> StoreError {
    StoreError::Io(std::io::Error::other("the writer of the sweep has stopped"))
}

/// What the writer hands back: itself, to finish with, and how many secrets were replaced.
pub(crate) type Written = Result<(Writer, u64), StoreError>;

/// Starts workers and writer; they end when the pipeline is dropped.
pub(crate) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    writer: Writer,
    preparer: &'scope Preparer,
    now: Timestamp,
) -> (Pipeline, ScopedJoinHandle<'scope, Written>) {
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(MAX_WORKERS);
    let (jobs, todo) = bounded::<(u64, Job)>(workers);
    let (ready, done) = bounded::<(u64, Ready)>(workers);
    for _ in 0..workers {
        let (todo, ready) = (todo.clone(), ready.clone());
        scope.spawn(move || work(&todo, &ready, preparer));
    }
    let handle = scope.spawn(move || write(writer, &done, now));
    let pipeline = Pipeline {
        jobs,
        next: Cell::new(0),
        waiting: RefCell::default(),
        waiting_bytes: Cell::new(0),
    };
    (pipeline, handle)
}

fn work(todo: &Receiver<(u64, Job)>, ready: &Sender<(u64, Ready)>, preparer: &Preparer) {
    let mut worker = preparer.worker();
    for (number, job) in todo {
        let result = match job {
            Job::Drafts(drafts) => {
                Ready::Chunks(drafts.into_iter().map(|draft| worker.prepare(draft)).collect())
            }
            Job::Settle(done) => Ready::Settle(done),
        };
        if ready.send((number, result)).is_err() {
            return;
        }
    }
}

fn write(mut writer: Writer, done: &Receiver<(u64, Ready)>, now: Timestamp) -> Written {
    let mut waiting = BTreeMap::new();
    let (mut next, mut bytes, mut events, mut secrets) = (0_u64, 0_u64, 0_usize, 0_u64);
    for (number, ready) in done {
        waiting.insert(number, ready);
        while let Some(ready) = waiting.remove(&next) {
            next += 1;
            match ready {
                Ready::Chunks(chunks) => {
                    for chunk in chunks {
                        writer.apply(&chunk, now)?;
                        bytes += chunk.grown_bytes.unsigned_abs();
                        events += chunk.events.len();
                        secrets += chunk.secrets.len() as u64;
                    }
                    if bytes >= COMMIT_BYTES || events >= COMMIT_EVENTS {
                        writer.commit()?;
                        (bytes, events) = (0, 0);
                    }
                }
                Ready::Settle(settled) => {
                    writer.commit()?;
                    // The reader may have given up waiting; that is its own affair.
                    let _ = settled.send(());
                }
            }
        }
    }
    writer.commit()?;
    Ok((writer, secrets))
}
