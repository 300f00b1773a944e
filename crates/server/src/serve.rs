//! Listening, and ending with nothing lost.

use crate::connections::answer;
use crate::routes::router;
use crate::service::{Options, Service};
use crate::upkeep::upkeep;
use std::future::Future;
use std::io;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Once told to end, requests under way have so long.
const GRACE: Duration = Duration::from_secs(10);
/// Threads that wait for the disk; more would only wait longer.
const BLOCKING_THREADS: usize = 64;

/// Requests are read and answered by few threads: whatever takes long is done by others, and threads that wake
/// each other take their time.
const PROCESSORS_PER_WORKER: usize = 4;

/// Serves until a signal asks to end. The listener is the caller's, who knows what may be listened on.
pub fn run(options: Options, listener: std::net::TcpListener) -> io::Result<()> {
    // Ends after the runtime: an archive on a server has one of its own, and none must end inside of another.
    let _kept = options.clone();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads((processors / PROCESSORS_PER_WORKER).max(1))
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        listener.set_nonblocking(true)?;
        let signal = asked_to_end()?;
        serve(options, TcpListener::from_std(listener)?, signal).await
    })
}

/// Serves until `stop` is done; then answers what was asked already, and ends.
pub async fn serve(
    options: Options,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let service = Service::new(options);
    let (end, ending) = watch::channel(false);
    let keeper = tokio::spawn(upkeep(service.clone(), ending.clone()));
    let mut told = ending.clone();
    let ended = async move {
        // An error means that the other end is gone, and so should we be.
        let _ = told.changed().await;
    };
    let patience = service.options.timeout;
    let mut serving = tokio::spawn(answer(listener, router(&service), patience, ended));
    let done = tokio::select! {
        done = &mut serving => done,
        () = stop => {
            // Nobody listening is nobody to tell.
            let _ = end.send(true);
            if let Ok(done) = tokio::time::timeout(GRACE, &mut serving).await { done } else {
                serving.abort();
                Ok(())
            }
        }
    };
    let _ = end.send(true);
    // What it is in the middle of comes to its end with the runtime.
    let _ = tokio::time::timeout(GRACE, keeper).await;
    done.map_err(io::Error::other)
}

#[cfg(unix)]
fn asked_to_end() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn asked_to_end() -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        // Without a way to hear it, the server ends with its process.
        let _ = tokio::signal::ctrl_c().await;
    })
}
