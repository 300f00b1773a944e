//! Who may ask, how much, how long; numbers of requests; counters; ending.

use crate::running::{Running, until};
use backstory_server::Options;
use serde_json::json;
use std::io::{Read, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[test]
fn a_key_is_asked_for_everywhere_but_at_the_door() {
    let dir = tempfile::tempdir().unwrap();
    let server =
        Running::with(dir.path(), |options| Options { key: Some("s3cret".into()), ..options });
    let health = server.get("/health");
    assert_eq!((health.status, &health.json()["auth_mode"]), (200, &json!("api_key")));
    for path in ["/api/v1/system/status", "/metrics", "/openapi.json", "/mcp", "/nowhere"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 401, "{path}");
        assert_eq!(answer.json()["error"]["code"], "UNAUTHENTICATED", "{path}");
    }
    for (headers, status) in [
        (("authorization", "Bearer s3cret"), 200),
        (("authorization", "bearer s3cret"), 200),
        (("x-api-key", "s3cret"), 200),
        (("authorization", "Bearer s3cre"), 401),
        (("authorization", "s3cret"), 401),
        (("x-api-key", ""), 401),
    ] {
        let answer = server.ask("GET", "/api/v1/system/status", &[headers], None);
        assert_eq!(answer.status, status, "{headers:?}");
    }
}

#[test]
fn web_pages_do_not_get_in() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    for (header, status) in [
        (("origin", "https://evil.example"), 403),
        (("origin", "null"), 403),
        (("host", "evil.example"), 403),
        (("origin", "http://localhost:3000"), 200),
        (("host", "localhost:1933"), 200),
    ] {
        assert_eq!(server.ask("GET", "/health", &[header], None).status, status, "{header:?}");
    }
}

#[test]
fn bodies_have_a_limit_and_requests_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::with(dir.path(), |options| Options {
        body_bytes: 1000,
        timeout: Duration::from_millis(300),
        ..options
    });
    let long = json!({"role": "user", "content": "x".repeat(2000)});
    let answer = server.post("/api/v1/sessions/cx-1/messages", &long);
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (413, &json!("PAYLOAD_TOO_LARGE"))
    );
    // Somebody announces a body and never sends it.
    let mut line = std::net::TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    line.write_all(
        b"POST /api/v1/search/search HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{",
    )
    .unwrap();
    let began = Instant::now();
    let mut said = [0; 12];
    line.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"HTTP/1.1 504");
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn half_a_request_does_not_keep_a_connection() {
    let dir = tempfile::tempdir().unwrap();
    let timeout = Duration::from_millis(300);
    let server = Running::with(dir.path(), |options| Options { timeout, ..options });
    for sent in ["", "GET /health HT", "GET /health HTTP/1.1\r\nhost: localhost\r\nx-half: "] {
        let mut line =
            std::net::TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
        line.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        line.write_all(sent.as_bytes()).unwrap();
        let mut said = Vec::new();
        line.read_to_end(&mut said).unwrap();
        assert!(!said.starts_with(b"HTTP/1.1 200"), "{sent}");
    }
    assert_eq!(server.get("/health").status, 200);
    server.end();
}

#[test]
fn requests_have_numbers_and_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let own = server.ask("GET", "/health", &[("x-request-id", "my-7")], None);
    assert_eq!(own.request_id, "my-7");
    let (one, two) = (server.get("/health").request_id, server.get("/health").request_id);
    assert!(one != two && one.len() == 16);
    let odd = "x".repeat(500);
    assert_eq!(server.ask("GET", "/health", &[("x-request-id", &odd)], None).request_id.len(), 16);
    let message = json!({"role": "user", "content": "count this one"});
    for _ in 0..2 {
        server.post("/api/v1/sessions/cx-1/messages", &message).result();
    }
    let metrics = server.get("/metrics").text;
    for line in [
        "backstory_http_requests_total{method=\"GET\",route=\"/health\",status=\"200\"} 4",
        "backstory_messages_added_total 1",
        "backstory_messages_repeated_total 1",
        "backstory_http_in_flight 1",
        "route=\"/api/v1/sessions/{session_id}/messages\"",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
}

#[test]
fn a_request_whose_asker_left_is_not_counted_any_more() {
    let dir = tempfile::tempdir().unwrap();
    let (end, ended) = channel::<()>();
    let ended = Mutex::new(ended);
    let server = Running::with(dir.path(), |mut options| {
        options.desk.commit = Some(Arc::new(move || {
            let _ = ended.lock().unwrap().recv();
            Ok("sealed".into())
        }));
        options
    });
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "commit_pending", "arguments": {}}});
    let call = call.to_string();
    let mut line = std::net::TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    let length = call.len();
    let head = format!("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n");
    line.write_all(format!("{head}{call}").as_bytes()).unwrap();
    let counted = |requests: u32| {
        let line = format!("backstory_http_in_flight {requests}\n");
        server.get("/metrics").text.contains(&line)
    };
    until("counted", || counted(2));
    drop(line);
    until("gone", || counted(1));
    drop(end);
}

#[test]
fn what_is_under_way_is_finished_when_the_server_ends() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let url = server.url.clone();
    let mut line = std::net::TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    let body = json!({"role": "user", "content": "sent in two halves"}).to_string();
    let (half, rest) = body.split_at(10);
    let head = format!(
        "POST /api/v1/sessions/cx-1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{half}",
        body.len()
    );
    line.write_all(head.as_bytes()).unwrap();
    // The server has begun with it once it counts it.
    while !server.get("/metrics").text.contains("backstory_http_in_flight 2") {
        std::thread::sleep(Duration::from_millis(5));
    }
    let ending = std::thread::spawn(move || server.end());
    std::thread::sleep(Duration::from_millis(50));
    line.write_all(rest.as_bytes()).unwrap();
    let mut said = String::new();
    line.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("\"added\":1"), "{said}");
    ending.join().unwrap();
}

#[test]
fn sessions_nobody_posts_to_any_more_are_sealed() {
    let dir = tempfile::tempdir().unwrap();
    let server =
        Running::with(dir.path(), |options| Options { look: Duration::from_millis(20), ..options });
    let message = json!({"role": "user", "content": "then nothing more was heard"});
    server.post("/api/v1/sessions/cx-1/messages", &message).result();
    let seals = || server.get("/api/v1/sessions/cx-1").result()["commit_count"].clone();
    // Files have the system's own time: the clock must be an idle while behind that.
    let real = fs_err::metadata(dir.path()).unwrap().modified().unwrap();
    let real = real.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64;
    server.later.store(real - crate::running::BEGAN, Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(seals(), 0);
    server.later.fetch_add(31 * 60_000, Ordering::Relaxed);
    let began = Instant::now();
    while seals() == 0 {
        assert!(began.elapsed() < Duration::from_secs(10), "never sealed");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(seals(), 1, "once");
}
