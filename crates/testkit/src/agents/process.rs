//! Running a program with a deadline and leaving nothing of it behind.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running program is looked at.
const GLANCE: Duration = Duration::from_millis(10);

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// None when the deadline ended it.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the command in a process group of its own and ends the whole group afterwards.
///
/// Output goes through files in `scratch`: an agent's background process may inherit the stream and
/// would keep a pipe open long after the agent is done.
pub(crate) fn run(
    command: &mut Command,
    scratch: &Path,
    deadline: Duration,
) -> io::Result<Finished> {
    finish(command, scratch, |child| wait(child, deadline))
}

/// How a program is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// As Ctrl-C does: it may still say something.
    Interrupt,
    /// As a power cut does.
    Kill,
}

/// The same, but stops the program once `is_ready` says so.
pub(crate) fn stop(
    command: &mut Command,
    scratch: &Path,
    deadline: Duration,
    (how, is_ready): (Stop, &dyn Fn() -> bool),
) -> io::Result<Finished> {
    finish(command, scratch, |child| {
        let end = Instant::now() + deadline;
        while !is_ready() && Instant::now() < end {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            thread::sleep(GLANCE);
        }
        match how {
            Stop::Interrupt => signal("INT", &child.id().to_string()),
            Stop::Kill => end_group(child.id()),
        }
        wait(child, deadline)
    })
}

fn finish(
    command: &mut Command,
    scratch: &Path,
    watch: impl FnOnce(&mut Child) -> io::Result<Option<ExitStatus>>,
) -> io::Result<Finished> {
    let (out, err) = (scratch.join("stdout.txt"), scratch.join("stderr.txt"));
    command
        .stdin(Stdio::null())
        .stdout(fs_err::File::create(&out)?.into_parts().0)
        .stderr(fs_err::File::create(&err)?.into_parts().0);
    own_group(command);
    let mut child = command.spawn()?;
    let status = watch(&mut child);
    end_group(child.id());
    if !matches!(status, Ok(Some(_))) {
        let _ = child.kill();
        child.wait()?;
    }
    Ok(Finished { status: status?, stdout: read(&out)?, stderr: read(&err)? })
}

fn wait(child: &mut Child, deadline: Duration) -> io::Result<Option<ExitStatus>> {
    let end = Instant::now() + deadline;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            return Ok(None);
        }
        thread::sleep(GLANCE);
    }
}

fn read(path: &PathBuf) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs_err::read(path)?).into_owned())
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_command: &mut Command) {}

/// Ends whatever the program left running. A group that is already empty is the normal case.
fn end_group(leader: u32) {
    signal("KILL", &format!("-{leader}"));
}

/// Sends a signal to a process, or with a minus before its id to a group.
#[cfg(unix)]
fn signal(name: &str, whom: &str) {
    let _ = Command::new("/bin/sh")
        .args(["-c", "kill -s \"$1\" -- \"$2\"", "sh", name, whom])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

#[cfg(not(unix))]
fn signal(_name: &str, _whom: &str) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_status_come_back() {
        let scratch = tempfile::tempdir().unwrap();
        let mut command = shell("echo out; echo err >&2; exit 3");
        let finished = run(&mut command, scratch.path(), Duration::from_secs(30)).unwrap();
        assert_eq!(finished.status.unwrap().code(), Some(3));
        assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("out\n", "err\n"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_interrupted_program_may_say_its_last() {
        let scratch = tempfile::tempdir().unwrap();
        let begun = scratch.path().join("begun");
        let script = format!(
            "trap 'echo stopped; exit 7' INT; touch {}; while :; do sleep 0.05; done",
            begun.display()
        );
        // What runs in the background of a script is deaf to interrupts, and so is a shell it starts.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT", "/bin/sh", "-c", &script]);
        let patience = Duration::from_secs(30);
        let ready = || begun.exists();
        let ready = (Stop::Interrupt, &ready as &dyn Fn() -> bool);
        let finished = stop(&mut command, scratch.path(), patience, ready).unwrap();
        assert_eq!(finished.status.unwrap().code(), Some(7));
        assert_eq!(finished.stdout, "stopped\n");
    }

    #[test]
    fn a_hanging_program_and_its_children_are_ended() {
        let scratch = tempfile::tempdir().unwrap();
        let mark = scratch.path().join("child.pid");
        let mut command = shell(&format!("sleep 600 & echo $! > {}; wait", mark.display()));
        let finished = run(&mut command, scratch.path(), Duration::from_millis(500)).unwrap();
        assert!(finished.status.is_none());
        let pid = fs_err::read_to_string(&mark).unwrap();
        let gone = || !Path::new("/proc").join(pid.trim()).join("exe").exists();
        let end = Instant::now() + Duration::from_secs(10);
        while cfg!(target_os = "linux") && !gone() {
            assert!(Instant::now() < end, "the grandchild {pid} survived");
            thread::sleep(GLANCE);
        }
    }
}
