//! The scripted model answers in every protocol, streamed and whole.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::io::{Read, Write};
use std::net::TcpStream;

use backstory_testkit::mock::{Api, Mock};
use serde_json::{Value, json};

fn request(mock: &Mock, method: &str, path: &str, body: &Value) -> (u16, String) {
    let address = mock.url();
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let head = format!("{method} {path} HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

fn whole(mock: &Mock, path: &str, body: &Value) -> Value {
    let (status, answer) = request(mock, "POST", path, body);
    assert_eq!(status, 200, "{answer}");
    serde_json::from_str(&answer).unwrap()
}

const PROMPT: &str = "Do it. @@think Hm.@@ @@sh ls@@ @@say It is done.@@";

#[test]
fn messages_think_call_and_end() {
    let mock = Mock::start().unwrap();
    let tools = json!([{ "name": "Bash" }]);
    let mut messages = json!([{ "role": "user", "content": PROMPT }]);
    let first = whole(&mock, "/v1/messages", &json!({ "tools": tools, "messages": messages }));
    assert_eq!(first["stop_reason"], "tool_use");
    assert_eq!(first["content"][0]["thinking"], "Hm.");
    assert_eq!(first["content"][1]["input"]["command"], "ls");

    let call = &first["content"][1]["id"];
    let result = json!([{ "type": "tool_result", "tool_use_id": call, "content": "a" }]);
    let messages = messages.as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": first["content"] }));
    messages.push(json!({ "role": "user", "content": result }));
    let second = whole(&mock, "/v1/messages", &json!({ "tools": tools, "messages": messages }));
    assert_eq!(second["content"], json!([{ "type": "text", "text": "It is done." }]));

    let ledger = mock.ledger();
    assert_eq!(ledger.len(), 2);
    assert_eq!(ledger[0].tool.as_ref().map(|t| json!(t.call_id)).as_ref(), Some(call));
    assert_eq!(second["usage"]["input_tokens"], ledger[1].usage.input);
    assert_ne!(ledger[0].usage, ledger[1].usage);
    assert!(ledger.iter().all(|answer| answer.api == Api::Messages && !answer.aside));
}

#[test]
fn streams_add_up_to_the_same_text() {
    let mock = Mock::start().unwrap();
    let said = [json!({ "role": "user", "content": "@@say One two three.@@" })];
    let cases = [
        ("/v1/messages", "messages", "/delta/text"),
        ("/v1/responses", "input", "/delta"),
        ("/v1/chat/completions", "messages", "/choices/0/delta/content"),
    ];
    for (path, conversation, pointer) in cases {
        let body = json!({ "stream": true, "tools": [{ "name": "t" }], conversation: said });
        let (status, stream) = request(&mock, "POST", path, &body);
        assert_eq!(status, 200);
        let events = stream.lines().filter_map(|line| line.strip_prefix("data: "));
        let events = events.filter_map(|data| serde_json::from_str::<Value>(data).ok());
        let text: String =
            events.filter_map(|e| e.pointer(pointer)?.as_str().map(str::to_owned)).collect();
        assert_eq!(text, "One two three.", "{path}: {stream}");
    }
}

#[test]
fn a_request_without_tools_is_an_aside() {
    let mock = Mock::start().unwrap();
    let body = json!({ "messages": [{ "role": "user", "content": PROMPT }] });
    let answer = whole(&mock, "/v1/chat/completions", &body);
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert!(mock.ledger()[0].aside);
}

#[test]
fn a_scripted_failure_is_not_in_the_ledger() {
    let mock = Mock::start().unwrap();
    let body = json!({ "input": "@@fail 529@@", "tools": [{ "name": "t" }] });
    assert_eq!(request(&mock, "POST", "/v1/responses", &body).0, 529);
    assert_eq!(mock.ledger().len(), 0);
    assert_eq!(mock.requests(), ["POST /v1/responses"]);
}

#[test]
fn other_endpoints_answer_in_json() {
    let mock = Mock::start().unwrap();
    let (status, models) = request(&mock, "GET", "/v1/models", &Value::Null);
    assert_eq!(status, 200);
    assert!(models.contains("\"scripted\""));
    let count = whole(&mock, "/v1/messages/count_tokens", &json!({ "messages": [] }));
    assert_eq!(count["input_tokens"], 3);
    let (status, missing) = request(&mock, "GET", "/v1/nothing", &Value::Null);
    assert_eq!(status, 404);
    assert!(serde_json::from_str::<Value>(&missing).is_ok());
    assert_eq!(request(&mock, "POST", "/v1/messages", &json!("x")).0, 200);
}
