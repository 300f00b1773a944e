//! A plugin that says where it works is told of that project, and of no other.

use crate::running::{Running, logged, projects, until};
use backstory_server::Options;
use serde_json::{Value, json};
use std::path::Path;

const PEER: &str = "x-openviking-actor-peer";
const WRONG: &str = "The harbour scheduler deadlocks when two cranes share a berth, please fix it";
const RIGHT: &str = "The deadlock came from the berth lock order. I sort cranes by id before locking, \
    which removes the harbour scheduler deadlock.";

fn sweeping(dir: &Path) -> Running {
    Running::with(dir, |options| Options { sweeps: true, ..options })
}

/// A session that was posted from somewhere and closed.
fn post(server: &Running, id: &str, peer: Option<&str>, said: [&str; 2]) {
    let message = |role: &str, text: &str| json!({"role": role, "content": text, "peer_id": peer});
    let messages = json!({"messages": [message("user", said[0]), message("assistant", said[1])]});
    server.post(&format!("/api/v1/sessions/{id}/messages/batch"), &messages).result();
    server.post(&format!("/api/v1/sessions/{id}/commit"), &json!({})).result();
}

/// What somebody is answered who asks from there.
fn asked(server: &Running, path: &str, peer: Option<&str>, scope: Option<&str>) -> Value {
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(peer.map(|peer| (PEER, peer)));
    let asked = json!({"query": "why did the harbour scheduler deadlock with two cranes?",
        "mode": "context", "peer_scope": scope});
    server.ask("POST", path, &headers, Some(&asked.to_string())).result()
}

fn has(answer: &Value, list: &str) -> bool {
    !answer[list].as_array().unwrap().is_empty()
}

/// Waits for the sweep; meanwhile each form may be answered differently.
fn until_taken_in(server: &Running) {
    until("taken in", || has(&asked(server, "/api/v1/search/search", None, None), "entries"));
}

/// True if somebody who asks from there is told something, in whatever form it asks.
fn is_told(server: &Running, peer: Option<&str>, scope: Option<&str>) -> bool {
    let ask = |path: &str| asked(server, path, peer, scope);
    let told = has(&ask("/api/v1/search/search"), "entries");
    assert_eq!(has(&ask("/api/v1/search/recall"), "entries"), told);
    assert_eq!(has(&ask("/api/v1/search/find"), "memories"), told);
    told
}

#[test]
fn what_was_posted_from_a_project_is_told_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let server = sweeping(dir.path());
    post(&server, "oc-1", Some("-src-harbour"), [WRONG, RIGHT]);
    let brewing = ["Which yeast goes into the stout?", "The stout takes the old ale yeast."];
    post(&server, "oc-2", Some("-src-brewery"), brewing);
    until_taken_in(&server);
    for (peer, scope, told) in [
        (Some("-src-harbour"), None, true),
        (Some("-src-harbour"), Some("actor"), true),
        // Another project, and one that nobody has heard of.
        (Some("-src-brewery"), None, false),
        (Some("-src-boat"), None, false),
        (Some("-src-boat"), Some("actor"), false),
        (Some("-src-boat"), Some("all"), true),
        // Whoever does not say where it is.
        (Some(""), None, true),
        (None, Some("actor"), true),
    ] {
        assert_eq!(is_told(&server, peer, scope), told, "{peer:?} {scope:?}");
    }
}

#[test]
fn a_repository_goes_by_its_folder_and_by_its_address() {
    let dir = tempfile::tempdir().unwrap();
    let shop = dir.path().join("shop");
    fs_err::create_dir_all(shop.join(".git")).unwrap();
    let config = "[remote \"origin\"]\n\turl = https://ada@github.com/Ada/Shop.git\n";
    fs_err::write(shop.join(".git/config"), config).unwrap();
    let logs = projects(dir.path()).join("-shop");
    fs_err::create_dir_all(&logs).unwrap();
    let log = [("user", WRONG), ("assistant", RIGHT)]
        .map(|(role, text)| logged("5ca1ab1e", role, &shop.join("src"), text));
    fs_err::write(logs.join("5ca1ab1e.jsonl"), log.concat()).unwrap();
    let server = sweeping(dir.path());
    // Any seal makes the server sweep.
    post(&server, "oc-1", None, ["Which yeast goes into the stout?", "The old ale yeast."]);
    until_taken_in(&server);
    let mangled =
        |path: &Path| path.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    for (peer, told) in [
        (mangled(&shop.join("src")), true),
        (mangled(&shop), true),
        ("github.com-ada-shop".to_owned(), true),
        ("github.com-ada-boat".to_owned(), false),
        (mangled(&dir.path().join("boat")), false),
    ] {
        assert_eq!(is_told(&server, Some(&peer), None), told, "{peer}");
    }
}
