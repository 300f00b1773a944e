//! Posting, posting again, sealing, and files left by killed processes.

use super::*;
use crate::pushed::Part;
use std::io::Write as _;

const NOW: Timestamp = Timestamp(1_790_000_000_000);

fn home(dir: &Path) -> Home {
    backstory_store_sqlite::home(dir)
}

fn journal(dir: &Path) -> Journal {
    Journal::new(home(dir), Limits::default())
}

fn said(role: &str, text: &str) -> Incoming {
    let part = Part { text: Some(text.into()), ..Part::default() };
    Incoming { role: role.into(), parts: vec![part], ..Incoming::default() }
}

fn turns(from: usize, to: usize) -> Vec<Incoming> {
    let said = |turn: usize| {
        let role = if turn.is_multiple_of(2) { "user" } else { "assistant" };
        said(role, &format!("this is turn number {turn} of the talk"))
    };
    (from..to).map(said).collect()
}

fn texts(journal: &Journal, id: &str) -> Vec<String> {
    let messages = journal.resume(id).unwrap().unwrap().messages;
    messages.into_iter().flat_map(|message| message.parts).filter_map(|part| part.text).collect()
}

#[test]
fn what_is_posted_again_is_stored_once_also_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let first = journal(dir.path());
    let done = first.append("cx-1", &turns(0, 4), NOW).unwrap();
    assert_eq!((done.added, done.repeated, done.standing.messages), (4, 0, 4));
    assert_eq!(first.append("cx-1", &turns(0, 4), NOW).unwrap().repeated, 4);
    let second = journal(dir.path());
    let done = second.append("cx-1", &turns(2, 6), NOW).unwrap();
    assert_eq!((done.added, done.repeated, done.standing.messages), (2, 2, 6));
    // The first one sees what the other wrote.
    let done = first.append("cx-1", &turns(4, 7), NOW).unwrap();
    assert_eq!((done.added, done.repeated), (1, 2));
    assert_eq!(texts(&first, "cx-1").len(), 7);
}

#[test]
fn a_torn_line_is_cut_off_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    journal(dir.path()).append("cx-1", &turns(0, 2), NOW).unwrap();
    let path = place(&home(dir.path()), "cx-1");
    let whole = fs_err::read(&path).unwrap();
    for torn in ["{\"message\":{\"id\":\"m", "{", "{\"message\":{\"parts\":[]}}"] {
        fs_err::write(&path, &whole).unwrap();
        let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(torn.as_bytes()).unwrap();
        let journal = journal(dir.path());
        assert_eq!(journal.standing("cx-1").unwrap().unwrap().messages, 2, "{torn}");
        assert_eq!(journal.append("cx-1", &turns(2, 3), NOW).unwrap().added, 1);
        let text = fs_err::read_to_string(&path).unwrap();
        assert!(text.as_bytes().starts_with(&whole) && text.lines().count() == 4, "{text}");
    }
}

#[test]
fn sealing_closes_all_but_the_latest_and_tells_what_it_came_to() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(dir.path());
    let skipped = |sealed| match sealed {
        Sealed::Skipped(reason, _) => reason,
        Sealed::Done(..) => "sealed",
    };
    assert_eq!(skipped(journal.seal("cx-1", 0, "asked", NOW).unwrap()), "no_messages");
    let prompt = said("user", "Move the queue to SQLite in WAL mode");
    journal.append("cx-1", &[prompt], NOW).unwrap();
    let before = journal.append("cx-1", &turns(1, 12), NOW).unwrap().standing;
    assert!(before.pending_tokens > 0 && before.pending_tokens == before.tokens);
    assert_eq!(
        skipped(journal.seal("cx-1", 50, "threshold", NOW).unwrap()),
        "all_within_keep_window"
    );
    let Sealed::Done(seal, after) = journal.seal("cx-1", 10, "threshold", NOW).unwrap() else {
        panic!("not sealed")
    };
    assert_eq!((seal.number, seal.through, after.open_messages, after.seals), (1, 2, 10, 1));
    assert_eq!(after.pending_tokens, 0, "all that is open was to be kept");
    assert!(seal.overview.contains("## Session Title"), "{}", seal.overview);
    assert!(seal.overview.contains("Move the queue to SQLite in WAL mode"), "{}", seal.overview);
    let Sealed::Done(seal, after) = journal.seal("cx-1", 0, "asked", NOW).unwrap() else {
        panic!("not sealed")
    };
    assert_eq!((seal.number, seal.through, after.open_messages), (2, 12, 0));
    assert_eq!(skipped(journal.seal("cx-1", 0, "asked", NOW).unwrap()), "no_messages");
    let resumed = self::journal(dir.path()).resume("cx-1").unwrap().unwrap();
    assert_eq!((resumed.seals.len(), resumed.messages.len()), (2, 0));
    // A repetition is one even of what is sealed.
    assert_eq!(journal.append("cx-1", &turns(8, 12), NOW).unwrap().repeated, 4);
}

#[test]
fn files_are_private_and_stay_below_their_folder() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(dir.path());
    for id in ["cx-1", "../../escape", "a/b", "..", "", "___"] {
        let done = journal.append(id, &turns(0, 1), NOW);
        assert_eq!(done.is_ok(), id.chars().any(char::is_alphanumeric), "{id:?}");
    }
    let ids: Vec<String> = journal.list().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), 3, "{ids:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = place(&home(dir.path()), "cx-1");
        assert_eq!(fs_err::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        let folder = fs_err::metadata(folder(&home(dir.path()))).unwrap();
        assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn many_sessions_at_once_in_little_memory() {
    let dir = tempfile::tempdir().unwrap();
    let limits = Limits { sessions: 4, ..Limits::default() };
    let journal = Journal::new(home(dir.path()), limits);
    std::thread::scope(|scope| {
        for client in 0..8 {
            let journal = &journal;
            scope.spawn(move || {
                for round in 0..3 {
                    for session in 0..10 {
                        // Two clients share each session's file; their words differ.
                        let id = format!("cx-{}", session * 4 + client / 2);
                        let text = format!("client {client} says the words of round {round}");
                        let message = [said("user", &text)];
                        assert_eq!(journal.append(&id, &message, NOW).unwrap().added, 1);
                    }
                }
            });
        }
    });
    assert!(journal.slots.lock().unwrap().by_id.len() <= 4 + 8);
    let fresh = self::journal(dir.path());
    assert_eq!(fresh.list().len(), 40);
    for (id, _) in fresh.list() {
        let mut texts = texts(&fresh, &id);
        assert_eq!(texts.len(), 6, "{id}");
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), 6, "{id}");
    }
}

#[test]
fn policies_are_remembered_and_sessions_begin_once() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(dir.path());
    assert!(journal.configure("oc-1", "{}", NOW).unwrap().is_none());
    assert!(journal.create("oc-1", Some("{\"keep\":1}"), NOW).unwrap().1);
    let (standing, is_new) = journal.create("oc-1", Some("{\"keep\":2}"), NOW).unwrap();
    assert_eq!((standing.policy.as_deref(), is_new), (Some("{\"keep\":1}"), false));
    journal.configure("oc-1", "{\"keep\":3}", NOW).unwrap().unwrap();
    let standing = self::journal(dir.path()).standing("oc-1").unwrap().unwrap();
    assert_eq!(standing.policy.as_deref(), Some("{\"keep\":3}"));
    assert!(journal.remove("oc-1").unwrap() && !journal.remove("oc-1").unwrap());
    assert_eq!(journal.standing("oc-1").unwrap(), None);
}

#[test]
fn no_secret_of_a_policy_or_a_name_reaches_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(dir.path());
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let policy = format!("{{\"keep\":2,\"note\":\"{secret}\"}}");
    journal.create("oc-1", Some(&policy), NOW).unwrap();
    journal.configure("oc-1", &policy, NOW).unwrap().unwrap();
    let name = || Some(secret.to_owned());
    let part = Part { tool_id: name(), status: name(), ..Part::default() };
    let call = Incoming { parts: vec![part], peer: name(), ..said("user", "") };
    assert_eq!(journal.append("oc-1", &[call], NOW).unwrap().added, 1);
    let path = place(&home(dir.path()), "oc-1");
    assert!(!fs_err::read_to_string(&path).unwrap().contains(secret));
    // What an older version wrote is not told either.
    let line = Line::Policy(Policy { at: NOW.0, json: policy });
    let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(format!("{}\n", serde_json::to_string(&line).unwrap()).as_bytes()).unwrap();
    let standing = journal.standing("oc-1").unwrap().unwrap();
    assert_eq!(standing.policy.as_deref(), Some("{\"keep\":2}"));
}
