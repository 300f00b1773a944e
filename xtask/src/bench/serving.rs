//! The server under load, and killed while many append to it.

use super::hooks::{self, Asked, Bench, quantile, told_something};
use super::report::{Goal, verdict};
use super::stolen::undisturbed;
use serde_json::{Value, json};
use std::io::{self, BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the load lasts.
const SECONDS: usize = 20;
/// Requests a second, and who sends them.
const RECALLS: usize = 200;
/// Recalls before that only bring the files into memory, as with the hooks.
const WARM: usize = 40;
const RECALLERS: usize = 4;
const MESSAGES: usize = 1_000;
const PER_BATCH: usize = 5;
const APPENDERS: usize = 4;
/// Sessions each of them appends to.
const PER_APPENDER: usize = 10;
/// Clients that append while the server is killed, and what each session gets.
const CLIENTS: usize = 50;
const BATCHES: usize = 3;
const KILLS: usize = 3;
/// How long a client goes on trying to reach a server that is down.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server; it ends with this.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts one, on this port or on a free one.
    fn start(bench: &Bench, port: u16) -> io::Result<Self> {
        let mut child = bench
            .product()
            .args(["--json", "serve", "--listen", &format!("127.0.0.1:{port}")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let said: Value = serde_json::from_str(&line)?;
        match said["url"].as_str() {
            Some(url) => Ok(Self { child, url: url.to_owned() }),
            None => Err(io::Error::other(format!("the server did not say where it is: {line:?}"))),
        }
    }

    fn port(&self) -> u16 {
        self.url.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or_default()
    }

    /// The largest room it took in memory, in MB.
    fn peak_mb(&self) -> io::Result<f64> {
        let status = fs_err::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes =
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        Ok(kilobytes.unwrap_or(f64::NAN) / 1e3)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is used again.
struct Client {
    agent: ureq::Agent,
}

impl Client {
    fn new() -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_secs(10)))
            .http_status_as_error(true)
            .build();
        Self { agent: ureq::Agent::new_with_config(config) }
    }

    fn post(&self, url: &str, body: &Value) -> io::Result<Value> {
        self.post_from("", url, body)
    }

    /// Posts as a plugin does that works in a folder.
    fn post_from(&self, folder: &str, url: &str, body: &Value) -> io::Result<Value> {
        let named = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let peer: String = folder.chars().map(named).collect();
        let request = self.agent.post(url).header("X-OpenViking-Actor-Peer", peer);
        let sent = request.content_type("application/json").send(body.to_string());
        let mut answer = sent.map_err(io::Error::other)?;
        let text = answer.body_mut().read_to_string().map_err(io::Error::other)?;
        Ok(serde_json::from_str(&text)?)
    }

    fn get(&self, url: &str) -> io::Result<Value> {
        let mut answer = self.agent.get(url).call().map_err(io::Error::other)?;
        let text = answer.body_mut().read_to_string().map_err(io::Error::other)?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Takes a session out again: whatever is left lying would be sealed and taken in during a later run.
    fn remove(&self, url: &str, session: &str) -> io::Result<()> {
        let url = format!("{url}/api/v1/sessions/{session}");
        self.agent.delete(url).call().map(drop).map_err(io::Error::other)
    }
}

fn batch(session: &str, number: usize) -> Value {
    let message = |at: usize| {
        let role = if at.is_multiple_of(2) { "user" } else { "assistant" };
        let text =
            format!("Session {session} says in batch {number} what stands at place {at} of it.");
        json!({ "role": role, "parts": [{ "type": "text", "text": text }] })
    };
    json!({ "messages": (0..PER_BATCH).map(message).collect::<Vec<_>>() })
}

/// What a server did under load: milliseconds of every request, the shortest first.
struct Load {
    recalled: Vec<f64>,
    appended: Vec<f64>,
    /// Recalls that told something.
    told: usize,
    memory_mb: f64,
}

/// The load, and what is wanted of a server under it.
pub(super) fn load(bench: &Bench, asked: &Asked) -> io::Result<bool> {
    let mut rounds = 0;
    let round = || {
        rounds += 1;
        under_load(bench, asked, &format!("{}-{rounds}", bench.run))
    };
    let tell = |load: &Load| {
        format!(
            "server: {} recalls {}; {} messages {}; {:.0} MB; in {SECONDS} s",
            load.recalled.len(),
            hooks::told(&load.recalled),
            load.appended.len() * PER_BATCH,
            hooks::told(&load.appended),
            load.memory_mb,
        )
    };
    let Load { recalled, appended, told, memory_mb } = undisturbed(round, tell)?;
    let told = told as f64 / recalled.len().max(1) as f64;
    let goals = [
        told_something("the server", told)?,
        verdict("recalls of the server, p99 ms", quantile(&recalled, 0.99), Goal::AtMost(100.0))?,
        verdict("appends to the server, p99 ms", quantile(&appended, 0.99), Goal::AtMost(100.0))?,
        verdict("memory of the server, MB", memory_mb, Goal::AtMost(150.0))?,
    ];
    Ok(goals.iter().all(|met| *met))
}

/// Recalls and appends at the same time, each at its own pace whatever the answers take. Recalls are asked for
/// as plugins do it: by a session, in a folder.
fn under_load(bench: &Bench, asked: &Asked, run: &str) -> io::Result<Load> {
    let server = Server::start(bench, 0)?;
    let url = &server.url;
    let told = AtomicUsize::new(0);
    let recall = |client: &Client, nth: usize| {
        let prompt = &asked.prompts[nth % asked.prompts.len()];
        let folder = &asked.folders[nth % asked.folders.len()];
        let body = json!({
            "query": prompt, "mode": "context", "purpose": "coding", "score_threshold": 0.35,
            "session_id": format!("cx-asks-{run}-{}", nth % asked.folders.len()), "dedup_turns": 5,
        });
        let answer = client.post_from(folder, &format!("{url}/api/v1/search/search"), &body)?;
        let is_told = answer["result"]["entries"].as_array().is_some_and(|told| !told.is_empty());
        told.fetch_add(usize::from(is_told), Ordering::Relaxed);
        Ok(())
    };
    let posted = |nth: usize| format!("cx-load-{run}-{nth}");
    let append = |client: &Client, worker: usize, at: usize| {
        let session = posted(worker * PER_APPENDER + at % PER_APPENDER);
        let url = format!("{url}/api/v1/sessions/{session}/messages/batch");
        let answer = client.post(&url, &batch(&session, at))?;
        match answer["result"]["added"].as_u64() {
            Some(added) if added == PER_BATCH as u64 => Ok(()),
            _ => Err(io::Error::other(format!("a batch was not appended: {answer}"))),
        }
    };
    let client = Client::new();
    (0..WARM).try_for_each(|nth| recall(&client, nth))?;
    told.store(0, Ordering::Relaxed);
    let (recall, append) = (&recall, &append);
    let (recalled, appended) = std::thread::scope(|scope| {
        let recalls: Vec<_> = (0..RECALLERS)
            .map(|worker| {
                scope.spawn(move || {
                    let client = Client::new();
                    paced(RECALLS / RECALLERS, |at| recall(&client, WARM + at * RECALLERS + worker))
                })
            })
            .collect();
        let appends: Vec<_> = (0..APPENDERS)
            .map(|worker| {
                scope.spawn(move || {
                    let client = Client::new();
                    paced(MESSAGES / PER_BATCH / APPENDERS, |at| append(&client, worker, at))
                })
            })
            .collect();
        let joined = |workers: Vec<std::thread::ScopedJoinHandle<'_, io::Result<Vec<f64>>>>| {
            let all = workers.into_iter().map(|worker| {
                worker.join().map_err(|_| io::Error::other("a client of the load died"))?
            });
            all.collect::<io::Result<Vec<_>>>().map(|times| {
                let mut times = times.concat();
                times.sort_by(f64::total_cmp);
                times
            })
        };
        (joined(recalls), joined(appends))
    });
    let (recalled, appended) = (recalled?, appended?);
    let memory_mb = server.peak_mb()?;
    (0..APPENDERS * PER_APPENDER).try_for_each(|nth| client.remove(url, &posted(nth)))?;
    Ok(Load { recalled, appended, told: told.into_inner(), memory_mb })
}

/// Sends so many requests a second; a request that comes late counts from when it was due.
fn paced(per_second: usize, send: impl Fn(usize) -> io::Result<()>) -> io::Result<Vec<f64>> {
    let began = Instant::now();
    let mut times = Vec::new();
    for at in 0..per_second * SECONDS {
        let due = began + Duration::from_secs_f64(at as f64 / per_second as f64);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        send(at)?;
        times.push(due.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// Many clients append; the server is killed again and again. Whatever it acknowledged must be there, once.
pub(super) fn kills(bench: &Bench, sessions: usize) -> io::Result<bool> {
    let first = Server::start(bench, 0)?;
    let (port, url) = (first.port(), first.url.clone());
    let server = Mutex::new(first);
    let (done, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let all = sessions * BATCHES;
    std::thread::scope(|scope| -> io::Result<()> {
        let killer = scope.spawn(|| -> io::Result<()> {
            for kill in 1..=KILLS {
                while done.load(Ordering::Relaxed) < all * kill / (KILLS + 1) {
                    if is_over.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
                let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
                server.child.kill()?;
                server.child.wait()?;
                *server = Server::start(bench, port)?;
            }
            Ok(())
        });
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (url, done) = (&url, &done);
                scope.spawn(move || append(url, bench.run, (client, sessions), done))
            })
            .collect();
        let died = || io::Error::other("a client died");
        let appended = clients
            .into_iter()
            .try_for_each(|client| client.join().map_err(|_| died()).and_then(|done| done));
        is_over.store(true, Ordering::Relaxed);
        killer.join().map_err(|_| died())??;
        appended
    })?;
    let client = Client::new();
    let mut wrong = 0;
    for session in 0..sessions {
        let session = format!("cx-kill-{}-{session}", bench.run);
        let answer = client.get(&format!("{url}/api/v1/sessions/{session}"))?;
        let count = &answer["result"]["total_message_count"];
        wrong += usize::from(count.as_u64() != Some((BATCHES * PER_BATCH) as u64));
        client.remove(&url, &session)?;
    }
    let what = format!("sessions of {sessions} with a message lost or doubled after {KILLS} kills");
    verdict(&what, wrong as f64, Goal::AtMost(0.0))
}

/// Appends the sessions of one client, trying again whatever was not acknowledged.
fn append(
    url: &str,
    run: u64,
    (client, sessions): (usize, usize),
    done: &AtomicUsize,
) -> io::Result<()> {
    let mut http = Client::new();
    for number in 0..BATCHES {
        for session in (client..sessions).step_by(CLIENTS) {
            let session = format!("cx-kill-{run}-{session}");
            let url = format!("{url}/api/v1/sessions/{session}/messages/batch");
            let (body, began) = (batch(&session, number), Instant::now());
            while let Err(error) = http.post(&url, &body) {
                if began.elapsed() > PATIENCE {
                    return Err(error);
                }
                std::thread::sleep(Duration::from_millis(50));
                http = Client::new();
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}
