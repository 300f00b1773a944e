//! The sets for measuring recall are what they claim to be.

use backstory_engine::{Root, SyncOptions, sync};
use backstory_model::{EventKind, Flavor, Session, SessionUid, Timestamp};
use backstory_store::{SessionFilter, Vault};
use fs_err as fs;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xtask::recall::{Kind, Question, coding, locomo, read_questions, shared_words};

type Checked = Result<(), Box<dyn std::error::Error>>;

const README: &str = include_str!("../recall/README.md");

/// Later than every session.
const NOW: Timestamp = Timestamp(1_800_000_000_000);

/// Takes the logs of a set in, like any other history.
fn archive(dir: &Path) -> Result<Vault, Box<dyn std::error::Error>> {
    let logs = dir.join("home");
    let root = |flavor, folder: &str| Root { flavor, dir: logs.join(folder) };
    let options = SyncOptions {
        budget: None,
        ..SyncOptions::new(
            backstory_engine::Archive::indexed_at_home(backstory_store_sqlite::home(
                dir.join("archive"),
            )),
            vec![root(Flavor::Claude, ".claude/projects"), root(Flavor::Codex, ".codex/sessions")],
        )
    };
    let report = sync(&options, NOW, &mut |_| {})?;
    assert_eq!(report.problem_count, 0, "{:?}", report.problems);
    assert_eq!(report.total(|flavor| flavor.unknown + flavor.bad), 0);
    Ok(Vault::open(&options.archive.home)?)
}

/// Every event of a session: whether it is prose, and all its text.
fn events(
    vault: &Vault,
    uid: &SessionUid,
) -> Result<Vec<(bool, String)>, Box<dyn std::error::Error>> {
    let mut texts = Vec::new();
    for event in vault.events(uid)? {
        let is_prose = matches!(event.kind, EventKind::UserMsg | EventKind::AssistantMsg);
        let mut text = event.summary.clone();
        if event.payload_ref.is_some() {
            text = vault.payload(&event)?;
        }
        texts.push((is_prose, text));
    }
    Ok(texts)
}

fn the_session<'a>(sessions: &'a [Session], uid: &str) -> &'a Session {
    let found = sessions.iter().find(|session| session.session_uid.as_str() == uid);
    found.unwrap_or_else(|| panic!("there is no session {uid}"))
}

/// Every file below a directory, by name.
fn bytes(dir: &Path) -> Result<BTreeMap<String, Vec<u8>>, Box<dyn std::error::Error>> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(dir) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(dir)?.display().to_string();
            files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(files)
}

#[test]
fn two_runs_write_the_same_bytes() -> Checked {
    let (one, two) = (tempfile::tempdir()?, tempfile::tempdir()?);
    coding::write(one.path())?;
    coding::write(two.path())?;
    assert_eq!(bytes(one.path())?, bytes(two.path())?);
    assert!(coding::write(one.path()).is_err(), "a set must not be mixed with another");
    Ok(())
}

#[test]
fn the_coding_set_is_large_and_mixed() -> Checked {
    let dir = tempfile::tempdir()?;
    coding::write(dir.path())?;
    let questions = read_questions(dir.path())?;
    let (blind, seeing): (Vec<&Question>, Vec<&Question>) =
        questions.iter().partition(|question| question.blind);
    assert!(blind.len() >= 50, "{} are blind", blind.len());
    assert!(blind.iter().all(|question| question.paraphrase), "only a paraphrase is blind");
    assert!(seeing.len() >= 300, "{} are not blind", seeing.len());
    let paraphrases = seeing.iter().filter(|question| question.paraphrase).count();
    assert!(paraphrases >= 100, "{paraphrases} paraphrases that are not blind");
    let plain = seeing.len() - paraphrases;
    for (class, count) in [("plain", plain), ("paraphrase", paraphrases), ("blind", blind.len())] {
        let row = format!("| {class:<10} | {count:<9} |");
        assert!(README.contains(&row), "the README needs {row}");
    }
    let ids: BTreeSet<&str> = questions.iter().map(|question| question.id.as_str()).collect();
    assert_eq!(ids.len(), questions.len(), "ids are unique");
    let asked: BTreeSet<&str> = questions.iter().map(|one| one.question.as_str()).collect();
    assert_eq!(asked.len(), questions.len(), "questions are unique");
    for kind in Kind::CODING {
        let count = questions.iter().filter(|question| question.kind == kind).count();
        assert!(count >= 20, "{count} of {kind:?}");
    }
    for question in &questions {
        let of_project = questions.iter().filter(|one| one.project == question.project);
        assert!(of_project.count() >= 30, "{}", question.project);
    }
    Ok(())
}

#[test]
fn the_logs_yield_the_sessions_and_their_passages() -> Checked {
    let dir = tempfile::tempdir()?;
    coding::write(dir.path())?;
    let vault = archive(dir.path())?;
    let files = bytes(&dir.path().join("home"))?;
    let sessions = vault.sessions(&SessionFilter::default())?;
    assert_eq!(sessions.len(), files.len());
    assert!(sessions.len() >= 150, "{} sessions", sessions.len());
    for flavor in [Flavor::Claude, Flavor::Codex] {
        let own = sessions.iter().filter(|session| session.flavor == flavor).count();
        assert!(own * 3 >= sessions.len(), "{own} of {flavor}");
    }
    for session in &sessions {
        let count = vault.events(&session.session_uid)?.len();
        assert!((10..=60).contains(&count), "{count} events in {}", session.session_uid);
    }
    let mut said = BTreeMap::new();
    for session in &sessions {
        said.insert(session.session_uid.to_string(), events(&vault, &session.session_uid)?);
    }
    for question in read_questions(dir.path())? {
        assert!(!question.gold.is_empty(), "{}", question.id);
        for gold in &question.gold {
            let session = the_session(&sessions, &gold.session);
            assert_eq!(session.repo.as_ref(), Some(&question.project), "{}", question.id);
            let found: Vec<&String> = said
                .iter()
                .filter(|(_, events)| events.iter().any(|(_, text)| gold.is_in(text)))
                .map(|(uid, _)| uid)
                .collect();
            assert_eq!(found, [&gold.session], "{}: {:?}", question.id, gold.text);
        }
    }
    Ok(())
}

#[test]
fn paraphrases_share_no_content_word_with_what_answers_them() -> Checked {
    let dir = tempfile::tempdir()?;
    coding::write(dir.path())?;
    let vault = archive(dir.path())?;
    let sessions = vault.sessions(&SessionFilter::default())?;
    let mut faults = Vec::new();
    for question in read_questions(dir.path())?.iter().filter(|one| one.paraphrase) {
        for gold in &question.gold {
            let session = the_session(&sessions, &gold.session);
            let said = events(&vault, &session.session_uid)?;
            let names_something =
                said.iter().any(|(_, text)| !shared_words(&question.question, text).is_empty());
            assert!(question.blind || names_something, "{} is blind", question.id);
            // Not only the passage: all of what is said in the same breath.
            let around = said.iter().filter(|(is_prose, text)| *is_prose && gold.is_in(text));
            for text in around.map(|(_, text)| text).chain([&gold.text]) {
                let words = shared_words(&question.question, text);
                if !words.is_empty() {
                    faults.push(format!("{} {words:?}: {}", question.id, question.question));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

const CONVERSATION: &str = r#"[{"sample_id": "conv-7", "conversation": {"speaker_a": "Ann",
    "speaker_b": "Bo", "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [{"speaker": "Bo", "dia_id": "D1:1", "text": "Morning!"},
        {"speaker": "Ann", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a red kite"}],
    "session_2_date_time": "12:30 am on 9 May, 2023",
    "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "It flew away."}],
    "session_3_date_time": "1:00 pm on 10 May, 2023"},
    "qa": [{"question": "What did Ann lose?", "answer": 1, "evidence": ["D1:02; D2:1"], "category": 1},
        {"question": "Who?", "adversarial_answer": "Bo", "evidence": ["D9:9"], "category": 5},
        {"question": "What did Bo fly?", "adversarial_answer": "a kite", "evidence": ["D2:1"],
            "category": 5}]}]"#;

#[test]
fn conversations_become_sessions() -> Checked {
    let dir = tempfile::tempdir()?;
    let source = dir.path().join("source.json");
    fs::write(&source, CONVERSATION)?;
    locomo::write(&source, dir.path())?;
    let questions = read_questions(dir.path())?;
    let [lost, flown] = &questions[..] else { panic!("{questions:#?}") };
    assert_eq!((lost.kind, lost.answer.as_str()), (Kind::MultiHop, "1"));
    assert_eq!((flown.kind, flown.answer.as_str()), (Kind::Adversarial, "a kite"));
    let [image, away] = &lost.gold[..] else { panic!("{lost:#?}") };
    assert_eq!(image.text, "Ann: Look. [shares an image: a red kite]");
    assert_eq!((image.turn, away.turn), (Some(1), Some(0)));

    let vault = archive(dir.path())?;
    let sessions = vault.sessions(&SessionFilter::default())?;
    assert_eq!(sessions.len(), 2);
    for gold in &lost.gold {
        let session = the_session(&sessions, &gold.session);
        assert_eq!(session.repo.as_deref(), Some("conv-7"));
        let said = events(&vault, &session.session_uid)?;
        let turns = if gold.turn == Some(1) { 2 } else { 1 };
        assert!(said.len() == turns && said.iter().all(|(is_prose, _)| *is_prose), "{said:?}");
        assert!(gold.turn.is_some_and(|turn| said[turn].1 == gold.text), "{said:?}");
    }
    Ok(())
}
