//! `backstory mcp` as agents start it: a process that answers line by line and ends with its input.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

struct Server {
    process: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(&["mcp"]);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (process.stdin.take(), BufReader::new(process.stdout.take().unwrap()));
        Self { process, to, from }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line:?}"))
    }

    fn hello(&mut self) {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        self.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}));
        let answer = self.answer();
        assert_eq!(answer["result"]["serverInfo"]["name"], "backstory", "{answer}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": tool, "method": "tools/call", "params": params}));
        let answer = self.answer();
        assert_eq!(answer["id"], tool, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Closes its input; it must end by itself, having said nothing else.
    fn end(mut self) {
        self.to = None;
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.from, &mut rest).unwrap();
        assert_eq!(rest, "");
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert!(status.success(), "{status}");
    }
}

#[test]
fn agents_are_answered_until_they_leave() {
    let sandbox = Sandbox::with_history();
    let mut server = Server::start(&sandbox);
    server.hello();
    let sessions = server.call("sessions", &json!({}));
    assert!(sessions.contains("backstory://sessions/claude:5ca1ab1e-"), "{sessions}");
    let found = server.call("search", &json!({"query": "session test since:30d"}));
    assert!(found.starts_with("Found "), "{found}");
    server.end();
}

#[test]
fn what_is_new_is_taken_in_on_request() {
    let sandbox = Sandbox::new();
    let mut server = Server::start(&sandbox);
    server.hello();
    let health = server.call("health", &json!({}));
    assert!(health.contains("backstory sync"), "{health}");
    sandbox.write_claude("0f10", &[("Where is the heron?", "On port 7411.")]);
    server.call("commit_pending", &json!({}));
    let found = server.call("search", &json!({"query": "heron"}));
    assert!(found.contains("backstory://sessions/claude:0f10/overview.md"), "{found}");
    server.end();
}

#[test]
fn an_agent_that_says_nothing_is_no_failure() {
    let sandbox = Sandbox::new();
    Server::start(&sandbox).end();
    let mut server = Server::start(&sandbox);
    server.hello();
    server.end();
}
