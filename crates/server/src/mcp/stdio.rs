//! One client on stdin and stdout, until it closes the line.

use super::{Desk, Mcp};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// What still runs when the client is gone is given so long.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Answers on stdout what is asked on stdin; returns when stdin ends.
pub fn run_stdio(desk: Desk) -> io::Result<()> {
    // Ends after the runtime: an archive on a server has one of its own, and none must end inside of another.
    let desk = Arc::new(desk);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        match Mcp::new(Arc::clone(&desk)).serve(stdio_pipes()).await {
            Ok(service) => service.waiting().await.map(|_| ()).map_err(io::Error::other),
            // A client that leaves before it said hello has asked nothing.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    });
    // A thread that still reads stdin must not keep the process alive.
    runtime.shutdown_timeout(LAST_WORDS);
    done
}
