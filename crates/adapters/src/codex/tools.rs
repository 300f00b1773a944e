//! Tool calls and their answers.

use super::images::{push_parts, push_text};
use super::outcome::{self, Outcome};
use super::secrets;
use super::thread::{Cx, Note, Thread};
use super::turns::{Identity, Stream, Told, digest};
use super::wire::{Content, Detail, Part, Raw, Text, raw_str, read};
use crate::{SessionPatch, classify_call};
use backstory_model::{EventKey, EventKind, Flavor, Role, SessionUid};
use serde::Deserialize;
use std::borrow::Cow;

/// The tool that puts a question to the human.
pub(super) const ASKS_HUMAN: &str = "request_user_input";
/// The tool that starts a sub-agent.
const SPAWNS_AGENT: &str = "spawn_agent";

/// A call as the model wrote it.
pub(super) struct ToolUse<'a> {
    pub(super) tool: &'a str,
    /// Empty where the call has none.
    pub(super) call_id: &'a str,
    pub(super) native_id: &'a str,
    /// Arguments as JSON, or the tool's free text.
    pub(super) input: &'a str,
    pub(super) role: Role,
    /// Files, where they are not to be read from a patch in the input.
    pub(super) files: Vec<Cow<'a, str>>,
}

impl<'a> ToolUse<'a> {
    /// A call of the agent.
    pub(super) fn new(tool: &'a str, call_id: &'a str, input: &'a str) -> Self {
        Self { tool, call_id, native_id: "", input, role: Role::Assistant, files: Vec::new() }
    }
}

/// A call told by its end alone: an event or a completed item.
pub(super) struct Ended<'a> {
    pub(super) call: ToolUse<'a>,
    pub(super) outcome: Outcome,
    /// `None` when the record tells only the call.
    pub(super) output: Option<String>,
}

/// What a tool answered.
pub(super) struct Answer<'a> {
    pub(super) content: Content<'a>,
    /// The answer where it is no content, as JSON.
    pub(super) json: &'a str,
    /// The tool, where the answer names it.
    pub(super) tool: &'a str,
}

/// An answer to be yielded.
struct Reply<'a> {
    identity: Identity<'a>,
    call_id: &'a str,
    tool: &'a str,
    outcome: Outcome,
    /// Where a secret was asked for: the questions whose answers may be kept.
    kept: Option<&'a [String]>,
}

impl Thread {
    /// A call in the model's stream.
    pub(super) fn call(&mut self, cx: &mut Cx<'_>, call: ToolUse<'_>) {
        let repeat = if call.call_id.is_empty() {
            0
        } else {
            match self.calls.open(call.call_id, call.tool, call.input) {
                Some(repeat) => repeat,
                None => return,
            }
        };
        self.emit_call(cx, call, repeat);
    }

    fn emit_call(&mut self, cx: &mut Cx<'_>, call: ToolUse<'_>, repeat: u8) {
        let command = command_line(call.tool, call.input);
        let kind = if call.tool == ASKS_HUMAN {
            EventKind::Decision
        } else {
            let line = command.as_deref().or(Some(call.input));
            let class = classify_call(call.tool, line.filter(|_| runs_commands(call.tool)));
            self.retry.call(call.call_id, call.tool, call.input.as_bytes(), class)
        };
        let identity = if call.call_id.is_empty() {
            let what = EventKey::of_parts(&[call.tool.as_bytes(), call.input.as_bytes()]);
            Identity::InTurn("call", what.0)
        } else {
            Identity::Call(call.call_id, repeat)
        };
        let files = if call.files.is_empty() { patched_files(call.input) } else { call.files };
        let note = Note {
            tool: call.tool,
            call_id: call.call_id,
            native_id: call.native_id,
            summary: command.as_deref().unwrap_or_default(),
            files,
            ..Note::new(identity, kind, call.role)
        };
        self.emit(cx, &note, |out| push_text(out, call.input));
    }

    /// An answer in the model's stream.
    pub(super) fn call_output(&mut self, cx: &mut Cx<'_>, call_id: &str, answer: Answer<'_>) {
        let success = match &answer.content {
            Content::One(part) => part.success.0,
            _ => None,
        };
        let odd = matches!(answer.content, Content::One(_) | Content::Parts(_));
        let parts = answer.content.into_parts();
        // A shape of its own is kept as the JSON it is.
        let blank = parts.iter().all(is_blank);
        let json = match answer.json {
            "" if blank && odd => String::from_utf8_lossy(cx.raw),
            json => Cow::Borrowed(json),
        };
        let first = parts.first().map(|part| part.text.or(&part.content)).unwrap_or_default();
        let unwrapped = outcome::unwrap_json(first).filter(|_| parts.len() == 1);
        let mut outcome = match &unwrapped {
            Some((_, outcome)) => *outcome,
            None => outcome::of_text(first),
        };
        outcome.failed |= success == Some(false);
        let write = |out: &mut String| match &unwrapped {
            Some((text, _)) => push_text(out, text),
            None if blank => push_text(out, &json),
            None => push_parts(out, &parts),
        };
        if self.calls.tool(call_id) == Some(SPAWNS_AGENT) {
            self.spawned(cx, call_id, first);
        }
        self.answer_call(cx, call_id, outcome, answer.tool, write);
    }

    fn answer_call(
        &mut self,
        cx: &mut Cx<'_>,
        call_id: &str,
        outcome: Outcome,
        name: &str,
        write: impl Fn(&mut String),
    ) {
        let again = self.calls.is_done(call_id);
        let open = self.calls.close(call_id);
        let outcome = open.as_ref().map_or(outcome, |open| outcome.or(open.end));
        self.retry.result(call_id, outcome.is_failure());
        let tool = open.as_ref().map_or(name, |open| open.tool.as_str());
        let identity = if call_id.is_empty() || (open.is_none() && again) {
            // No id, or a second answer to one call: told by its content.
            let mut text = String::new();
            write(&mut text);
            Identity::InTurn("out", digest(&text) ^ digest(call_id))
        } else {
            Identity::Answer(call_id, open.as_ref().map_or(0, |open| open.repeat))
        };
        if open.is_none() && !call_id.is_empty() {
            self.calls.closed(call_id);
        }
        let kept = open.as_ref().and_then(|open| open.kept.as_deref());
        self.emit_reply(cx, &Reply { identity, call_id, tool, outcome, kept }, write);
    }

    fn emit_reply(&mut self, cx: &mut Cx<'_>, reply: &Reply<'_>, write: impl FnOnce(&mut String)) {
        let (kind, role) = match reply.tool {
            ASKS_HUMAN => (EventKind::Decision, Role::User),
            _ if reply.outcome.is_failure() => (EventKind::Error, Role::Tool),
            _ => (EventKind::ToolResult, Role::Tool),
        };
        let parent = match reply.identity {
            Identity::Answer(id, repeat) => Some(self.turns.key(Identity::Call(id, repeat))),
            _ => None,
        };
        let note = Note {
            tool: reply.tool,
            call_id: reply.call_id,
            exit_code: reply.outcome.exit_code,
            duration_ms: reply.outcome.duration_ms,
            parent,
            ..Note::new(reply.identity, kind, role)
        };
        self.emit(cx, &note, |out| {
            let start = out.len();
            write(out);
            if let Some(kept) = reply.kept {
                let blanked = secrets::blanked(&out[start..], kept);
                out.truncate(start);
                out.push_str(&blanked);
            }
        });
    }

    /// Whether the end of a call is told with its answer in the model's stream; what it says of
    /// the outcome is kept for that answer.
    pub(super) fn completes(&mut self, call_id: &str, outcome: Outcome) -> bool {
        !call_id.is_empty()
            && (self.calls.complete(call_id, outcome) || self.calls.is_done(call_id))
    }

    /// The end of a call told by an event or item: completes the open call, repeats an answered
    /// one, or is itself all there is of a call outside the model's stream.
    pub(super) fn ended(&mut self, cx: &mut Cx<'_>, ended: Ended<'_>) {
        let call_id = ended.call.call_id;
        let told = self.calls.take_announced(call_id);
        if !told && self.completes(call_id, ended.outcome) {
            return;
        }
        let tool = ended.call.tool.to_owned();
        let kept = if tool == ASKS_HUMAN { secrets::others(ended.call.input) } else { None };
        if !told {
            self.emit_call(cx, ended.call, 0);
        }
        let Some(output) = ended.output else {
            self.calls.announce(call_id, &tool);
            return;
        };
        if !call_id.is_empty() {
            self.calls.closed(call_id);
        }
        self.retry.result(call_id, ended.outcome.is_failure());
        let identity = if call_id.is_empty() {
            Identity::InTurn("out", digest(&output))
        } else {
            Identity::Answer(call_id, 0)
        };
        let (outcome, kept) = (ended.outcome, kept.as_deref());
        let reply = Reply { identity, call_id, tool: &tool, outcome, kept };
        self.emit_reply(cx, &reply, |out| push_text(out, &output));
    }

    /// A web search, told by both streams without a common id: recognised by what was searched.
    pub(super) fn web_search(&mut self, cx: &mut Cx<'_>, stream: Stream, search: &Search<'_>) {
        let what = search.what();
        let content = digest(&what);
        if !self.turns.is_mirror(stream, Told::Search, content) {
            let note = Note {
                tool: "web_search",
                native_id: search.id,
                summary: &what,
                ..Note::new(
                    Identity::InTurn("web_search", content),
                    EventKind::ToolCall,
                    Role::Assistant,
                )
            };
            self.emit(cx, &note, |out| push_text(out, search.action));
            self.turns.told(stream, Told::Search, content);
        }
        if search.results.len() > 2 {
            let identity = match search.id {
                "" => Identity::InTurn("web_results", digest(search.results)),
                id => Identity::Named("web_results", id),
            };
            let outcome = Outcome::default();
            let reply = Reply { identity, call_id: "", tool: "web_search", outcome, kept: None };
            self.emit_reply(cx, &reply, |out| push_text(out, search.results));
        }
    }

    /// Links a sub-agent's thread to the call that started it.
    fn spawned(&mut self, cx: &mut Cx<'_>, call_id: &str, output: &str) {
        let Some(detail) = read::<Detail<'_>>(output) else { return };
        self.link_child(cx, &detail.agent_id, call_id, &detail.nickname);
    }

    /// Tells that a thread is this one's sub-agent.
    pub(super) fn link_child(&mut self, cx: &mut Cx<'_>, child: &str, call_id: &str, name: &str) {
        if !super::paths::is_uuid(child) || child == self.id || self.lineage.is_copying() {
            return;
        }
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let session = cx.out.session(&SessionUid::new(Flavor::Codex, child));
        let patch = SessionPatch {
            parent: Some(self.uid()),
            parent_call_id: some(call_id),
            agent_name: some(name),
            ..SessionPatch::default()
        };
        cx.out.patch(session, patch);
    }
}

/// What a web search record says.
pub(super) struct Search<'a> {
    pub(super) id: &'a str,
    pub(super) query: &'a str,
    pub(super) action: &'a str,
    pub(super) results: &'a str,
}

impl Search<'_> {
    /// What was searched or opened, in a form both streams agree on.
    fn what(&self) -> String {
        let action: Detail<'_> = read(self.action).unwrap_or_default();
        let queries: Vec<Text<'_>> = read(raw_str(&action.queries)).unwrap_or_default();
        let mut what: Vec<&str> = vec![&action.query, &action.url, &action.pattern];
        if action.query.is_empty() {
            what.extend(queries.iter().map(|query| &**query));
        }
        what.retain(|piece| !piece.is_empty());
        if what.is_empty() { self.query.to_owned() } else { what.join(" ") }
    }
}

fn is_blank(part: &Part<'_>) -> bool {
    part.text.is_empty()
        && part.content.is_empty()
        && part.image_url.is_empty()
        && part.data.is_empty()
}

/// Tools whose input is or holds a command line.
fn runs_commands(tool: &str) -> bool {
    matches!(
        tool,
        "exec_command" | "shell" | "shell_command" | "container.exec" | "local_shell" | "exec"
    )
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Shell<'a> {
    #[serde(borrow)]
    cmd: Text<'a>,
    #[serde(borrow)]
    command: Raw<'a>,
}

/// The command line of a shell call.
fn command_line(tool: &str, input: &str) -> Option<String> {
    if !runs_commands(tool) || !input.starts_with('{') {
        return None;
    }
    let shell: Shell<'_> = read(input)?;
    if let Some(line) = shell.cmd.some() {
        return Some(line.to_owned());
    }
    join_command(raw_str(&shell.command))
}

/// A command given as words or as a line. `bash -lc X` is X.
pub(super) fn join_command(raw: &str) -> Option<String> {
    if let Some(words) = read::<Vec<Text<'_>>>(raw) {
        return match words.as_slice() {
            [_, flag, script] if matches!(&**flag, "-lc" | "-c") => Some(script.to_string()),
            words => {
                let words: Vec<&str> = words.iter().map(|word| &**word).collect();
                Some(words.join(" ")).filter(|line| !line.is_empty())
            }
        };
    }
    read::<Text<'_>>(raw).and_then(|line| line.some().map(str::to_owned))
}

/// Files a patch names. In JSON or script source its line breaks are written `\n`.
fn patched_files(input: &str) -> Vec<Cow<'_, str>> {
    const HEADS: [&str; 4] =
        ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let mut files: Vec<Cow<'_, str>> = Vec::new();
    let Some(start) = memchr::memmem::find(input.as_bytes(), b"*** Begin Patch") else {
        return files;
    };
    let mut rest = &input[start..];
    let escaped = rest["*** Begin Patch".len()..].starts_with('\\');
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"*** ") {
        rest = &rest[at..];
        if let Some(name) = HEADS.iter().find_map(|head| rest.strip_prefix(head)) {
            let end = if escaped { name.find(['\\', '"']) } else { name.find(['\n', '\r']) };
            let end = end.unwrap_or(name.len());
            let file = name[..end].trim();
            if !file.is_empty() && !files.iter().any(|known| known == file) {
                files.push(Cow::Borrowed(file));
            }
        }
        rest = &rest[4..];
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_lines_are_found_in_every_form() {
        let line = |tool, input| command_line(tool, input);
        assert_eq!(line("exec_command", r#"{"cmd":"ls \"a\""}"#).unwrap(), "ls \"a\"");
        assert_eq!(
            line("shell", r#"{"command":["bash","-lc","cargo test"]}"#).unwrap(),
            "cargo test"
        );
        assert_eq!(line("shell", r#"{"command":["git","status"]}"#).unwrap(), "git status");
        assert_eq!(line("shell_command", r#"{"command":"pwd"}"#).unwrap(), "pwd");
        assert_eq!(line("update_plan", r#"{"command":"pwd"}"#), None);
    }

    #[test]
    fn patches_name_their_files() {
        let patch = "*** Begin Patch\n*** Update File: a b.rs\n*** Move to: c.rs\n@@\n-x\n+*** y\n*** Add File: d.rs\n*** End Patch";
        assert_eq!(patched_files(patch), ["a b.rs", "c.rs", "d.rs"]);
        let escaped = r#"{"input":"*** Begin Patch\n*** Delete File: e.rs\n*** End Patch"}"#;
        assert_eq!(patched_files(escaped), ["e.rs"]);
        assert!(patched_files("*** Add File: x").is_empty());
    }
}
