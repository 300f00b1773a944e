//! A hook's input as a [`HookCall`].

use super::fields::{Fields, document};
use super::outcome::tool;
use super::{Beginning, Declined, HookCall, HookEvent, Subagent, runner};
use backstory_model::Flavor;
use std::ffi::OsString;
use std::path::PathBuf;

/// The longest id a session can have: it becomes part of file names.
const ID_MAX: usize = 200;

/// Reads what an agent told a hook. `agent` is the one the hook was installed for, `None` where one
/// installation serves several; `event` is what it was installed for, which counts only where the
/// input does not say itself. `env` looks up the environment of the hook.
pub fn read(
    agent: Option<Flavor>,
    event: &str,
    stdin: &[u8],
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Result<HookCall, Declined> {
    let document = document(stdin).ok_or(Declined::NotJson)?;
    let fields = Fields::of(&document).ok_or(Declined::NotJson)?;
    let agent = who(agent, &fields, env)?;
    let session_id = session(agent, &fields, env).ok_or(Declined::NoSession)?;
    let (event, event_name) = what(event, &fields);
    let reason = fields.any_text(&["reason", "end_reason"]);
    if agent == Flavor::Grok && event == HookEvent::Stop && reason.as_deref() == Some("shutdown") {
        return Err(Declined::AfterEnd);
    }
    let subagent = subagent(&fields);
    if is_internal(agent, event, &fields) {
        return Err(Declined::Internal);
    }
    let source = fields.text("source");
    Ok(HookCall {
        agent,
        event,
        event_name,
        session_id,
        transcript_path: fields.text("transcript_path").map(PathBuf::from),
        cwd: fields.any_text(&["cwd", "workspace_root"]).map(PathBuf::from),
        beginning: (event == HookEvent::SessionStart)
            .then(|| source.as_deref().and_then(Beginning::from_name))
            .flatten(),
        prompt: (event == HookEvent::UserPromptSubmit)
            .then(|| words(&fields, &["prompt", "user_prompt"]))
            .flatten(),
        last_message: words(&fields, &["last_assistant_message"]),
        reason,
        // Grok says who asked for a compaction where others say how a session began.
        trigger: fields.text("trigger").or_else(|| {
            source.filter(|_| matches!(event, HookEvent::PreCompact | HookEvent::PostCompact))
        }),
        subagent,
        tool: tool(agent, event, &fields),
    })
}

fn who(
    installed_for: Option<Flavor>,
    fields: &Fields<'_>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Flavor, Declined> {
    let Some(installed_for) = installed_for else {
        return runner::likely(fields, env).ok_or(Declined::UnknownAgent);
    };
    match runner::certain(fields, env) {
        Some(runner) if runner != installed_for => Err(Declined::RunBy { installed_for, runner }),
        _ => Ok(installed_for),
    }
}

fn session(
    agent: Flavor,
    fields: &Fields<'_>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<String> {
    let variable = match agent {
        Flavor::Claude => Some("CLAUDE_CODE_SESSION_ID"),
        Flavor::Grok => Some("GROK_SESSION_ID"),
        Flavor::Codex | Flavor::Pushed => None,
    };
    let from_env = || variable.and_then(env).and_then(|id| id.into_string().ok());
    let named = fields.any_text(&["session_id", "thread_id", "conversation_id"]).or_else(from_env);
    let id = named?.trim().to_owned();
    (!id.is_empty() && id.len() <= ID_MAX && !id.contains(char::is_control)).then_some(id)
}

/// The event and its name to give back: what the input says, else what the hook was installed for.
fn what(installed_for: &str, fields: &Fields<'_>) -> (HookEvent, String) {
    let said = fields.text("hook_event_name");
    for name in [said.as_deref(), Some(installed_for)].into_iter().flatten() {
        let event = HookEvent::from_name(name);
        if event != HookEvent::Other {
            // Settings and answers spell it alike, whatever the input does.
            return (event, event.name().to_owned());
        }
    }
    (HookEvent::Other, said.unwrap_or_else(|| installed_for.to_owned()))
}

fn subagent(fields: &Fields<'_>) -> Option<Subagent> {
    let id = fields.any_text(&["agent_id", "subagent_id"])?;
    Some(Subagent {
        id,
        kind: fields.any_text(&["agent_type", "subagent_type"]).unwrap_or_default(),
        transcript_path: fields.text("agent_transcript_path").map(PathBuf::from),
    })
}

/// Claude compacts with an agent of its own, which ends like any other but has no kind.
fn is_internal(agent: Flavor, event: HookEvent, fields: &Fields<'_>) -> bool {
    agent == Flavor::Claude
        && matches!(event, HookEvent::SubagentStart | HookEvent::SubagentStop)
        && fields.has("agent_type")
        && fields.text("agent_type").is_none()
}

/// Words in a string, or in a list of parts.
fn words(fields: &Fields<'_>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        fields.text(name).or_else(|| {
            let parts: Vec<sonic_rs::LazyValue<'_>> = sonic_rs::from_str(fields.raw(name)?).ok()?;
            let parts = parts.iter().filter_map(|part| Fields::of(part.as_raw_str())?.text("text"));
            let text = parts.collect::<Vec<_>>().join("\n");
            (!text.is_empty()).then_some(text)
        })
    })
}
