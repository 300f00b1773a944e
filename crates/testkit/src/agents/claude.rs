//! Running Claude Code without an account.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Launch, Transcript, Turn, files_below, scripted_tool};
use crate::sandbox::Sandbox;

/// Points the CLI at the scripted model and keeps it from every other host.
pub(super) fn environment(command: &mut Command, sandbox: &Sandbox, model_url: &str) {
    command
        .env("ANTHROPIC_BASE_URL", model_url)
        .env("ANTHROPIC_API_KEY", "scripted")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("DISABLE_TELEMETRY", "1")
        .env("DISABLE_ERROR_REPORTING", "1")
        // The default is one directory per user in /tmp, shared by every sandbox.
        .env("CLAUDE_CODE_TMPDIR", &sandbox.tmp)
        // Root may only skip permission questions in a declared sandbox.
        .env("IS_SANDBOX", "1");
}

/// The command line.
pub(super) fn arguments(launch: Launch<'_>, extra: &[String], prompt: &str) -> Vec<String> {
    let mut arguments = match launch {
        Launch::Fresh => vec![],
        Launch::Latest => vec!["--continue"],
        Launch::Fork(session) => vec!["--resume", session, "--fork-session"],
    };
    arguments.extend(["--output-format", "json", "--permission-mode", "bypassPermissions"]);
    arguments.extend(extra.iter().map(String::as_str));
    arguments.extend(["-p", prompt]);
    arguments.into_iter().map(str::to_owned).collect()
}

/// What the CLI printed.
pub(super) fn turn(stdout: &str) -> Option<Turn> {
    let said: Value = serde_json::from_str(stdout).ok()?;
    if said["is_error"] == true {
        return None;
    }
    Some(Turn {
        session: said["session_id"].as_str()?.to_owned(),
        text: said["result"].as_str()?.to_owned(),
    })
}

/// Directives that make the model hand a prompt to a sub-agent and wait for it.
pub(super) fn delegate(prompt: &str) -> String {
    let arguments = json!({
        "description": "Scripted sub-agent", "prompt": prompt,
        "subagent_type": "general-purpose", "run_in_background": false,
    });
    scripted_tool("Agent", &arguments)
}

/// `.claude/projects/<project>/<session>.jsonl`.
pub(super) fn transcript(home: &Path, session: &str) -> Option<PathBuf> {
    let name = format!("{session}.jsonl");
    files_below(&home.join(".claude/projects")).find(|f| f.file_name().is_some_and(|n| *n == *name))
}

/// `.claude/projects/<project>/<session>/subagents/agent-<id>.jsonl`.
pub(super) fn children(home: &Path, session: &str) -> Vec<Transcript> {
    let Some(parent) = transcript(home, session) else { return vec![] };
    files_below(&parent.with_extension("").join("subagents"))
        .filter(|file| file.extension().is_some_and(|e| e == "jsonl"))
        .filter_map(|file| {
            let id = file.file_stem()?.to_str()?.strip_prefix("agent-")?.to_owned();
            Some(Transcript { id, file })
        })
        .collect()
}
