//! Messages of hooks, as `backstory sync` hears them.

use crate::sandbox::Sandbox;
use crate::store::about_the_file;
use backstory_engine::spool::{SpoolEntry, enqueue};
use backstory_model::{Flavor, Timestamp};
use backstory_store::Home;
use insta::assert_snapshot;
use std::path::PathBuf;

const ID: &str = "5e551011-0000-4000-8000-000000000001";

fn archive(sandbox: &Sandbox) -> Home {
    sandbox.archive_in("archive")
}

fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.set("BACKSTORY_HOME", &archive(&sandbox).dir().display().to_string());
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    sandbox
}

fn leave(sandbox: &Sandbox, transcript: PathBuf) {
    let entry = SpoolEntry {
        agent: Flavor::Claude,
        event: "SessionEnd".into(),
        session_id: ID.into(),
        transcript_path: Some(transcript),
        cwd: None,
        at: Timestamp(1_700_000_000_000),
        last_words: None,
    };
    enqueue(&archive(sandbox), &entry).unwrap();
}

fn waiting(sandbox: &Sandbox) -> usize {
    let files = fs_err::read_dir(archive(sandbox).spool()).unwrap();
    files.filter(|file| file.as_ref().unwrap().path().is_file()).count()
}

#[test]
fn messages_are_heard_and_forgotten() {
    let sandbox = sandbox();
    let log = sandbox.home().join(format!(".claude/projects/-shop/{ID}.jsonl"));
    leave(&sandbox, log.clone());
    leave(&sandbox, log);
    let planned = sandbox.json(&["sync", "--dry-run", "--json"]);
    assert_eq!((planned.len(), waiting(&sandbox)), (1, 2), "a dry run hears nothing");
    sandbox.run(&["sync", "--agent", "codex"]);
    assert_eq!(waiting(&sandbox), 2, "a partial sweep hears nothing");
    let report = &sandbox.json(&["sync", "--json"])[0];
    assert_eq!((&report["spooled"], &report["problem_count"]), (&2.into(), &0.into()), "{report}");
    assert_eq!(waiting(&sandbox), 0);
}

#[test]
fn a_log_outside_the_roots_is_not_read() {
    let sandbox = sandbox();
    let text = crate::sandbox::claude("07e70000-1", &[("Secret", "Plan")]);
    sandbox.write("elsewhere/07e70000-1.jsonl", &text);
    leave(&sandbox, sandbox.home().join("elsewhere/07e70000-1.jsonl"));
    let report = &sandbox.json(&["sync", "--json"])[0];
    let problem = &report["problems"][0];
    assert_eq!(problem["flavor"], "claude");
    assert_snapshot!(problem["what"].as_str().unwrap(), @"speaks of [HOME]/elsewhere/07e70000-1.jsonl, which lies below no folder of claude: it was not read; name its folder in [session_memory.sources]");
    assert_eq!(sandbox.json(&["sessions", "--json"]).len(), 1);
    assert_eq!(waiting(&sandbox), 0, "it is told once");
}

#[test]
fn a_torn_message_is_set_aside_and_the_sweep_goes_on() {
    let sandbox = sandbox();
    sandbox.write("archive/spool/1-2-3.json", "{\"v\":1,");
    let run = sandbox.run(&["sync"]);
    assert_snapshot!("spool_torn", run);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    assert_eq!(sandbox.json(&["sessions", "--json"]).len(), 1);
}

#[test]
fn a_sweep_that_fails_forgets_nothing() {
    about_the_file!("what fails is the file");
    let sandbox = sandbox();
    leave(&sandbox, sandbox.home().join(".claude/projects/-shop/x.jsonl"));
    sandbox.write("archive/archive.db", "this is not a database, but long enough to look at it");
    assert_eq!(sandbox.run(&["sync"]).code, 3);
    assert_eq!(waiting(&sandbox), 1);
}
