//! What all requests share: the archive, pushed sessions, counters, the clock.

use crate::mcp::Desk;
use crate::metrics::Metrics;
use crate::projects::Projects;
use crate::readers::Readers;
use crate::refusal::Refusal;
use crate::told::Told;
use backstory_engine::pushed::{Journal, Limits};
use backstory_engine::{Archive, SyncOptions};
use backstory_model::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};

/// Requests that may wait for the disk or the archive at the same time.
const AT_ONCE: usize = 64;

/// Takes in what is new and seals what waits, or tells why that could not be done now.
pub type TakeIn = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// How the server works.
#[derive(Clone)]
pub struct Options {
    /// The archive, and what a sweep takes in: what was posted is made part of it.
    pub sync: SyncOptions,
    /// What askers must show; nothing if everybody on this machine may ask.
    pub key: Option<String>,
    /// What the tools of the Model Context Protocol work with, the clock among it.
    pub desk: Desk,
    /// A request takes no longer, nor do its headers before it begins.
    pub timeout: Duration,
    /// A body has no more bytes.
    pub body_bytes: usize,
    /// A pushed session nothing was heard of for so long is sealed.
    pub idle: Duration,
    /// How often that is looked at.
    pub look: Duration,
    /// What was sealed is taken into the archive by a sweep.
    pub sweeps: bool,
    /// What runs that sweep; this process, if there is nothing else.
    pub take_in: Option<TakeIn>,
    /// What pushed sessions may take.
    pub limits: Limits,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is nobody's business.
        f.debug_struct("Options").field("needs_key", &self.key.is_some()).finish_non_exhaustive()
    }
}

impl Options {
    /// The usual.
    pub fn new(sync: SyncOptions, key: Option<String>, desk: Desk) -> Self {
        Self {
            sync,
            key,
            desk,
            timeout: Duration::from_secs(30),
            // A hundred messages with the longest tool texts plugins send are not much less.
            body_bytes: 64 << 20,
            idle: Duration::from_mins(30),
            look: Duration::from_secs(30),
            sweeps: true,
            take_in: None,
            limits: Limits::default(),
        }
    }
}

/// What all requests share.
#[derive(Debug)]
pub struct Service {
    pub(crate) options: Options,
    pub(crate) journal: Journal,
    pub(crate) metrics: Metrics,
    pub(crate) told: Told,
    pub(crate) projects: Projects,
    pub(crate) readers: Readers,
    /// There is something sealed that is not in the archive yet.
    pub(crate) sealed: Notify,
    gate: Arc<Semaphore>,
}

impl Service {
    /// Nothing is opened before the first request.
    pub fn new(options: Options) -> Arc<Self> {
        let journal = Journal::new(options.sync.archive.home.clone(), options.limits);
        Arc::new(Self {
            readers: Readers::new(&options.sync.archive),
            options,
            journal,
            metrics: Metrics::new(),
            told: Told::default(),
            projects: Projects::default(),
            sealed: Notify::new(),
            gate: Arc::new(Semaphore::new(AT_ONCE)),
        })
    }

    pub(crate) fn archive(&self) -> &Archive {
        &self.options.sync.archive
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.options.desk.clock)()
    }

    /// Notes that a stretch of a session was closed.
    pub(crate) fn was_sealed(&self) {
        self.metrics.sealed.inc();
        self.sealed.notify_one();
    }

    /// Does work that waits for the disk or the archive. It comes to its end even if the asker leaves.
    pub(crate) async fn blocking<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let permit = Arc::clone(&self.gate).acquire_owned().await;
        let permit = permit.map_err(|_| Refusal::for_now("the server is ending"))?;
        let worked = tokio::task::spawn_blocking(move || {
            // Held by the work and not by the asker.
            let _permit = permit;
            work(&self)
        });
        worked.await.map_err(|_| {
            Refusal::internal("the request could not be worked on; see the server's messages")
        })?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::Handing;
    use std::path::Path;
    use std::sync::mpsc::channel;

    fn service(dir: &Path) -> Arc<Service> {
        let archive = Archive::indexed_at_home(backstory_store_sqlite::home(dir));
        let desk = Desk {
            archive: archive.clone(),
            clock: Arc::new(|| Timestamp(0)),
            read_moment: Arc::new(|_, _, _| None),
            project: None,
            handing: Handing::Paths,
            commit: None,
        };
        Service::new(Options::new(SyncOptions::new(archive, Vec::new()), None, desk))
    }

    #[tokio::test]
    async fn work_nobody_waits_for_still_counts() {
        let dir = tempfile::tempdir().unwrap();
        let service = service(dir.path());
        let (begun, has_begun) = channel();
        let (end, ended) = channel::<()>();
        let asked = Arc::clone(&service).blocking(move |_| {
            begun.send(()).unwrap();
            let _ = ended.recv();
            Ok(())
        });
        let asked = tokio::spawn(asked);
        tokio::task::spawn_blocking(move || has_begun.recv().unwrap()).await.unwrap();
        asked.abort();
        assert!(asked.await.unwrap_err().is_cancelled());
        assert_eq!(service.gate.available_permits(), AT_ONCE - 1);
        drop(end);
        while service.gate.available_permits() < AT_ONCE {
            tokio::task::yield_now().await;
        }
    }
}
