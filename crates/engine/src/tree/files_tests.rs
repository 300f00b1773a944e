//! Many write memories at once: nothing that was acknowledged is lost, and nothing is overwritten.

use super::*;
use std::sync::Barrier;
use std::thread;

const WRITERS: usize = 12;
const ROUNDS: usize = 8;

/// What each of many threads answers that begin at the same moment.
fn at_once<T: Send>(work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(WRITERS);
    thread::scope(|scope| {
        let (start, work) = (&start, &work);
        let begin = |number: usize| {
            scope.spawn(move || {
                start.wait();
                work(number)
            })
        };
        let threads: Vec<_> = (0..WRITERS).map(begin).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn text_of(files: &Files, words: &[&str]) -> String {
    Files::read(&files.path(words).unwrap()).unwrap()
}

/// Everything in the memories, hidden files too.
fn names_in(files: &Files, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(files.root.join(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_append_and_every_edit_stays() {
    let home = tempfile::tempdir().unwrap();
    let files = Files::new(home.path());
    let words = ["memories", "log.md"];
    let marks: Vec<String> = (0..WRITERS).map(|number| format!("open {number}.\n")).collect();
    let marks = marks.concat();
    files.write(&words, &marks, WriteMode::Create).unwrap();
    at_once(|number| {
        for round in 0..ROUNDS {
            files.write(&words, &format!("{number}/{round}"), WriteMode::Append).unwrap();
        }
        let (open, closed) = (format!("open {number}."), format!("closed {number}."));
        assert_eq!(files.edit(&words, &open, &closed, false).unwrap(), 1);
    });
    let text = text_of(&files, &words);
    for number in 0..WRITERS {
        assert!(text.contains(&format!("closed {number}.\n")), "{text}");
        for round in 0..ROUNDS {
            let line = format!("{number}/{round}");
            assert_eq!(text.lines().filter(|found| *found == line).count(), 1, "{line}\n{text}");
        }
    }
    assert_eq!(text.lines().count(), WRITERS * (ROUNDS + 1));
    // Neither drafts nor the lock are left among the memories.
    assert_eq!(names_in(&files, ""), ["log.md"]);
}

#[test]
fn one_of_many_creates_a_file() {
    let home = tempfile::tempdir().unwrap();
    let files = Files::new(home.path());
    for round in 0..ROUNDS {
        let name = format!("{round}.md");
        let words = ["memories", "new", name.as_str()];
        let done = at_once(|number| {
            (number, files.write(&words, &format!("of {number}"), WriteMode::Create))
        });
        let (made, refused): (Vec<_>, Vec<_>) =
            done.into_iter().partition(|(_, done)| done.is_ok());
        assert_eq!(made.len(), 1, "{made:?}");
        assert_eq!(text_of(&files, &words), format!("of {}", made[0].0));
        for (_, refused) in refused {
            assert!(matches!(refused, Err(TreeError::Refused(_))), "{refused:?}");
        }
    }
    assert_eq!(names_in(&files, "new").len(), ROUNDS);
}

#[test]
fn notes_of_one_title_have_addresses_of_their_own() {
    use super::super::{Note, Part, Tree};
    let home = tempfile::tempdir().unwrap();
    let home = backstory_store_sqlite::home(home.path());
    let now = backstory_model::Timestamp(1_790_000_000_000);
    let tree = || Tree::open(&home, now).unwrap();
    let text = |number: usize, round: usize| format!("The answer is {number}/{round}.");
    let noted = at_once(|number| {
        let note = |round| Note {
            title: "The answer".into(),
            text: text(number, round),
            ..Note::default()
        };
        let tree = tree();
        let addresses = (0..ROUNDS).map(|round| tree.remember(&note(round)).unwrap());
        addresses.collect::<Vec<String>>()
    });
    for (number, addresses) in noted.iter().enumerate() {
        for (round, address) in addresses.iter().enumerate() {
            let known = tree().read(address, Part::WHOLE).unwrap().text;
            assert_eq!(known, format!("# The answer\n\n{}\n", text(number, round)), "{address}");
        }
    }
    assert_eq!(tree().list("memories/notes").unwrap().len(), WRITERS * ROUNDS);
    let same = Note { title: "Tea".into(), text: "Green.".into(), ..Note::default() };
    let mut addresses = at_once(|_| tree().remember(&same).unwrap());
    addresses.dedup();
    assert_eq!(addresses.len(), 1, "the same note is one note: {addresses:?}");
}

#[test]
fn a_change_waits_for_the_one_before_it() {
    let home = tempfile::tempdir().unwrap();
    let files = Files::new(home.path());
    let words = ["memories", "a.md"];
    let lock = files.lock().unwrap();
    let (files, words) = (&files, &words);
    thread::scope(|scope| {
        let writer = scope.spawn(move || files.write(words, "x", WriteMode::Replace).unwrap());
        thread::sleep(std::time::Duration::from_millis(50));
        assert!(!writer.is_finished());
        drop(lock);
        assert_eq!(writer.join().unwrap(), 1);
    });
    assert_eq!(text_of(files, words), "x");
}

#[test]
fn what_a_killed_process_left_is_not_written_to() {
    let home = tempfile::tempdir().unwrap();
    let files = Files::new(home.path());
    files.write(&["memories", "old.md"], "old", WriteMode::Create).unwrap();
    // Killed between giving a memory its name and removing the draft, by a process of our number.
    let next = DRAFTS.load(Ordering::Relaxed);
    for number in next..next + 500 {
        let draft = files.root.join(format!(".{}-{number}.tmp", std::process::id()));
        fs::hard_link(files.root.join("old.md"), draft).unwrap();
    }
    files.write(&["memories", "new.md"], "new", WriteMode::Replace).unwrap();
    assert_eq!(text_of(&files, &["memories", "old.md"]), "old");
    assert_eq!(text_of(&files, &["memories", "new.md"]), "new");
}
