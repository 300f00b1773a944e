//! Threads that keep the archive and its index open for questions: opening them takes longer than most
//! answers. What changed is opened anew, and what nobody asks for is closed, so that files which were
//! removed give their room back.

use crate::refusal::Refusal;
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
/// Each holds an index open; more of them than processors only take memory.
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
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        for _ in 0..threads.clamp(2, MOST_THREADS) {
            let (archive, waiting) = (archive.clone(), Arc::clone(&waiting));
            let thread = std::thread::Builder::new().name("reader".to_owned());
            // A system that gives no thread leaves the others to answer; without any, nobody does.
            let _ = thread.spawn(move || work(&archive, &waiting));
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

fn work(archive: &Archive, jobs: &Mutex<Receiver<Job>>) {
    let mut left: Option<Job> = None;
    loop {
        let job = match left.take() {
            Some(job) => job,
            None => match next(jobs, None) {
                Next::Job(job) => job,
                Next::Nothing => continue,
                Next::End => return,
            },
        };
        left = answer_from(archive, job, jobs);
    }
}

/// Opens the archive and answers as long as nothing changes in it; the job that met a change is left.
fn answer_from(archive: &Archive, first: Job, jobs: &Mutex<Receiver<Job>>) -> Option<Job> {
    let vault = match Vault::open(&archive.home) {
        Ok(vault) => vault,
        Err(error) => {
            let is_missing = matches!(error, StoreError::Missing(_));
            run(first, if is_missing { Ok(None) } else { Err(error.into()) });
            return None;
        }
    };
    let state = || vault.index_state().ok().flatten();
    let opened = state();
    let searcher = match Searcher::open(&vault, &*archive.index) {
        Ok(searcher) => searcher,
        Err(error) => {
            let is_missing = matches!(error, SyncError::NoIndex);
            run(first, if is_missing { Ok(None) } else { Err(error.into()) });
            return None;
        }
    };
    let mut job = first;
    loop {
        if !run(job, Ok(Some(Opened { vault: &vault, searcher: &searcher }))) {
            return None;
        }
        match next(jobs, Some(IDLE)) {
            Next::Job(later) if state() == opened => job = later,
            Next::Job(later) => return Some(later),
            Next::Nothing | Next::End => return None,
        }
    }
}

/// A question that panics is one without an answer, and no more.
fn run(job: Job, found: Found<'_>) -> bool {
    catch_unwind(AssertUnwindSafe(|| job(found))).unwrap_or(false)
}
