//! Asking a program one question, and not waiting for it forever.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// More than this is no answer.
const MAX_BYTES: u64 = 256 << 10;
/// Of what it complains about, so much is told.
const COMPLAINT_CHARS: usize = 200;
/// How often a running program is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// What a program says to a question, or why it says nothing. It is ended when its time is over, with all
/// it has started.
pub(super) fn ask(
    mut command: Command,
    question: &str,
    patience: Duration,
) -> Result<String, String> {
    let ends = Instant::now() + patience;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| format!("cannot be run: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        let question = question.as_bytes().to_owned();
        // A program that never listens must not keep us here.
        std::thread::spawn(move || input.write_all(&question));
    }
    let (said, complaint) = (listen(child.stdout.take()), listen(child.stderr.take()));
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < ends => std::thread::sleep(GLANCE),
            Ok(None) => {
                end(&mut child);
                return Err(format!("no answer within {} ms", patience.as_millis()));
            }
            Err(error) => {
                end(&mut child);
                return Err(format!("cannot be waited for: {error}"));
            }
        }
    };
    // Something it started may hold its output open: what is there by the end of its time counts.
    let left = ends.saturating_duration_since(Instant::now()).max(GLANCE);
    let heard = said.recv_timeout(left);
    end(&mut child);
    if !status.success() {
        let complaint = complaint.recv_timeout(GLANCE).unwrap_or_default();
        let complaint = String::from_utf8_lossy(&complaint);
        let last = complaint.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let last: String = last.unwrap_or_default().chars().take(COMPLAINT_CHARS).collect();
        return Err(format!("{status}: {last}"));
    }
    let said = heard.map_err(|_| "its output never ended".to_owned())?;
    if said.len() as u64 > MAX_BYTES {
        return Err("the answer is endless".into());
    }
    String::from_utf8(said).map_err(|_| "the answer is no text".into())
}

/// What a stream says until it ends, or until it says too much.
fn listen(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(MAX_BYTES + 1).read_to_end(&mut said);
            // Nobody listening is nobody to tell.
            let _ = tell.send(said);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
    });
    told
}

/// Ends a program and what it started; one that is gone already is no matter.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn script(text: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", text]);
        command
    }

    #[test]
    fn the_question_is_read_and_the_answer_comes_back() {
        let patience = Duration::from_secs(20);
        assert_eq!(ask(script("cat"), "which port?", patience).unwrap(), "which port?");
        let long = "x".repeat(200 << 10);
        assert_eq!(ask(script("echo deaf"), &long, patience).unwrap(), "deaf\n");
        let failed = ask(script("echo no >&2; exit 3"), "", patience).unwrap_err();
        assert!(failed.contains("exit status: 3") && failed.ends_with(": no"), "{failed}");
        assert!(ask(script("printf '\\377'"), "", patience).unwrap_err().contains("no text"));
        let endless = ask(script("yes"), "", Duration::from_millis(400)).unwrap_err();
        assert!(endless.contains("within 400 ms"), "{endless}");
        let flood = ask(script("yes | head -c 400000"), "", patience).unwrap_err();
        assert!(flood.contains("endless"), "{flood}");
        let missing = ask(Command::new("/no/such/program"), "", patience).unwrap_err();
        assert!(missing.contains("cannot be run"), "{missing}");
    }

    #[test]
    fn who_hangs_is_ended_with_all_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("alive");
        let text =
            format!("(while :; do echo x >> {}; sleep 0.02; done) & sleep 60", file.display());
        let began = Instant::now();
        let hung = ask(script(&text), "", Duration::from_millis(300)).unwrap_err();
        assert!(hung.contains("within 300 ms"), "{hung}");
        assert!(began.elapsed() < Duration::from_secs(20));
        let size = || fs_err::metadata(&file).map_or(0, |meta| meta.len());
        let before = size();
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(size(), before, "something is still running");
    }
}
