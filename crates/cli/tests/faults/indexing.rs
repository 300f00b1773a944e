//! The search index killed, deleted, damaged, and after sessions left: answers stay right.

use crate::history::{Claude, session_id};
use crate::sandbox::{Sandbox, snapshot, text};
use crate::store::{about_the_file, is_postgres};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const SESSIONS: usize = 60;

fn write_history(sandbox: &Sandbox) {
    for number in 0..SESSIONS {
        let session = Claude::new(number, 60);
        let path = sandbox.projects().join(format!("{}.jsonl", session.id));
        sandbox.write(&path, session.turns(0..12));
    }
}

/// What a few searches say, in full.
fn answers(sandbox: &Sandbox, home: &Path) -> String {
    let queries =
        ["parser7 queue12", "\"the cache\"", "retry* worker3", "why does the build drop work"];
    let ask = |query: &str| {
        let arguments = ["search", "--json", "--limit", "20", query];
        let output = sandbox.command_with_home(home).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    queries.map(ask).join("\n")
}

fn index(home: &Path) -> PathBuf {
    let mut dirs = fs_err::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
    dirs.find(|path| path.file_name().unwrap().to_string_lossy().starts_with("index-v")).unwrap()
}

fn succeed(sandbox: &Sandbox, arguments: &[&str]) {
    let output = sandbox.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
}

#[test]
fn kills_while_indexing_change_no_answer() {
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    succeed(&sandbox, &["sync", "--no-index"]);
    let bare = sandbox.dir.path().join("bare");
    sandbox.store.copy(&sandbox.home(), &bare);
    let began = Instant::now();
    succeed(&sandbox, &["index"]);
    let whole = began.elapsed();
    let expected = answers(&sandbox, &sandbox.home());
    assert!(expected.contains("parser7"), "{expected}");

    let mut kills = 0;
    for round in 0..40_u32 {
        let home = sandbox.dir.path().join(format!("killed-{}", round / 4));
        if !home.exists() {
            sandbox.store.copy(&bare, &home);
        }
        let mut child = sandbox
            .command_with_home(&home)
            .arg("index")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(whole.mul_f64(f64::from(round % 17) / 16.0).min(Duration::from_secs(2)));
        child.kill().unwrap();
        kills += u32::from(!child.wait().unwrap().success());
        if round % 4 == 3 {
            let output = sandbox.command_with_home(&home).arg("index").output().unwrap();
            assert!(output.status.success(), "{}", text(&output));
            assert_eq!(answers(&sandbox, &home), expected, "after round {round}");
        }
    }
    assert!(kills > 10, "only {kills} kills hit");
}

#[test]
fn a_lost_or_damaged_index_is_built_anew() {
    about_the_file!("the index is damaged as files are");
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    sandbox.sync();
    let expected = answers(&sandbox, &sandbox.home());

    fs_err::remove_dir_all(index(&sandbox.home())).unwrap();
    let output = sandbox.run(&["search", "parser7"]);
    assert!(!output.status.success() && text(&output).contains("backstory index"), "{output:?}");
    sandbox.sync();
    assert_eq!(answers(&sandbox, &sandbox.home()), expected);

    for (path, bytes) in snapshot(&index(&sandbox.home())) {
        fs_err::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }
    let output = sandbox.run(&["search", "parser7"]);
    assert!(!output.status.success() && !text(&output).contains("panicked"), "{output:?}");
    succeed(&sandbox, &["index", "--rebuild"]);
    assert_eq!(answers(&sandbox, &sandbox.home()), expected);
}

#[test]
fn without_vectors_words_still_answer_and_it_says_so() {
    about_the_file!("vectors are lost as files are");
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    sandbox.sync();
    for (path, _) in snapshot(&index(&sandbox.home())) {
        if path.extension().is_some_and(|extension| extension == "vec") {
            fs_err::remove_file(path).unwrap();
        }
    }
    let output = sandbox.run(&["search", "parser7"]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("index --rebuild"), "{}", text(&output));
}

#[test]
fn what_was_evicted_or_forgotten_is_no_stale_hit() {
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    let path = sandbox.projects().join(format!("{}.jsonl", session_id(7)));
    let mut log = fs_err::read_to_string(&path).unwrap();
    log.push_str(&Claude::new(7, 60).turns(12..13).replace("cache", "zanzibar"));
    fs_err::write(&path, log).unwrap();
    sandbox.sync();
    let found = |word: &str| text(&sandbox.run(&["search", "--json", "--mode", "lexical", word]));
    assert!(found("zanzibar*").contains(&session_id(7)));
    // A table on a server keeps its room for rows to come.
    let bytes = |home: &Path| -> Option<u64> {
        let files = (!is_postgres()).then(|| snapshot(&index(home)))?;
        Some(files.iter().map(|(_, bytes)| bytes.len() as u64).sum())
    };
    let before = bytes(&sandbox.home());

    let caps = "[session_memory.retention]\nraw_soft_cap_bytes = \"300kB\"\n";
    fs_err::write(sandbox.home().join("config.toml"), caps).unwrap();
    succeed(&sandbox, &["evict"]);
    let after = bytes(&sandbox.home());
    assert!(after <= before.map(|before| before / 2), "the index did not shrink");
    let said = found("parser7");
    for line in said.lines().skip(1).filter(|line| line.starts_with('{')) {
        let session: serde_json::Value = serde_json::from_str(line).unwrap();
        if session["is_evicted"] == true {
            let moments = session["moments"].as_array().unwrap();
            assert!(moments.iter().all(|moment| moment["event"].is_null()), "{line}");
        }
    }
    succeed(&sandbox, &["forget", &session_id(7), "--yes"]);
    assert!(!found("zanzibar*").contains(&session_id(7)));
}
