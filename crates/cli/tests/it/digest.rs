//! `backstory digest`, `distil`, `signals`, `patterns` and `errors`.

use crate::sandbox::Sandbox;
use backstory_model::{
    ChangedFile, Digest, Fix, Judgement, Outcome, Signal, SignalKind, Snippet, TestUse, Timestamp,
};
use backstory_store::Account;
use insta::assert_snapshot;
use std::io::Write;
use std::process::Stdio;

const HUNT: &str = "claude:5ca1ab1e-7e57-4c0d-9b0c-0f10a3b1c2d3";
const REVIEW: &str = "codex:019a7d3e-5a1e-7c0d-9b0c-0f10a3b1c2d4";

fn signal(kind: SignalKind, seq: u32, what: &str, fix: Option<&str>) -> Signal {
    Signal {
        kind,
        fingerprint: 0x7ea5,
        seq,
        last_seq: seq + 2,
        ts: Timestamp::parse("2026-11-13T09:00:30Z"),
        count: 3,
        what: what.into(),
        fix: fix.map(|what| Fix {
            seq: seq + 3,
            what: what.into(),
            tried: "cargo clean\nrustup update".into(),
        }),
    }
}

/// The demo's history with accounts that do not depend on the rules that make them.
pub(crate) fn distilled() -> Sandbox {
    let sandbox = Sandbox::with_history();
    let digest = Digest {
        version: 1,
        goal: Some(Snippet { seq: 0, why: "goal".into(), text: "SHOP-12: mend it.".into() }),
        prompts: 1,
        files: vec![ChangedFile {
            path: "src/session.rs".into(),
            edits: 1,
            added: 1,
            removed: 1,
            seq: 5,
        }],
        tests: vec![TestUse {
            command: "cargo test session".into(),
            runs: 2,
            failures: 1,
            passed: Some(true),
            result: Some("14 passed; 0 failed".into()),
            seq: 10,
        }],
        tools: vec![("Bash".into(), 2), ("Edit".into(), 1)],
        judgement: Judgement {
            outcome: Outcome::Success,
            confidence: 85,
            evidence: vec![(11, "the last test run passed".into())],
        },
        errors: 1,
        ..Digest::default()
    };
    let wrong = "error: no such table: teas";
    let signals = vec![
        signal(SignalKind::Error, 4, wrong, None),
        signal(SignalKind::ErrorFix, 4, wrong, Some("ran the migration")),
    ];
    let decisions = vec![crate::decisions::asked(3), crate::decisions::permission(6)];
    sandbox.put_account(HUNT, &Account { digest, signals, decisions, ..Account::default() });
    let signals = vec![signal(SignalKind::Error, 6, wrong, None)];
    let decisions = vec![crate::decisions::brief(4)];
    sandbox.put_account(REVIEW, &Account { signals, decisions, ..Account::default() });
    sandbox
}

#[test]
fn a_digest_is_a_pleasure_to_read() {
    let sandbox = distilled();
    assert_snapshot!("digest", sandbox.run(&["digest", "5ca1ab1e"]));
    assert_snapshot!("digest_markdown", sandbox.run(&["digest", "5ca1ab1e", "--markdown"]));
    let show = sandbox.run(&["show", "5ca1ab1e"]).stdout;
    assert!(show.contains("1 file changed +1 −1 · tests ✓ 14 passed"), "{show}");
    let sessions = sandbox.run(&["sessions", "--outcome", "success"]).stdout;
    assert!(sessions.contains("5ca1ab1e"), "{sessions}");
    assert_eq!(sandbox.run(&["digest", "ffffffff"]).code, 5);
}

#[test]
fn an_evicted_session_is_shown_by_its_digest() {
    let sandbox = distilled();
    sandbox.set_caps(1, 1, 1 << 30);
    assert_eq!(sandbox.run(&["evict"]).code, 0);
    assert_snapshot!("show_evicted", sandbox.run(&["show", "5ca1ab1e"]));
    assert_snapshot!("show_evicted_markdown", sandbox.run(&["show", "5ca1ab1e", "--markdown"]));
}

#[test]
fn distilling_is_done_once_unless_asked() {
    let sandbox = Sandbox::new();
    sandbox.write_claude("d15711ed-1", &[("Hello", "Hi")]);
    assert_eq!(sandbox.run(&["sync", "--no-distil"]).code, 0);
    let missing = sandbox.run(&["digest", "last"]);
    assert!(missing.code == 5 && missing.stderr.contains("has no digest yet"), "{missing}");
    assert!(sandbox.run(&["doctor"]).stdout.contains("1 session not distilled yet"));
    assert_snapshot!(sandbox.run(&["distil"]), @r"
    exit 0
    1 session distilled
    ");
    assert_snapshot!(sandbox.run(&["distil"]), @r"
    exit 0
    all digests are up to date
    ");
    assert_snapshot!(sandbox.run(&["distil", "--all"]), @r"
    exit 0
    1 session distilled
    ");
    assert_eq!(sandbox.run(&["digest", "last"]).code, 0);
}

#[test]
fn signals_are_listed_and_filtered() {
    let sandbox = distilled();
    assert_snapshot!(
        "signals",
        sandbox.run(&["signals", "--kind", "error", "--kind", "error_fix"])
    );
    let many =
        |arguments: &[&str]| sandbox.json(&[&["signals", "--json"], arguments].concat()).len();
    let of_hunt = ["--session", "5ca1ab1e"];
    assert_eq!(many(&of_hunt), 2);
    assert_eq!(many(&[&of_hunt[..], &["--limit", "1"]].concat()), 1);
    assert_eq!(many(&[&of_hunt[..], &["--since", "2026-11-14"]].concat()), 0);
    assert_eq!(many(&[&of_hunt[..], &["--repo", "nowhere"]].concat()), 0);
    assert_eq!(sandbox.run(&["signals", "--repo", "nowhere"]).code, 5);
    assert_eq!(sandbox.run(&["signals", "--kind", "mood"]).code, 2);
}

#[test]
fn patterns_span_sessions() {
    let sandbox = distilled();
    assert_snapshot!("patterns", sandbox.run(&["patterns", "--kind", "error"]));
    let found = sandbox.json(&["patterns", "--kind", "error", "--json"]);
    let teas = found.iter().find(|found| found["fingerprint"] == "0000000000007ea5").unwrap();
    assert_eq!((&teas["sessions"], &teas["count"]), (&2.into(), &6.into()), "{teas}");
    assert_eq!(sandbox.run(&["patterns", "--min-sessions", "99"]).code, 5);
}

#[test]
fn an_error_is_recognised_with_what_helped() {
    let sandbox = distilled();
    let run = sandbox.run(&["errors", "error: no such table: teas"]);
    assert_snapshot!("errors", run);
    let mut child = sandbox
        .command(&["errors", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = "migrating\nerror: no such table: teas\nexit 1\n";
    child.stdin.take().unwrap().write_all(output.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let found: serde_json::Value =
        serde_json::from_slice(output.stdout.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(found["is_same"], true, "{found}");
    assert_eq!(found["fix"]["what"], "ran the migration", "{found}");
    let never = sandbox.run(&["errors", "the moon is made of cheese"]);
    assert_eq!(never.code, 5, "{never}");
    assert_eq!(sandbox.run(&["errors", " "]).code, 2);
}
