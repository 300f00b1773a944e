//! One client on stdin and stdout, until it closes the line.

use super::{Desk, Mcp};
use backstory_adapters::mended;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;
use rmcp::transport::io::stdio_pipes;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream,
    duplex,
};

/// What still runs when the client is gone is given so long.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Bytes read before the transport asks for them.
const BUFFERED: usize = 64 << 10;

/// Answers on stdout what is asked on stdin; returns when stdin ends.
pub fn run_stdio(desk: Desk) -> io::Result<()> {
    // Ends after the runtime: an archive on a server has one of its own, and none must end inside of another.
    let desk = Arc::new(desk);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let (from, to) = stdio_pipes();
        answer(Arc::clone(&desk), from, to).await
    });
    // A thread that still reads stdin must not keep the process alive.
    runtime.shutdown_timeout(LAST_WORDS);
    done
}

async fn answer<R, W>(desk: Arc<Desk>, from: R, to: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    match Mcp::new(desk).serve((mended_lines(from), to)).await {
        Ok(service) => service.waiting().await.map(|_| ()).map_err(io::Error::other),
        // A client that leaves before it said hello has asked nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The client's lines as the transport can read them: what it cannot read it does not answer.
fn mended_lines<R: AsyncRead + Send + Unpin + 'static>(from: R) -> DuplexStream {
    let (lines, mut to) = duplex(BUFFERED);
    tokio::spawn(async move {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        loop {
            // A longer line comes in pieces: the transport drops it whole.
            let mut piece = (&mut from).take(DEFAULT_MAX_LINE_LENGTH as u64);
            // The transport takes an error and the end for the same.
            let Ok(1..) = piece.read_until(b'\n', &mut line).await else { return };
            if to.write_all(&mended(&line)).await.is_err() {
                return;
            }
            line.clear();
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::Handing;
    use backstory_engine::Archive;
    use backstory_model::Timestamp;
    use serde_json::Value;

    fn desk() -> Arc<Desk> {
        Arc::new(Desk {
            archive: Archive::indexed_at_home(backstory_store_sqlite::home("/nowhere")),
            clock: Arc::new(|| Timestamp(0)),
            read_moment: Arc::new(|_, _, _| None),
            project: None,
            handing: Handing::Paths,
            commit: None,
        })
    }

    #[tokio::test]
    async fn every_request_is_answered_until_the_line_is_closed() {
        let (client, server) = duplex(1 << 16);
        let (from, to) = tokio::io::split(server);
        let served = tokio::spawn(answer(desk(), from, to));
        let (from, mut to) = tokio::io::split(client);
        let mut from = BufReader::new(from);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let hello = r#""initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},
            "clientInfo":{"name":"cut \ud83d","version":"1"}}"#;
        let hello = hello.replace('\n', "");
        let cut = r#""tools/list","params":{"_meta":{"note":"\ude00"}}"#;
        let deep = format!(r#""tools/list","params":{{"_meta":{{"note":{deep}}}}}"#);
        for (id, asked) in [hello.as_str(), cut, &deep].into_iter().enumerate() {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{asked}}}\n");
            to.write_all(line.as_bytes()).await.unwrap();
            if id == 0 {
                let note = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
                to.write_all(note).await.unwrap();
            }
            let mut answer = String::new();
            tokio::time::timeout(Duration::from_secs(20), from.read_line(&mut answer))
                .await
                .unwrap()
                .unwrap();
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["id"], id, "{answer}");
            assert!(answer["result"].is_object(), "{answer}");
        }
        to.shutdown().await.unwrap();
        served.await.unwrap().unwrap();
    }
}
