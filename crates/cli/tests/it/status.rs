//! `backstory status`.

use crate::sandbox::Sandbox;
use insta::assert_snapshot;

#[test]
fn tells_what_is_stored() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!("status", sandbox.run(&["status"]));
}

#[test]
fn sizes_add_up() {
    let sandbox = Sandbox::with_history();
    let status = &sandbox.json(&["status", "--json"])[0];
    let stored = &status["stored"];
    let number = |name: &str| stored[name].as_u64().unwrap();
    assert_eq!(number("rows_bytes") + number("packs_bytes"), number("total_bytes"));
    let of_agents: u64 = status["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| agent["source_bytes"].as_u64().unwrap())
        .sum();
    assert_eq!(number("source_bytes"), of_agents);
    assert!(number("rows_bytes") > 0 && number("packs_bytes") > 0);
}
