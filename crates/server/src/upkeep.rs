//! What the server does unasked: seal sessions nothing is heard of any more, and have a sweep take in what was
//! sealed. Nothing of what is left to do is kept in memory: it stands in the files of the sessions.

use crate::refusal::Refusal;
use crate::service::Service;
use backstory_engine::SyncError;
use backstory_engine::documents::refresh;
use backstory_engine::live::{Knobs, SealChoice, SealOptions, pending};
use backstory_engine::pushed::{Sealed, Unasked, owed};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Seals that come together are taken in together.
const TOGETHER: Duration = Duration::from_secs(2);
/// After a sweep that could not be done, nobody tries again at once.
const PAUSE: Duration = Duration::from_secs(20);

/// When the files of sessions were last written to, and from when on they are to be looked at if nobody writes
/// again: reading them all at every look would cost more the more there are.
type Settled = HashMap<String, (i64, i64)>;

/// Works until told to stop.
pub(crate) async fn upkeep(service: Arc<Service>, mut stop: watch::Receiver<bool>) {
    let mut settled = Settled::new();
    let mut look = Instant::now();
    // A server before this one may have ended before it took in what it sealed.
    let mut sweep = is_any_owed(Arc::clone(&service)).await.then(Instant::now);
    loop {
        let next = sweep.map_or(look, |sweep| sweep.min(look));
        tokio::select! {
            _ = stop.changed() => return,
            () = service.sealed.notified() => {
                sweep.get_or_insert(Instant::now() + TOGETHER);
            }
            () = sleep_until(next) => {
                if Instant::now() >= look {
                    settled = seal_idle(Arc::clone(&service), settled).await;
                    look = Instant::now() + service.options.look;
                    refresh_documents(Arc::clone(&service)).await;
                    if is_any_live_due(Arc::clone(&service)).await {
                        sweep.get_or_insert_with(Instant::now);
                    }
                }
                if sweep.is_some_and(|due| Instant::now() >= due) {
                    let done = sweep_now(Arc::clone(&service)).await;
                    sweep = (!done).then(|| Instant::now() + PAUSE);
                }
            }
        }
    }
}

/// Seals what has been idle for long enough.
async fn seal_idle(service: Arc<Service>, settled: Settled) -> Settled {
    let work = service.blocking(move |service| Ok(idle(service, &settled)));
    // Without an answer everything is looked at again.
    work.await.unwrap_or_default()
}

fn idle(service: &Service, settled: &Settled) -> Settled {
    let now = service.now();
    let mut still = Settled::new();
    for (id, written) in service.journal.list() {
        let known = settled.get(&id).filter(|known| known.0 == written && now.0 < known.1);
        if let Some(known) = known {
            still.insert(id, *known);
            continue;
        }
        // What cannot be read is tried again by the next look.
        let Ok(Some(standing)) = service.journal.standing(&id) else { continue };
        let due = Unasked::of(standing.policy.as_deref()).due(written, service.options.idle);
        if now.0 < due {
            still.insert(id, (written, due));
            continue;
        }
        match service.journal.seal(&id, 0, "idle", now) {
            Ok(Sealed::Done(..)) => service.was_sealed(),
            Ok(Sealed::Skipped(..)) => {
                still.insert(id, (written, i64::MAX));
            }
            // The next look tries again.
            Err(_) => {}
        }
    }
    still
}

/// Copies watched documents again.
async fn refresh_documents(service: Arc<Service>) {
    let work = service.blocking(|service| Ok(refresh(&service.archive().home, service.now())?));
    // Which could not be copied stands beside each watch.
    let _ = work.await;
}

/// True if something was sealed here and not in the archive.
async fn is_any_owed(service: Arc<Service>) -> bool {
    let work = service.blocking(|service| Ok(!owed(&service.archive().home)?.is_empty()));
    // Whoever cannot be asked is asked by a sweep.
    work.await.unwrap_or(true)
}

/// True if hooks told of a session that is to be sealed, or of none of its turns for too long.
async fn is_any_live_due(service: Arc<Service>) -> bool {
    let work = service.blocking(|service| {
        Ok(!pending(&service.archive().home, service.now(), &knobs(service)).is_empty())
    });
    work.await.unwrap_or_default()
}

fn knobs(service: &Service) -> Knobs {
    service.options.sync.seal.as_ref().map(|seal| seal.knobs).unwrap_or_default()
}

/// True if what was sealed is in the archive now, or nobody wants it there.
async fn sweep_now(service: Arc<Service>) -> bool {
    if !service.options.sweeps {
        return true;
    }
    let done = service.blocking(|service| {
        match &service.options.take_in {
            Some(take_in) => take_in().map_err(Refusal::for_now)?,
            None => take_in(service)?,
        }
        service.metrics.sweeps.inc();
        Ok(())
    });
    done.await.is_ok()
}

/// Sweeps, and seals in the archive what was sealed here and what hooks left to be sealed.
fn take_in(service: &Service) -> Result<(), SyncError> {
    let seal = SealOptions { knobs: knobs(service), choice: SealChoice::Pending };
    backstory_engine::commit(&service.options.sync, &seal, service.now(), &mut |_| ()).map(|_| ())
}
