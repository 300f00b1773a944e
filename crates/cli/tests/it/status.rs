//! `backstory status`.

use crate::sandbox::{NOW, Sandbox};
use backstory_engine::notices::{Event, Notice, record};
use backstory_model::Timestamp;
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

#[test]
fn sessions_lost_lately_are_told() {
    let sandbox = Sandbox::with_history();
    let home = sandbox.archive_in("archive");
    let now = Timestamp::parse(NOW).unwrap();
    for days in [31, 29, 6, 5, 4, 3, 2, 1] {
        let event = Event::DataLoss {
            session_uid: format!("claude:lost-{days}-days-ago"),
            started_at: None,
            bytes: 7_000_000,
            reason: "the hard cap was reached".into(),
        };
        record(&home, &Notice { at: Timestamp(now.0 - days * 86_400_000), event }).unwrap();
    }
    let run = sandbox.run(&["status"]);
    assert_snapshot!("status_data_loss", run.stderr);
    assert_eq!(run.code, 0);
    let status = &sandbox.json(&["status", "--json"])[0];
    assert_eq!(status["data_loss"].as_array().unwrap().len(), 7);
    assert_eq!(status["data_loss"][0]["session_uid"], "claude:lost-29-days-ago");
}
