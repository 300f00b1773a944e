//! Evictions that are killed, and digests that cannot be written.
#![expect(clippy::disallowed_methods, reason = "the fault is put into the database from outside")]

use crate::history::{Claude, session_id};
use crate::sandbox::{Sandbox, snapshot, text};
use crate::store::{self, about_the_file};
use backstory_index::{LocalShelf, Shelf};
use backstory_store::{SessionFilter, Tiers, Vault};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const SESSIONS: usize = 80;
const SOFT_CAP: u64 = 1_000_000;
/// The row that tells of the sweep itself comes last and may still lie in the log.
const TOLERATED: u64 = SOFT_CAP * 105 / 100;

fn write_history(sandbox: &Sandbox) {
    for number in 0..SESSIONS {
        let session = Claude::new(number, 60);
        let path = sandbox.projects().join(format!("{}.jsonl", session.id));
        sandbox.write(&path, session.turns(0..30));
    }
}

fn caps(home: &Path, soft: &str, hard: &str) {
    let text = format!(
        "[session_memory.retention]\nraw_soft_cap_bytes = \"{soft}\"\nraw_hard_cap_bytes = \"{hard}\"\n"
    );
    fs_err::write(home.join("config.toml"), text).unwrap();
}

fn packs(home: &Path) -> BTreeSet<PathBuf> {
    let files = snapshot(&store::packs(home)).into_iter().map(|(path, _)| path);
    files.filter(|path| !path.ends_with(store::PACKS_MARKER)).collect()
}

/// Nothing points at what is not there, and no session is without both raw events and digest.
fn nothing_is_lost(vault: &Vault) -> usize {
    assert_eq!(vault.verify().unwrap(), []);
    let mut evicted = 0;
    let sessions = vault.sessions(&SessionFilter::default()).unwrap();
    assert_eq!(sessions.len(), SESSIONS);
    for session in sessions {
        let resident = vault.events(&session.session_uid).unwrap().len();
        let has_digest = vault.account(&session.session_uid).unwrap().is_some();
        assert!(has_digest, "{} has no digest", session.session_uid);
        let is_evicted = session.watermarks.evicted_at.is_some();
        assert_eq!(resident, if is_evicted { 0 } else { session.events as usize });
        evicted += usize::from(is_evicted);
    }
    evicted
}

/// No pack without an owner, and the figures are those of the files.
fn figures_are_true(vault: &Vault) {
    about_the_file!("rows and packs are in other files");
    let home = vault.home().dir();
    let files = backstory_store::PackFiles::new(home.join("packs"));
    let owned: BTreeSet<PathBuf> = vault
        .residents()
        .unwrap()
        .into_iter()
        .filter(|resident| resident.pack_bytes > 0)
        .map(|resident| files.path(resident.id))
        .collect();
    assert_eq!(packs(home), owned);
    let tiers = tiers(vault);
    let on_disk: u64 = packs(home)
        .iter()
        .map(|pack| fs_err::metadata(pack).unwrap().len().div_ceil(4096) * 4096)
        .sum();
    assert_eq!(tiers.raw_packs, on_disk);
    let database: u64 = ["archive.db", "archive.db-wal", "archive.db-shm"]
        .iter()
        .map(|name| fs_err::metadata(home.join(name)).map_or(0, |meta| meta.len()))
        .sum();
    assert_eq!(tiers.raw_rows + tiers.distilled, database);
}

fn tiers(vault: &Vault) -> Tiers {
    vault.tiers(LocalShelf::new(vault.home().dir()).bytes()).unwrap()
}

fn raw_bytes(vault: &Vault) -> u64 {
    tiers(vault).raw()
}

#[test]
fn fifty_kills_of_an_eviction_lose_nothing() {
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    sandbox.sync();
    let measured = sandbox.dir.path().join("measured");
    sandbox.store.copy(&sandbox.home(), &measured);
    caps(&measured, "1MB", "1GiB");
    let began = Instant::now();
    let output = sandbox.command_with_home(&measured).arg("sync").output().unwrap();
    let mut whole = began.elapsed().max(Duration::from_millis(20));
    assert!(output.status.success(), "{}", text(&output));
    assert!(raw_bytes(&sandbox.vault_of(&measured)) <= TOLERATED);
    let expected = nothing_is_lost(&sandbox.vault_of(&measured));
    assert!(expected > SESSIONS / 2, "only {expected} sessions left");

    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut kills, mut partly) = (0, 0);
    for round in 0.. {
        if kills == 50 {
            break;
        }
        let home = sandbox.dir.path().join(format!("killed-{round}"));
        sandbox.store.copy(&sandbox.home(), &home);
        caps(&home, "1MB", "1GiB");
        let mut child = sandbox
            .command_with_home(&home)
            .arg("sync")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(whole.mul_f64((random >> 40) as f64 / (1_u64 << 24) as f64));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            // The first one ran on a busier machine.
            whole = whole.mul_f64(0.8);
        } else {
            kills += 1;
        }
        let evicted = nothing_is_lost(&sandbox.vault_of(&home));
        partly += usize::from(
            evicted > 0 && (evicted < expected || packs(&home).len() > SESSIONS - evicted),
        );
        let output = sandbox.command_with_home(&home).arg("sync").output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        // How much a session frees is estimated: broken off and begun anew, the last may differ.
        let vault = sandbox.vault_of(&home);
        assert!(nothing_is_lost(&vault).abs_diff(expected) <= 2);
        assert!(raw_bytes(&vault) <= TOLERATED);
        figures_are_true(&vault);
        drop(vault);
        sandbox.store.remove(&home);
    }
    assert!(partly > 0, "no kill hit the eviction itself");
}

#[test]
fn what_cannot_be_distilled_leaves_last_and_is_reported_one_by_one() {
    about_the_file!("the fault is put into the file");
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    let output = sandbox.run(&["sync", "--no-distil"]);
    assert!(output.status.success(), "{}", text(&output));
    let database = rusqlite::Connection::open(sandbox.home().join("archive.db")).unwrap();
    database
        .execute_batch(
            "CREATE TRIGGER injected BEFORE INSERT ON digests WHEN new.session_id > 10
             BEGIN SELECT raise(ABORT, 'injected fault'); END",
        )
        .unwrap();
    caps(&sandbox.home(), "1MB", "2MB");
    let output = sandbox.run(&["sync"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("data loss") && said.contains("injected fault"), "{}", text(&output));

    let vault = sandbox.vault();
    assert_eq!(vault.verify().unwrap(), []);
    assert!(raw_bytes(&vault) <= 2_000_000);
    let lost: BTreeSet<String> = vault
        .sessions(&SessionFilter::default())
        .unwrap()
        .into_iter()
        .filter(|session| session.watermarks.evicted_at.is_some())
        .filter(|session| vault.account(&session.session_uid).unwrap().is_none())
        .map(|session| session.session_uid.to_string())
        .collect();
    assert!(!lost.is_empty() && lost.len() < SESSIONS - 10, "{} lost", lost.len());
    let events = fs_err::read_to_string(sandbox.home().join("events.jsonl")).unwrap();
    let told: Vec<serde_json::Value> = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &serde_json::Value| event["event"] == "session_memory.data_loss")
        .collect();
    let told: Vec<String> =
        told.iter().map(|event| event["session_uid"].as_str().unwrap().to_owned()).collect();
    assert_eq!(told.iter().cloned().collect::<BTreeSet<_>>(), lost);
    assert_eq!(told.len(), lost.len(), "each is told once");

    // The fault over, everything that is left is distilled and nothing more is lost.
    database.execute_batch("DROP TRIGGER injected").unwrap();
    sandbox.sync();
    for number in 0..SESSIONS {
        let uid =
            backstory_model::SessionUid::from_stored(format!("claude:{}", session_id(number)));
        let has_digest = vault.account(&uid).unwrap().is_some();
        assert_eq!(has_digest, !lost.contains(uid.as_str()), "{uid}");
    }
}
