//! Documents uploaded to a server, which reads no files of its machine for others.

use crate::running::{Answered, Running};
use serde_json::{Value, json};

fn call(server: &Running, name: &str, arguments: &Value) -> (bool, String) {
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": name, "arguments": arguments}});
    let answer = server.post("/mcp", &ask).json();
    let result = &answer["result"];
    (result["isError"] == true, result["content"][0]["text"].as_str().unwrap().to_owned())
}

fn upload(server: &Running, name: &str, text: &str) -> Answered {
    let path = format!("/api/v1/resources/temp_upload?name={name}");
    server.ask("POST", &path, &[("content-type", "text/plain")], Some(text))
}

#[test]
fn a_document_is_uploaded_and_handed_in() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let (is_refused, said) = call(&server, "add_resource", &json!({"path": "/etc/hostname"}));
    let way = "http://here/api/v1/resources/temp_upload?name=hostname";
    assert!(is_refused && said.contains("--data-binary @'/etc/hostname'") && said.contains(way));
    let id = upload(&server, "tides.md", "The ebb begins at six.").result();
    let add = json!({"temp_file_id": id["temp_file_id"], "parent": "harbour"});
    let (is_refused, said) = call(&server, "add_resource", &add);
    assert!(!is_refused, "{said}");
    let read = server.get("/api/v1/content/read?uri=viking://resources/harbour/tides.md");
    assert_eq!(read.result(), "The ebb begins at six.");
    let listed = server.get("/api/v1/fs/ls?uri=viking://resources/harbour").result();
    assert_eq!(listed[0]["name"], "tides.md");
}

#[test]
fn what_is_no_document_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    for (name, text) in [
        ("", "text"),
        (".env", "text"),
        ("a%2Fb.md", "text"),
        ("id_rsa", "text"),
        ("a.md", ""),
        ("a.md", "a\0b"),
        ("a.md", &"x".repeat((1 << 20) + 1)),
    ] {
        assert_eq!(upload(&server, name, text).status, 400, "{name:?}");
    }
    let nothing = server.get("/api/v1/fs/ls?uri=viking://resources").result();
    assert_eq!(nothing, json!([]));
}
