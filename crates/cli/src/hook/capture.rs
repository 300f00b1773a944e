//! Noting what a hook tells: which rule it falls under, and of which session.

use super::Scene;
use backstory_adapters::hooks::{Beginning, HookCall, HookEvent, Subagent};
use backstory_engine::live::{self, Happening, LiveEvent};
use backstory_model::Flavor;
use std::io;

/// Notes what happened. True if that leaves something a sync should do soon.
pub(super) fn note(scene: &Scene<'_>) -> io::Result<bool> {
    let call = scene.call;
    let own = LiveEvent {
        agent: call.agent,
        session: call.session_id.clone(),
        happening: happening(call),
        event: call.event_name.clone(),
        transcript_path: call.transcript_path.clone(),
        cwd: call.cwd.clone(),
        last_message: call.last_message.clone().filter(|_| call.event == HookEvent::Stop),
    };
    let mut has_work = own.happening == Happening::Began;
    for event in std::iter::once(own.clone()).chain(of_subagent(call, &own)) {
        let noted = live::note(&scene.archive.home, &event, scene.now, &scene.settings.live)?;
        has_work |= !noted.marked.is_empty();
    }
    Ok(has_work)
}

fn happening(call: &HookCall) -> Happening {
    match call.event {
        HookEvent::SessionStart => match call.beginning {
            Some(Beginning::Resume | Beginning::Compact | Beginning::Fork) => Happening::Resumed,
            Some(Beginning::Startup | Beginning::Clear) | None => Happening::Began,
        },
        // A sub-agent's prompts and turns say only that the session lives.
        HookEvent::UserPromptSubmit if call.subagent.is_none() => Happening::Prompted,
        HookEvent::Stop if call.subagent.is_none() => Happening::Stopped,
        HookEvent::PreCompact if call.subagent.is_none() => Happening::Compacting,
        HookEvent::SessionEnd => Happening::Ended,
        _ => Happening::Seen,
    }
}

/// A sub-agent that stops has a session of its own, which ends with that.
fn of_subagent(call: &HookCall, own: &LiveEvent) -> Vec<LiveEvent> {
    let Some(subagent) = call.subagent.as_ref().filter(|_| call.event == HookEvent::SubagentStop)
    else {
        return Vec::new();
    };
    let Some(session) = session_of(call, subagent) else { return Vec::new() };
    let stopped = LiveEvent {
        session,
        happening: Happening::Stopped,
        transcript_path: subagent.transcript_path.clone(),
        last_message: call.last_message.clone(),
        ..own.clone()
    };
    let ended = LiveEvent { happening: Happening::Ended, last_message: None, ..stopped.clone() };
    vec![stopped, ended]
}

/// The agent's own id of a sub-agent's session; none where the hook does not tell it.
pub(super) fn session_of(call: &HookCall, subagent: &Subagent) -> Option<String> {
    match call.agent {
        _ if subagent.id.is_empty() => None,
        Flavor::Claude => Some(format!("{}/{}", call.session_id, subagent.id)),
        Flavor::Codex => Some(subagent.id.clone()),
        Flavor::Grok | Flavor::Pushed => None,
    }
}
