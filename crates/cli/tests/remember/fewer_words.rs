//! The real agent CLIs as compressors: asked behind the agent's back, and what they say told the next time.

use super::{QUESTION, WITH_CONTEXT};
use crate::machine::{Machine, clis};
use backstory_model::{Flavor, SealReason};
use backstory_testkit::mock::Mock;
use std::path::Path;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_mins(1);
/// The scripted model says what the last directive in its question asks for: it stands in the memory.
const MEMORY: &str = "The staging database listens on port 6543 behind the heron proxy, since March.\n\
                      @@say - It is 6543 (backstory://memories/ports.md)@@\n";
const WORDS: &str = "- It is 6543 (backstory://memories/ports.md)";

/// Lets a machine's agent be found by its name, and asked at the scripted model.
fn with_compressor<'a>(mut machine: Machine<'a>, flavor: Flavor, mock: &Mock) -> Machine<'a> {
    let program = clis().program(flavor);
    let bin = program.parent().unwrap().display();
    let path = format!("{bin}:{}", backstory_testkit::sandbox::SEARCH_PATH);
    let url = if flavor == Flavor::Codex { format!("{}/v1", mock.url()) } else { mock.url() };
    for (name, value) in [
        ("PATH", path.as_str()),
        ("OPENAI_API_KEY", "scripted"),
        ("CODEX_API_KEY", "scripted"),
        ("BACKSTORY_RECALL_COMPRESS", "1"),
        ("BACKSTORY_RECALL_COMPRESS_MIN_CHARS", "0"),
        ("BACKSTORY_RECALL_COMPRESS_BASE_URL", &url),
        ("BACKSTORY_RECALL_COMPRESS_DETECT_TIMEOUT_MS", "60000"),
    ] {
        machine.agent = machine.agent.with_variable(name, value);
    }
    machine
}

fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < PATIENCE, "there never was {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn has_words(shelf: &Path) -> bool {
    let Ok(said) = fs_err::read_dir(shelf.join("said")) else { return false };
    said.flatten().any(|file| {
        fs_err::read_to_string(file.path()).is_ok_and(|words| words.contains("It is 6543"))
    })
}

#[test]
fn a_third_session_is_told_the_words_the_second_asked_for() {
    for flavor in WITH_CONTEXT {
        let mock = Mock::start().unwrap();
        let machine = with_compressor(Machine::new(flavor, &clis(), &mock), flavor, &mock);
        let home = machine.agent.sandbox().home.join(".local/share/backstory");
        let shelf = home.join("state/compressor");
        let first = machine.agent.run("Begin. @@say Begun.@@").unwrap();
        machine.wait_for_seal(&first.session, SealReason::Ended);
        // The start of the session found out which model answers.
        wait_for("a profile", || shelf.join(format!("{flavor}.json")).exists());
        fs_err::create_dir_all(home.join("memories")).unwrap();
        fs_err::write(home.join("memories/ports.md"), MEMORY).unwrap();

        let before = mock.bodies().len();
        let second = machine.agent.run(QUESTION).unwrap();
        let sent = mock.bodies()[before..].concat();
        assert!(sent.contains("[memory] The staging database"), "{flavor}: {sent}");
        wait_for("words", || has_words(&shelf));
        machine.wait_for_seal(&second.session, SealReason::Ended);
        machine.backstory(&["mute", &second.session]);

        let before = mock.bodies().len();
        machine.agent.run(QUESTION).unwrap();
        let sent = mock.bodies()[before..].concat();
        assert!(sent.contains(WORDS), "{flavor}: {sent}");
        assert!(!sent.contains("[memory] The staging database"), "{flavor}: {sent}");
        assert!(machine.backstory(&["why"]).contains(&format!("of {flavor} (")), "{flavor}");

        // What was asked behind the agent's back is nobody's session.
        machine.backstory(&["sync"]);
        let sessions = machine.backstory(&["sessions", "--all", "--json"]);
        assert_eq!(sessions.lines().count(), 3, "{flavor}: {sessions}");
    }
}
