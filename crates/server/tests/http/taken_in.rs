//! What was posted is recalled later, read by address, and asked for over MCP.

use crate::running::{BEGAN, Running, home, until};
use backstory_engine::recall::injections;
use backstory_server::Options;
use backstory_store::{SessionFilter, Vault};
use serde_json::{Value, json};
use std::path::Path;

/// A server that takes in what is sealed, after one session with something to remember.
pub(crate) fn with_memory(dir: &Path) -> Running {
    let server = Running::with(dir, |options| Options { sweeps: true, ..options });
    let said = |role: &str, text: &str| json!({"role": role, "content": text});
    let messages = json!({"messages": [
        said("user", "The harbour scheduler deadlocks when two cranes share a berth, please fix it"),
        said("assistant", "The deadlock came from the berth lock order. I sort cranes by id before locking, \
            which removes the harbour scheduler deadlock."),
    ]});
    server.post("/api/v1/sessions/cx-first/messages/batch", &messages).result();
    server.post("/api/v1/sessions/cx-first/commit", &json!({})).result();
    until("taken in", || {
        let known = Vault::open(&home(dir)).ok().and_then(|vault| {
            let sessions = vault.sessions(&SessionFilter::default()).ok()?;
            let debt = vault.index_debt_count().ok()?;
            (debt == 0).then(|| sessions.first().map(|found| found.session_uid.clone()))?
        });
        known.is_some_and(|uid| uid.as_str() == "codex:first")
    });
    server
}

fn ask(server: &Running, session: &str, prompt: &str) -> Value {
    let body = json!({"query": prompt, "mode": "context", "session_id": session, "dedup_turns": 5});
    server.post("/api/v1/search/search", &body).result()
}

fn uris(told: &Value) -> Vec<String> {
    let entries = told["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["uri"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_later_session_is_told_once_and_the_first_never_of_itself() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memory(dir.path());
    let prompt = "why did the harbour scheduler deadlock with two cranes?";
    let told = ask(&server, "cx-second", prompt);
    let entry = &told["entries"][0];
    assert!(entry["uri"].as_str().unwrap().starts_with("backstory://"), "{told}");
    assert!(entry["score"].as_f64().unwrap() >= 0.35, "{told}");
    let rendered = told["rendered"].as_str().unwrap();
    assert!(rendered.contains("<memory uri=") && rendered.len() < 1500, "{rendered}");
    assert_eq!(ask(&server, "cx-second", prompt), told, "asked again, told the same");
    let later =
        ask(&server, "cx-second", "the harbour scheduler deadlocks again with three cranes");
    assert!(uris(&later).iter().all(|uri| !uris(&told).contains(uri)), "{later}");
    assert_eq!(ask(&server, "cx-first", prompt)["rendered"], "", "never of itself");
    assert_eq!(ask(&server, "cx-second", "ok")["rendered"], "");
    let list = json!({"query": prompt, "limit": 40, "target_uri": "viking://~/memories"});
    let list = server.post("/api/v1/search/find", &list).result();
    assert_eq!(list["memories"][0]["level"], 2, "{list}");
}

#[test]
fn what_is_told_is_on_record() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memory(dir.path());
    let known = || injections(&home(dir.path())).unwrap();
    let prompt = "why did the harbour scheduler deadlock with two cranes?";
    ask(&server, "cx-second", "translate the brochure into Welsh");
    server.post("/api/v1/search/find", &json!({"query": prompt})).result();
    assert_eq!(known(), [], "nothing was told");
    let told = ask(&server, "cx-second", prompt);
    let recalled = server.post("/api/v1/search/recall", &json!({"query": prompt})).result();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "recall", "arguments": {"query": prompt, "session_id": "cx-third"}}});
    assert!(server.post("/mcp", &call).text.contains("<backstory-context"));
    let known = known();
    let heads: Vec<(&str, &str, &str)> = known
        .iter()
        .map(|known| (known.event.as_str(), known.session_uid.as_str(), known.agent.as_str()))
        .collect();
    assert_eq!(
        heads,
        [
            ("HTTP search", "codex:second", "codex"),
            ("HTTP recall", "", ""),
            ("MCP recall", "codex:third", "codex"),
        ]
    );
    for (known, told) in known.iter().zip([&told, &recalled]) {
        let addresses: Vec<&str> = known.items.iter().map(|item| item.address.as_str()).collect();
        assert_eq!(addresses, uris(told));
        assert_eq!((known.prompt.as_str(), known.at.0), (prompt, BEGAN));
        assert_eq!(known.bytes, told["rendered"].as_str().unwrap().len());
    }
}

#[test]
fn an_answer_does_not_wait_for_a_record_that_cannot_be_kept() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memory(dir.path());
    fs_err::create_dir(dir.path().join("home/injections.jsonl")).unwrap();
    let told = ask(&server, "cx-second", "why did the harbour scheduler deadlock with two cranes?");
    assert_ne!(told["rendered"], "");
}

#[test]
fn sessions_and_memories_are_read_by_address() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memory(dir.path());
    let told = ask(&server, "cx-second", "why did the harbour scheduler deadlock with two cranes?");
    let uri = told["entries"][0]["uri"].as_str().unwrap().to_owned();
    let read = server.get(&format!("/api/v1/content/read?uri={uri}")).result();
    assert!(read.as_str().unwrap().contains("harbour"), "{read}");
    let memories = dir.path().join("home/memories");
    fs_err::create_dir_all(memories.join("preferences")).unwrap();
    fs_err::write(memories.join("profile.md"), "# Ada\nlikes short answers\n").unwrap();
    fs_err::write(memories.join("preferences/tabs.md"), "Tabs, not spaces.\n").unwrap();
    for root in ["viking://user/default", "viking://~", "viking://user"] {
        let read = server.get(&format!("/api/v1/content/read?uri={root}/memories/profile.md"));
        assert!(read.result().as_str().unwrap().contains("short answers"), "{root}");
    }
    let list = server.get(
        "/api/v1/fs/ls?uri=viking://user/default/memories/preferences&output=agent&recursive=true&node_limit=512",
    );
    let list = list.result();
    assert_eq!((&list[0]["name"], &list[0]["isDir"]), (&json!("tabs.md"), &json!(false)), "{list}");
    let found = json!({"uri": "viking://~/memories", "pattern": "TABS", "case_insensitive": true});
    let found = server.post("/api/v1/search/grep", &found).result();
    assert_eq!(found["matches"][0]["line"], 1, "{found}");
    assert_eq!(server.get("/api/v1/fs/ls?uri=viking://~/memories").status, 200);
}

#[test]
fn a_commit_is_answered_with_an_address_that_can_be_read_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let mut uris = Vec::new();
    for text in ["Paint the lighthouse red", "Then sand the quay"] {
        let said = json!({"role": "user", "content": text});
        server.post("/api/v1/sessions/cx-1/messages", &said).result();
        let committed = server.post("/api/v1/sessions/cx-1/commit", &json!({})).result();
        uris.push(committed["archive_uri"].as_str().unwrap().to_owned());
        for name in [".overview.md", ".abstract.md"] {
            let read = format!("/api/v1/content/read?uri={}/{name}", uris[uris.len() - 1]);
            assert!(!server.get(&read).result().as_str().unwrap().trim().is_empty(), "{read}");
        }
    }
    let history = server.get("/api/v1/fs/ls?uri=viking://user/default/sessions/cx-1/history");
    let history = history.result();
    let listed = history.as_array().unwrap().iter().map(|entry| entry["uri"].as_str().unwrap());
    assert_eq!(listed.collect::<Vec<_>>(), uris);
}

#[test]
fn lists_are_as_long_as_asked_and_so_are_their_abstracts() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    for folder in ["entities", "skills"] {
        let folder = dir.path().join("home/memories").join(folder);
        fs_err::create_dir_all(&folder).unwrap();
        for name in ["crane", "quay", "tug"] {
            let text = format!("Größe of the {name}: enough.\n");
            fs_err::write(folder.join(format!("{name}.md")), text).unwrap();
        }
    }
    let list = |limits: &str| -> Vec<String> {
        let path = format!("/api/v1/fs/ls?uri=viking://~/memories/entities&recursive=true{limits}");
        let list = server.get(&path).result();
        let gist = |entry: &Value| entry["abstract"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(gist).collect()
    };
    assert_eq!(list("")[0], "Größe of the crane: enough.");
    assert_eq!(list("&abs_limit=2"), ["Gr", "Gr", "Gr"]);
    assert_eq!(list("&abs_limit=3&node_limit=2"), ["Grö", "Grö"]);
    assert_eq!(list("&abs_limit=512&node_limit=512").len(), 3);
    for (limit, expected) in [("", 3), ("?node_limit=2", 2), ("?node_limit=200", 3)] {
        let skills = server.get(&format!("/api/v1/skills{limit}")).result();
        assert_eq!(skills["skills"].as_array().unwrap().len(), expected, "{limit}");
    }
}

#[test]
fn a_session_that_goes_on_is_handed_what_the_archive_has_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memory(dir.path());
    let session = "/api/v1/sessions/cx-first";
    let context = || server.get(&format!("{session}/context")).result();
    // What was posted is gone, as it is when it is old.
    assert_eq!(server.ask("DELETE", session, &[], None).result()["removed"], true);
    let overview = context()["latest_archive_overview"].clone();
    assert!(overview.as_str().unwrap().contains("harbour scheduler"), "{overview}");
    let said = json!({"role": "user", "content": "And now for the tugs"});
    server.post(&format!("{session}/messages"), &said).result();
    let resumed = context();
    assert_eq!(resumed["latest_archive_overview"], overview);
    assert_eq!(resumed["messages"][0]["parts"][0]["text"], "And now for the tugs");
    assert_eq!(resumed["stats"]["totalArchives"], 1);
}

#[test]
fn tools_are_listed_without_a_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let answer = server.post("/mcp", &list).json();
    let tools = answer["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "search"), "{answer}");
}
