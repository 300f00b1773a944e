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
        is_subagent: false,
        happening: happening(call),
        event: call.event_name.clone(),
        // Where a sub-agent is at work Codex names that one's log beside the session of its root.
        transcript_path: call.transcript_path.clone().filter(|_| call.subagent.is_none()),
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
    if call.subagent.is_some() {
        // What a sub-agent does says only that the session lives.
        return Happening::Seen;
    }
    match call.event {
        HookEvent::SessionStart => match call.beginning {
            Some(Beginning::Startup | Beginning::Clear) => Happening::Began,
            Some(Beginning::Resume | Beginning::Compact | Beginning::Fork) => Happening::Resumed,
            // Every agent says how a session begins. A word nobody knows may stand for one that goes on,
            // and whoever goes on takes nobody's place.
            None => Happening::Seen,
        },
        HookEvent::UserPromptSubmit => Happening::Prompted,
        HookEvent::Stop => Happening::Stopped,
        HookEvent::Interrupt => Happening::Interrupted,
        HookEvent::PreCompact => Happening::Compacting,
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
        is_subagent: true,
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
