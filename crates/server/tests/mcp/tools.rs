//! Every tool, called.

use crate::line::Client;
use crate::world::{SESSION, World};
use serde_json::{Value, json};

fn told(answer: Result<String, String>, words: &[&str]) -> String {
    let text = answer.unwrap_or_else(|refusal| panic!("refused: {refusal}"));
    for word in words {
        assert!(text.contains(word), "{word:?} is not in:\n{text}");
    }
    text
}

#[tokio::test]
async fn every_tool_is_listed_with_a_flat_schema() {
    let mut client = Client::of(World::empty()).await;
    let listed = client.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in [
        "search",
        "recall",
        "read",
        "list",
        "tree",
        "grep",
        "glob",
        "sessions",
        "session",
        "errors",
        "decisions",
        "patterns",
        "remember",
        "forget",
        "commit_pending",
        "health",
        "find",
        "memory_recall",
        "write",
        "edit",
        "add_resource",
        "list_watches",
        "cancel_watch",
        "openviking_commit_pending",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    for tool in tools {
        let text = tool["inputSchema"].to_string();
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        for word in ["anyOf", "$ref", "null"] {
            assert!(!text.contains(word), "{text}");
        }
    }
}

#[tokio::test]
async fn every_tool_answers_without_an_archive() {
    let mut client = Client::of(World::empty()).await;
    let listed = client.ask("tools/list", json!({})).await;
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let arguments = json!({"query": "x", "uris": ["sessions/last/overview.md"], "pattern": "x",
            "id": "last", "content": "a fact", "uri": "memories/a.md", "old_string": "a",
            "new_string": "b", "message": "error: x"});
        let said = client.call(name, arguments).await;
        let text = said.clone().unwrap_or_else(|refusal| refusal);
        assert!(!text.trim().is_empty(), "{name}");
        if ["search", "read", "sessions", "session", "errors", "health"].contains(&name) {
            assert!(text.contains("backstory sync"), "{name} says what to do: {text}");
        }
    }
}

#[tokio::test]
async fn what_happened_is_found_and_read() {
    let mut client = Client::of(World::told()).await;
    let overview = format!("backstory://sessions/claude:{SESSION}/overview.md");
    for tool in ["search", "find"] {
        let text = told(
            client.call(tool, json!({"query": "heron test port"})).await,
            &[
                "Found 1 item(s):",
                &format!("- [session 100%] {overview}"),
                "Use the read tool to expand a URI.",
            ],
        );
        let moment = text.lines().find(|line| line.contains("user_msg")).unwrap();
        let address = moment.split_whitespace().nth(1).unwrap();
        told(
            client.call("read", json!({"uris": address})).await,
            &["heron test fail on port 7411"],
        );
    }
    let nothing = client.call("search", json!({"query": "zebra -heron kind:decision"})).await;
    assert!(told(nothing, &[]).starts_with("No matching context found."));
    let session = json!({"query": "heron", "target_uri": format!("viking://session/cc-{SESSION}")});
    told(client.call("search", session).await, &["Found 1 item(s):"]);
    let wrong = client.call("search", json!({"query": "heron", "since": "soon"})).await;
    assert!(wrong.unwrap_err().contains("since"));
    told(client.call("sessions", json!({})).await, &[&overview, "app@main"]);
    told(client.call("sessions", json!({"project": "none"})).await, &["No session matches."]);
    told(client.call("session", json!({"id": "11111111"})).await, &["# ", "- session: claude:"]);
    told(client.call("session", json!({"id": "last", "part": "digest"})).await, &["## Goal"]);
    assert!(client.call("session", json!({"id": "nobody"})).await.is_err());
}

#[tokio::test]
async fn what_matters_for_a_task_is_recalled() {
    let mut client = Client::of(World::told()).await;
    for tool in ["recall", "memory_recall"] {
        let task = json!({"query": "the heron test fails again on port 7411"});
        told(
            client.call(tool, task).await,
            &["<backstory-context source=\"auto-recall\"", "backstory://", "</backstory-context>"],
        );
        let other = json!({"query": "translate the brochure into Welsh"});
        told(client.call(tool, other).await, &["Nothing that is known matters for this."]);
    }
    let own = json!({"query": "the heron test fails on port 7411", "session_id": SESSION});
    told(client.call("recall", own).await, &["Nothing that is known matters for this."]);
    let context = json!({"query": "the heron test fails on port 7411", "mode": "context"});
    told(client.call("search", context).await, &["<backstory-context"]);
}

#[tokio::test]
async fn an_error_met_before_comes_with_its_fix() {
    let mut client = Client::of(World::told()).await;
    let output = "running 3 tests\nerror: address already in use: 7411\n";
    told(
        client.call("errors", json!({"message": output})).await,
        &["Met before:", "address already in use: 7411", "what helped:", "pkill heron-server"],
    );
    for (project, expected) in [("app", "Met before:"), ("boat", "has not been met before")] {
        let asked = json!({"message": output, "project": project});
        told(client.call("errors", asked).await, &[expected]);
    }
    told(client.call("errors", json!({})).await, &["address already in use"]);
    let other = client.call("errors", json!({"message": "segmentation fault"})).await;
    told(other, &["has not been met before"]);
    told(client.call("patterns", json!({"min_sessions": 1})).await, &["address already in use"]);
    assert!(client.call("patterns", json!({"kind": "nonsense"})).await.is_err());
    told(client.call("decisions", json!({})).await, &["No decision is known."]);
}

/// A question a hub recorded for the project, and its answer.
fn record(world: &World, id: u32, question: &str, answer: &str) {
    let text = json!({"id": id, "question": question, "answer": answer, "project": "app",
        "rationale": "because", "options": [answer, "something else"], "recommendation": answer,
        "ts": format!("2026-03-0{id}T10:00:00Z")});
    let list = backstory_engine::ledger::read_hub(&text.to_string(), "hub");
    backstory_engine::ledger::record_hub(&world.archive(), list.decisions).unwrap();
}

#[tokio::test]
async fn what_was_asked_before_is_told_before_it_is_asked_again() {
    let world = World::told();
    record(&world, 1, "Which port does heron listen on?", "7411");
    record(&world, 2, "Which colour has the logo?", "green");
    let mut client = Client::of(world).await;
    let all =
        told(client.call("decisions", json!({"project": "app"})).await, &["→ green", "→ 7411"]);
    assert!(all.find("green") < all.find("7411"), "{all}");
    let asked = json!({"question": "what port should heron use?"});
    let same = told(client.call("decisions", asked).await, &["→ 7411 (as recommended)"]);
    assert!(!same.contains("logo"), "{same}");
    told(client.call("decisions", json!({"state": "open"})).await, &["No decision is known."]);
    told(client.call("decisions", json!({"project": "none"})).await, &["No decision is known."]);
    assert!(client.call("decisions", json!({"state": "sad"})).await.is_err());
    let one = client.call("read", json!({"uris": ["backstory://decisions/hub/hub-1"]})).await;
    told(
        one,
        &[
            "Which port does heron listen on?",
            "offered: 7411 (recommended) | something else",
            "because: because",
        ],
    );
    told(client.call("list", json!({"uri": "backstory://decisions"})).await, &["hub"]);
    told(
        client.call("list", json!({"uri": "backstory://decisions/hub"})).await,
        &["hub-2", "logo"],
    );
}

#[tokio::test]
async fn long_texts_come_in_parts_that_make_the_whole() {
    let mut client = Client::of(World::told()).await;
    let address = format!("backstory://claude:{SESSION}/7");
    let (mut whole, mut offset, mut parts) = (String::new(), 0, 0);
    loop {
        let text =
            told(client.call("read", json!({"uris": [address], "offset": offset})).await, &[]);
        parts += 1;
        let Some((part, note)) = text.rsplit_once("\n(more: read it again with offset=") else {
            whole.push_str(&text);
            break;
        };
        whole.push_str(part);
        offset = note.trim_end_matches(')').parse().unwrap();
    }
    assert_eq!(parts, 3);
    assert_eq!(whole.matches("line of output\n").count(), 3000);
    assert!(whole.contains("It ends with größe.\n\n- this: "), "what is known of it comes last");
    let behind = client.call("read", json!({"uris": [address], "offset": 9_999_999})).await;
    told(behind, &["ends before character"]);
    let several = json!({"uris": [address, "memories/none.md", format!("claude:{SESSION}/0")]});
    told(
        client.call("read", several).await,
        &[
            &format!("=== {address} ==="),
            "Nothing is at backstory://memories/none.md",
            "heron test fail",
        ],
    );
}

#[tokio::test]
async fn memories_are_kept_changed_found_and_forgotten() {
    let mut client = Client::of(World::empty()).await;
    let fact = json!({"content": "Deploys go through heron-7.", "category": "Preferences"});
    let text = told(client.call("remember", fact).await, &["backstory://memories/preferences/"]);
    let address = text.split_whitespace().last().unwrap().to_owned();
    told(client.call("read", json!({"uris": [address]})).await, &["Deploys go through heron-7."]);
    told(
        client.call("search", json!({"query": "where do deploys go"})).await,
        &["Found 1 item(s):", "[memory", &address],
    );
    let messages = json!({"messages": [{"role": "user", "content": "Größe zählt"},
        {"role": "assistant", "content": "Noted"}]});
    told(client.call("remember", messages).await, &["Stored 2 message(s) and committed"]);
    let file = "viking://~/memories/app.md";
    let write = json!({"uri": file, "content": "port 7411\n"});
    told(client.call("write", write).await, &["Wrote 10 bytes to viking://~/memories/app.md"]);
    let edit = json!({"uri": file, "old_string": "7411", "new_string": "7412"});
    told(client.call("edit", edit.clone()).await, &["Replaced 1 time(s)"]);
    assert!(client.call("edit", edit).await.is_err());
    told(
        client.call("grep", json!({"pattern": "741\\d", "uri": "memories"})).await,
        &["Found 1 match(es):\nbackstory://memories/app.md\n  L1: port 7412"],
    );
    told(
        client.call("glob", json!({"pattern": "**/*.md", "uri": "viking://~/memories"})).await,
        &["Found 3 file(s):", file],
    );
    told(client.call("list", json!({"uri": "memories"})).await, &["[dir] notes", "[file] app.md"]);
    told(
        client.call("tree", json!({"uri": "backstory://"})).await,
        &["\n  sessions/", "\n  memories/", "\n    app.md (10 bytes)"],
    );
    told(
        client.call("forget", json!({"uri": file})).await,
        &["Deleted: viking://~/memories/app.md"],
    );
    assert!(client.call("read", json!({"uris": [file]})).await.is_err());
}

#[tokio::test]
async fn nothing_outside_can_be_read_or_changed() {
    let mut client = Client::of(World::told()).await;
    for address in [
        "../../etc/passwd",
        "memories/../archive.db",
        "viking://~/memories/%2e%2e/archive.db",
        "file:///etc/passwd",
        "/etc/passwd",
        "memories/\u{0}",
    ] {
        let arguments = json!({"uris": [address], "uri": address, "content": "x"});
        assert!(client.call("read", arguments.clone()).await.is_err(), "{address}");
        assert!(client.call("write", arguments.clone()).await.is_err(), "{address}");
        assert!(client.call("forget", arguments).await.is_err(), "{address}");
    }
    let session = json!({"uri": "sessions/last", "recursive": true});
    assert!(client.call("forget", session).await.unwrap_err().contains("backstory forget"));
    told(client.call("sessions", json!({})).await, &[SESSION]);
}

#[tokio::test]
async fn lists_are_bounded_and_go_on() {
    let mut client = Client::of(World::told()).await;
    let grep = json!({"pattern": ["line of", "begins"], "uri": "sessions", "node_limit": 5});
    told(client.call("grep", grep).await, &["Found 5 match(es):", "[begins]", "(more: "]);
    let all = json!({"pattern": "line of", "uri": "sessions", "node_limit": 100_000});
    told(client.call("grep", all).await, &["(more: "]);
    for at in 0..30 {
        let write = json!({"uri": format!("memories/{at:02}.md"), "content": "x ".repeat(50)});
        client.call("write", write).await.unwrap();
    }
    let first = told(
        client.call("list", json!({"uri": "memories", "limit": 20})).await,
        &["[file] 19.md", "(more: ask again with offset=20)"],
    );
    assert!(!first.contains("20.md"));
    let rest = json!({"uri": "memories", "limit": 20, "offset": 20});
    let rest = told(client.call("list", rest).await, &["[file] 29.md"]);
    assert!(!rest.contains("(more"));
    let tree = json!({"uri": "memories", "node_limit": 3});
    told(client.call("tree", tree).await, &["(more: "]);
}

#[tokio::test]
async fn upkeep_says_what_is() {
    let mut client = Client::of(World::told()).await;
    told(
        client.call("health", json!({})).await,
        &["claude: 1 sessions", "search covers everything"],
    );
    for name in ["commit_pending", "openviking_commit_pending"] {
        told(client.call(name, json!({})).await, &["sealed 1 session"]);
    }
}

#[tokio::test]
async fn what_is_not_understood_is_refused_kindly() {
    let mut client = Client::of(World::told()).await;
    let unknown = client.ask("tools/call", json!({"name": "nonsense", "arguments": {}})).await;
    assert!(unknown["error"]["message"].as_str().unwrap().contains("tools/list"), "{unknown}");
    let method = client.ask("nonsense/method", json!({})).await;
    assert!(method["error"].is_object(), "{method}");
    for arguments in [json!({}), json!({"query": null}), json!({"query": {"odd": []}}), Value::Null]
    {
        let answer =
            client.ask("tools/call", json!({"name": "search", "arguments": arguments})).await;
        assert!(answer["error"].is_object() || answer["result"]["isError"] == true, "{answer}");
    }
    told(client.call("health", json!({"unknown": true})).await, &["is up"]);
}

#[tokio::test]
async fn long_lists_are_told_in_parts() {
    let mut client = Client::of(World::told()).await;
    for at in 0..30 {
        let content = format!("heron {at}\nheron again");
        let uri = format!("backstory://memories/h/{at:02}.md");
        client.call("write", json!({"uri": uri, "content": content})).await.unwrap();
    }
    let at = "backstory://memories";
    let first = json!({"pattern": "heron", "uri": at, "node_limit": 7});
    let text = told(client.call("grep", first).await, &["Found 7 match(es):", "L1: heron 3"]);
    let from = text.split("from=").nth(1).unwrap().trim_end().trim_end_matches(')');
    assert_eq!(from, "backstory://memories/h/03.md#L2");
    let second = json!({"pattern": "heron", "uri": at, "node_limit": 3, "from": from});
    told(
        client.call("grep", second).await,
        &["h/03.md\n  L2: heron again", "h/04.md\n  L1: heron 4"],
    );
    let names = |offset: usize| json!({"pattern": "**/*.md", "uri": at, "node_limit": 20, "offset": offset});
    told(client.call("glob", names(0)).await, &["Found 20 file(s)", "ask again with offset=20"]);
    let last = told(client.call("glob", names(20)).await, &["Found 10 file(s)", "h/29.md"]);
    assert!(!last.contains("more:"), "{last}");
    let folders = |offset: usize| json!({"uri": at, "node_limit": 20, "offset": offset});
    told(client.call("tree", folders(0)).await, &["h/", "ask again with offset=20"]);
    let last = told(client.call("tree", folders(20)).await, &["29.md"]);
    assert!(!last.contains("more:") && !last.contains("18.md"), "{last}");
}

#[tokio::test]
async fn documents_are_handed_in_found_and_watched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runbook.md");
    fs_err::write(&path, "# Runbook\n\nHeron is restarted with flamingo-ctl.\n").unwrap();
    let mut client = Client::of(World::empty()).await;
    told(client.call("list_watches", json!({})).await, &["Nothing is watched."]);
    let add = json!({"path": path, "to": "ops/runbook.md", "watch_interval": 30});
    let address = "backstory://memories/resources/ops/runbook.md";
    told(client.call("add_resource", add).await, &["Added", address, "every 30 min"]);
    told(client.call("read", json!({"uris": address})).await, &["flamingo-ctl"]);
    told(client.call("search", json!({"query": "flamingo"})).await, &[address]);
    told(client.call("list", json!({"uri": "viking://resources/ops"})).await, &["runbook.md"]);
    told(client.call("list_watches", json!({})).await, &[address, "every 30 min"]);
    let cancel = json!({"to_uri": address});
    told(client.call("cancel_watch", cancel.clone()).await, &["no longer watched"]);
    told(client.call("cancel_watch", cancel).await, &["is not watched"]);
    for (given, said) in [
        (json!({"path": "https://example.invalid/page"}), "Nothing is fetched from the network"),
        (json!({"path": "runbook.md"}), "give the whole path"),
        (json!({"path": "/nowhere/x.md"}), "/nowhere/x.md"),
        (json!({"temp_file_id": "unknown"}), "upload it again"),
        (json!({}), "`path` is missing"),
    ] {
        let refusal = client.call("add_resource", given).await.unwrap_err();
        assert!(refusal.contains(said), "{refusal}");
    }
}
