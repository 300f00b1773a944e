//! Words that occur once in a whole history, in every kind of place, and whether they are found.

use fs_err as fs;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::Command;

/// Lines of the long output in whose middle a needle lies.
const LONG_OUTPUT_LINES: usize = 900;
const PLACES: [&str; 7] = ["prompt", "thought", "answer", "call", "head", "middle", "tail"];

/// One session with needles, and the words.
#[derive(Clone, Debug)]
pub(crate) struct Needles {
    /// Each occurs in one place of one file.
    pub(crate) words: Vec<String>,
    /// The session they are in.
    pub(crate) session: String,
}

/// The needles of one part.
pub(crate) fn of(part: usize) -> Needles {
    let word = |place: &&str| format!("zq{place}{:05}x", part * 7919 % 100_000);
    Needles { words: PLACES.iter().map(word).collect(), session: format!("claude:{}", id(part)) }
}

fn id(part: usize) -> String {
    format!("feed{part:04}-0000-4000-8000-00000000beef")
}

/// Writes a session with needles into a home: in a prompt, a thought, an answer, a call, and in the
/// head, the middle and the end of a long output.
pub(crate) fn plant(home: &Path, number: usize) -> io::Result<Needles> {
    let (session, planted) = (id(number), of(number));
    let [prompt, thought, answer, call, head, middle, tail] = &planted.words[..] else {
        return Err(io::Error::other("a needle is missing"));
    };
    let mut output = format!("{head} begins the listing\n");
    for line in 0..LONG_OUTPUT_LINES {
        let _ = writeln!(output, "entry {line} of the listing, as ordinary as all the others");
        if line == LONG_OUTPUT_LINES / 2 {
            let _ = writeln!(output, "entry with {middle} in it");
        }
    }
    let _ = write!(output, "{tail} ends it");
    let records = [
        ("user", json!({"role": "user", "content": format!("where did {prompt} go?")})),
        (
            "assistant",
            json!({"role": "assistant", "id": "m1", "model": "claude-opus-4-6", "content": [
                {"type": "thinking", "thinking": format!("perhaps {thought} knows"), "signature": ""},
                {"type": "tool_use", "id": "t1", "name": "Bash",
                 "input": {"command": format!("ls -R {call}")}}]}),
        ),
        (
            "user",
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": output}]}),
        ),
        (
            "assistant",
            json!({"role": "assistant", "id": "m2", "model": "claude-opus-4-6", "content": [
                {"type": "text", "text": format!("It is all about {answer} in the end.")}]}),
        ),
    ];
    let folder = home.join(".claude/projects/-src-needles");
    fs::create_dir_all(&folder)?;
    let mut log = String::new();
    let mut parent = Value::Null;
    for (at, (kind, message)) in records.into_iter().enumerate() {
        let uuid = format!("feed{number:04}-0000-4000-8000-{at:012}");
        let record = json!({
            "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": session,
            "timestamp": format!("2026-03-01T10:00:{at:02}.000Z"), "cwd": "/src/needles",
            "version": "2.1.150", "message": message,
        });
        let _ = writeln!(log, "{record}");
        parent = Value::from(uuid);
    }
    fs::write(folder.join(format!("{session}.jsonl")), log)?;
    Ok(planted)
}

/// How many files `rg` finds each word in, and the seconds one took.
pub(crate) fn ask_rg(home: &Path, words: &[String]) -> io::Result<(Vec<usize>, f64)> {
    let mut counts = Vec::new();
    let mut seconds = 0.0;
    for word in words {
        let began = std::time::Instant::now();
        let output = Command::new("rg").arg("-uu").arg("-l").arg(word).arg(home).output()?;
        seconds += began.elapsed().as_secs_f64();
        counts.push(String::from_utf8_lossy(&output.stdout).lines().count());
    }
    Ok((counts, seconds / words.len().max(1) as f64))
}
