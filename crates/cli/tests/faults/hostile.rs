//! Files nobody would write on purpose: the rest must be taken in, and the exit code must say so.

use crate::history::{Claude, session_id};
use crate::sandbox::{Sandbox, text};
use crate::store::about_the_file;
use std::io::{Seek, SeekFrom, Write};
use std::process::Command;

fn with_good_session() -> Sandbox {
    let sandbox = Sandbox::new();
    let session = Claude::new(1, 20);
    let path = sandbox.projects().join(format!("{}.jsonl", session.id));
    sandbox.write(&path, session.turns(0..3));
    sandbox
}

/// Syncs with trouble, and checks that the good session is there all the same.
fn sync_with_problem(sandbox: &Sandbox, message: &str) {
    let output = sandbox.run(&["sync"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(message), "{message:?} is missing in: {text}");
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(1))), 12);
}

#[test]
fn a_line_of_200_megabytes_is_named_and_passed_over() {
    let sandbox = with_good_session();
    let path = sandbox.projects().join(format!("{}.jsonl", session_id(2)));
    let session = Claude::new(2, 20);
    sandbox.write(&path, session.turns(0..1));
    let mut file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::End(200 << 20)).unwrap();
    write!(file, "\n{}", session.turns(1..2)).unwrap();
    drop(file);
    sync_with_problem(&sandbox, ":5\n    line is longer than 64 MiB");
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(2))), 8);
}

#[test]
fn broken_text_is_repaired_or_named() {
    let sandbox = with_good_session();
    let path = sandbox.projects().join(format!("{}.jsonl", session_id(2)));
    let session = Claude::new(2, 20);
    let mut bytes = session.turns(0..1).into_bytes();
    // Inside the first prompt: bytes that are no UTF-8, and a NUL.
    let at = bytes.windows(9).position(|window| window == b"\"content\"").unwrap() + 14;
    bytes[at] = 0xff;
    bytes[at + 1] = 0;
    bytes.extend_from_slice(b"{\"type\":\"user\",\"broken\n");
    bytes.extend_from_slice(session.turns(1..2).as_bytes());
    sandbox.write(&path, bytes);
    sync_with_problem(&sandbox, ":5\n    EOF while parsing");
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(2))), 8);
}

#[test]
fn pipes_and_link_loops_are_left_alone() {
    let sandbox = with_good_session();
    let fifo = sandbox.projects().join("pipe.jsonl");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::os::unix::fs::symlink(sandbox.projects(), sandbox.projects().join("loop")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", sandbox.projects().join("link.jsonl")).unwrap();
    sandbox.sync();
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(1))), 12);
    assert_eq!(sandbox.vault().totals().unwrap()[0].files, 1);
}

#[test]
fn an_unreadable_file_is_named_and_tried_again() {
    about_the_file!("somebody else may not go to the server's socket");
    let sandbox = with_good_session();
    let path = sandbox.projects().join(format!("{}.jsonl", session_id(2)));
    sandbox.write(&path, Claude::new(2, 20).turns(0..2));
    set_mode(&path, 0o000);
    // Root may read everything, so the sweep runs as somebody else.
    let program = sandbox.dir.path().join("backstory-bin");
    fs_err::copy(env!("CARGO_BIN_EXE_backstory"), &program).unwrap();
    set_mode(&program, 0o755);
    set_mode(sandbox.dir.path(), 0o777);
    let run = || {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&program)
            .arg("sync");
        command.env("HOME", sandbox.user_home()).env("BACKSTORY_HOME", sandbox.home());
        command.output().unwrap()
    };
    let output = run();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("cannot be read: "), "{}", text(&output));
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(1))), 12);
    set_mode(&path, 0o644);
    let output = run();
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(2))), 8);
}

fn set_mode(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_is_written_is_private() {
    use std::os::unix::fs::MetadataExt;
    let sandbox = with_good_session();
    sandbox.sync();
    let mut folders = vec![sandbox.home()];
    while let Some(folder) = folders.pop() {
        assert_eq!(fs_err::metadata(&folder).unwrap().mode() & 0o777, 0o700, "{folder:?}");
        for entry in fs_err::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(fs_err::metadata(&path).unwrap().mode() & 0o777, 0o600, "{path:?}");
            }
        }
    }
}

#[test]
fn sources_are_never_changed() {
    let sandbox = with_good_session();
    let before = crate::sandbox::snapshot(&sandbox.user_home());
    sandbox.sync();
    sandbox.run(&["sync", "--reparse"]);
    assert_eq!(crate::sandbox::snapshot(&sandbox.user_home()), before);
}
