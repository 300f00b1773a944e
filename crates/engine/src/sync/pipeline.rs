//! Reading, redacting and writing overlap: drafts go through a few workers and reach the one
//! writer in the order they were read.

use super::draft::Draft;
use super::prepare::Preparer;
use backstory_model::Timestamp;
use backstory_store::{Chunk, StoreError, Writer};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Scope, ScopedJoinHandle};

/// Source bytes stored per transaction: large enough to be cheap, small enough to lose little.
const COMMIT_BYTES: u64 = 32 << 20;
/// Events stored per transaction.
const COMMIT_EVENTS: usize = 40_000;
/// Workers beyond this only wait for the reader.
const MAX_WORKERS: usize = 4;

enum Job {
    Draft(Box<Draft>),
    Settle(Sender<()>),
}

enum Ready {
    Chunk(Box<Chunk>),
    Settle(Sender<()>),
}

/// The way into the workers.
pub(crate) struct Pipeline {
    jobs: Sender<(u64, Job)>,
    next: AtomicU64,
}

impl Pipeline {
    /// Hands a draft on. Fails only after the writer failed.
    pub(crate) fn send(&self, draft: Draft) -> Result<(), StoreError> {
        self.submit(Job::Draft(Box::new(draft)))
    }

    /// Waits until everything sent so far is committed.
    pub(crate) fn settle(&self) -> Result<(), StoreError> {
        let (done, settled) = bounded(1);
        self.submit(Job::Settle(done))?;
        settled.recv().map_err(|_| stopped())
    }

    fn submit(&self, job: Job) -> Result<(), StoreError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
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
    (Pipeline { jobs, next: AtomicU64::new(0) }, handle)
}

fn work(todo: &Receiver<(u64, Job)>, ready: &Sender<(u64, Ready)>, preparer: &Preparer) {
    let mut worker = preparer.worker();
    for (number, job) in todo {
        let result = match job {
            Job::Draft(draft) => Ready::Chunk(Box::new(worker.prepare(*draft))),
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
                Ready::Chunk(chunk) => {
                    writer.apply(&chunk, now)?;
                    bytes += chunk.grown_bytes.unsigned_abs();
                    events += chunk.events.len();
                    secrets += chunk.secrets.len() as u64;
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
