//! Threads that keep the archive and its index open for questions: opening them takes longer than most
//! answers. What changed is opened anew, and what nobody asks for is closed, so that files which were
//! removed give their room back.

use crate::refusal::Refusal;
use crate::shared_index::SharedIndex;
use backstory_engine::search::Searcher;
use backstory_engine::{Archive, SyncError};
use backstory_store::{StoreError, Vault};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Questions that may wait.
const WAITING: usize = 512;
/// What nobody asked for so long is closed.
const IDLE: Duration = Duration::from_secs(10);
/// Each holds an archive open; more of them than processors only take memory.
const MOST_THREADS: usize = 4;

/// An archive and its index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened<'a> {
    pub(crate) vault: &'a Vault,
    pub(crate) searcher: &'a Searcher<'a>,
}

/// Nothing is open while nothing was taken in.
type Found<'a> = Result<Option<Opened<'a>>, Refusal>;
/// Answers a question; false if what is open should not be trusted any more.
type Job = Box<dyn for<'a> FnOnce(Found<'a>) -> bool + Send>;

/// The way to the threads.
#[derive(Debug)]
pub(crate) struct Readers {
    jobs: SyncSender<Job>,
}

impl Readers {
    /// Starts the threads; they end with this.
    pub(crate) fn new(archive: &Archive) -> Self {
        let (jobs, waiting) = sync_channel(WAITING);
        let waiting = Arc::new(Mutex::new(waiting));
        let index = Arc::new(SharedIndex::default());
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        for _ in 0..threads.clamp(2, MOST_THREADS) {
            let (archive, waiting) = (archive.clone(), Arc::clone(&waiting));
            let index = Arc::clone(&index);
            let thread = std::thread::Builder::new().name("reader".to_owned());
            // A system that gives no thread leaves the others to answer; without any, nobody does.
            let _ = thread.spawn(move || work(&archive, &index, &waiting));
        }
        Self { jobs }
    }

    /// Asks a question; it is told nothing where nothing was taken in.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl for<'a> FnOnce(Option<Opened<'a>>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |found: Found<'_>| {
            let result = found.and_then(question);
            let is_well = result.is_ok();
            // Whoever asked may have left.
            let _ = answer.send(result);
            is_well
        });
        let full = |_| Refusal::for_now("too many questions at once; try again");
        self.jobs.try_send(job).map_err(full)?;
        answered.await.map_err(|_| Refusal::internal("the question could not be answered"))?
    }
}

/// What the next job is.
enum Next {
    Job(Job),
    /// Nobody asks just now.
    Nothing,
    /// Nobody will ask.
    End,
}

fn next(jobs: &Mutex<Receiver<Job>>, wait: Option<Duration>) -> Next {
    let jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
    match wait {
        None => jobs.recv().map_or(Next::End, Next::Job),
        Some(wait) => jobs.recv_timeout(wait).map_or(Next::Nothing, Next::Job),
    }
}

fn work(archive: &Archive, index: &SharedIndex, jobs: &Mutex<Receiver<Job>>) {
    while let Next::Job(job) = next(jobs, None) {
        answer_from(archive, index, job, jobs);
    }
}

/// Opens the archive and answers as long as it can be trusted and somebody asks.
fn answer_from(archive: &Archive, index: &SharedIndex, first: Job, jobs: &Mutex<Receiver<Job>>) {
    let vault = match Vault::open(&archive.home) {
        Ok(vault) => vault,
        Err(error) => {
            let is_missing = matches!(error, StoreError::Missing(_));
            run(first, if is_missing { Ok(None) } else { Err(error.into()) });
            return;
        }
    };
    let mut job = first;
    loop {
        let searcher = index.of(archive, &vault).and_then(|index| Searcher::on(&vault, index));
        let is_well = match searcher {
            Ok(searcher) => run(job, Ok(Some(Opened { vault: &vault, searcher: &searcher }))),
            Err(SyncError::NoIndex) => run(job, Ok(None)),
            Err(error) => {
                run(job, Err(error.into()));
                false
            }
        };
        if !is_well {
            return index.close();
        }
        match next(jobs, Some(IDLE)) {
            Next::Job(later) => job = later,
            Next::Nothing | Next::End => return index.close(),
        }
    }
}

/// A question that panics is one without an answer, and no more.
fn run(job: Job, found: Found<'_>) -> bool {
    catch_unwind(AssertUnwindSafe(|| job(found))).unwrap_or(false)
}
