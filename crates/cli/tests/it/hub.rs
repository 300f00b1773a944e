//! Notices on their way to a hub: a socket that answers what a test tells it to.

use crate::sandbox::Sandbox;
use backstory_engine::notices::{Event, Notice, record};
use backstory_model::Timestamp;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What a request held.
struct Request {
    head: String,
    body: Value,
}

/// Answers every request with the next of these, then hangs up.
fn hub(listener: TcpListener, answers: &'static [&'static str]) -> Receiver<Request> {
    let (requests, heard) = channel();
    std::thread::spawn(move || {
        for answer in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut head = String::new();
            while reader.read_line(&mut head).unwrap() > 2 {}
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().unwrap())
            });
            let mut body = vec![0; length.unwrap()];
            reader.read_exact(&mut body).unwrap();
            let body = serde_json::from_slice(&body).unwrap();
            let answer =
                format!("HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
            requests.send(Request { head, body }).unwrap();
        }
    });
    heard
}

/// A user whose configuration names the hub, with one notice to tell.
fn sandbox(port: u16) -> Sandbox {
    let mut sandbox = Sandbox::new();
    let home = sandbox.home().join("archive");
    sandbox.set("BACKSTORY_HOME", &home.display().to_string());
    sandbox.set("BACKSTORY_HUB_TOKEN", "open-sesame");
    let url = format!("http://127.0.0.1:{port}/notices");
    sandbox.write("archive/config.toml", &format!("[hub]\nurl = \"{url}\"\n"));
    note(&sandbox, 1);
    sandbox
}

fn note(sandbox: &Sandbox, bytes: u64) {
    let event = Event::Tier2OverCap { bytes, cap: 0 };
    let home = sandbox.archive_in("archive");
    record(&home, &Notice { at: Timestamp(0), event }).unwrap();
}

fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

#[test]
fn a_notice_is_told_once_with_the_token() {
    let (listener, port) = listen();
    let sandbox = sandbox(port);
    let heard = hub(listener, &["204 No Content", "200 OK"]);
    let run = sandbox.run(&["sync"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    let request = heard.try_recv().unwrap();
    assert!(request.head.starts_with("POST /notices HTTP/1.1\r\n"), "{}", request.head);
    assert!(request.head.contains("authorization: Bearer open-sesame"), "{}", request.head);
    assert!(request.head.contains("content-type: application/json"), "{}", request.head);
    assert_eq!(request.body["event"], "session_memory.tier2_over_cap");
    sandbox.run(&["sync"]);
    assert!(heard.try_recv().is_err(), "it was told already");
    note(&sandbox, 2);
    // Without a command too.
    sandbox.run(&[]);
    assert_eq!(heard.try_recv().unwrap().body["bytes"], 2);
}

#[test]
fn what_the_hub_refuses_is_told_again() {
    let (listener, port) = listen();
    let sandbox = sandbox(port);
    let heard = hub(listener, &["500 No", "302 Elsewhere", "200 OK", "200 OK"]);
    for _ in 0..2 {
        let run = sandbox.run(&["sync"]);
        assert_eq!(run.code, 0, "{run}");
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
        assert!(run.stderr.contains("1 notice will be told later"), "{run}");
        assert!(!run.stderr.contains("sesame"), "{run}");
        assert_eq!(heard.try_recv().unwrap().body["bytes"], 1);
    }
    note(&sandbox, 2);
    assert_eq!(sandbox.run(&["sync"]).stderr, "");
    let told: Vec<Value> = heard.try_iter().map(|request| request.body["bytes"].clone()).collect();
    assert_eq!(told, [1, 2]);
}

#[test]
fn a_hub_that_is_not_there_costs_a_line() {
    let (listener, port) = listen();
    drop(listener);
    let sandbox = sandbox(port);
    let run = sandbox.run(&["sync", "--json"]);
    assert_eq!((run.code, run.stderr.lines().count()), (0, 1), "{run}");
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let heard = hub(listener, &["200 OK"]);
    assert_eq!(sandbox.run(&["sync"]).stderr, "");
    assert_eq!(heard.try_recv().unwrap().body["bytes"], 1);
}

#[test]
fn a_hub_that_never_answers_does_not_hold_the_sweep() {
    // The system accepts the connection; nobody ever reads from it.
    let (_listener, port) = listen();
    let sandbox = sandbox(port);
    note(&sandbox, 2);
    let began = Instant::now();
    let run = sandbox.run(&["sync"]);
    let took = began.elapsed();
    assert_eq!((run.code, run.stderr.lines().count()), (0, 1), "{run}");
    assert!(run.stderr.contains("2 notices will be told later"), "{run}");
    assert!(took > Duration::from_millis(1900), "it was given its time: {took:?}");
    assert!(took < Duration::from_secs(4), "{took:?}");
}

#[test]
fn the_settings_show_the_address_and_never_the_token() {
    let sandbox = sandbox(7);
    for arguments in [&["config"][..], &["config", "--json"]] {
        let run = sandbox.run(arguments);
        assert!(run.stdout.contains("http://127.0.0.1:7/notices"), "{run}");
        assert!(run.stdout.contains("hub.token") && !run.stdout.contains("sesame"), "{run}");
    }
}

#[test]
fn a_dry_run_and_a_user_without_a_hub_send_nothing() {
    let (listener, port) = listen();
    let sandbox = sandbox(port);
    sandbox.run(&["sync", "--dry-run"]);
    fs_err::remove_file(sandbox.home().join("archive/config.toml")).unwrap();
    sandbox.run(&["sync"]);
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
    assert!(!sandbox.home().join("archive/state").exists());
}
