//! Questions, answers and what is known of models, with a model that says what the test wants.

use super::shelf::{MAX_ASKED, Said};
use super::*;
use crate::recall::Category;
use backstory_distill::recall::compress::{Candidate, Knobs};
use backstory_distill::recall::render;
use backstory_model::{Flavor, SessionUid, Timestamp};
use std::time::{Duration, Instant};

const NOW: Timestamp = Timestamp(1_790_000_000_000);
const PROMPT: &str = "Which port does staging use behind the heron proxy?";
const WORDS: &str = "- port 7411 (backstory://claude:1/7)";
const COMPRESS: Compress = Compress { bullets: 6, min_chars: 10, asks: true };
const DAY: i64 = 24 * 3_600_000;

struct Scene {
    home: Home,
    dir: tempfile::TempDir,
}

fn item(seq: u32, text: &str) -> RecallItem {
    RecallItem {
        category: Category::Answer,
        address: format!("backstory://claude:1/{seq}"),
        text: text.into(),
        score: 1.5,
        why: "1 of 1 words".into(),
        tokens: 9,
    }
}

fn found() -> Recall {
    let items = vec![
        item(7, "2026-03-01: staging listens on port 7411 behind the heron proxy, as always"),
        item(9, "2026-03-02: the proxy was restarted twice"),
    ];
    Recall { text: render(&items, Source::Prompt), items, considered: 5, ..Recall::default() }
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { home: backstory_store_sqlite::home(dir.path().join("home")), dir }
    }

    fn reworded(&self, prompt: &str) -> Recall {
        reword(&self.home, found(), &Cue::of(prompt).unwrap(), COMPRESS)
    }

    /// Asks as a hook of an agent does.
    fn ask(&self, agent: Flavor, prompt: &str, at: Timestamp) -> String {
        let recall = self.reworded(prompt);
        let key = recall.compressible.clone().expect("there are words already");
        let session = SessionUid::new(agent, "live");
        let occasion = Occasion { session: &session, event: "UserPromptSubmit", at };
        let options = RecallOptions {
            prompt: prompt.into(),
            compress: Some(COMPRESS),
            ..RecallOptions::default()
        };
        ask(&self.home, &key, &occasion, &options, &recall).unwrap();
        key
    }

    /// Lets the models answer; who was asked, in order, and what came of it.
    fn answer(
        &self,
        order: &[Candidate],
        at: Timestamp,
        model: impl Fn(&Candidate, &str) -> Result<String, String>,
    ) -> (Vec<String>, Answered) {
        let mut asked = Vec::new();
        let mut headless = |candidate: &Candidate, question: &str, _: Duration| {
            asked.push(candidate.model.clone());
            model(candidate, question)
        };
        let knobs = Knobs::default();
        let done =
            answer_asked(&self.home, Flavor::Codex, (order, &knobs), &mut headless, at).unwrap();
        (asked, done)
    }

    fn detect(
        &self,
        order: &[Candidate],
        model: impl Fn(&Candidate) -> Result<String, String>,
    ) -> (Vec<String>, Profile) {
        let mut asked = Vec::new();
        let mut headless = |candidate: &Candidate, _: &str, patience: Duration| {
            assert_eq!(patience, Duration::from_secs(15));
            asked.push(candidate.model.clone());
            model(candidate)
        };
        let knobs = Knobs::default();
        let found = detect(&self.home, Flavor::Codex, (order, &knobs), &mut headless, NOW);
        (asked, found.unwrap().unwrap())
    }

    fn fails(&self, order: &[Candidate], at: Timestamp) -> bool {
        is_known_to_fail(&self.home, Flavor::Codex, order, &Knobs::default(), at)
    }
}

fn order() -> Vec<Candidate> {
    vec![Candidate::new("first", None), Candidate::new("second", Some("low"))]
}

#[test]
fn the_first_time_the_digest_is_told_and_the_next_time_fewer_words() {
    let scene = Scene::new();
    let first = scene.reworded(PROMPT);
    assert_eq!((&first.text, &first.wording), (&found().text, &None));
    scene.ask(Flavor::Codex, PROMPT, NOW);
    let (asked, done) = scene.answer(&order(), NOW, |_, question| {
        assert!(question.contains(PROMPT) && question.contains("heron proxy, as always"));
        Ok(WORDS.into())
    });
    assert_eq!((asked, done.worded), (vec!["first".to_owned()], 1));
    let next = scene.reworded(PROMPT);
    assert_eq!(next.compressible, None);
    assert!(next.text.contains("\n- port 7411 (backstory://claude:1/7)\n"), "{}", next.text);
    assert!(next.text.len() < first.text.len());
    let told: Vec<&str> = next.items.iter().map(|item| item.address.as_str()).collect();
    assert_eq!(told, ["backstory://claude:1/7"], "what is left out was not told");
    assert_eq!(next.wording.unwrap().by, "codex (first)");
    // The same telling words in another order are the same question; others are not.
    let other = "behind the heron proxy, which port does staging use?";
    assert_eq!(scene.reworded(other).compressible, None);
    assert!(scene.reworded("which port does production use").compressible.is_some());
    assert!(scene.answer(&order(), NOW, |_, _| Ok(String::new())).0.is_empty(), "nothing waits");
}

#[test]
fn short_blocks_are_left_alone_and_nobody_asks_who_must_not() {
    let scene = Scene::new();
    let cue = Cue::of(PROMPT).unwrap();
    let chars = found().text.chars().count();
    for (compress, asks) in [
        (Compress { min_chars: chars + 1, ..COMPRESS }, false),
        (Compress { min_chars: chars, ..COMPRESS }, true),
        (Compress { asks: false, ..COMPRESS }, false),
    ] {
        let recall = reword(&scene.home, found(), &cue, compress);
        assert_eq!(recall.compressible.is_some(), asks, "{compress:?}");
        assert_eq!(recall.text, found().text);
    }
    let nothing = reword(&scene.home, Recall::default(), &cue, COMPRESS);
    assert_eq!(nothing.compressible, None);
}

#[test]
fn what_is_of_no_use_is_not_asked_for_again() {
    for answer in ["", "I am sorry.", "- port 7412 (backstory://claude:1/7)"] {
        let scene = Scene::new();
        scene.ask(Flavor::Codex, PROMPT, NOW);
        let (_, done) = scene.answer(&order(), NOW, |_, _| Ok(answer.into()));
        assert_eq!((done.worded, done.declined.len(), &done.trouble), (0, 1, &None), "{answer}");
        let next = scene.reworded(PROMPT);
        assert_eq!((next.text, next.compressible), (found().text, None), "{answer}");
        assert!(!scene.fails(&order(), NOW), "the model itself answers");
    }
}

#[test]
fn secrets_in_an_answer_are_redacted() {
    let scene = Scene::new();
    scene.ask(Flavor::Codex, PROMPT, NOW);
    let secret = ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let words = format!("- port 7411, {secret} (backstory://claude:1/7)\n{WORDS}");
    scene.answer(&order(), NOW, |_, _| Ok(words.clone()));
    let next = scene.reworded(PROMPT);
    assert!(next.wording.is_some() && !next.text.contains(&secret), "{}", next.text);
    let with_secret = format!("{PROMPT} {secret}");
    let key = scene.ask(Flavor::Codex, &with_secret, NOW);
    let left = scene.dir.path().join("home/state/compressor/asked").join(format!("{key}.json"));
    assert!(!fs_err::read_to_string(left).unwrap().contains(&secret));
}

#[test]
fn a_secret_across_the_end_of_what_a_model_sees_is_redacted_whole() {
    let secret = ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    for before in PROMPT_BYTES - secret.len() - 2..PROMPT_BYTES + 2 {
        let prompt = format!("{} {secret} and more", "x ".repeat(before / 2));
        let shown = without_secrets(&prompt);
        assert!(shown.len() <= PROMPT_BYTES && !shown.contains(&secret[..10]), "{before}");
    }
}

#[test]
fn the_first_model_that_answers_is_written_down_and_asked() {
    let scene = Scene::new();
    let second_only = |candidate: &Candidate| match candidate.model.as_str() {
        "second" => Ok("OK".to_owned()),
        _ => Err("no such model".to_owned()),
    };
    let (asked, profile) = scene.detect(&order(), second_only);
    assert_eq!(asked, ["first", "second"]);
    assert_eq!((profile.model.unwrap().to_string(), profile.trouble), ("second, low".into(), None));
    scene.ask(Flavor::Codex, PROMPT, NOW);
    let (asked, _) = scene.answer(&order(), Timestamp(NOW.0 + 7 * DAY), |_, _| Ok(WORDS.into()));
    assert_eq!(asked, ["second"]);
    assert_eq!(scene.reworded(PROMPT).wording.unwrap().by, "codex (second, low)");
}

#[test]
fn what_is_known_of_models_ends_with_time_and_with_other_models() {
    let scene = Scene::new();
    let (asked, profile) = scene.detect(&order(), |_| Err("not logged in".into()));
    assert_eq!((asked.len(), profile.model), (2, None));
    assert_eq!(profile.trouble.as_deref(), Some("second, low: not logged in"));
    assert!(scene.fails(&order(), NOW));
    assert!(scene.fails(&order(), Timestamp(NOW.0 + 7 * DAY)));
    assert!(!scene.fails(&order(), Timestamp(NOW.0 + 7 * DAY + 1)), "a week is over");
    assert!(!scene.fails(&order(), Timestamp(NOW.0 - 1)), "a clock was set back");
    assert!(!scene.fails(&order()[1..], NOW), "there are other models now");
    // Nothing is asked of models that fail, and what waited is let go.
    scene.ask(Flavor::Codex, PROMPT, NOW);
    assert!(scene.answer(&order(), NOW, |_, _| Ok(WORDS.into())).0.is_empty());
    assert!(scene.reworded(PROMPT).compressible.is_some());
    // Where nothing is known the first choice is asked as it is.
    scene.ask(Flavor::Codex, PROMPT, NOW);
    let (asked, _) = scene.answer(&order()[1..], NOW, |_, _| Ok(WORDS.into()));
    assert_eq!(asked, ["second"]);
}

#[test]
fn a_model_that_fails_is_left_alone_until_it_was_seen_to_answer() {
    let scene = Scene::new();
    scene.ask(Flavor::Codex, PROMPT, NOW);
    scene.ask(Flavor::Codex, "which port does production use", NOW);
    let (asked, done) = scene.answer(&order(), NOW, |_, _| Err("rate limit".into()));
    assert_eq!(asked, ["first"], "one failure is enough");
    assert_eq!(done.trouble.as_deref(), Some("first: rate limit"));
    assert!(scene.fails(&order(), NOW));
    assert_eq!(scene.reworded(PROMPT).text, found().text);
    scene.detect(&order(), |_| Ok("OK".into()));
    assert!(!scene.fails(&order(), NOW));
}

#[test]
fn each_agent_answers_its_own_questions() {
    let scene = Scene::new();
    scene.ask(Flavor::Claude, PROMPT, NOW);
    assert!(scene.answer(&order(), NOW, |_, _| Ok(WORDS.into())).0.is_empty());
    assert!(scene.reworded(PROMPT).compressible.is_some());
}

#[test]
fn one_at_a_time_asks_models() {
    let scene = Scene::new();
    scene.ask(Flavor::Codex, PROMPT, NOW);
    let held = Shelf::of(&scene.home).lock(Duration::ZERO).unwrap();
    assert!(held.is_some());
    let knobs = Knobs { timeout_ms: 60, ..Knobs::default() };
    let mut nobody = |_: &Candidate, _: &str, _: Duration| Err("asked".to_owned());
    let (order, waits) = (order(), Instant::now());
    let asked = (order.as_slice(), &knobs);
    let done = answer_asked(&scene.home, Flavor::Codex, asked, &mut nobody, NOW).unwrap();
    assert_eq!(done, Answered::default());
    assert_eq!(detect(&scene.home, Flavor::Codex, asked, &mut nobody, NOW).unwrap(), None);
    assert!(waits.elapsed() >= Duration::from_millis(120));
    // Whoever waits goes on where the other one stopped.
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        drop(held);
    });
    assert_eq!(scene.answer(&order, NOW, |_, _| Ok(WORDS.into())).0, ["first"]);
    other.join().unwrap();
}

#[test]
fn the_shelf_is_bounded_in_number_and_age() {
    let scene = Scene::new();
    let shelf = Shelf::of(&scene.home);
    let say = |key: &str, at: i64| {
        let wording = Wording { by: "codex (m)".into(), lines: vec!["x".into()] };
        shelf.say(key, &Said { at: Timestamp(at), wording }).unwrap();
    };
    for number in 0..=500 {
        say(&format!("{number:032x}"), NOW.0 + number);
    }
    say("old", NOW.0 - 30 * DAY - 1);
    fs_err::write(scene.dir.path().join("home/state/compressor/said/odd.json"), "{").unwrap();
    for number in 0..12 {
        let prompt = format!("which port does host number{number} use");
        scene.ask(Flavor::Codex, &prompt, Timestamp(NOW.0 + number));
    }
    scene.ask(Flavor::Codex, PROMPT, Timestamp(NOW.0 - DAY - 1));
    expire(&scene.home, NOW).unwrap();
    let left = |name: &str| {
        let dir = scene.dir.path().join("home/state/compressor").join(name);
        fs_err::read_dir(dir).unwrap().count()
    };
    assert_eq!((left("said"), left("asked")), (500, MAX_ASKED));
    assert_eq!(shelf.said(&format!("{:032x}", 0)), None, "the oldest has to go");
    assert!(shelf.said(&format!("{:032x}", 1)).is_some() && shelf.said("old").is_none());
    expire(&scene.home, Timestamp(NOW.0 + 31 * DAY)).unwrap();
    assert_eq!((left("said"), left("asked")), (0, 0));
}

#[test]
fn what_is_forgotten_is_in_no_words_either() {
    let scene = Scene::new();
    scene.ask(Flavor::Codex, PROMPT, NOW);
    scene.answer(&order(), NOW, |_, _| Ok(WORDS.into()));
    scene.ask(Flavor::Codex, "which port does production use", NOW);
    erase(&scene.home, &[SessionUid::from_stored("claude:2".into())]).unwrap();
    assert!(scene.reworded(PROMPT).wording.is_some());
    erase(&scene.home, &[SessionUid::from_stored("claude:1".into())]).unwrap();
    assert!(scene.reworded(PROMPT).wording.is_none());
    assert!(Shelf::of(&scene.home).asked("codex").is_empty());
}

#[cfg(unix)]
#[test]
fn everything_on_the_shelf_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    scene.ask(Flavor::Codex, PROMPT, NOW);
    scene.detect(&order(), |_| Ok("OK".into()));
    scene.answer(&order(), NOW, |_, _| Ok(WORDS.into()));
    scene.ask(Flavor::Codex, "which port does production use", NOW);
    let mut met = 0;
    for entry in walkdir::WalkDir::new(scene.dir.path().join("home/state/compressor")) {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        let private = if entry.file_type().is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, private, "{}", entry.path().display());
        met += 1;
    }
    assert_eq!(met, 7, "three folders, the lock, a profile, words and a question");
}
