//! `backstory decisions import --hub`: what was decided elsewhere, from files and over HTTP.

use crate::decisions::decided;
use crate::json::{assert_same_fields, documented};
use insta::assert_snapshot;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Stdio;

const RECORDED: &str = r#"{"id": 17, "question": "Which database engine?", "options": ["Embedded", "Postgres"], "recommendation": "Embedded", "decision": "Embedded", "rationale": "one machine, token ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "decided_at": "2026-11-14T10:00:00Z", "project": "teashop"}
nonsense
{"id": "18", "title": "Rename the shop?", "created_at": "2026-11-14T11:00:00Z", "domain": "elsewhere"}
"#;

#[test]
fn decisions_of_a_hub_are_taken_in_once() {
    let sandbox = decided();
    sandbox.write("hub.jsonl", RECORDED);
    let import = || sandbox.run(&["decisions", "import", "--hub", "hub.jsonl"]);
    assert_snapshot!(import(), @r"
    exit 1
    2 new decisions, 0 changed, 0 known
    --- stderr
    warning: line 2: expected ident at line 1 column 2
    ");
    assert!(import().stdout.starts_with("0 new decisions, 0 changed, 2 known"));
    assert_snapshot!("decisions_hub", sandbox.run(&["decisions", "show", "hub/hub-17"]));
    assert!(!sandbox.rows_hold(&sandbox.home().join("archive"), "ghp_a1B2c3"));
    // It falls into the project of that name.
    let found = sandbox.json(&["decisions", "--project", "teashop", "--json"]);
    let (hub, own) = (&found[0], &found[2]);
    assert_eq!((&hub["source"], &hub["project"]), (&"hub".into(), &own["project"]));
    let told = sandbox.run(&["recall", "which database engine do we use?", "--all"]);
    assert!(told.stdout.contains("backstory://decisions/hub/hub-17"), "{told}");
    // Another hub may number alike; what changed is brought up to date.
    let other = RECORDED.replace("\"decision\": \"Embedded\"", "\"decision\": \"Postgres\"");
    sandbox.write("hub.jsonl", &other.replace("nonsense\n", ""));
    let report = &sandbox.json(&["decisions", "import", "--hub", "hub.jsonl", "--json"])[0];
    assert_same_fields("import", &documented()["backstory decisions import --json"][0], report);
    assert_eq!((&report["changed"], &report["known"]), (&1.into(), &1.into()));
    let named = ["decisions", "import", "--hub", "hub.jsonl", "--name", "forge"];
    assert_eq!(sandbox.run(&named).stdout, "2 new decisions, 0 changed, 0 known\n");
    // They move with everything else.
    assert_eq!(sandbox.run(&["export", "--out", "all.jsonl"]).code, 0);
    assert_eq!(sandbox.run(&["import", "all.jsonl", "--home", "other"]).code, 0);
    let of = |home: &str| sandbox.json(&["decisions", "--all", "--json", "--home", home]);
    assert_eq!(of("other"), of("archive"));
}

#[test]
fn a_hub_that_cannot_be_read_is_named() {
    let sandbox = decided();
    let import = |source: &str| sandbox.run(&["decisions", "import", "--hub", source]);
    assert_eq!(import("nowhere.jsonl").code, 2);
    assert_eq!(import("http://").code, 2);
    assert_eq!(import("https://ada:geheim@hub.example/").code, 2);
    assert_eq!(sandbox.run(&["decisions", "import"]).code, 2);
    let (listener, port) = listen();
    drop(listener);
    let away = import(&format!("http://127.0.0.1:{port}/decisions"));
    assert!(away.code == 1 && away.stderr.contains("the hub could not be read"), "{away}");
    let mut command = sandbox.command(&["decisions", "import", "--hub", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"[{\"title\": \"A?\"}]").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1 new decision, 0 changed, 0 known\n");
}

fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

/// Answers every request with the next of these bodies; returns what was asked for.
fn hub(listener: TcpListener, answers: Vec<String>) -> std::thread::JoinHandle<Vec<String>> {
    std::thread::spawn(move || {
        let mut asked = Vec::new();
        for answer in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut head = String::new();
            while reader.read_line(&mut head).unwrap() > 2 {}
            let length = answer.len();
            let head_of = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            reader.get_mut().write_all(format!("{head_of}{answer}").as_bytes()).unwrap();
            asked.push(head);
        }
        asked
    })
}

#[test]
fn the_list_of_a_hub_is_read_page_by_page() {
    let mut sandbox = decided();
    sandbox.set("BACKSTORY_HUB_TOKEN", "open-sesame");
    let (listener, port) = listen();
    let list = format!("http://127.0.0.1:{port}/api/decisions?limit=1");
    sandbox.write(
        "archive/config.toml",
        &format!("[hub]\nurl = \"http://127.0.0.1:{port}/notices\"\n"),
    );
    let pages = vec![
        r#"{"decisions": [{"id": 1, "title": "A?"}], "next": "/api/decisions?page=2"}"#.to_owned(),
        r#"{"items": [{"id": 2, "title": "B?"}, {"id": 3}], "cursor": "x y"}"#.to_owned(),
        r#"[{"id": 4, "title": "C?"}]"#.to_owned(),
    ];
    let heard = hub(listener, pages);
    let run = sandbox.run(&["decisions", "import", "--hub", &list]);
    assert_snapshot!(run, @r"
    exit 1
    3 new decisions, 0 changed, 0 known
    --- stderr
    warning: page 2, entry 2: it has no question, title or summary
    ");
    let asked = heard.join().unwrap();
    let paths: Vec<&str> = asked.iter().map(|head| head.lines().next().unwrap()).collect();
    assert_eq!(
        paths,
        [
            "GET /api/decisions?limit=1 HTTP/1.1",
            "GET /api/decisions?page=2 HTTP/1.1",
            "GET /api/decisions?limit=1&cursor=x%20y HTTP/1.1",
        ]
    );
    assert!(asked.iter().all(|head| head.contains("authorization: Bearer open-sesame")));
}

#[test]
fn a_token_is_for_its_hub_alone() {
    let mut sandbox = decided();
    sandbox.set("BACKSTORY_HUB_TOKEN", "open-sesame");
    let (listener, port) = listen();
    let answer = r#"{"decisions": [], "next": "http://hub.example/decisions"}"#.to_owned();
    let heard = hub(listener, vec![answer]);
    let list = format!("http://127.0.0.1:{port}/decisions");
    let run = sandbox.run(&["decisions", "import", "--hub", &list]);
    assert!(run.code == 1 && run.stderr.contains("goes on at another hub"), "{run}");
    assert!(!heard.join().unwrap()[0].contains("open-sesame"));
}
