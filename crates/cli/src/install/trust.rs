//! Whether Codex runs our hooks: it runs none its user has not looked at, and says nothing about it.
//!
//! Codex itself is asked. What it trusts is its user's to say; nothing is ever written.

use super::command::Registered;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// It answers in well under a second; a busy machine gets more.
const PATIENCE: Duration = Duration::from_secs(10);

/// It is gone, whether we were about to speak or to listen.
const ENDED: &str = "ended without an answer";

/// What Codex says about our hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trust {
    /// Those it runs.
    pub(crate) trusted: usize,
    /// Events whose hook was never trusted, or was changed since.
    pub(crate) untrusted: Vec<String>,
    /// Events whose hook was switched off.
    pub(crate) disabled: Vec<String>,
}

/// Asks Codex; why not, if it does not answer.
pub(crate) fn ask(codex: &Path, dir: &Path) -> Result<Trust, String> {
    let mut child = Command::new(codex)
        .arg("app-server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot be run: {error}"))?;
    let answer = converse(&mut child, dir);
    // It waits for more questions, and there are none.
    let _ = child.kill();
    let _ = child.wait();
    answer.map(|answer| read(&answer))
}

fn converse(child: &mut Child, dir: &Path) -> Result<Value, String> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("cannot be talked to".into());
    };
    let us = json!({ "name": "backstory", "version": env!("CARGO_PKG_VERSION") });
    let mut say = |message: Value| {
        let said = writeln!(stdin, "{message}").and_then(|()| stdin.flush());
        said.map_err(|_| ENDED.to_owned())
    };
    let lines = listen(stdout);
    let deadline = Instant::now() + PATIENCE;
    say(
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "clientInfo": us } }),
    )?;
    answer(&lines, 1, deadline)?;
    say(json!({ "jsonrpc": "2.0", "method": "initialized" }))?;
    let places = json!({ "cwds": [dir] });
    say(json!({ "jsonrpc": "2.0", "id": 2, "method": "hooks/list", "params": places }))?;
    answer(&lines, 2, deadline)
}

/// Its messages, read by a thread so that silence can be waited out.
fn listen(stdout: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let message = serde_json::from_str(&line).unwrap_or_default();
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}

fn answer(lines: &Receiver<Value>, id: u64, deadline: Instant) -> Result<Value, String> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut message = match lines.recv_timeout(left) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => return Err("did not answer in time".into()),
            Err(RecvTimeoutError::Disconnected) => return Err(ENDED.into()),
        };
        if message["id"] != id {
            continue;
        }
        if let Some(error) = message["error"]["message"].as_str() {
            return Err(format!("answered: {error}"));
        }
        return Ok(message["result"].take());
    }
}

fn read(answer: &Value) -> Trust {
    let mut trust = Trust::default();
    let places = answer["data"].as_array().into_iter().flatten();
    for hook in places.flat_map(|place| place["hooks"].as_array().into_iter().flatten()) {
        let command = hook["command"].as_str().or_else(|| hook["handler"]["command"].as_str());
        if command.and_then(Registered::read).is_none() {
            continue;
        }
        let event = hook["eventName"].as_str().unwrap_or("?").to_owned();
        match (hook["trustStatus"].as_str(), hook["enabled"].as_bool()) {
            (_, Some(false)) => trust.disabled.push(event),
            (Some("trusted" | "managed"), _) => trust.trusted += 1,
            _ => trust.untrusted.push(event),
        }
    }
    trust
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_hooks_are_counted() {
        let hook = |command: &str, event: &str, status: &str, enabled: bool| json!({ "command": command, "eventName": event, "trustStatus": status, "enabled": enabled });
        let answer = json!({ "data": [{ "hooks": [
            hook("'/x/backstory' hook codex Stop", "stop", "trusted", true),
            hook("'/x/backstory' hook codex SessionEnd", "sessionEnd", "modified", true),
            hook("'/x/backstory' hook codex PreCompact", "preCompact", "untrusted", true),
            hook("'/x/backstory' hook codex Interrupt", "interrupt", "trusted", false),
            hook("notify-send done", "stop", "untrusted", true),
        ] }] });
        let expected = Trust {
            trusted: 1,
            untrusted: vec!["sessionEnd".into(), "preCompact".into()],
            disabled: vec!["interrupt".into()],
        };
        assert_eq!(read(&answer), expected);
        assert_eq!(read(&json!({ "data": 1 })), Trust::default());
    }
}
