//! What agents wait for: hooks that note, hooks that recall, and the server, on a large archive.

use super::measure;
use super::place::Place;
use super::queries;
use super::report::{Goal, verdict};
use super::stolen::undisturbed;
use super::{say, serving};
use backstory_store::{SessionFilter, Vault};
use clap::Args;
use fs_err as fs;
use serde_json::json;
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs of each hook that count, and those before that only bring its files into memory.
const RUNS: usize = 300;
const WARM: usize = 20;
/// Prompts of each kind: enough that the server is asked none of them twice.
const PROMPTS: usize = 2_040;
/// A recall that finds nothing is no recall. Most prompts are of another project than the one that is asked
/// in, so many of them must be told something all the same.
const TOLD: f64 = 0.2;

/// What to measure.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Events of the archive.
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// Size of a part of the history; parts are taken in one after the other.
    #[arg(long, default_value = "1GB")]
    part: String,
    /// Sessions appended while the server is killed.
    #[arg(long, default_value_t = 10_000)]
    sessions: usize,
    /// Keep the archive at this place, or go on with one an earlier run left there.
    #[arg(long)]
    store: Option<PathBuf>,
}

/// An archive and the logs it was made from last.
pub(crate) struct Bench {
    pub(crate) place: Place,
    pub(crate) store: PathBuf,
    logs: PathBuf,
    /// What hooks remember of sessions; those of an earlier run would be sealed in the middle of this one.
    state: PathBuf,
    /// In every name and text of this run: what an earlier one posted would be recognised.
    pub(crate) run: u64,
}

impl Bench {
    /// The product on this archive.
    pub(crate) fn product(&self) -> Command {
        let mut command = self.place.product(&self.logs, &self.store);
        command.env("BACKSTORY_STATE_DIR", &self.state);
        command
    }

    fn hook(&self, agent: &str, event: &str) -> Command {
        let mut command = self.product();
        command.args(["hook", agent, event]);
        command
    }
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let place = Place::prepare()?;
    let store = match &options.store {
        Some(store) => store.clone(),
        None => place.fresh("store-hooks")?,
    };
    // Hooks look for logs of agents nowhere.
    let logs = place.fresh("no-logs")?;
    fs::create_dir_all(&logs)?;
    let state = place.fresh("state")?;
    let run = RandomState::new().hash_one(0);
    let bench = Bench { place, store, logs, state, run };
    let events = grow(&bench, options)?;
    say(&format!("{events} events"))?;
    let asked = asked(&bench.store)?;
    let goals = [
        capture(&bench)?,
        recall(&bench, &asked)?,
        serving::load(&bench, &asked)?,
        serving::kills(&bench, options.sessions)?,
    ];
    Ok(goals.iter().all(|met| *met))
}

fn grow(bench: &Bench, options: &Options) -> io::Result<u64> {
    let mut parts = 0;
    loop {
        let events = count(&bench.store)?;
        if events >= options.events {
            return Ok(events);
        }
        parts += 1;
        let corpus = bench.place.corpus(&options.part, &["--size", &options.part], 300 + parts)?;
        measure::run(bench.place.product(&corpus.join("home"), &bench.store).arg("sync"))?;
        fs::remove_dir_all(&corpus)?;
    }
}

fn count(store: &Path) -> io::Result<u64> {
    let home = backstory_store_sqlite::home(store);
    if !home.engine().exists().map_err(io::Error::other)? {
        return Ok(0);
    }
    let totals = Vault::open(&home).and_then(|vault| vault.totals()).map_err(io::Error::other)?;
    Ok(totals.iter().map(|flavor| flavor.events).sum())
}

/// What is asked, and where.
pub(crate) struct Asked {
    /// Made of words the archive holds.
    pub(crate) prompts: Vec<String>,
    /// Where somebody worked.
    pub(crate) folders: Vec<String>,
}

fn asked(store: &Path) -> io::Result<Asked> {
    let vault = Vault::open(&backstory_store_sqlite::home(store)).map_err(io::Error::other)?;
    let mut classes = queries::make(&vault, &[], PROMPTS)?;
    classes.retain(|class| matches!(class.name, "three words" | "30-word prompt"));
    let short_and_long = (0..PROMPTS).flat_map(|at| classes.iter().map(move |class| (class, at)));
    let prompts: Vec<String> =
        short_and_long.filter_map(|(class, at)| class.queries.get(at).cloned()).collect();
    let sessions = vault.sessions(&SessionFilter::default()).map_err(io::Error::other)?;
    let folders: BTreeSet<String> =
        sessions.into_iter().filter_map(|session| session.cwd).collect();
    if prompts.is_empty() || folders.is_empty() {
        return Err(io::Error::other("the archive holds nothing to ask for"));
    }
    Ok(Asked { prompts, folders: folders.into_iter().collect() })
}

/// Hooks that only note what happened.
fn capture(bench: &Bench) -> io::Result<bool> {
    let mut worst: f64 = 0.0;
    for (agent, event) in [("claude", "Stop"), ("codex", "PostToolUse"), ("grok", "Stop")] {
        let payload = json!({
            "session_id": format!("bench-{}", bench.run), "hook_event_name": event, "cwd": "/", "transcript_path": null,
            "tool_name": "Bash", "tool_input": { "command": "true" }, "tool_response": "ok",
            "last_assistant_message": "All of it is done, and the tests pass.",
        });
        let noted = |_| time(&mut bench.hook(agent, event), &payload.to_string());
        let tell = |(times, _): &(Vec<f64>, f64)| format!("{agent} {event}: {}", told(times));
        let (times, _) = undisturbed(|| times(noted), tell)?;
        worst = worst.max(quantile(&times, 0.99));
    }
    verdict("a hook that notes, p99 ms", worst, Goal::AtMost(15.0))
}

/// Hooks that recall something for a prompt.
fn recall(bench: &Bench, asked: &Asked) -> io::Result<bool> {
    let mut rounds = 0;
    let ask = |nth: usize| {
        let prompt = &asked.prompts[nth % asked.prompts.len()];
        let cwd = &asked.folders[nth % asked.folders.len()];
        let payload = json!({
            "session_id": format!("bench-{}-{nth}", bench.run),
            "hook_event_name": "UserPromptSubmit", "cwd": cwd, "prompt": prompt,
        });
        time(&mut bench.hook("claude", "UserPromptSubmit"), &payload.to_string())
    };
    let round = || {
        // What was asked before need not be looked for again.
        let first = rounds * (RUNS + WARM);
        rounds += 1;
        times(|nth| ask(first + nth))
    };
    let tell = |(times, _): &(Vec<f64>, f64)| format!("recall: {}", told(times));
    let (times, share) = undisturbed(round, tell)?;
    let goals = [
        verdict("a hook that recalls, p99 ms", quantile(&times, 0.99), Goal::AtMost(50.0))?,
        told_something("hooks", share)?,
    ];
    Ok(goals.iter().all(|met| *met))
}

/// Whether enough of the prompts were told something.
pub(crate) fn told_something(who: &str, share: f64) -> io::Result<bool> {
    verdict(&format!("prompts {who} tell something at, share"), share, Goal::AtLeast(TOLD))
}

/// Milliseconds of every run that counts, the shortest first, and the share that said something.
fn times(mut run: impl FnMut(usize) -> io::Result<(f64, bool)>) -> io::Result<(Vec<f64>, f64)> {
    for warm in 0..WARM {
        run(RUNS + warm)?;
    }
    let runs = (0..RUNS).map(run).collect::<io::Result<Vec<(f64, bool)>>>()?;
    let told = runs.iter().filter(|(_, told)| *told).count() as f64 / RUNS as f64;
    let mut times: Vec<f64> = runs.into_iter().map(|(time, _)| time).collect();
    times.sort_by(f64::total_cmp);
    Ok((times, told))
}

/// Sorted milliseconds in words.
pub(crate) fn told(times: &[f64]) -> String {
    format!("p50 {:.1} ms, p99 {:.1} ms", quantile(times, 0.5), quantile(times, 0.99))
}

/// The value below which this share of the sorted values lies.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len() as f64 * share) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

/// Milliseconds from the start of a process to its end, with something on its standard input, and whether
/// it said something.
fn time(command: &mut Command, input: &str) -> io::Result<(f64, bool)> {
    let began = Instant::now();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    let took = began.elapsed().as_secs_f64() * 1e3;
    if !output.status.success() || !output.stdout.starts_with(b"{") {
        return Err(io::Error::other(format!("{command:?} did not answer")));
    }
    Ok((took, output.stdout.trim_ascii() != b"{}"))
}
