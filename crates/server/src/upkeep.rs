//! What the server does unasked: seal pushed sessions nothing is heard of any more, and have a sweep take
//! in what was sealed.

use crate::service::Service;
use backstory_engine::SyncError;
use backstory_engine::live::{SealChoice, SealOptions};
use backstory_engine::pushed::Sealed;
use backstory_model::SessionUid;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Seals that come together are taken in together.
const TOGETHER: Duration = Duration::from_secs(2);
/// After a sweep that could not be done, nobody tries again at once.
const PAUSE: Duration = Duration::from_secs(20);

/// Sessions sealed in the archive in one go.
const SEALED_TOGETHER: usize = 16;

/// Sessions that have nothing open, and when their files were last written to.
type Settled = HashMap<String, i64>;

/// Works until told to stop.
pub(crate) async fn upkeep(service: Arc<Service>, mut stop: watch::Receiver<bool>) {
    let mut settled = Settled::new();
    let mut look = Instant::now();
    let mut sweep: Option<Instant> = None;
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
    let since = now.0 - service.options.idle.as_millis() as i64;
    let mut still = Settled::new();
    for (id, written) in service.journal.list() {
        if settled.get(&id) == Some(&written) {
            still.insert(id, written);
            continue;
        }
        if written > since {
            continue;
        }
        match service.journal.seal(&id, 0, "idle", now) {
            Ok(Sealed::Done(..)) => service.was_sealed(&id),
            Ok(Sealed::Skipped(..)) => {
                still.insert(id, written);
            }
            // The next look tries again.
            Err(_) => {}
        }
    }
    still
}

/// True if what was sealed is in the archive now, or nobody wants it there.
async fn sweep_now(service: Arc<Service>) -> bool {
    if !service.options.sweeps {
        return true;
    }
    service.blocking(|service| Ok(take_in(service)?)).await.is_ok()
}

/// Sweeps, and seals in the archive what was sealed here. What is left for the next time is more than
/// anybody seals in a moment.
fn take_in(service: &Service) -> Result<(), SyncError> {
    let sync = &service.options.sync;
    let waiting = || service.to_take_in.lock().unwrap_or_else(PoisonError::into_inner);
    let sealed: Vec<SessionUid> = waiting().iter().take(SEALED_TOGETHER).cloned().collect();
    if sealed.is_empty() {
        backstory_engine::sync(sync, service.now(), &mut |_| ())?;
    }
    for uid in sealed {
        let knobs = sync.seal.as_ref().map(|seal| seal.knobs).unwrap_or_default();
        let seal = SealOptions { knobs, choice: SealChoice::Session(uid.clone()) };
        backstory_engine::commit(sync, &seal, service.now(), &mut |_| ())?;
        waiting().remove(&uid);
    }
    service.metrics.sweeps.inc();
    if !waiting().is_empty() {
        service.sealed.notify_one();
    }
    Ok(())
}
