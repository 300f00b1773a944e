//! How much is told, of what, and below which address: what a search may say besides its query.

use crate::running::Running;
use crate::taken_in::with_memory;
use serde_json::{Value, json};
use std::path::Path;

const PROMPT: &str = "why did the harbour scheduler deadlock with two cranes?";

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join("home/memories").join(name);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

/// Memories about the prompt that say different things, of many characters that take two bytes.
fn with_memories(dir: &Path) -> Running {
    let server = with_memory(dir);
    for name in ["äpfel", "brücke", "çelik", "dörfer", "éclair", "fähre", "größe", "hügel"]
    {
        let words: Vec<String> = (0..12).map(|at| format!("{name}öäüßéèñ{at}")).collect();
        let text = format!("Harbour scheduler deadlock, two cranes: {}", words.join(" "));
        write(dir, &format!("preferences/{name}.md"), &text);
    }
    server
}

fn told(server: &Running, more: &Value) -> Value {
    let mut asked = json!({"query": PROMPT, "mode": "context"});
    asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.post("/api/v1/search/search", &asked).result()
}

fn chars(told: &Value) -> usize {
    told["rendered"].as_str().unwrap().chars().count()
}

/// How many of the entries are preferences.
fn preferences(told: &Value) -> usize {
    let uris =
        told["entries"].as_array().unwrap().iter().map(|entry| entry["uri"].as_str().unwrap());
    uris.filter(|uri| uri.starts_with("backstory://memories/preferences/")).count()
}

#[test]
fn whoever_says_how_much_it_takes_is_told_as_much() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memories(dir.path());
    let usual = told(&server, &json!({}));
    assert!(chars(&usual) <= 1_500, "{usual}");
    assert!(usual["rendered"].as_str().unwrap().len() > 1_500, "characters are counted: {usual}");
    for more in [
        json!({"max_tokens": 1_600}),
        json!({"max_chars": 18_000, "max_tokens": 9_000_000_000_u64}),
    ] {
        let larger = told(&server, &more);
        assert!(chars(&larger) > 1_500, "{larger}");
        assert_eq!(larger["entries"].as_array().unwrap().len(), 6, "{larger}");
    }
    for more in [json!({"max_tokens": 100}), json!({"max_chars": 400, "max_tokens": 1_600})] {
        let less = told(&server, &more);
        assert_eq!(less["entries"].as_array().unwrap().len(), 1, "{less}");
    }
}

#[test]
fn what_is_less_relevant_than_wanted_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memories(dir.path());
    let usual = told(&server, &json!({}));
    for field in ["score_threshold", "min_score"] {
        assert_eq!(told(&server, &json!({field: 0.35})), usual, "{field}");
        let least = usual["entries"][0]["score"].as_f64().unwrap();
        let best = told(&server, &json!({field: least - 0.001}));
        assert!(!best["entries"].as_array().unwrap().is_empty(), "{field} {best}");
        assert_eq!(told(&server, &json!({field: least + 0.001}))["rendered"], "", "{field}");
        let list = json!({"query": PROMPT, field: least + 0.001});
        assert_eq!(server.post("/api/v1/search/find", &list).result()["total"], 0, "{field}");
    }
}

#[test]
fn no_more_of_a_category_is_told_than_its_quota() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memories(dir.path());
    let ask = |quotas: Value| told(&server, &json!({"max_tokens": 1_600, "quotas": quotas}));
    assert!(preferences(&ask(json!({"events": 0}))) > 2);
    assert_eq!(preferences(&ask(json!({"preferences": 2}))), 2);
    let none = ask(json!({"events": 5, "preferences": 0}));
    assert_eq!(preferences(&none), 0, "{none}");
    assert!(!none["entries"].as_array().unwrap().is_empty(), "sessions are no preferences");
}

#[test]
fn a_folder_of_memories_is_told_alone_and_what_is_excluded_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memory(dir.path());
    write(dir.path(), "experiences/cranes.md", "Two cranes share a berth in the harbour.\n");
    write(dir.path(), "preferences/cranes.md", "Two cranes in the harbour are enough.\n");
    let uris = |mode: &str, more: &Value| -> Vec<String> {
        let mut asked = json!({"query": "two cranes in the harbour", "limit": 40, "mode": mode,
            "score_threshold": 0, "max_tokens": 2_000});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let found = server.post("/api/v1/search/search", &asked).result();
        let list = if mode == "context" { &found["entries"] } else { &found["memories"] };
        let items = list.as_array().unwrap().iter();
        items.map(|item| item["uri"].as_str().unwrap().to_owned()).collect()
    };
    for mode in ["context", "list"] {
        let everything = uris(mode, &json!({}));
        assert!(everything.iter().any(|uri| uri.contains("codex:first")), "{everything:?}");
        for folder in ["viking://~/memories/experiences", "viking://user/ann/memories/experiences/"]
        {
            let [only] = uris(mode, &json!({"target_uri": folder})).try_into().unwrap();
            assert!(only.ends_with("memories/experiences/cranes.md"), "{only}");
        }
        let excluded = json!({"exclude_uris":
            ["viking://user/default/memories/experiences", "viking://~/sessions/cx-first", "?"]});
        let others = uris(mode, &excluded);
        assert!(others.iter().any(|uri| uri.contains("memories/preferences")), "{others:?}");
        let is_left_out = |uri: &String| uri.contains("codex:first") || uri.contains("experiences");
        assert!(!others.iter().any(is_left_out), "{others:?}");
    }
}

#[test]
fn a_list_has_what_is_below_the_address() {
    let dir = tempfile::tempdir().unwrap();
    let server = with_memory(dir.path());
    write(dir.path(), "skills/cranes.md", "# Cranes\n\nHow two cranes share a berth.\n");
    write(dir.path(), "skills/tea.md", "# Tea\n\nGreen, at 70 degrees.\n");
    write(
        dir.path(),
        "resources/harbour/rules.md",
        "Two cranes never lock a berth in the harbour.\n",
    );
    let lists = |target: Option<&str>| -> [Vec<String>; 3] {
        let asked = json!({"query": "two cranes in the harbour", "limit": 40, "target_uri": target,
            "score_threshold": 0, "session_id": "cx-second"});
        let found = server.post("/api/v1/search/search", &asked).result();
        assert_eq!(server.post("/api/v1/search/find", &asked).result(), found);
        let lists = ["memories", "resources", "skills"].map(|list| {
            let items = found[list].as_array().unwrap();
            items.iter().map(|item| item["uri"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        });
        let all: usize = lists.iter().map(Vec::len).sum();
        assert_eq!(found["total"], all, "{found}");
        lists
    };
    let everything = lists(None);
    let [memories, ..] = &everything;
    assert!(memories.iter().any(|uri| uri.starts_with("backstory://codex:first")), "{memories:?}");
    assert!(memories.iter().any(|uri| uri.contains("memories/resources")), "{memories:?}");
    for target in ["viking://user/default/memories", "viking://~/memories", "viking://user/ann"] {
        assert_eq!(lists(Some(target)), everything, "{target}");
    }
    for target in ["viking://~/skills", "viking://user/default/skills/", "viking://agent/skills"] {
        let [memories, resources, skills] = lists(Some(target));
        assert_eq!(memories.len() + resources.len(), 0, "{target}");
        assert!(skills.len() == 1 && skills[0].ends_with("/skills/cranes.md"), "{skills:?}");
        assert!(skills[0].starts_with(target.trim_end_matches('/')), "{skills:?}");
    }
    let [memories, resources, skills] = lists(Some("viking://resources"));
    assert_eq!(memories.len() + skills.len(), 0);
    assert!(resources.len() == 1 && resources[0].ends_with("/harbour/rules.md"), "{resources:?}");
    let elsewhere = lists(Some("viking://resources/elsewhere"));
    assert_eq!(elsewhere.concat(), Vec::<String>::new());
    let [memories, ..] = lists(Some("viking://user/default/sessions/cx-first"));
    let is_own = |uri: &String| uri.starts_with("backstory://codex:first");
    assert!(!memories.is_empty() && memories.iter().all(is_own), "{memories:?}");
    for (target, status) in
        [("viking://session/cx-none", 404), ("https://mode.extra/unexpected", 400)]
    {
        let answer = server.post(
            "/api/v1/search/find",
            &json!({"query": "two cranes in the harbour", "target_uri": target}),
        );
        assert_eq!(answer.status, status, "{target}");
        for word in ["mode", "extra", "unexpected"] {
            assert!(!answer.text.contains(word), "{}", answer.text);
        }
    }
}
