//! The OpenAPI document is what is served, and lies in docs/.

use crate::running::Running;
use serde_json::Value;

#[test]
fn the_document_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let stored = fs_err::read_to_string(path).unwrap_or_default();
    let current = backstory_server::openapi();
    if stored != current {
        fs_err::write(path, &current).unwrap();
        panic!(
            "docs/openapi.json was not current; it has been written anew: look at it and commit it"
        );
    }
}

#[test]
fn the_document_is_served_and_names_every_endpoint() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let served: Value = server.get("/openapi.json").json();
    assert_eq!(served, serde_json::from_str::<Value>(&backstory_server::openapi()).unwrap());
    let operations = served["paths"].as_object().unwrap().values().flat_map(|path| {
        path.as_object().unwrap().values().map(|operation| operation["operationId"].to_string())
    });
    let mut names: Vec<String> = operations.collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "two operations have the same name");
    for path in [
        "/health",
        "/api/v1/search/search",
        "/api/v1/search/recall",
        "/api/v1/search/find",
        "/api/v1/search/grep",
        "/api/v1/content/read",
        "/api/v1/fs/ls",
        "/api/v1/system/status",
        "/api/v1/sessions",
        "/api/v1/sessions/{session_id}",
        "/api/v1/sessions/{session_id}/messages",
        "/api/v1/sessions/{session_id}/messages/batch",
        "/api/v1/sessions/{session_id}/commit",
        "/api/v1/sessions/{session_id}/context",
        "/api/v1/sessions/{session_id}/config",
        "/api/v1/skills",
        "/api/v1/resources/temp_upload",
    ] {
        assert!(served["paths"].get(path).is_some(), "{path}");
    }
}
