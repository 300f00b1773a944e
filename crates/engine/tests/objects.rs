//! An archive whose packs are objects: the same as with files, and damage is found and made good.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use backstory_distill::retention::Budget;
use backstory_engine::{Archive, Root, SyncOptions, sync};
use backstory_model::{Flavor, Timestamp};
use backstory_packs_object::ObjectPacks;
use backstory_store::{Home, SessionFilter, StoreError, Vault};
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap() };
        fs_err::create_dir_all(world.path("projects/a")).unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Some sessions whose records are too long for a summary.
    fn write(&self, records: usize) {
        for session in ["one", "two"] {
            let lines = (0..records).map(|at| line(session, at));
            fs_err::write(
                self.path(&format!("projects/a/{session}.jsonl")),
                lines.collect::<String>(),
            )
            .unwrap();
        }
    }

    fn home(&self) -> Home {
        let place = self.path("objects").display().to_string();
        let packs = ObjectPacks::open(&place, "team", &[]).unwrap();
        backstory_store_sqlite::home(self.path("home")).with_packs(Arc::new(packs))
    }

    fn sweep(&self, home: Home, reparse: bool, raw_soft_cap_bytes: u64) {
        let options = SyncOptions {
            reparse,
            budget: Some(Budget { raw_soft_cap_bytes, ..Budget::UNLIMITED }),
            spool: true,
            index: true,
            ..SyncOptions::new(
                Archive::indexed_at_home(home),
                vec![Root { flavor: Flavor::Claude, dir: self.path("projects") }],
            )
        };
        let report = sync(&options, Timestamp(1_790_000_000_000), &mut |_| {}).unwrap();
        assert_eq!(report.problems, []);
    }

    fn parts(&self) -> Vec<PathBuf> {
        let mut parts = files_below(&self.path("objects/team"));
        parts.retain(|path| !path.ends_with("backstory-packs"));
        parts.sort();
        parts
    }
}

fn line(session: &str, at: usize) -> String {
    let id = |at: usize| format!("{session}-{at}");
    let record = serde_json::json!({
        "type": "user", "uuid": id(at), "parentUuid": at.checked_sub(1).map(id), "sessionId": session,
        "timestamp": "2026-03-01T00:00:00.000Z", "isSidechain": false, "userType": "external",
        "cwd": "/src/app", "version": "2.1.100",
        "message": {"role": "user", "content": format!("prompt {at} of {session} ").repeat(300)},
    });
    format!("{record}\n")
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Every payload there is.
fn payloads(home: &Home) -> Vec<String> {
    let vault = Vault::open(home).unwrap();
    let mut found = Vec::new();
    for session in vault.sessions(&SessionFilter::default()).unwrap() {
        for event in vault.events(&session.session_uid).unwrap() {
            found.push(vault.payload(&event).unwrap());
        }
    }
    found.sort();
    found
}

#[test]
fn sweeps_add_parts_and_read_the_same_as_from_files() {
    let world = World::new();
    let in_files = || backstory_store_sqlite::home(world.path("in-files"));
    for records in [3, 5] {
        world.write(records);
        world.sweep(world.home(), false, u64::MAX);
        world.sweep(in_files(), false, u64::MAX);
    }
    assert_eq!(payloads(&world.home()), payloads(&in_files()));
    assert_eq!(world.parts().len(), 4, "one for each session and sweep");
    let vault = Vault::open(&world.home()).unwrap();
    assert_eq!(vault.verify().unwrap(), []);
    assert_eq!(vault.orphan_packs().unwrap(), [""; 0]);
    let on_disk: u64 = world.parts().iter().map(|part| part.metadata().unwrap().len()).sum();
    assert_eq!(vault.sizes().unwrap().packs, on_disk);
}

#[test]
fn lost_parts_are_named_and_stored_again() {
    let world = World::new();
    for records in [20, 40] {
        world.write(records);
        world.sweep(world.home(), false, u64::MAX);
    }
    let before = payloads(&world.home());
    let parts = world.parts();
    let (gone, cut) = (&parts[0], &parts[3]);
    fs_err::remove_file(gone).unwrap();
    let bytes = fs_err::read(cut).unwrap();
    fs_err::write(cut, &bytes[..bytes.len() / 2]).unwrap();
    let damage = Vault::open(&world.home()).unwrap().verify().unwrap();
    for part in [gone, cut] {
        let name = part.display().to_string();
        assert!(damage.iter().any(|damage| damage.what.contains(&name)), "{damage:?}");
    }
    world.sweep(world.home(), true, u64::MAX);
    let vault = Vault::open(&world.home()).unwrap();
    assert_eq!(vault.verify().unwrap(), []);
    assert_eq!(payloads(&world.home()), before);
    assert_eq!(vault.orphan_packs().unwrap(), [""; 0]);
}

#[test]
fn packs_out_of_reach_are_not_taken_for_lost() {
    let world = World::new();
    world.write(20);
    world.sweep(world.home(), false, u64::MAX);
    let before = payloads(&world.home());
    fs_err::rename(world.path("objects"), world.path("not-mounted")).unwrap();
    let home = world.home();
    let unreachable = Vault::open(&home).unwrap().verify().unwrap_err();
    assert!(matches!(&unreachable, StoreError::Packs(told) if told.contains("mounted")));
    assert!(Vault::mark_lost_payloads(&home).is_err());
    fs_err::remove_dir_all(world.path("objects")).unwrap();
    fs_err::rename(world.path("not-mounted"), world.path("objects")).unwrap();
    assert_eq!(payloads(&world.home()), before);
}

#[test]
fn orphans_are_told_and_leave_with_their_session() {
    let world = World::new();
    world.write(5);
    world.sweep(world.home(), false, u64::MAX);
    let orphan = world.parts()[0].with_file_name("00000fffff");
    fs_err::write(&orphan, "a sync was killed").unwrap();
    let stray = world.path("objects/team/notes.txt");
    fs_err::write(&stray, "").unwrap();
    let orphans = Vault::open(&world.home()).unwrap().orphan_packs().unwrap();
    let mut expected = [&orphan, &stray].map(|path| path.display().to_string());
    expected.sort();
    assert_eq!(orphans, expected);
    fs_err::remove_file(stray).unwrap();
    world.sweep(world.home(), false, 0);
    assert_eq!(world.parts(), [""; 0].map(PathBuf::from));
}
