//! Hooks on a disk that is really full: the agent gets its answer, and no file is left half written.

use crate::hooked::{ONE, archive, command, finished, hook, run, sandbox, sealed, sent, told};
use crate::memory::files_below;
use crate::sandbox::{NOW, Sandbox};
use crate::store::about_the_file;
use backstory_model::Flavor;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Set where this test runs once more, as the root of a namespace of its own.
const INSIDE: &str = "BACKSTORY_TEST_NAMESPACE";
const NAME: &str = "hook_disk::a_disk_that_is_full_keeps_no_agent_waiting_and_breaks_no_state";

/// A small disk, in memory.
struct Disk(PathBuf);

impl Disk {
    /// Nothing if this user may mount none.
    fn mount(at: &Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs"]).arg(at);
        let done = mount.stdin(Stdio::null()).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }

    /// Takes all the room there is; gives the file that has it.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = fs_err::File::create(&path).unwrap();
        for block in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![b'x'; block]).is_ok() {}
        }
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Where users may mount nothing, they may in a namespace of their own, unless the system forbids that too.
#[expect(clippy::disallowed_methods, reason = "only whether this is the second run is asked")]
#[expect(clippy::print_stderr, reason = "whoever runs the tests must know what was left out")]
fn again_in_a_namespace() {
    assert!(std::env::var_os(INSIDE).is_none(), "nothing can be mounted in a namespace");
    let allowed = Command::new("unshare").args(["-rm", "true"]).stderr(Stdio::null()).status();
    if !allowed.is_ok_and(|status| status.success()) {
        eprintln!("left out: this user may neither mount a disk nor make a namespace of its own");
        return;
    }
    let mut again = Command::new("unshare");
    again.arg("-rm").arg(std::env::current_exe().unwrap()).args(["--exact", NAME]);
    assert!(again.env(INSIDE, "1").status().unwrap().success());
}

/// Every file of the live state can be read, and none is left beside its place.
fn is_whole(sandbox: &Sandbox) {
    for file in files_below(&archive(sandbox).dir().join("state/live")) {
        if file.extension() == Some(OsStr::new("json")) {
            let text = fs_err::read(&file).unwrap();
            let read = serde_json::from_slice::<Value>(&text);
            assert!(read.is_ok(), "{}: {read:?}", file.display());
        }
    }
}

#[test]
fn a_disk_that_is_full_keeps_no_agent_waiting_and_breaks_no_state() {
    about_the_file!("the rows of a server are on another disk");
    let sandbox = sandbox();
    let home = archive(&sandbox).dir().to_owned();
    fs_err::create_dir_all(&home).unwrap();
    let Some(disk) = Disk::mount(&home) else { return again_in_a_namespace() };
    let turns = [("Which port has the heron proxy?", "The heron proxy listens on port 7411.")];
    sandbox.write_claude("known001", &turns);
    sandbox.write_claude(ONE, &[("Make the cache expire", "It does.")]);
    run(&sandbox, &["sync"], NOW);
    let stop = json!({"last_assistant_message": "It does."});
    hook(&sandbox, Flavor::Claude, "Stop", ONE, (60, stop.clone()));
    let filler = disk.fill();
    let refused = fs_err::write(home.join("one-more"), "x");
    assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    let asks = json!({"prompt": "On which port does the heron proxy listen?"});
    for (event, more) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", asks.clone()),
        ("PostToolUse", json!({"tool_name": "Bash", "tool_response": {"stdout": "ok"}})),
        ("Stop", stop),
        ("PreCompact", json!({"trigger": "auto"})),
        ("SessionEnd", json!({"reason": "other"})),
    ] {
        let answer = finished(
            command(&sandbox, Flavor::Claude, event, 5),
            &sent(&sandbox, Flavor::Claude, event, ONE, &more),
        );
        // Nothing is handed over that cannot be put on record.
        assert_eq!(answer, json!({}), "{event}");
        is_whole(&sandbox);
    }
    fs_err::remove_file(filler).unwrap();
    let asked = sent(&sandbox, Flavor::Claude, "UserPromptSubmit", ONE, &asks);
    let answer = finished(command(&sandbox, Flavor::Claude, "UserPromptSubmit", 2), &asked);
    assert!(answer.to_string().contains("port 7411"), "{answer}");
    hook(&sandbox, Flavor::Claude, "SessionEnd", ONE, (0, json!({"reason": "other"})));
    assert_eq!(sealed(&sandbox, Flavor::Claude, ONE), ["ended"]);
    assert_eq!((told(&sandbox, "It does."), told(&sandbox, "port 7411")), (1, 1));
    let doctor = sandbox.run(&["doctor"]);
    assert!(!doctor.stdout.contains("damaged"), "{doctor}");
}
