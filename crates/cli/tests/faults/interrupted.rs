//! Sweeps that are killed, doubled, or run out of disk.

use crate::history::{Claude, codex, session_id};
use crate::sandbox::{Sandbox, dump, snapshot, text};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Enough history for several commits: sessions of both agents and a fork that copies another.
fn write_history(sandbox: &Sandbox) {
    for number in 0..24 {
        let session = Claude::new(number, 120);
        let path = sandbox.projects().join(format!("{}.jsonl", session.id));
        sandbox.write(&path, session.turns(0..200));
    }
    let fork = Claude { id: session_id(99), ..Claude::new(3, 120) };
    sandbox.write(&sandbox.projects().join(format!("{}.jsonl", fork.id)), fork.turns(0..210));
    for number in 200..212 {
        let name = format!("rollout-2026-03-01T00-00-00-{}.jsonl", session_id(number));
        let path = sandbox.user_home().join(".codex/sessions/2026/03/01").join(name);
        sandbox.write(&path, codex(number, 200, 120));
    }
}

#[test]
fn fifty_kills_lose_nothing_and_double_nothing() {
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    let began = Instant::now();
    sandbox.sync();
    let mut whole = began.elapsed();
    let expected = sandbox.dump();

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
            assert!(dump(&home) == expected, "after {kills} kills the archive differs");
            fs_err::remove_dir_all(&home).unwrap();
            home = sandbox.dir.path().join(format!("killed-{kills}-{finished}"));
            finished = 0;
        }
    }
}

#[test]
fn a_second_sync_changes_nothing() {
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    sandbox.sync();
    let (before, packs) = (sandbox.dump(), snapshot(&sandbox.home().join("packs")));
    let output = sandbox.run(&["sync", "--json"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(sandbox.dump(), before);
    assert!(snapshot(&sandbox.home().join("packs")) == packs, "packs changed");
    let sweep = sandbox.vault().last_sweep().unwrap().unwrap();
    assert_eq!((sweep.files, sweep.files_read, sweep.bytes_read), (37, 0, 0));
}

#[test]
fn of_two_syncs_one_works_and_one_says_so() {
    let sandbox = Sandbox::new();
    write_history(&sandbox);
    let spawn = || {
        sandbox.command().arg("sync").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let (first, second) = (spawn(), spawn());
    let outputs = [first.wait_with_output().unwrap(), second.wait_with_output().unwrap()];
    let mut codes: Vec<i32> = outputs.iter().map(|output| output.status.code().unwrap()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 4], "{}{}", text(&outputs[0]), text(&outputs[1]));
    let refused = outputs.iter().find(|output| output.status.code() == Some(4)).unwrap();
    assert!(text(refused).contains("another sync is already running"), "{}", text(refused));
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
    write_history(&sandbox);
    sandbox.sync();
    let expected = sandbox.dump();
    let packs = snapshot(&sandbox.home().join("packs"));
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
