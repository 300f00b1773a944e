//! `backstory watch`, as a process of its own.

use crate::sandbox::{Sandbox, claude};
use crate::store::about_the_file;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const ID: &str = "5e551011-0000-4000-8000-000000000001";
/// Nothing here takes nearly as long, not even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

struct Watching {
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

fn read(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (lines, heard) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            let _ = lines.send(line.unwrap());
        }
    });
    heard
}

impl Watching {
    fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let hasty = ["watch", "--settle", "0.1", "--max-wait", "1"];
        let start = if arguments.contains(&"--settle") { &hasty[..1] } else { &hasty[..] };
        let arguments = [start, arguments].concat();
        let mut child = sandbox
            .command(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = read(child.stdout.take().unwrap());
        let errors = read(child.stderr.take().unwrap());
        let watching = Self { child, lines, errors };
        let first = watching.errors.recv_timeout(PATIENCE).unwrap();
        assert!(first.starts_with("watching "), "{first}");
        watching
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Ends it, and says how it ended and what else it had printed.
    fn end(mut self, signal: &str) -> (Option<i32>, Vec<String>) {
        self.signal(signal);
        let status = self.child.wait().unwrap();
        (status.code(), self.lines.iter().collect())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(sandbox: &Sandbox, text: &str) {
    let log = sandbox.home().join(format!(".claude/projects/-shop/{ID}.jsonl"));
    let mut file = fs_err::OpenOptions::new().append(true).open(log).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// What follows the first turn of the session.
fn second_turn() -> String {
    let turns = claude(ID, &[("Hello", "Hi"), ("More", "Yes")]);
    turns.split_inclusive('\n').skip(2).collect()
}

#[test]
fn a_new_turn_is_taken_in_when_it_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    let watching = Watching::start(&sandbox, &["--json"]);
    let first = watching.json();
    assert_eq!((&first["new_sessions"], &first["new_events"]), (&1.into(), &2.into()));
    append(&sandbox, &second_turn());
    let second = watching.json();
    assert_eq!((&second["new_sessions"], &second["new_events"]), (&0.into(), &2.into()));
    let session = &sandbox.json(&["sessions", "--json"])[0];
    assert_eq!(session["events"], 4);
    assert_eq!(watching.end("-TERM"), (Some(0), vec![]));
}

#[test]
fn folders_that_come_later_are_found_and_found_again() {
    let sandbox = Sandbox::new();
    let watching = Watching::start(&sandbox, &[]);
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    let line = watching.line();
    assert!(line.contains("1 new session, 2 new events"), "{line}");
    fs_err::remove_dir_all(sandbox.home().join(".claude")).unwrap();
    // Long enough for the watch to settle on the parent, and no harm if it does not.
    std::thread::sleep(Duration::from_millis(500));
    sandbox.write_claude("c0ffee00-1", &[("Again", "Yes")]);
    let line = watching.line();
    assert!(line.contains("1 new session"), "{line}");
    assert_eq!(watching.end("-INT"), (Some(0), vec![]));
}

#[test]
fn a_folder_may_be_a_link() {
    let sandbox = Sandbox::new();
    for dir in ["moved/projects", ".claude"] {
        fs_err::create_dir_all(sandbox.home().join(dir)).unwrap();
    }
    let link = sandbox.home().join(".claude/projects");
    std::os::unix::fs::symlink(sandbox.home().join("moved/projects"), link).unwrap();
    let watching = Watching::start(&sandbox, &["--json"]);
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    assert_eq!(watching.json()["new_events"], 2);
    append(&sandbox, &second_turn());
    assert_eq!(watching.json()["new_events"], 2);
    watching.end("-TERM");
}

#[test]
fn constant_writing_does_not_put_a_sweep_off() {
    let sandbox = Sandbox::new();
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    let watching = Watching::start(&sandbox, &["--json", "--settle", "30", "--max-wait", "0.5"]);
    assert_eq!(watching.json()["new_events"], 2);
    let turns: Vec<(String, String)> =
        (0..60).map(|turn| (format!("Question {turn}"), format!("Answer {turn}"))).collect();
    let turns: Vec<(&str, &str)> = turns.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let text = claude(ID, &turns);
    let (mut sweeps, mut events) = (0, 2);
    for line in text.lines().skip(2) {
        append(&sandbox, &format!("{line}\n"));
        std::thread::sleep(Duration::from_millis(25));
        for line in watching.lines.try_iter() {
            let found: Value = serde_json::from_str(&line).unwrap();
            events += found["new_events"].as_u64().unwrap();
            sweeps += 1;
        }
    }
    assert!(sweeps >= 2, "three seconds of writing were swept {sweeps} times");
    while events < 120 {
        events += watching.json()["new_events"].as_u64().unwrap();
    }
    watching.end("-TERM");
}

/// The system keeps only so many events for a process that does not fetch them.
#[cfg(target_os = "linux")]
#[test]
fn lost_events_are_made_up_for() {
    let sandbox = Sandbox::new();
    sandbox.write_claude("c0ffee00-1", &[("Hello", "Hi")]);
    let watching = Watching::start(&sandbox, &["--json"]);
    assert_eq!(watching.json()["new_events"], 2);
    watching.signal("-STOP");
    let limit = fs_err::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let folder = sandbox.home().join(".claude/projects/-shop");
    for number in 0..limit.trim().parse::<u32>().unwrap() {
        // Two names in turn: the same event twice in a row counts once.
        fs_err::write(folder.join(["a.txt", "b.txt"][number as usize % 2]), "").unwrap();
    }
    // Nobody is told of this folder, so nothing watches it yet.
    let log = format!(".claude/projects/-new/{ID}.jsonl");
    sandbox.write(&log, &claude(ID, &[("Hello", "Hi")]));
    watching.signal("-CONT");
    assert_eq!(watching.json()["new_events"], 2);
    let mut file = fs_err::OpenOptions::new().append(true).open(sandbox.home().join(log)).unwrap();
    file.write_all(second_turn().as_bytes()).unwrap();
    assert_eq!(watching.json()["new_events"], 2, "the new folder is watched too");
    watching.end("-TERM");
}

#[test]
fn it_waits_while_another_sweep_runs() {
    let mut sandbox = Sandbox::new();
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    let home = sandbox.archive_in("held");
    sandbox.set("BACKSTORY_HOME", &home.dir().display().to_string());
    let held = backstory_store::SweepLock::acquire(&home).unwrap();
    let watching = Watching::start(&sandbox, &["--json"]);
    assert!(watching.lines.recv_timeout(Duration::from_millis(500)).is_err());
    drop(held);
    assert_eq!(watching.json()["new_events"], 2);
    let left: Vec<String> = watching.errors.try_iter().collect();
    assert_eq!(left, [""; 0], "waiting is no trouble");
    assert_eq!(watching.end("-TERM").0, Some(0));
}

#[test]
fn an_archive_that_cannot_be_used_ends_it_at_once() {
    let sandbox = Sandbox::new();
    about_the_file!("what is damaged is the file");
    sandbox.write("damaged/archive.db", "this is not a database, but long enough to look at it");
    let run = sandbox.run(&["--home", "damaged", "watch"]);
    assert_eq!(run.code, 3, "{run}");
}

#[test]
fn trouble_is_told_once() {
    let sandbox = Sandbox::new();
    sandbox.write(".claude/projects/-shop/bad-0001.jsonl", "{ not json\n");
    let watching = Watching::start(&sandbox, &["--json"]);
    let first = watching.json();
    assert_eq!(first["problems"].as_array().unwrap().len(), 1, "{first}");
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    assert_eq!(watching.json()["problems"].as_array().unwrap().len(), 0);
    watching.end("-TERM");
}
