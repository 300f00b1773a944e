//! The same over HTTP: each request by itself.

use crate::line::hello;
use crate::world::World;
use backstory_server::mcp::{Hosts, router};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn served(world: &World) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = router(world.desk(), Hosts::Loopback);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Status and body.
async fn post(to: SocketAddr, headers: &str, body: &Value) -> (u16, String) {
    post_text(to, headers, &body.to_string()).await
}

async fn post_text(to: SocketAddr, headers: &str, body: &str) -> (u16, String) {
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(to).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

const JSON: &str = "Content-Type: application/json\r\n";
const BOTH: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
    MCP-Protocol-Version: 2025-06-18\r\n";

#[tokio::test]
async fn tools_are_listed_and_called_without_hello() {
    let world = World::told();
    let to = served(&world).await;
    for headers in [JSON, BOTH, ""] {
        let (status, body) = post(to, headers, &request("tools/list", &json!({}))).await;
        assert_eq!(status, 200, "{body}");
        assert!(body.contains("\"memory_recall\""), "{body}");
    }
    let call = request("tools/call", &json!({"name": "sessions", "arguments": {}}));
    let (status, body) = post(to, BOTH, &call).await;
    assert_eq!(status, 200, "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert!(body["result"]["content"][0]["text"].as_str().unwrap().contains("claude:"), "{body}");
}

#[tokio::test]
async fn hello_is_answered_in_the_version_asked_for() {
    let world = World::empty();
    let to = served(&world).await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (status, body) = post(to, JSON, &request("initialize", &hello(version))).await;
        assert_eq!(status, 200, "{body}");
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["result"]["protocolVersion"], version, "{body}");
    }
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(to, JSON, &note).await.0, 202);
}

#[tokio::test]
async fn pages_in_a_browser_are_refused() {
    let world = World::empty();
    let to = served(&world).await;
    let list = request("tools/list", &json!({}));
    let foreign = format!("{JSON}Origin: https://example.invalid\r\n");
    assert_eq!(post(to, &foreign, &list).await.0, 403);
    let local = format!("{JSON}Origin: http://localhost:6274\r\n");
    assert_eq!(post(to, &local, &list).await.0, 200);
}

#[tokio::test]
async fn nonsense_is_refused_and_the_server_goes_on() {
    let world = World::empty();
    let to = served(&world).await;
    let (status, _) = post(to, JSON, &json!("no message")).await;
    assert!((400..500).contains(&status), "{status}");
    let (status, _) = post(to, JSON, &json!({"x": "y".repeat(5 << 20)})).await;
    assert_eq!(status, 413);
    assert_eq!(post(to, JSON, &request("tools/list", &json!({}))).await.0, 200);
}

#[tokio::test]
async fn an_agent_is_told_of_the_project_its_request_names() {
    let world = World::told();
    let to = served(&world).await;
    let told = async |peer: &str, everywhere: bool| {
        let arguments =
            json!({"query": "the heron test fails again on port 7411", "everywhere": everywhere});
        let call = request("tools/call", &json!({"name": "recall", "arguments": arguments}));
        let (status, body) = post(to, &format!("{JSON}{peer}"), &call).await;
        assert_eq!(status, 200, "{body}");
        body.contains("<backstory-context")
    };
    for (peer, is_told) in [
        ("", true),
        ("X-OpenViking-Actor-Peer: \r\n", true),
        ("X-OpenViking-Actor-Peer: -src-app\r\n", true),
        ("X-OpenViking-Actor-Peer: -src-boat\r\n", false),
    ] {
        assert_eq!(told(peer, false).await, is_told, "{peer}");
        assert!(told(peer, true).await, "{peer}");
    }
}

#[tokio::test]
async fn half_a_character_or_deep_nesting_does_not_fail_a_request() {
    let world = World::told();
    let to = served(&world).await;
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    for odd in [r#""query":"heron \ud83d""#, &format!(r#""query":"heron","odd":{deep}"#)] {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call",
            "params":{{"name":"recall","arguments":{{{odd}}}}}}}"#
        );
        let (status, body) = post_text(to, JSON, &call).await;
        assert_eq!(status, 200, "{body}");
        let body: Value = serde_json::from_str(&body).unwrap();
        assert!(body["result"]["content"][0]["text"].is_string(), "{body}");
    }
}
