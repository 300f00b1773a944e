//! A session told from beginning to end, each event under its number, long ones cut: the number leads
//! to all of it.

use super::text::{Excerpt, fenced, plain};
use super::window::Window;
use super::{Tree, TreeError, session};
use backstory_model::{EventKind, Flavor, Session, SessionEvent, address};
use backstory_store::Vault;
use std::fmt::Write;
use std::ops::ControlFlow;

/// What people and agents say.
const SPEECH: Excerpt = Excerpt { head: 4000, tail: 400 };
/// What agents think.
const THOUGHT: Excerpt = Excerpt { head: 400, tail: 0 };
/// What tools are asked.
pub(super) const CALL: Excerpt = Excerpt { head: 1500, tail: 200 };
/// What they answer: how it ends matters most.
pub(super) const RESULT: Excerpt = Excerpt { head: 700, tail: 1200 };

impl Tree {
    /// Tells a session until the window is full.
    pub(super) fn tell_transcript(
        &self,
        session: &Session,
        window: &mut Window,
    ) -> Result<(), TreeError> {
        let vault = self.vault()?;
        window.push(&session::header(session));
        if session.watermarks.evicted_at.is_some() {
            let digest = session::document(&session.session_uid, "digest.md");
            window.push(&format!("\nEarlier events have left the archive: {digest} tells them.\n"));
        }
        in_order(vault, session, &mut |event| {
            if !is_told(event.kind) {
                return ControlFlow::Continue(());
            }
            // Where its payload is lost the summary stands in for it.
            let content = vault.payload(event).unwrap_or_else(|_| event.summary.clone());
            window.push(&told(event, &content));
            if window.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }
}

/// Hands out events in the order they happened.
pub(super) fn in_order(
    vault: &Vault,
    session: &Session,
    each: &mut dyn FnMut(&SessionEvent) -> ControlFlow<()>,
) -> Result<(), TreeError> {
    let uid = &session.session_uid;
    if session.flavor != Flavor::Grok {
        return Ok(vault.for_each_event(uid, |event| each(&event))?);
    }
    // Grok writes two logs side by side; an event without a time stays behind the one before it.
    let mut events = vault.events(uid)?;
    let mut last = None;
    let times: Vec<_> = events
        .iter()
        .map(|event| {
            last = event.ts.or(last);
            last
        })
        .collect();
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by_key(|at| times[*at]);
    for at in order {
        if each(&events[at]).is_break() {
            break;
        }
    }
    events.clear();
    Ok(())
}

/// Bookkeeping is no part of the story.
pub(super) fn is_told(kind: EventKind) -> bool {
    !matches!(kind, EventKind::Lifecycle | EventKind::Completion)
}

/// Who speaks, or what happens.
pub(super) fn name(event: &SessionEvent) -> String {
    let tool = event.tool.as_deref().map(|tool| format!(" {tool}")).unwrap_or_default();
    match event.kind {
        EventKind::UserMsg => "user".into(),
        EventKind::AssistantMsg => "assistant".into(),
        EventKind::ToolCall | EventKind::TestRun | EventKind::Edit | EventKind::Retry => {
            format!("{}{tool}", event.kind.name())
        }
        EventKind::ToolResult | EventKind::Error => {
            let failed = event.exit_code.filter(|code| *code != 0);
            let failed = failed.map(|code| format!(", exit {code}")).unwrap_or_default();
            format!("{}{tool}{failed}", event.kind.name())
        }
        kind => kind.name().into(),
    }
}

fn told(event: &SessionEvent, content: &str) -> String {
    let content = plain(content);
    let content = content.trim();
    let (excerpt, is_code) = match event.kind {
        EventKind::Thinking => (THOUGHT, false),
        kind if kind.is_call() => (CALL, true),
        EventKind::ToolResult => (RESULT, true),
        EventKind::Error => (RESULT, event.call_id.is_some()),
        _ => (SPEECH, false),
    };
    if content.is_empty() && event.kind == EventKind::Thinking {
        return String::new();
    }
    let when = event.ts.map(|at| format!(" · {}", session::moment(at))).unwrap_or_default();
    let mut text = format!("\n## {} {}{when}\n\n", event.seq, name(event));
    let (head, left_out, tail) = excerpt.of(content);
    let mut cut = String::from(head);
    if left_out > 0 {
        let address = address(&event.session_uid, event.seq);
        let _ = write!(cut, "\n… {left_out} more characters at {address} …\n{tail}");
    }
    if is_code {
        text.push_str(&fenced(&cut));
    } else {
        let _ = writeln!(text, "{cut}");
    }
    text
}
