//! Running Grok CLI without an account.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Launch, Transcript, Turn, files_below, scripted_tool};
use crate::sandbox::Sandbox;

/// The name of the scripted model in the CLI's own configuration.
const MODEL: &str = "scripted";

/// Points the CLI at the scripted model.
pub(super) fn configure(sandbox: &Sandbox, model_url: &str) -> io::Result<()> {
    let config = format!(
        r#"[cli]
auto_update = false

[models]
default = "{MODEL}"

[model.{MODEL}]
model = "{MODEL}"
name = "Scripted"
base_url = "{model_url}/v1"
api_key = "scripted"
api_backend = "chat_completions"
context_window = 200000

[features]
telemetry = false
"#
    );
    let place = sandbox.home.join(".grok");
    fs_err::create_dir(&place)?;
    fs_err::write(place.join("config.toml"), config)
}

/// Keeps the CLI from every other host.
pub(super) fn environment(command: &mut Command, model_url: &str) {
    command
        .env("XAI_API_KEY", "scripted")
        .env("GROK_DISABLE_AUTOUPDATER", "1")
        .env("GROK_TELEMETRY_ENABLED", "false")
        .env("GROK_FEEDBACK_ENABLED", "false")
        // Without these it first waits in vain for its own list of models.
        .env("GROK_MODELS_BASE_URL", format!("{model_url}/v1"))
        .env("GROK_CLI_CHAT_PROXY_BASE_URL", format!("{model_url}/v1"));
}

/// The command line.
pub(super) fn arguments(launch: Launch<'_>, extra: &[String], prompt: &str) -> Vec<String> {
    let mut arguments = match launch {
        Launch::Fresh => vec![],
        Launch::Latest => vec!["--continue"],
        Launch::Fork(session) => vec!["--resume", session, "--fork-session"],
    };
    arguments.extend(["--output-format", "json", "--always-approve", "--model", MODEL]);
    arguments.extend(extra.iter().map(String::as_str));
    arguments.extend(["-p", prompt]);
    arguments.into_iter().map(str::to_owned).collect()
}

/// What the CLI printed.
pub(super) fn turn(stdout: &str) -> Option<Turn> {
    let said: Value = serde_json::from_str(stdout).ok()?;
    Some(Turn {
        session: said["sessionId"].as_str()?.to_owned(),
        text: said["text"].as_str()?.to_owned(),
    })
}

/// Directives that make the model hand a prompt to a sub-agent and wait for it.
pub(super) fn delegate(prompt: &str) -> String {
    let arguments =
        json!({ "description": "Scripted sub-agent", "prompt": prompt, "background": false });
    scripted_tool("spawn_subagent", &arguments)
}

/// `.grok/sessions/<project>/<session>/updates.jsonl`, the one file that is only ever appended to.
pub(super) fn transcript(home: &Path, session: &str) -> Option<PathBuf> {
    files_below(&home.join(".grok/sessions"))
        .find(|file| file.ends_with(Path::new(session).join("updates.jsonl")))
}

/// The parent keeps `subagents/<id>/meta.json`; the child is a session of its own beside it.
pub(super) fn children(home: &Path, session: &str) -> Vec<Transcript> {
    let Some(updates) = transcript(home, session) else { return vec![] };
    files_below(&updates.with_file_name("subagents"))
        .filter(|file| file.ends_with("meta.json"))
        .filter_map(|file| {
            let meta: Value = serde_json::from_slice(&fs_err::read(file).ok()?).ok()?;
            let id = meta["child_session_id"].as_str()?.to_owned();
            Some(Transcript { file: transcript(home, &id)?, id })
        })
        .collect()
}
