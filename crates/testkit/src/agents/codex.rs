//! Running Codex CLI without an account.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Launch, Transcript, Turn, files_below, scripted_tool};
use crate::sandbox::Sandbox;

/// Sub-agent tools are called by their namespace: they are not offered until searched for.
const AGENT_TOOLS: &str = "multi_agent_v1";
/// How long the parent waits for its sub-agent.
const CHILD_PATIENCE_MS: u64 = 30_000;

/// Points the CLI at the scripted model and keeps it from every other host.
pub(super) fn configure(sandbox: &Sandbox, model_url: &str) -> io::Result<()> {
    let config = format!(
        r#"model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{model_url}/v1"
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
plugins = false
"#
    );
    let place = sandbox.home.join(".codex");
    fs_err::create_dir(&place)?;
    fs_err::write(place.join("config.toml"), config)
}

/// The key its provider asks for.
pub(super) fn environment(command: &mut Command) {
    command.env("SCRIPTED_API_KEY", "scripted");
}

/// The command line.
pub(super) fn arguments(launch: Launch<'_>, extra: &[String], prompt: &str) -> Vec<String> {
    let mut arguments = match launch {
        Launch::Fresh => vec!["exec", "--json"],
        Launch::Latest => vec!["exec", "resume", "--last", "--json"],
        Launch::Fork(session) => vec!["exec", "fork", "--json", session],
    };
    arguments.extend(extra.iter().map(String::as_str));
    arguments.push(prompt);
    arguments.into_iter().map(str::to_owned).collect()
}

/// What the CLI printed: one event per line.
pub(super) fn turn(stdout: &str) -> Option<Turn> {
    let (mut session, mut text, mut completed) = (None, None, false);
    for event in stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match event["type"].as_str()? {
            "thread.started" => session = event["thread_id"].as_str().map(str::to_owned),
            "item.completed" if event["item"]["type"] == "agent_message" => {
                text = event["item"]["text"].as_str().map(str::to_owned);
            }
            "turn.completed" => completed = true,
            _ => {}
        }
    }
    completed.then_some(Turn { session: session?, text: text? })
}

/// Directives that make the model hand a prompt to a sub-agent and wait for it.
pub(super) fn delegate(prompt: &str) -> String {
    let spawn = json!({ "message": prompt });
    let wait = json!({ "targets": ["{{agent_id}}"], "timeout_ms": CHILD_PATIENCE_MS });
    format!(
        "{} {}",
        scripted_tool(&format!("{AGENT_TOOLS}/spawn_agent"), &spawn),
        scripted_tool(&format!("{AGENT_TOOLS}/wait_agent"), &wait)
    )
}

/// `.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`.
pub(super) fn transcript(home: &Path, session: &str) -> Option<PathBuf> {
    let end = format!("-{session}.jsonl");
    rollouts(home).find(|file| file.to_string_lossy().ends_with(&end))
}

/// Rollouts whose first line names this session as the parent.
pub(super) fn children(home: &Path, session: &str) -> Vec<Transcript> {
    rollouts(home)
        .filter_map(|file| {
            let meta = first_line(&file)?;
            let is_child = meta["payload"]["parent_thread_id"] == session;
            let id = meta["payload"]["id"].as_str()?.to_owned();
            is_child.then_some(Transcript { id, file })
        })
        .collect()
}

fn rollouts(home: &Path) -> impl Iterator<Item = PathBuf> {
    files_below(&home.join(".codex/sessions"))
        .filter(|file| file.extension().is_some_and(|e| e == "jsonl"))
}

fn first_line(file: &Path) -> Option<Value> {
    let mut line = String::new();
    BufReader::new(fs_err::File::open(file).ok()?).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}
