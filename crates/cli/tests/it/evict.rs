//! `backstory evict` and `backstory pin`.

use crate::memory::files_below;
use crate::sandbox::{Run, Sandbox};
use crate::store::{self, PACKS_MARKER};
use backstory_store::Value;
use insta::assert_snapshot;

const HUNT: &str = "claude:5ca1ab1e-7e57-4c0d-9b0c-0f10a3b1c2d3";
const LONG: &str = "1006c0de-0000-4000-8000-000000000001";
/// Stands in the middle of a long answer, where no digest looks.
const PHRASE: &str = "seventeen quiet quokkas";

/// The demo's history and a session with a long answer.
fn history() -> Sandbox {
    let sandbox = Sandbox::with_history();
    let answer =
        format!("{}{PHRASE} {}", "Tea is a leaf. ".repeat(300), "Tea is hot. ".repeat(300));
    let turns = [("Tell me of tea", answer.as_str()), ("Go on", &answer), ("Thanks", "Welcome")];
    sandbox.write_claude(LONG, &turns);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    sandbox
}

/// What was told, without the room that depends on where rows are kept.
fn without_room(run: &Run) -> String {
    let told = run.to_string();
    let header = told.lines().find(|line| line.starts_with("ID ")).unwrap();
    let (from, to) = (header.find("LAST ACTIVE").unwrap() + 16, header.find("TITLE").unwrap());
    let (mut lines, mut in_table) = (String::new(), false);
    for line in told.lines() {
        in_table = line == header || (in_table && !line.is_empty());
        let shown = match line.split_once("), ") {
            _ if in_table => format!("{}  {}", &line[..from], &line[to..]),
            Some((left, freed)) if freed.ends_with(" freed") => format!("{left}), [SIZE] freed"),
            _ => line.into(),
        };
        lines.extend([shown.as_str(), "\n"]);
    }
    lines
}

#[test]
fn what_leaves_is_gone_from_the_disk_and_its_digest_still_answers() {
    let sandbox = history();
    assert!(!sandbox.holders(PHRASE).is_empty(), "the phrase is found while it is here");
    let kept = sandbox.run(&["digest", LONG, "--json"]).stdout;
    assert!(!kept.contains(PHRASE), "the digest holds the phrase, choose another: {kept}");
    sandbox.set_caps(1, 1, 1 << 30);
    assert_snapshot!("evict_dry_run", without_room(&sandbox.run(&["evict", "--dry-run"])));
    assert!(!sandbox.holders(PHRASE).is_empty(), "a dry run does nothing");
    assert_snapshot!("evict", without_room(&sandbox.run(&["evict"])));
    assert_eq!(sandbox.holders(PHRASE), [""; 0]);
    let left = files_below(&store::packs(sandbox.archive().dir()));
    assert!(left.iter().all(|path| path.ends_with(PACKS_MARKER)), "{left:?}");
    let again = sandbox.run(&["evict"]);
    assert!(again.code == 0 && again.stdout.contains("nothing had to leave"), "{again}");

    let sessions = sandbox.json(&["sessions", "--json"]);
    assert_eq!(sessions.len(), 6);
    assert!(sessions.iter().all(|session| session["evicted_at"].is_string()), "{sessions:?}");
    assert!(sandbox.run(&["sessions"]).stdout.contains("◌ Mend session expiry"));
    let show = sandbox.run(&["show", HUNT]);
    assert!(show.code == 0 && show.stdout.contains("have left the archive"), "{show}");
    assert_eq!(sandbox.run(&["digest", HUNT]).code, 0);
    let gone = sandbox.run(&["show", &format!("backstory://{HUNT}/4")]);
    assert!(gone.code == 5 && gone.stderr.contains("is not here any more"), "{gone}");
    let lines = sandbox.json(&["show", HUNT, "--json"]);
    assert_eq!(lines.len(), 2, "the session and its digest: {lines:?}");
    assert!(lines[1]["digest_version"].is_u64());
    let doctor = sandbox.run(&["doctor"]);
    assert!(doctor.code == 0, "{doctor}");
}

#[test]
fn what_left_does_not_come_back_but_what_is_new_is_taken_in() {
    let sandbox = history();
    sandbox.set_caps(1, 1, 1 << 30);
    assert_eq!(sandbox.run(&["evict"]).code, 0);
    for arguments in [&["sync"][..], &["sync", "--reparse"]] {
        assert_eq!(sandbox.run(arguments).code, 0);
        assert_eq!(sandbox.holders(PHRASE), [""; 0], "{arguments:?}");
    }
    sandbox.set_caps(1 << 30, 1 << 30, 1 << 30);
    let turns =
        [("Tell me of tea", "-"), ("Go on", "-"), ("Thanks", "-"), ("And coffee?", "Beans")];
    let log = sandbox.home().join(format!(".claude/projects/-shop/{LONG}.jsonl"));
    let old = fs_err::read_to_string(&log).unwrap();
    let new: Vec<String> =
        crate::sandbox::claude(LONG, &turns).lines().skip(6).map(str::to_owned).collect();
    fs_err::write(&log, format!("{old}{}\n", new.join("\n"))).unwrap();
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    let show = sandbox.run(&["show", LONG]).stdout;
    assert!(show.contains("have left the archive") && show.contains("Beans"), "{show}");
    assert!(!show.contains("Tea is"), "{show}");
}

#[test]
fn pinned_sessions_stay_and_are_blamed_for_the_room_they_take() {
    let sandbox = history();
    assert_snapshot!("pin", sandbox.run(&["pin", "1006c0de"]));
    assert_snapshot!("pin_list", sandbox.run(&["pin", "--list"]));
    assert!(sandbox.run(&["sessions"]).stdout.contains("⚑ Tell me of tea"));
    sandbox.set_caps(1, 1, 1);
    let run = sandbox.run(&["evict", "--quiet"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run}");
    assert!(run.stderr.contains("pinned sessions hold"), "{run}");
    assert!(run.stderr.contains("over distilled_cap_bytes"), "{run}");
    assert!(!sandbox.holders(PHRASE).is_empty());
    let resident = |session: &&serde_json::Value| session["evicted_at"].is_null();
    assert_eq!(sandbox.json(&["sessions", "--json"]).iter().filter(resident).count(), 1);
    assert_snapshot!("pin_remove", sandbox.run(&["pin", "--remove", "1006c0de"]));
    assert_eq!(sandbox.run(&["pin", "--list"]).code, 5);
    assert_eq!(sandbox.run(&["evict"]).code, 0, "the cap of distilled knowledge only warns");
    assert_eq!(sandbox.holders(PHRASE), [""; 0]);
    for wrong in [&["pin"][..], &["pin", "--list", "1006c0de"], &["pin", "--list", "--remove"]] {
        assert_eq!(sandbox.run(wrong).code, 2, "{wrong:?}");
    }
}

/// Makes every digest, and what the distiller would carry on from, unreadable.
fn damage_digests(sandbox: &Sandbox) {
    let broken = Value::Bytes(&[0x28, 0xb5, 0x2f, 0xfd, 0xff]);
    let database = sandbox.archive().engine().write().unwrap();
    let damaged = database.run("UPDATE digests SET digest = ?1, state = ?1", &[broken]).unwrap();
    assert!(damaged > 0);
}

#[test]
fn what_cannot_be_distilled_leaves_only_in_need_and_not_in_silence() {
    let sandbox = Sandbox::with_history();
    sandbox.write_claude(LONG, &[("Hello", "Hi")]);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    damage_digests(&sandbox);
    let doctor = sandbox.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.stdout.contains("distil --all"), "{doctor}");
    sandbox.write_claude(LONG, &[("Hello", "Hi"), ("And now?", "Now this")]);
    let run = sandbox.run(&["sync"]);
    assert!(run.code == 1 && run.stderr.contains("1 session could not be distilled"), "{run}");
    assert_eq!(sandbox.run(&["distil"]).code, 1);
    sandbox.set_caps(1, 1 << 30, 1 << 30);
    assert_eq!(sandbox.run(&["sync", "--quiet"]).code, 1);
    let resident = |sandbox: &Sandbox| sandbox.json(&["status", "--json"])[0]["sessions"].clone();
    assert_eq!(resident(&sandbox)["resident"], 1, "below the hard cap it stays");
    sandbox.set_caps(1, 1, 1 << 30);
    let run = sandbox.run(&["evict"]);
    assert!(run.code == 1 && run.stderr.contains("data loss: 1 session left"), "{run}");
    assert!(run.stdout.contains("last_resort"), "{run}");
    assert_eq!(resident(&sandbox)["resident"], 0);
}

#[test]
fn a_sync_that_exceeds_its_budget_makes_room_and_says_so() {
    let sandbox = Sandbox::with_history();
    sandbox.set_caps(1, 1, 1 << 30);
    sandbox.write_claude(LONG, &[("Hello", "Hi")]);
    let report = &sandbox.json(&["sync", "--json"])[0];
    assert_eq!(report["distilled"]["sessions"], 1, "{report}");
    let evicted = report["eviction"]["evicted"].as_array().unwrap();
    assert_eq!(evicted.len(), 7, "{report}");
    assert_eq!(report["eviction"]["lost_count"], 0, "{report}");
    let status = &sandbox.json(&["status", "--json"])[0];
    assert_eq!(
        (&status["sessions"]["evicted"], &status["sessions"]["resident"]),
        (&7.into(), &0.into())
    );
    let only_read = &sandbox.json(&["sync", "--no-distil", "--json"])[0];
    assert!(only_read["eviction"].is_null(), "{only_read}");
}
