//! Sweeps that are killed, doubled, or run out of disk.

use crate::history::{Claude, codex, session_id};
use crate::sandbox::{Sandbox, snapshot, text};
use crate::store::{about_the_file, is_postgres};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Enough history for several commits.
fn write_history(sandbox: &Sandbox) {
    write_sessions(sandbox, 24, 200);
}

/// The same, or less where a server makes sweeps slow, for tests with many of them.
fn write_some_history(sandbox: &Sandbox) {
    if is_postgres() { write_sessions(sandbox, 4, 60) } else { write_history(sandbox) }
}

/// Sessions of both agents and a fork that copies another.
fn write_sessions(sandbox: &Sandbox, sessions: usize, turns: usize) {
    for number in 0..sessions {
        let session = Claude::new(number, 120);
        let path = sandbox.projects().join(format!("{}.jsonl", session.id));
        sandbox.write(&path, session.turns(0..turns));
    }
    let fork = Claude { id: session_id(99), ..Claude::new(3, 120) };
    sandbox
        .write(&sandbox.projects().join(format!("{}.jsonl", fork.id)), fork.turns(0..turns + 10));
    for number in 200..200 + sessions / 2 {
        let name = format!("rollout-2026-03-01T00-00-00-{}.jsonl", session_id(number));
        let path = sandbox.user_home().join(".codex/sessions/2026/03/01").join(name);
        sandbox.write(&path, codex(number, turns, 120));
    }
}

/// The archive as another one would take it in.
fn export(sandbox: &Sandbox, home: &Path) -> Vec<u8> {
    let output = sandbox.command_with_home(home).arg("export").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    output.stdout
}

/// What `doctor` finds wrong, but for parts of packs that a killed sweep left.
fn complaints(sandbox: &Sandbox, home: &Path) -> Vec<String> {
    let output = sandbox.command_with_home(home).args(["doctor", "--json"]).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let is_wrong = |line: &&str| {
        line.contains("\"level\":\"attention\"") && !line.contains("belongs to no session")
    };
    lines.lines().filter(is_wrong).map(str::to_owned).collect()
}

#[test]
fn fifty_kills_lose_nothing_and_double_nothing() {
    let sandbox = Sandbox::new();
    write_some_history(&sandbox);
    let began = Instant::now();
    sandbox.sync();
    let mut whole = began.elapsed();
    let expected = sandbox.dump();
    let exported = export(&sandbox, &sandbox.home());

    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut home = sandbox.dir.path().join("killed-0");
    let mut kills = 0;
    let mut finished = 0;
    while kills < 50 {
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
            finished += 1;
            // The first one ran on a busier machine.
            whole = whole.mul_f64(0.8);
        } else {
            kills += 1;
        }
        // Every few kills the history is completed and compared; the next begins anew.
        if kills % 5 == 0 || finished > 0 {
            let output = sandbox.command_with_home(&home).arg("sync").output().unwrap();
            assert!(output.status.success(), "{}", text(&output));
            assert!(sandbox.dump_of(&home) == expected, "after {kills} kills the archive differs");
            assert!(export(&sandbox, &home) == exported, "after {kills} kills the export differs");
            assert_eq!(complaints(&sandbox, &home), [""; 0]);
            sandbox.store.remove(&home);
            home = sandbox.dir.path().join(format!("killed-{kills}-{finished}"));
            finished = 0;
        }
    }
}

/// The packs of the sandbox's archive, by name.
fn packs(sandbox: &Sandbox) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = if is_postgres() { "objects" } else { "packs" };
    let mut files = snapshot(&sandbox.home().join(folder));
    // It says that packs are here, and is none.
    files.retain(|(path, _)| !path.ends_with("backstory-packs"));
    files
}

#[test]
fn a_second_sync_changes_nothing() {
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    sandbox.sync();
    let (before, packs) = (sandbox.dump(), packs(&sandbox));
    let output = sandbox.run(&["sync", "--json"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(sandbox.dump(), before);
    assert!(self::packs(&sandbox) == packs, "packs changed");
    let sweep = sandbox.vault().last_sweep().unwrap().unwrap();
    assert_eq!((sweep.files, sweep.files_read, sweep.bytes_read), (37, 0, 0));
}

#[test]
fn of_two_syncs_one_works_and_one_says_so() {
    let sandbox = Sandbox::new();
    write_some_history(&sandbox);
    let spawn = || {
        sandbox.command().arg("sync").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let (first, second) = (spawn(), spawn());
    let outputs = [first.wait_with_output().unwrap(), second.wait_with_output().unwrap()];
    let mut codes: Vec<i32> = outputs.iter().map(|output| output.status.code().unwrap()).collect();
    codes.sort_unstable();
    if is_postgres() {
        // Others' sweeps are waited for.
        assert_eq!(codes, [0, 0], "{}{}", text(&outputs[0]), text(&outputs[1]));
    } else {
        assert_eq!(codes, [0, 4], "{}{}", text(&outputs[0]), text(&outputs[1]));
        let refused = outputs.iter().find(|output| output.status.code() == Some(4)).unwrap();
        assert!(text(refused).contains("another sync is already running"), "{}", text(refused));
    }
    sandbox.sync();
    sandbox.dump();
}

/// Runs `script` with `$HERE` mounted as a small file system of its own, in a private namespace.
fn in_small_file_system(sandbox: &Sandbox, options: &str, script: &str) -> std::process::Output {
    let here = sandbox.home();
    fs_err::create_dir_all(&here).unwrap();
    let script = format!("mount -t tmpfs -o {options} none \"$HERE\" && {script}");
    let unshare: &[&str] = if is_root() { &["-m"] } else { &["-rm"] };
    let program = env!("CARGO_BIN_EXE_backstory");
    Command::new("unshare")
        .args(unshare)
        .args(["sh", "-c", &script])
        .env("HERE", &here)
        .env("BACKSTORY", program)
        .env("BACKSTORY_HOME", &here)
        .env("HOME", sandbox.user_home())
        .envs(sandbox.store.variables(&here))
        .output()
        .unwrap()
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout == b"0\n"
}

#[test]
fn a_full_disk_is_named_and_what_fits_is_kept() {
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    // The second run has room again: it must complete what the first could not.
    let script = "\"$BACKSTORY\" sync; code=$?; mount -o remount,size=200m \"$HERE\" && \
        \"$BACKSTORY\" sync && \"$BACKSTORY\" doctor >&2; echo \"first=$code then=$?\"";
    let output = in_small_file_system(&sandbox, "size=3m,mode=700", script);
    let text = text(&output);
    assert!(text.contains("first=3"), "{text}");
    assert!(text.contains("disk is full") || text.contains("No space left"), "{text}");
    assert!(text.contains("then=0"), "{text}");
}

#[test]
fn a_read_only_home_is_named() {
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    let script = "mount -o remount,ro \"$HERE\" && \"$BACKSTORY\" sync";
    let output = in_small_file_system(&sandbox, "size=3m,mode=700", script);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("Read-only file system"), "{}", text(&output));
}

#[test]
fn a_damaged_database_is_named_with_a_way_out() {
    about_the_file!("what is damaged is the file");
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    sandbox.sync();
    fs_err::write(sandbox.home().join("archive.db"), "this is not a database".repeat(100)).unwrap();
    for command in ["sync", "sessions", "status"] {
        let output = sandbox.run(&[command]);
        assert_eq!(output.status.code(), Some(3), "{command}: {}", text(&output));
        assert!(text(&output).contains("archive.db"), "{command}: {}", text(&output));
    }
    // What the message says to do works: without the file everything is read anew.
    fs_err::remove_file(sandbox.home().join("archive.db")).unwrap();
    sandbox.sync();
    sandbox.dump();
}

#[test]
fn lost_packs_are_reported_and_read_again() {
    let sandbox = Sandbox::new();
    write_some_history(&sandbox);
    sandbox.sync();
    let expected = sandbox.dump();
    let packs = packs(&sandbox);
    fs_err::remove_file(&packs[0].0).unwrap();
    let mut torn = packs[1].1.clone();
    let middle = torn.len() / 2;
    torn[middle] ^= 0xff;
    fs_err::write(&packs[1].0, torn).unwrap();
    let output = sandbox.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("--reparse"), "{}", text(&output));
    let output = sandbox.run(&["sync", "--reparse"]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(sandbox.dump() == expected, "the archive differs after healing");
}
