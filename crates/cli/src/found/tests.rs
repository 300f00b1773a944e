//! Whole answers as people and programs get them.

use super::*;
use crate::cmd::Global;
use crate::context::Context;
use crate::env::{BACKSTORY_NOW, Env, HOME};
use crate::ids::ShortIds;
use backstory_distill::query::Query;
use backstory_distill::snippet::{Wanted, snippet};
use backstory_engine::search::{FoundMoment, FoundSession, Paths, SearchAnswer, Sort};
use backstory_model::{
    Cost, EventKind, Flavor, Lineage, Outcome, Role, SCHEMA_VERSION, Session, SessionEvent,
    SessionUid, Timestamp, Watermarks,
};

const TEST_OUTPUT: &str = "\u{1b}[31mrunning 14 tests\u{1b}[0m\ntest session::expiry_at_midnight \
    ... FAILED\nassertion failed: session.expires == midnight\n  left: 2026-10-25T23:00:00Z, right: \
    2026-10-26T00:00:00Z: the clock change makes this day 25 hours long\nerror: test failed, to rerun \
    pass `--lib`";

fn context() -> Context {
    let env =
        Env::fixed([(BACKSTORY_NOW, "2026-11-15T12:00:00Z".into()), (HOME, "/home/ada".into())]);
    Context::new(env, Global::default()).unwrap().in_utc()
}

fn session(native: &str, title: &str, outcome: Outcome) -> Session {
    Session {
        session_uid: SessionUid::new(Flavor::Claude, native),
        flavor: Flavor::Claude,
        native_session_id: native.into(),
        lineage: Lineage::default(),
        repo: Some("teashop".into()),
        project_key: Some("/home/ada/src/teashop/.git".into()),
        domain: None,
        cwd: Some("/home/ada/src/teashop".into()),
        git_branch: Some("fix/SHOP-12-session-expiry".into()),
        model: None,
        models: Vec::new(),
        cli_version: None,
        title: Some(title.into()),
        started_at: Timestamp::parse("2026-11-13T09:00:00Z"),
        ended_at: Timestamp::parse("2026-11-13T09:02:00Z"),
        outcome,
        outcome_reason: None,
        cost: Cost::default(),
        cost_in_parent: false,
        task_ref: None,
        source_path: String::new(),
        source_bytes: 0,
        events: 13,
        schema_version: SCHEMA_VERSION,
        watermarks: Watermarks::default(),
    }
}

fn event(native: &str, seq: u32, kind: EventKind, summary: &str) -> SessionEvent {
    SessionEvent {
        session_uid: SessionUid::new(Flavor::Claude, native),
        seq,
        parent_seq: None,
        native_id: None,
        ts: Timestamp::parse("2026-11-13T09:00:00Z")
            .map(|at| Timestamp(at.0 + i64::from(seq) * 9000)),
        kind,
        role: Role::Assistant,
        tool: None,
        call_id: None,
        summary: summary.into(),
        payload_ref: None,
        tokens: 0,
        is_sidechain: false,
        exit_code: None,
        duration_ms: None,
        files: Vec::new(),
    }
}

fn moment(event: Option<SessionEvent>, text: &str, score: f32) -> FoundMoment {
    let query = Query::parse("session expiry midnight \"clock change\"", &|_, _| None);
    let snippet = snippet(text, &Wanted::of(&query), 160);
    FoundMoment { event, score, snippet, before: Vec::new(), after: Vec::new() }
}

/// An answer with a call, a failed output, a prompt with neighbours, and a session only its digest
/// is left of.
fn answer() -> SearchAnswer {
    let (new, old) = ("5ca1ab1e-7e57-4c0d", "de9107ed-caca-4b0b");
    let command = r#"{"command":"TZ=Europe/Berlin cargo test session","description":"Run"}"#;
    let mut call = event(new, 3, EventKind::TestRun, command);
    call.exit_code = Some(101);
    call.files = vec!["/home/ada/src/teashop/src/session.rs".into()];
    let mut failed = event(new, 4, EventKind::Error, "running 14 tests");
    failed.exit_code = Some(101);
    failed.files = vec!["/home/ada/src/teashop/src/session.rs".into(), "src/時計.rs".into()];
    let mut asked = moment(
        Some(event(new, 0, EventKind::UserMsg, "SHOP-12: session expiry is off")),
        "SHOP-12: session expiry is off by an hour since the clock change",
        0.5,
    );
    asked.before = vec![event(new, 11, EventKind::Thinking, "what \u{1b}[2Jwas before")];
    asked.after = vec![event(new, 1, EventKind::AssistantMsg, &"a long answer ".repeat(12))];
    asked.after[0].ts = Timestamp::parse("2026-11-12T23:59:00Z");
    let mut gone = session(
        old,
        "ログイン画面の修正 and a title that is far too long for any heading",
        Outcome::Success,
    );
    gone.watermarks.evicted_at = Some(Timestamp(0));
    SearchAnswer {
        sessions: vec![
            FoundSession {
                session: session(new, "Mend session expiry at clock changes", Outcome::Fail),
                score: 0.9,
                moments: vec![
                    moment(Some(call), command, 0.8),
                    moment(Some(failed), TEST_OUTPUT, 0.9),
                    asked,
                ],
                is_evicted: false,
            },
            FoundSession {
                session: gone,
                score: 0.2,
                moments: vec![moment(
                    None,
                    "Decided to expire every session at local midnight",
                    0.2,
                )],
                is_evicted: true,
            },
        ],
        paths: Paths {
            lexical: true,
            semantic: false,
            notes: vec!["the vectors are missing".into()],
        },
        more: true,
    }
}

fn ids(answer: &SearchAnswer) -> ShortIds {
    ShortIds::of(answer.sessions.iter().map(|found| found.session.session_uid.clone()).collect())
}

fn told(columns: Option<usize>) -> String {
    let answer = answer();
    let mut out = Vec::new();
    write_sessions(&answer.sessions, &ids(&answer), &context(), columns, &mut out).unwrap();
    anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
}

#[test]
fn sessions_with_their_moments() {
    insta::assert_snapshot!(told(Some(100)));
    assert!(told(Some(100)).lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 100));
}

#[test]
fn a_narrow_screen_gives_snippets_lines_of_their_own() {
    insta::assert_snapshot!(told(Some(48)));
}

#[test]
fn elsewhere_every_moment_is_one_line() {
    insta::assert_snapshot!(told(None));
}

#[test]
fn files_are_counted() {
    let mut out = Vec::new();
    write_files(&files(&answer()), &context(), &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "2  ~/src/teashop/src/session.rs\n1  src/時計.rs\n"
    );
}

#[test]
fn commands_can_be_copied() {
    let mut answer = answer();
    let script = r#"{"command":"cargo build\ncargo run\n"}"#;
    let mut later = event("5ca1ab1e-7e57-4c0d", 9, EventKind::ToolCall, script);
    later.exit_code = Some(0);
    let again = answer.sessions[0].moments[0].clone();
    let read = event("5ca1ab1e-7e57-4c0d", 10, EventKind::ToolCall, r#"{"file_path":"/a"}"#);
    answer.sessions[1].moments.extend([
        moment(Some(later), script, 0.4),
        again,
        moment(Some(read), "", 0.7),
    ]);
    let content = |event: &SessionEvent| event.summary.clone();
    let ran = commands(&answer, Sort::Score, &content);
    let mut out = Vec::new();
    write_commands(&ran, &ids(&answer), &context(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    insta::assert_snapshot!(anstream::adapter::strip_str(&text), @r"
    EXIT  RUNS  AGE  EVENT       COMMAND
     101     2   2d  5ca1ab1e/3  TZ=Europe/Berlin cargo test session
       0     1   2d  5ca1ab1e/9  cargo build … (+1 line)
    ");
    let latest = commands(&answer, Sort::Time, &content);
    assert_eq!(latest[0].command, "cargo build\ncargo run\n");
}

#[test]
fn json_keeps_what_the_terminal_cuts() {
    let answer = answer();
    let head = serde_json::to_value(head("session", &["a hint".into()], &answer)).unwrap();
    assert_eq!(head["paths"]["notes"][0], "the vectors are missing");
    assert_eq!((&head["hints"][0], &head["more"]), (&"a hint".into(), &true.into()));
    let shape = serde_json::to_value(super::session(&answer.sessions[0])).unwrap();
    let asked = &shape["moments"][2];
    assert_eq!(asked["address"], "backstory://claude:5ca1ab1e-7e57-4c0d/0");
    assert_eq!((&asked["before"][0]["seq"], &asked["after"][0]["seq"]), (&11.into(), &1.into()));
    let gone = serde_json::to_value(super::session(&answer.sessions[1])).unwrap();
    assert_eq!(gone["moments"][0]["address"], "backstory://claude:de9107ed-caca-4b0b");
    assert!(gone["moments"][0]["event"].is_null() && gone["is_evicted"] == true);
}
