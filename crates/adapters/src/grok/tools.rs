//! Tool calls and their results.

use super::keys;
use super::stamp::{Desk, Stamp};
use super::wire::{Block, Location, Raw, Scalar, ToolInput, ToolOutput, Update, part};
use crate::{Batch, CallClass, EventDraft, Span, classify_call};
use backstory_model::{EventKind, Role};
use memchr::memmem;

/// Kinds of tools that change files, in ACP's words and the vendor's.
const CHANGING_KINDS: &[&str] = &["edit", "write", "delete", "move"];

/// A call, and where it comes with its result already, that too.
pub(super) fn call(update: &Update<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let Some(call_id) = update.call_id.text() else {
        desk.out.unknown("tool_call without id", None, stamp.raw.as_bytes());
        return;
    };
    let input: ToolInput<'_> = part(&update.raw_input).unwrap_or_default();
    let name = tool_name(update, &input).unwrap_or("tool");
    let input_json = update.raw_input.as_ref().map_or("", |raw| raw.as_raw_str());
    let kind = call_kind(update, name, &input, desk, call_id);
    desk.state.open_call(call_id, name, matches!(input_json, "" | "{}" | "null"));
    if starts_subagent(name)
        && let Some(description) = input.description.text()
    {
        desk.state.note_spawn(description, call_id);
    }

    let mut draft = stamp.draft(kind, Role::Assistant, desk.out);
    draft.key = keys::call(call_id);
    draft.tool = Some(desk.out.text(name));
    draft.call_id = Some(desk.out.text(call_id));
    draft.payload = desk.out.text(input_json);
    draft.files = files(update, &input, desk.out);
    desk.out.event(draft);
    if is_terminal(update) {
        result(call_id, update, stamp, desk);
    }
}

/// A change of a call: its result, output so far, or a repetition of what is known.
pub(super) fn update(update: &Update<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let Some(call_id) = update.call_id.text() else {
        desk.out.unknown("tool_call_update without id", None, stamp.raw.as_bytes());
        return;
    };
    if is_terminal(update) {
        return result(call_id, update, stamp, desk);
    }
    let late_input = update.raw_input.as_ref().filter(|_| desk.state.takes_late_input(call_id));
    if late_input.is_some() {
        let input: ToolInput<'_> = part(&update.raw_input).unwrap_or_default();
        let name = desk.state.tool_of(call_id).unwrap_or_default().to_owned();
        desk.state.open_call(call_id, reached(&name, input.tool_name.text()), false);
    }
    // Without late input or output the record repeats the call: new title, files, status.
    let (what, payload) = if let Some(input) = late_input {
        let question = desk.state.tool_of(call_id).filter(|tool| is_question(tool));
        if let Some(tool) = question.map(str::to_owned) {
            // The questions themselves: what was called before had none.
            let mut draft = stamp.draft(EventKind::Decision, Role::Assistant, desk.out);
            draft.parent = Some(keys::call(call_id));
            draft.tool = Some(desk.out.text(&tool));
            draft.call_id = Some(desk.out.text(call_id));
            draft.payload = desk.out.text(input.as_raw_str());
            desk.out.event(draft);
            return;
        }
        ("tool_input", desk.out.text(input.as_raw_str()))
    } else if update.raw_output.is_some() {
        ("tool_progress", output_text(update, desk.out))
    } else {
        return;
    };
    let mut draft = stamp.draft(EventKind::Lifecycle, Role::Tool, desk.out);
    draft.parent = Some(keys::call(call_id));
    draft.tool = Some(desk.out.text(what));
    draft.call_id = Some(desk.out.text(call_id));
    draft.payload = payload;
    desk.out.event(draft);
}

fn is_terminal(update: &Update<'_>) -> bool {
    matches!(update.status.text(), Some("completed" | "failed"))
}

fn result(call_id: &str, update: &Update<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let output: ToolOutput<'_> = part(&update.raw_output).unwrap_or_default();
    let input: ToolInput<'_> = part(&update.raw_input).unwrap_or_default();
    let exit_code = output.exit_code.int().and_then(|code| i32::try_from(code).ok());
    let has_failed = update.status.text() == Some("failed")
        || exit_code.is_some_and(|code| code != 0)
        || output.timed_out.is_true();
    desk.state.retries.result(call_id, has_failed);

    let known = desk.state.tool_of(call_id).map(str::to_owned);
    // The title of an update is display text, so the call's own name comes first.
    let name = match &known {
        Some(name) => Some(reached(name, input.tool_name.text())),
        None => tool_name(update, &input),
    };
    let is_answer = name.is_some_and(is_question);
    let kind = match (has_failed, is_answer) {
        (true, _) => EventKind::Error,
        (false, true) => EventKind::Decision,
        (false, false) => EventKind::ToolResult,
    };
    let role = if kind == EventKind::Decision { Role::User } else { Role::Tool };
    let mut draft: EventDraft = stamp.draft(kind, role, desk.out);
    draft.key = keys::output(call_id);
    draft.parent = Some(keys::call(call_id));
    draft.tool = desk.out.opt_text(name);
    draft.call_id = Some(desk.out.text(call_id));
    draft.payload = output_text(update, desk.out);
    draft.exit_code = exit_code;
    draft.files = files(update, &input, desk.out);
    desk.out.event(draft);
}

fn tool_name<'a>(update: &'a Update<'_>, input: &'a ToolInput<'_>) -> Option<&'a str> {
    let meta = update.meta.as_ref().and_then(|meta| meta.tool.as_ref());
    let name = meta.and_then(|tool| tool.name.text()).or_else(|| update.title.text());
    name.map(|name| reached(name, input.tool_name.text()))
}

/// The tool that calls tools of MCP servers stands for the one it calls.
pub(crate) fn reached<'a>(name: &'a str, called: Option<&'a str>) -> &'a str {
    called.filter(|_| name == "use_tool").unwrap_or(name)
}

fn call_kind(
    update: &Update<'_>,
    name: &str,
    input: &ToolInput<'_>,
    desk: &mut Desk<'_>,
    call_id: &str,
) -> EventKind {
    let meta = update.meta.as_ref().and_then(|meta| meta.tool.as_ref());
    let kinds = [meta.and_then(|tool| tool.kind.text()), update.kind.text()];
    let changes_files = kinds.iter().flatten().any(|kind| CHANGING_KINDS.contains(kind));
    let class = match classify_call(name, input.command.text()) {
        CallClass::Other if changes_files => CallClass::Edit,
        class => class,
    };
    let json = update.raw_input.as_ref().map_or("", |raw| raw.as_raw_str());
    let kind = desk.state.retries.call(call_id, name, json.as_bytes(), class);
    let asks = is_question(name) || input.variant.text().is_some_and(is_question);
    if asks { EventKind::Decision } else { kind }
}

/// Tools that put a question, or a plan to approve, to the human.
pub(super) fn is_question(tool: &str) -> bool {
    tool.starts_with("ask_user")
        || matches!(
            tool,
            "AskUserQuestion" | "request_user_input" | "exit_plan_mode" | "ExitPlanMode"
        )
}

fn starts_subagent(tool: &str) -> bool {
    matches!(tool, "spawn_subagent" | "task" | "Task" | "resume_subagent")
}

fn files(update: &Update<'_>, input: &ToolInput<'_>, out: &mut Batch) -> Vec<Span> {
    let locations: Vec<Location<'_>> = part(&update.locations).unwrap_or_default();
    let mut paths: Vec<&str> = locations.iter().filter_map(|at| at.path.text()).collect();
    for path in [input.file_path.text(), input.target_file.text()].into_iter().flatten() {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths.into_iter().map(|path| out.text(path)).collect()
}

/// What a tool answered, in the best form there is.
fn output_text(update: &Update<'_>, out: &mut Batch) -> Span {
    let output: ToolOutput<'_> = part(&update.raw_output).unwrap_or_default();
    if let Some(text) = output.output_for_prompt.text() {
        return out.text(text);
    }
    if let Some(text) = output_bytes(&output.output) {
        return out.text(&text);
    }
    let blocks: Vec<Block<'_>> = part(&update.content).unwrap_or_default();
    let lines: Vec<String> = blocks.iter().filter_map(block_text).collect();
    if !lines.is_empty() {
        return out.text(&lines.join("\n"));
    }
    let plain: Option<Scalar<'_>> = part(&update.raw_output);
    let wrapped = output.wrapped.as_ref().and_then(|wrapped| wrapped.content.text());
    let text = [&output.text, &output.error, &output.content].into_iter().find_map(|it| it.text());
    if let Some(text) = wrapped.or(text).or(plain.as_ref().and_then(Scalar::text)) {
        return out.text(text);
    }
    match &update.raw_output {
        Some(raw) if holds_image(raw.as_raw_str()) => out.text("[image]"),
        Some(raw) => out.text(raw.as_raw_str()),
        None => Span::default(),
    }
}

/// A command's output, which is written as an array of bytes.
fn output_bytes(raw: &Raw<'_>) -> Option<String> {
    let text = match part::<Scalar<'_>>(raw) {
        Some(Scalar::Text(text)) => text.into_owned(),
        _ => String::from_utf8_lossy(&part::<Vec<u8>>(raw)?).into_owned(),
    };
    (!text.is_empty()).then_some(text)
}

fn block_text(block: &Block<'_>) -> Option<String> {
    if block.kind.text() == Some("diff") {
        let path = block.path.text().unwrap_or_default();
        return Some(format!("{path}\n{}", block.new_text.text().unwrap_or_default()));
    }
    let inner: Option<Block<'_>> = part(&block.content);
    let inner_text = inner.as_ref().and_then(|inner| inner.text.text());
    inner_text.or_else(|| block.text.text()).map(str::to_owned)
}

fn holds_image(json: &str) -> bool {
    let json = json.as_bytes();
    memmem::find(json, b"data:image").is_some() || memmem::find(json, b"base64").is_some()
}
