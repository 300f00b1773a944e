//! The messages of a closed stretch as plugins know them, `messages.jsonl`: one JSON object a line.

use super::text::{Excerpt, plain};
use super::transcript::{CALL, RESULT};
use super::window::Window;
use super::{Tree, TreeError, session, transcript};
use crate::pushed;
use backstory_model::{EventKind, SessionEvent, SessionUid, Timestamp, address};
use serde::Serialize;
use serde_json::Value;
use std::ops::ControlFlow;

/// The document's name.
pub(super) const NAME: &str = "messages.jsonl";

/// Where the messages of a stretch are.
#[derive(Clone, Debug)]
pub(super) enum Messages {
    /// In a posted file: those behind the first so many, up to the last of the stretch.
    Posted { id: String, behind: u64, through: u64 },
    /// Among the events of a session in the archive.
    Archived { session: SessionUid, first: u32, last: u32 },
}

/// One line.
#[derive(Debug, Default, Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    role: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    /// The words, where there are only words.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part<'a>>,
}

/// Words, or a tool call and what came of it, in the plugins' terms.
#[derive(Debug, Default, Serialize)]
struct Part<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_status: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_input: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_output: Option<&'a str>,
}

impl Tree {
    /// Tells the messages of a stretch until the window is full.
    pub(super) fn tell_messages(
        &self,
        messages: &Messages,
        window: &mut Window,
    ) -> Result<(), TreeError> {
        match messages {
            Messages::Posted { id, behind, through } => {
                pushed::for_each_message(&self.home, id, *behind..*through, |message| {
                    push(&posted(&message), window)
                })?;
                Ok(())
            }
            Messages::Archived { session, first, last } => {
                self.tell_archived(session, (*first, *last), window)
            }
        }
    }

    fn tell_archived(
        &self,
        uid: &SessionUid,
        (first, last): (u32, u32),
        window: &mut Window,
    ) -> Result<(), TreeError> {
        let vault = self.vault()?;
        let Some(session) = vault.session(uid)? else { return Ok(()) };
        let mut is_there = false;
        transcript::in_order(vault, &session, &mut |event| {
            if !(first..=last).contains(&event.seq) {
                return ControlFlow::Continue(());
            }
            is_there = true;
            if !is_message(event) {
                return ControlFlow::Continue(());
            }
            // Where its payload is lost the summary stands in for it.
            let content = vault.payload(event).unwrap_or_else(|_| event.summary.clone());
            if content.trim().is_empty() && event.call_id.is_none() {
                return ControlFlow::Continue(());
            }
            tell_event(event, &content, window)
        })?;
        if !is_there && session.watermarks.evicted_at.is_some() {
            let digest = session::document(uid, "digest.md");
            return Err(TreeError::Refused(format!(
                "events {first} to {last} of {uid} have left the archive; what is kept: {digest}"
            )));
        }
        Ok(())
    }
}

/// Adds a line.
fn push(line: &Line<'_>, window: &mut Window) -> ControlFlow<()> {
    let line = serde_json::to_string(line).unwrap_or_default();
    window.push(&plain(&line));
    window.push("\n");
    if window.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn posted(message: &pushed::Message) -> Line<'_> {
    let line = Line {
        id: Some(message.id.as_str()).filter(|id| !id.is_empty()),
        role: &message.role,
        created_at: (message.at > 0).then(|| Timestamp(message.at).to_string()),
        ..Line::default()
    };
    match message.parts.as_slice() {
        [words] if !words.is_tool() => Line { content: words.text.as_deref(), ..line },
        parts => Line { parts: parts.iter().map(part).collect(), ..line },
    }
}

fn part(part: &pushed::Part) -> Part<'_> {
    Part {
        kind: if part.is_tool() { "tool" } else { "text" },
        text: part.text.as_deref(),
        tool_id: part.tool_id.as_deref(),
        tool_name: part.tool.as_deref(),
        tool_status: part.status.as_deref(),
        tool_input: part.input.as_deref().map(value),
        tool_output: part.output.as_deref(),
    }
}

/// What a tool was given; as text where it is no JSON.
fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// True for words, tool calls and their results.
fn is_message(event: &SessionEvent) -> bool {
    match event.kind {
        EventKind::UserMsg
        | EventKind::AssistantMsg
        | EventKind::ToolResult
        | EventKind::HumanIntervention
        | EventKind::Decision => true,
        EventKind::Error => event.call_id.is_some(),
        kind => kind.is_call(),
    }
}

fn tell_event(event: &SessionEvent, content: &str, window: &mut Window) -> ControlFlow<()> {
    let created_at = event.ts.map(|at| at.to_string());
    let tool = Part {
        kind: "tool",
        tool_id: event.call_id.as_deref().filter(|id| !id.is_empty()),
        tool_name: event.tool.as_deref(),
        ..Part::default()
    };
    // A tool speaks in the agent's turn: plugins know two roles.
    let of_tool = |part| Line {
        role: "assistant",
        created_at: created_at.clone(),
        parts: vec![part],
        ..Line::default()
    };
    let short;
    let line = match event.kind {
        kind if kind.is_call() => {
            short = shortened(event, content, CALL);
            of_tool(Part { tool_input: Some(value(&short)), ..tool })
        }
        EventKind::ToolResult | EventKind::Error => {
            short = shortened(event, content, RESULT);
            let status = if event.kind == EventKind::Error { "error" } else { "completed" };
            of_tool(Part { tool_status: Some(status), tool_output: Some(&short), ..tool })
        }
        _ => {
            let is_agent = event.role == backstory_model::Role::Assistant;
            let role = if is_agent { "assistant" } else { "user" };
            Line { role, created_at, content: Some(content), ..Line::default() }
        }
    };
    push(&line, window)
}

/// A text in short; the event's number leads to all of it.
fn shortened(event: &SessionEvent, content: &str, excerpt: Excerpt) -> String {
    let (head, left_out, tail) = excerpt.of(content);
    if left_out == 0 {
        return content.to_owned();
    }
    let whole = address(&event.session_uid, event.seq);
    format!("{head}\n… {left_out} more characters at {whole} …\n{tail}")
}
