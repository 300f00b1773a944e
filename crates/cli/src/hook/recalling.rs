//! What is handed over, and when: when a session begins, at a prompt, when a tool failed, when a session
//! goes on.

use super::Scene;
use super::capture::session_of;
use crate::compressor;
use crate::error::Failure;
use backstory_adapters::hooks::{Beginning, HookCall, HookEvent};
use backstory_engine::live;
use backstory_engine::project_key;
use backstory_engine::recall::{
    ErrorOptions, Occasion, Recall, RecallOptions, StartOptions, at_error, at_prompt, at_resume,
    at_start, forget_given,
};
use backstory_model::SessionUid;
use std::io;
use std::time::{Duration, Instant};

/// How often a seal that is being made is looked for, and what is left of the budget then.
const GLANCE: Duration = Duration::from_millis(10);
const TO_READ: Duration = Duration::from_millis(500);

/// What the agent is told, if there is anything to tell.
pub(super) fn handed(scene: &Scene<'_>) -> Result<Recall, Failure> {
    let call = scene.call;
    let session = SessionUid::new(call.agent, &call.session_id);
    let hearer = hearer(call, &session);
    let occasion = Occasion { session: &hearer, event: &call.event_name, at: scene.now };
    let project = call.cwd.as_deref().and_then(project_key);
    let knobs = &scene.settings.recall;
    Ok(match call.event {
        HookEvent::SessionStart | HookEvent::SubagentStart => {
            let begun = StartOptions {
                project,
                session: Some(session.clone()),
                with_sessions: call.event == HookEvent::SessionStart,
                max_bytes: knobs.max_bytes,
            };
            started(scene, &begun, &occasion)?
        }
        HookEvent::UserPromptSubmit if knobs.at_prompts => {
            let Some(prompt) = call.prompt.clone() else { return Ok(Recall::default()) };
            let options = RecallOptions {
                prompt,
                project,
                everywhere: knobs.everywhere,
                session: Some(session.clone()),
                max_bytes: knobs.max_bytes,
                limit: knobs.limit,
                compress: compressor::wanted(
                    &scene.archive.home,
                    call.agent,
                    &scene.settings.compress,
                    scene.now,
                ),
                ..RecallOptions::default()
            };
            at_prompt(scene.archive, &options, &occasion)?
        }
        HookEvent::PostToolUse | HookEvent::PostToolUseFailure if knobs.at_errors => {
            let Some(tool) = call.tool.as_ref().filter(|tool| tool.may_have_failed()) else {
                return Ok(Recall::default());
            };
            let options = ErrorOptions {
                output: tool.output.clone(),
                project,
                everywhere: knobs.everywhere,
                session: Some(session.clone()),
                ..ErrorOptions::default()
            };
            at_error(scene.archive, &options, &occasion)?
        }
        _ => Recall::default(),
    })
}

/// What was told before a compaction went with the context: it may be told again, in every agent and
/// whatever is handed over now.
pub(super) fn forget_compacted(scene: &Scene<'_>) -> io::Result<()> {
    let call = scene.call;
    let is_compacted =
        call.event == HookEvent::PostCompact || call.beginning == Some(Beginning::Compact);
    if !is_compacted {
        return Ok(());
    }
    let session = SessionUid::new(call.agent, &call.session_id);
    forget_given(&scene.archive.home, &hearer(call, &session))
}

/// Whose context it is: a sub-agent has one of its own, and does not hear what its session was told.
fn hearer(call: &HookCall, session: &SessionUid) -> SessionUid {
    let own = call.subagent.as_ref().and_then(|subagent| session_of(call, subagent));
    own.map_or_else(|| session.clone(), |own| SessionUid::new(call.agent, &own))
}

/// What somebody is told who begins or goes on.
fn started(
    scene: &Scene<'_>,
    begun: &StartOptions,
    occasion: &Occasion<'_>,
) -> Result<Recall, Failure> {
    let knobs = &scene.settings.recall;
    match scene.call.beginning {
        Some(Beginning::Resume | Beginning::Compact) if knobs.at_resume => resumed(scene, occasion),
        Some(Beginning::Startup | Beginning::Clear) | None if knobs.at_start => {
            Ok(at_start(scene.archive, begun, occasion)?)
        }
        // A copy of a session has all that session was told.
        _ => Ok(Recall::default()),
    }
}

/// What a session that goes on was about. One that is still open has its own words.
fn resumed(scene: &Scene<'_>, occasion: &Occasion<'_>) -> Result<Recall, Failure> {
    let state = || live::state_of(&scene.archive.home, scene.call.agent, &scene.call.session_id);
    if scene.call.beginning == Some(Beginning::Compact) {
        // The seal of what was compacted is being made right now.
        let is_marked = || state().is_some_and(|state| state.mark.is_some());
        while is_marked() && Instant::now() + TO_READ < scene.ends {
            std::thread::sleep(GLANCE);
        }
    } else if state().is_some_and(|state| state.open) {
        return Ok(Recall::default());
    }
    let knobs = &scene.settings.recall;
    Ok(at_resume(scene.archive, (knobs.resume_chars, knobs.resume_tokens), occasion)?)
}
