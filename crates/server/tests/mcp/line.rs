//! A client on a line: one JSON object per line, in both directions.

use crate::world::World;
use backstory_server::mcp::Mcp;
use rmcp::ServiceExt;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

/// The client's end.
pub(crate) struct Client {
    from: BufReader<ReadHalf<DuplexStream>>,
    to: WriteHalf<DuplexStream>,
    asked: u64,
    /// What it asks about stays as long as it asks.
    _world: World,
}

impl Client {
    /// A client that said hello.
    pub(crate) async fn of(world: World) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let mcp = Mcp::new(world.desk());
        tokio::spawn(async move { mcp.serve(theirs).await.unwrap().waiting().await });
        let (from, to) = tokio::io::split(ours);
        let mut client = Self { from: BufReader::new(from), to, asked: 0, _world: world };
        let hello = client.ask("initialize", hello("2025-06-18")).await;
        assert_eq!(hello["result"]["serverInfo"]["name"], "backstory", "{hello}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Asks and waits for the answer.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let asked = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.send(&asked).await;
        let mut line = String::new();
        self.from.read_line(&mut line).await.unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer
    }

    /// Calls a tool; what it says must be one bounded text. `Err` is what it refuses with.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let result = &answer["result"];
        let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{tool}: {answer}"));
        assert_eq!(blocks.len(), 1, "{tool}");
        let text = blocks[0]["text"].as_str().unwrap().to_owned();
        assert!(text.chars().count() <= 20_000, "{tool} says too much");
        if result["isError"] == true { Err(text) } else { Ok(text) }
    }
}

/// What a client says first.
pub(crate) fn hello(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}})
}
