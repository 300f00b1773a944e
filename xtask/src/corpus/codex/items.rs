//! Items of the model's conversation: calls, outputs, messages, reasoning.

use super::rollout::Rollout;
use crate::corpus::json::{Json, Raw, Texts, Value as _, object};
use crate::corpus::work::{Step, diff_lines};

/// A tool call as a rollout shows it.
#[derive(Debug)]
pub(crate) struct Call {
    /// Joins call and output.
    pub(crate) id: String,
    /// What is run.
    pub(crate) command: String,
    /// What it printed.
    pub(crate) output: String,
    /// How it ended.
    pub(crate) exit_code: u64,
    /// The file changed and the patch, for an edit.
    pub(crate) patch: Option<(String, String)>,
}

impl Rollout<'_, '_> {
    /// The next call.
    pub(crate) fn call(&mut self) -> Call {
        let file = self.path.clone();
        let id = format!("call_{}", self.bed.writer.rng.alnum(24));
        let plain =
            |id, command, output, exit_code| Call { id, command, output, exit_code, patch: None };
        match self.bed.step(&file) {
            Step::Run { command, output, exit_code } => plain(id, command, output, exit_code),
            Step::Read { path, content: Some(content) } => {
                plain(id, format!("sed -n '1,240p' {path}"), content, 0)
            }
            Step::Read { path, content: None } => {
                let output = format!("sed: can't read {path}: No such file or directory\n");
                plain(id, format!("sed -n '1,240p' {path}"), output, 2)
            }
            Step::Search { pattern, output } => {
                plain(id, format!("rg -n {pattern} src"), output, 0)
            }
            Step::Edit { path, old, new, .. } => {
                let body = format!("@@\n{}\n", diff_lines(&old, &new).join("\n"));
                patch_call(id, &path, "Update", &body)
            }
            Step::Write { path, content } => {
                let body: String = content.lines().flat_map(|line| ["+", line, "\n"]).collect();
                patch_call(id, &path, "Add", &body)
            }
        }
    }

    /// The call's item.
    pub(crate) fn call_item(&mut self, call: &Call) {
        self.sums.records.tool_calls += 1;
        if let Some((_, patch)) = call.patch.as_ref().filter(|_| self.minor >= 46) {
            let json = self.item("custom_tool_call").put("status", "completed");
            json.put("call_id", &call.id).put("name", "apply_patch").put("input", patch);
            self.finish_item();
            return;
        }
        let cwd = self.bed.cwd.clone();
        let (name, arguments) = match (self.minor, &call.patch) {
            (0..90, Some((_, patch))) => (
                "shell",
                object(|json| {
                    json.put("command", Raw(&string_list(&["apply_patch", patch])));
                }),
            ),
            (0..90, None) => (
                "shell",
                object(|json| {
                    json.put("command", Raw(&string_list(&["bash", "-lc", &call.command])));
                    json.put("workdir", &cwd);
                }),
            ),
            _ => (
                "exec_command",
                object(|json| {
                    json.put("cmd", &call.command).put("workdir", &cwd);
                    json.put("max_output_tokens", 12_000_u64);
                }),
            ),
        };
        let json = self.item("function_call").put("name", name);
        json.put("arguments", &arguments).put("call_id", &call.id);
        self.finish_item();
    }

    /// The output's item.
    pub(crate) fn output_item(&mut self, call: &Call) {
        self.sums.records.tool_results += 1;
        self.unseen += call.output.len() as u64;
        let patched = call.patch.is_some() && self.minor >= 46;
        let kind = if patched { "custom_tool_call_output" } else { "function_call_output" };
        let chunk = self.bed.writer.rng.hex(6);
        let text = if patched || self.minor < 90 {
            object(|json| {
                json.put("output", &call.output).open_in("metadata");
                json.put("exit_code", call.exit_code).put("duration_seconds", Raw("0.2")).close();
            })
        } else {
            format!(
                "Chunk ID: {chunk}\nWall time: 0.2034 seconds\nProcess exited with code {}\nOriginal token count: {}\nOutput:\n{}",
                call.exit_code,
                call.output.len() / 4,
                call.output
            )
        };
        let as_list = self.minor >= 140 && self.bed.writer.rng.percent(8);
        let json = self.item(kind).put("call_id", &call.id);
        if as_list {
            json.list_in("output").open().put("type", "input_text").put("text", &text);
            json.close().end_list();
        } else {
            json.put("output", &text);
        }
        self.finish_item();
    }

    /// A message item.
    pub(crate) fn message_item(&mut self, role: &str, text: &str) {
        let kind = if role == "assistant" { "output_text" } else { "input_text" };
        let minor = self.minor;
        let json = self.item("message").put("role", role).list_in("content").open();
        json.put("type", kind).put("text", text).close().end_list();
        if role == "assistant" && minor >= 118 {
            json.put("phase", "final_answer");
        }
        self.finish_item();
    }

    /// A reasoning item; its summary may be empty.
    pub(crate) fn reasoning_item(&mut self, summary: &str) {
        let size = self.bed.writer.rng.size(700.0, 0.6, 300, 6_000);
        let encrypted = format!("gAAAAABp{}==", self.bed.writer.rng.base64(size));
        let json = self.item("reasoning").list_in("summary");
        if !summary.is_empty() {
            json.open().put("type", "summary_text").put("text", summary).close();
        }
        json.end_list().put("content", Raw("null")).put("encrypted_content", &encrypted);
        self.finish_item();
        if summary.is_empty() {
            self.sums.records.opaque_thinking += 1;
        } else {
            self.sums.records.thinking += 1;
        }
    }

    /// What the model is told about the machine.
    pub(crate) fn environment_item(&mut self) {
        let text = format!(
            "<environment_context>\n  <cwd>{}</cwd>\n  <approval_policy>never</approval_policy>\n  <shell>bash</shell>\n</environment_context>",
            self.bed.cwd
        );
        self.message_item("user", &text);
    }

    /// A list of message items, as compactions keep them.
    pub(crate) fn kept_history(&mut self) -> String {
        let mut json = Json::default();
        json.fields("[");
        for _ in 0..self.bed.writer.rng.range(3, 9) {
            let text = self.bed.writer.prompt();
            json.open().put("type", "message").put("role", "user").list_in("content").open();
            json.put("type", "input_text").put("text", &text).close().end_list().close();
        }
        let size = self.bed.writer.rng.size(3_000.0, 0.5, 800, 12_000);
        let encrypted = self.bed.writer.rng.base64(size);
        json.open().put("type", "compaction").put("encrypted_content", &encrypted).close();
        json.end_list();
        json.into_string()
    }

    /// A thought of some length, often none.
    pub(crate) fn summary(&mut self) -> String {
        if self.bed.writer.rng.percent(45) {
            return String::new();
        }
        let size = self.bed.writer.rng.size(140.0, 0.7, 30, 1_500);
        format!("**{}**\n\n{}", self.bed.writer.title(), self.bed.writer.thoughts(size))
    }
}

fn patch_call(id: String, path: &str, verb: &str, body: &str) -> Call {
    let change = format!("*** Begin Patch\n*** {verb} File: {path}\n{body}*** End Patch");
    let output = format!("Success. Updated the following files:\nM {path}\n");
    Call {
        id,
        command: String::new(),
        output,
        exit_code: 0,
        patch: Some((path.to_owned(), change)),
    }
}

fn string_list(items: &[&str]) -> String {
    let items: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
    let mut out = String::new();
    Texts(&items).write(&mut out);
    out
}
