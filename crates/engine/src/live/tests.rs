//! What hooks leave behind.

use super::*;
use crate::spool::drain;

const NOW: Timestamp = Timestamp(1_800_000_000_000);
const KNOBS: Knobs = Knobs { active_window_ms: 120_000, idle_ttl_ms: 1_800_000 };

struct Scene {
    dir: tempfile::TempDir,
    home: Home,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = backstory_store_sqlite::home(dir.path().join("home"));
        Self { dir, home }
    }

    fn event(&self, session: &str, happening: Happening) -> LiveEvent {
        LiveEvent {
            agent: Flavor::Codex,
            session: session.into(),
            is_subagent: false,
            happening,
            event: format!("{happening:?}"),
            transcript_path: Some(self.dir.path().join(format!("{session}.jsonl"))),
            cwd: None,
            last_message: None,
        }
    }

    fn note(&self, session: &str, happening: Happening, minutes: i64) -> Noted {
        note(&self.home, &self.event(session, happening), later(minutes), &KNOBS).unwrap()
    }

    fn waiting(&self, minutes: i64) -> Vec<String> {
        let told = |(uid, reason): (SessionUid, SealReason)| format!("{uid} {}", reason.name());
        pending(&self.home, later(minutes), &KNOBS).into_iter().map(told).collect()
    }
}

fn later(minutes: i64) -> Timestamp {
    Timestamp(NOW.0 + minutes * 60_000)
}

#[test]
fn a_session_is_told_of_by_its_files() {
    let scene = Scene::new();
    fs_err::write(scene.dir.path().join("a.jsonl"), "12345").unwrap();
    assert!(!scene.note("a", Happening::Began, 0).is_open);
    assert!(scene.note("a", Happening::Prompted, 1).is_open);
    assert!(drain(&scene.home, NOW).entries.is_empty(), "nothing to read yet");
    scene.note("a", Happening::Stopped, 2);
    let state = state_of(&scene.home, Flavor::Codex, "a").unwrap();
    assert_eq!((state.prompts, state.turns, state.position), (1, 1, 5));
    assert_eq!((state.created_at, state.touched_at), (NOW, later(2)));
    let spooled = drain(&scene.home, NOW).entries;
    assert_eq!(spooled.len(), 1);
    assert_eq!((spooled[0].1.event.as_str(), spooled[0].1.at), ("Stopped", later(2)));
    assert!(scene.waiting(32).is_empty());
    assert_eq!(scene.waiting(33), ["codex:a idle"]);
}

#[test]
fn restarts_in_a_row_do_not_look_like_sessions_side_by_side() {
    let scene = Scene::new();
    scene.note("a", Happening::Began, 0);
    scene.note("a", Happening::Prompted, 0);
    scene.note("a", Happening::Stopped, 0);
    // Opened and closed again, then the one that is used.
    for session in ["b", "c"] {
        scene.note(session, Happening::Began, 1);
    }
    assert_eq!(scene.waiting(1), ["codex:a orphaned"]);
}

#[test]
fn a_beginning_marks_others_and_life_takes_it_back() {
    let scene = Scene::new();
    scene.note("a", Happening::Stopped, 0);
    let noted = scene.note("b", Happening::Began, 1);
    assert_eq!(noted.marked, [(SessionUid::new(Flavor::Codex, "a"), SealReason::Orphaned)]);
    assert_eq!(scene.waiting(1), ["codex:a orphaned"]);
    scene.note("a", Happening::Prompted, 1);
    assert!(scene.waiting(1).is_empty());
    let resumed = scene.note("c", Happening::Resumed, 1);
    assert!(resumed.marked.is_empty());
    let ended = scene.note("a", Happening::Ended, 2);
    assert_eq!(ended.marked, [(SessionUid::new(Flavor::Codex, "a"), SealReason::Ended)]);
    assert!(scene.note("a", Happening::Seen, 2).marked.is_empty(), "it is told once");
}

#[test]
fn whoever_works_for_a_session_does_not_hide_that_it_ended() {
    let scene = Scene::new();
    scene.note("a", Happening::Stopped, 0);
    for happening in [Happening::Stopped, Happening::Ended] {
        let child = LiveEvent { is_subagent: true, ..scene.event("b", happening) };
        note(&scene.home, &child, NOW, &KNOBS).unwrap();
    }
    scene.note("c", Happening::Began, 1);
    assert_eq!(scene.waiting(1), ["codex:a orphaned", "codex:b ended"]);
}

#[test]
fn last_words_are_redacted_and_bounded() {
    let scene = Scene::new();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).split_at(36).0);
    scene.note("a", Happening::Prompted, 0);
    let said = format!("  The token is {secret}.\n{}", "ä".repeat(300_000));
    let event = LiveEvent { last_message: Some(said), ..scene.event("a", Happening::Stopped) };
    note(&scene.home, &event, NOW, &KNOBS).unwrap();
    let drained = drain(&scene.home, NOW);
    assert!(drained.set_aside.is_empty(), "{:?}", drained.set_aside);
    let words = drained.entries[0].1.last_words.clone().unwrap();
    assert!(words.text.starts_with("The token is ") && !words.text.contains(&secret));
    assert!(words.text.len() <= 128 << 10);
    assert_eq!(words.prompted_at, Some(NOW));
    let bytes = fs_err::read(&drained.entries[0].0).unwrap();
    assert!(!String::from_utf8(bytes).unwrap().contains(&secret));
}

#[test]
fn a_file_of_the_plugin_is_taken_over() {
    let scene = Scene::new();
    let dir = scene.home.state().join("live");
    fs_err::create_dir_all(&dir).unwrap();
    let legacy = format!(
        r#"{{"codexSessionId":"0193af","ovSessionId":"cx-0193af","capturedTurnCount":7,
            "createdAt":{0},"lastUpdatedAt":{0}}}"#,
        NOW.0
    );
    fs_err::write(dir.join("0193af.json"), legacy).unwrap();
    assert_eq!(scene.waiting(31), ["codex:0193af idle"]);
    scene.note("0193af", Happening::Stopped, 1);
    let states = live(&scene.home);
    assert_eq!(states.len(), 1);
    assert_eq!((states[0].turns, states[0].touched_at), (8, later(1)));
}

#[test]
fn rubbish_is_passed_over() {
    let scene = Scene::new();
    let dir = scene.home.state().join("live");
    fs_err::create_dir_all(dir.join("codex-dir.json")).unwrap();
    fs_err::write(dir.join("codex-a.json"), "{\"torn").unwrap();
    fs_err::write(dir.join("codex-b.4711.tmp"), "{}").unwrap();
    assert!(live(&scene.home).is_empty());
    scene.note("a", Happening::Stopped, 0);
    assert_eq!(live(&scene.home).len(), 1);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    scene.note("a", Happening::Stopped, 0);
    let mode = |path: PathBuf| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    let dir = scene.home.state().join("live");
    assert_eq!(mode(dir.clone()), 0o700);
    assert_eq!(mode(dir.join("codex-a.json")), 0o600);
}

#[test]
fn hooks_at_the_same_time_lose_no_turn() {
    let scene = Scene::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    scene.note("a", Happening::Stopped, 0);
                    scene.note("b", Happening::Prompted, 0);
                }
            });
        }
    });
    let states = live(&scene.home);
    assert_eq!((states[0].turns, states[1].prompts), (100, 100));
    assert_eq!(drain(&scene.home, NOW).entries.len(), 100);
}

#[test]
fn a_forgotten_session_leaves_no_word() {
    let scene = Scene::new();
    let said = Some("the plan".to_owned());
    for session in ["a", "b"] {
        let event =
            LiveEvent { last_message: said.clone(), ..scene.event(session, Happening::Stopped) };
        note(&scene.home, &event, NOW, &KNOBS).unwrap();
    }
    forget(&scene.home, &SessionUid::new(Flavor::Codex, "a")).unwrap();
    assert_eq!(live(&scene.home).len(), 1);
    let spooled = drain(&scene.home, NOW).entries;
    assert_eq!(spooled.len(), 1);
    assert_eq!(spooled[0].1.session_id, "b");
}
