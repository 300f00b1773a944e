//! Connections: each is answered until it closes, the server ends, or it leaves a request half-sent for too long.

use axum::Router;
use axum::serve::Listener;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Answers whoever connects until `ending` is done, and then those who asked already.
pub(crate) async fn answer(
    mut listener: TcpListener,
    router: Router,
    patience: Duration,
    ending: impl Future<Output = ()>,
) {
    let (end, ended) = watch::channel(false);
    let mut open = JoinSet::new();
    let mut ending = pin!(ending);
    loop {
        tokio::select! {
            (line, _) = Listener::accept(&mut listener) => {
                open.spawn(answer_one(line, router.clone(), patience, ended.clone()));
            }
            Some(_) = open.join_next() => {}
            () = &mut ending => break,
        }
    }
    // Whoever comes now is told at once that nobody listens.
    drop(listener);
    let _ = end.send(true);
    while open.join_next().await.is_some() {}
}

/// Headers must have come within `patience`, also those of the next request; bodies have the time of their request.
async fn answer_one(
    line: TcpStream,
    router: Router,
    patience: Duration,
    mut ended: watch::Receiver<bool>,
) {
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(patience);
    let service = TowerToHyperService::new(router);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(line), service));
    tokio::select! {
        // How a connection ends is nobody's business but the asker's.
        _ = connection.as_mut() => return,
        _ = ended.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
