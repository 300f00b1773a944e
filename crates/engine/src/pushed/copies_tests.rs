//! Which posted files leave, and which never do.

use super::*;
use crate::pushed::{Incoming, Journal, Limits, Part, place};
use crate::{Archive, EvictReport, SyncOptions, evict, sync};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

const NOW: Timestamp = Timestamp(1_790_000_000_000);
const ROOMY: Budget = Budget { raw_max_age_days: 45, ..Budget::UNLIMITED };

/// A home and the plugins that post to it.
struct Scene {
    dir: tempfile::TempDir,
    journal: Journal,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(backstory_store_sqlite::home(dir.path()), Limits::default());
        Self { dir, journal }
    }

    fn home(&self) -> Home {
        backstory_store_sqlite::home(self.dir.path())
    }

    fn say(&self, id: &str, text: &str) {
        let part = Part { text: Some(text.into()), ..Part::default() };
        let said = Incoming { role: "user".into(), parts: vec![part], ..Incoming::default() };
        self.journal.append(id, &[said], NOW).unwrap();
    }

    /// A session of one message that was sealed and not touched for so many days.
    fn sealed(&self, id: &str, days: u64) {
        self.say(id, &format!("what {id} had to say of the harbour"));
        self.journal.seal(id, 0, "asked", NOW).unwrap();
        self.untouched(id, days);
    }

    fn untouched(&self, id: &str, days: u64) {
        let written = UNIX_EPOCH + Duration::from_millis(NOW.0 as u64)
            - Duration::from_hours(24 * days)
            - Duration::from_mins(1);
        let file = OpenOptions::new().append(true).open(self.path(id)).unwrap();
        file.file().set_modified(written).unwrap();
    }

    fn path(&self, id: &str) -> PathBuf {
        place(&self.home(), id)
    }

    fn sync(&self) {
        let archive = Archive::indexed_at_home(self.home());
        let options = SyncOptions { spool: true, ..SyncOptions::new(archive, Vec::new()) };
        sync(&options, NOW, &mut |_| ()).unwrap();
    }

    fn evict(&self, budget: &Budget, dry_run: bool) -> EvictReport {
        evict(&Archive::indexed_at_home(self.home()), budget, dry_run, NOW).unwrap()
    }

    fn events(&self, uid: &str) -> u32 {
        let uid = backstory_model::SessionUid::from_stored(uid.into());
        Vault::open(&self.home()).unwrap().session(&uid).unwrap().map_or(0, |found| found.events)
    }
}

fn names(report: &EvictReport) -> Vec<&str> {
    report.posted.iter().map(|file| file.id.as_str()).collect()
}

#[test]
fn what_the_archive_has_whole_leaves_when_it_is_old() {
    let scene = Scene::new();
    scene.sealed("oc-old", 50);
    scene.sealed("cx-old", 60);
    scene.sealed("oc-young", 40);
    scene.sealed("oc-goes-on", 50);
    scene.say("oc-goes-on", "and one more thing about cranes");
    scene.untouched("oc-goes-on", 50);
    scene.sync();
    // Nobody has taken these in.
    scene.sealed("oc-late", 50);
    scene.sealed("oc-grown", 50);
    let told = scene.evict(&ROOMY, true);
    assert_eq!(names(&told), ["cx-old", "oc-old"]);
    assert!(scene.path("oc-old").exists(), "a dry run does nothing");
    let done = scene.evict(&ROOMY, false);
    assert_eq!(names(&done), ["cx-old", "oc-old"]);
    assert_eq!(done.after.raw_posted, told.after.raw_posted);
    assert!(done.after.raw_posted < done.before.raw_posted && done.evicted.is_empty());
    for (id, stays) in [
        ("oc-old", false),
        ("cx-old", false),
        ("oc-young", true),
        ("oc-goes-on", true),
        ("oc-late", true),
        ("oc-grown", true),
    ] {
        assert_eq!(scene.path(id).exists(), stays, "{id}");
    }
    assert_eq!((scene.events("pushed:oc-old"), scene.events("codex:old")), (1, 1));
}

#[test]
fn second_copies_make_room_first_but_not_on_their_first_day() {
    let scene = Scene::new();
    scene.sealed("oc-yesterday", 1);
    scene.sealed("oc-today", 0);
    scene.say("oc-open", "this one is not sealed");
    scene.untouched("oc-open", 30);
    scene.sync();
    let tight = Budget { raw_soft_cap_bytes: 1, ..ROOMY };
    assert_eq!(names(&scene.evict(&tight, false)), ["oc-yesterday"]);
}

#[test]
fn a_session_whose_file_left_goes_on_and_repeats_nothing() {
    let scene = Scene::new();
    scene.sealed("oc-1", 50);
    scene.sync();
    assert_eq!(names(&scene.evict(&ROOMY, false)), ["oc-1"]);
    assert!(scene.journal.standing("oc-1").unwrap().is_none());
    scene.say("oc-1", "what oc-1 had to say of the harbour");
    scene.sync();
    assert_eq!(scene.events("pushed:oc-1"), 1, "posted once more from its beginning");
    scene.say("oc-1", "and what came later");
    scene.sync();
    assert_eq!(scene.events("pushed:oc-1"), 2);
}

#[test]
#[cfg(unix)]
fn whoever_waits_for_a_file_that_leaves_writes_another() {
    let scene = Scene::new();
    scene.sealed("oc-1", 50);
    let path: &Path = &scene.path("oc-1");
    let held = OpenOptions::new().read(true).write(true).open(path).unwrap();
    held.file().lock().unwrap();
    std::thread::scope(|scope| {
        let posting = scope.spawn(|| scene.say("oc-1", "said while it left"));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!posting.is_finished(), "it waits for the lock");
        fs_err::remove_file(path).unwrap();
        drop(held);
    });
    let found = scene.journal.resume("oc-1").unwrap().unwrap();
    assert_eq!(found.messages.len(), 1);
    assert_eq!(found.messages[0].parts[0].text.as_deref(), Some("said while it left"));
}
