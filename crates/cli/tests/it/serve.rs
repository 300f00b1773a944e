//! `backstory serve` as a process: where it listens, how it ends, and that being killed loses nothing.

use crate::sandbox::Sandbox;
use backstory_engine::pushed::{Journal, Limits};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// A server process.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(sandbox: &Sandbox, listen: &str) -> Self {
        let mut command = sandbox.command(&["serve", "--listen", listen, "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        Self { child, url: told["url"].as_str().unwrap().to_owned() }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end, as a service manager does; tells its exit code.
    #[cfg(unix)]
    fn end(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(10)));
    config.build().into()
}

fn post(agent: &ureq::Agent, url: &str, body: &Value) -> Result<Value, ureq::Error> {
    let mut response = agent.post(url).content_type("application/json").send(body.to_string())?;
    let text = response.body_mut().read_to_string()?;
    Ok(serde_json::from_str(&text).unwrap())
}

#[test]
#[cfg(unix)]
fn it_listens_until_it_is_asked_to_end() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, "127.0.0.1:0");
    let health = agent().get(format!("{}/health", server.url)).call().unwrap();
    assert_eq!(health.status(), 200);
    let message = json!({"role": "user", "content": "remember the harbour"});
    let url = format!("{}/api/v1/sessions/cx-1/messages", server.url);
    assert_eq!(post(&agent(), &url, &message).unwrap()["result"]["added"], 1);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn posted_texts_are_kept_as_long_as_the_user_says() {
    let mut sandbox = Sandbox::new();
    sandbox.set("OPENVIKING_CAPTURE_TOOL_MAX_CHARS", "40");
    sandbox.set("BACKSTORY_CAPTURE_MAX_LENGTH", "60");
    let server = Server::start(&sandbox, "127.0.0.1:0");
    let tool = json!({"type": "tool", "tool_id": "c1", "tool_name": "shell",
        "tool_status": "completed", "tool_output": "o".repeat(100)});
    let message = json!({"role": "assistant",
        "parts": [{"type": "text", "text": "w".repeat(100)}, tool]});
    let url = format!("{}/api/v1/sessions/cx-1", server.url);
    post(&agent(), &format!("{url}/messages"), &message).unwrap();
    let mut told = agent().get(format!("{url}/context")).call().unwrap();
    let told: Value = serde_json::from_str(&told.body_mut().read_to_string().unwrap()).unwrap();
    let parts = &told["result"]["messages"][0]["parts"];
    let letters = |text: &Value, letter: char| text.as_str().unwrap().matches(letter).count();
    assert_eq!(letters(&parts[0]["text"], 'w'), 60, "{told}");
    assert!(parts[1]["tool_output"].as_str().unwrap().contains("60 characters left out"), "{told}");
    server.kill();
}

#[test]
fn other_machines_need_a_key() {
    let run = Sandbox::new().run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_snapshot!(run, @r"
    exit 2
    --- stderr
    error: 0.0.0.0:0 can be reached from other machines, and there is no key
      hint: set BACKSTORY_SERVER_KEY, or listen on 127.0.0.1
    ");
}

/// A small version of the run in `cargo xtask bench hooks`.
#[test]
fn every_acknowledged_message_is_there_exactly_once_after_kills() {
    const CLIENTS: usize = 8;
    const SESSIONS: usize = 6;
    const MESSAGES: usize = 12;
    const KILLS: usize = 3;
    let sandbox = Sandbox::new();
    let first = Server::start(&sandbox, "127.0.0.1:0");
    let address = first.url.trim_start_matches("http://").to_owned();
    let server = Mutex::new(Some(first));
    let (done, acknowledged) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (address, acknowledged) = (&address, &acknowledged);
                scope.spawn(move || {
                    let agent = agent();
                    for number in 0..MESSAGES {
                        for session in 0..SESSIONS {
                            let url = format!(
                                "http://{address}/api/v1/sessions/cx-{client}-{session}/messages"
                            );
                            let text = format!("message number {number} of client {client}");
                            let body = json!({"role": "user", "content": text});
                            // Whoever gets no answer posts again, as plugins do.
                            while post(&agent, &url, &body).is_err() {
                                std::thread::sleep(Duration::from_millis(10));
                            }
                            acknowledged.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            for kill in 1..=KILLS {
                let due = CLIENTS * SESSIONS * MESSAGES * kill / (KILLS + 1);
                while acknowledged.load(Ordering::Relaxed) < due && !done.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let mut running = server.lock().unwrap();
                running.take().unwrap().kill();
                *running = Some(Server::start(&sandbox, &address));
            }
        });
        for client in clients {
            client.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    server.into_inner().unwrap().unwrap().kill();
    let expected: BTreeMap<String, usize> =
        (0..MESSAGES).map(|number| (format!("message number {number}"), 1)).collect();
    let home = backstory_store_sqlite::home(sandbox.home().join(".local/share/backstory"));
    let journal = Journal::new(home, Limits::default());
    assert_eq!(journal.list().len(), CLIENTS * SESSIONS);
    for (id, _) in journal.list() {
        let mut found = BTreeMap::new();
        for message in journal.resume(&id).unwrap().unwrap().messages {
            let text = message.parts[0].text.clone().unwrap();
            let what = text.split_once(" of client").unwrap().0.to_owned();
            *found.entry(what).or_insert(0) += 1;
        }
        assert_eq!(found, expected, "{id}");
    }
}
