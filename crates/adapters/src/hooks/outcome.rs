//! What a tool answered, as text, and whether that tells of a failure.

use super::fields::Fields;
use super::{INPUT_MAX, OUTPUT_MAX, ToolUse};
use crate::codex::outcome as header;
use crate::grok;
use crate::hooks::HookEvent;
use crate::unescape::decode;
use backstory_model::Flavor;

/// How far lists and objects are looked into for text.
const DEPTH_MAX: u32 = 6;

/// Members that hold what a tool put out, the most readable first.
const TEXTS: &[&str] =
    &["output_for_prompt", "output", "stdout", "content", "text", "result", "message"];
/// Members that hold what went wrong.
const ERRORS: &[&str] = &["stderr", "error"];
/// Members that hold an exit code.
const CODES: &[&str] = &["exit_code", "return_code", "returncode"];
/// Words a status is given in.
const BAD_STATUS: &[&str] = &["error", "failed", "failure", "timed_out", "timeout"];
const GOOD_STATUS: &[&str] = &["ok", "success", "succeeded", "completed"];

/// The tool call an event is about.
pub(super) fn tool(agent: Flavor, event: HookEvent, fields: &Fields<'_>) -> Option<ToolUse> {
    let name = fields.text("tool_name")?;
    let input = fields.raw("tool_input").filter(|input| input.len() <= INPUT_MAX);
    let called = input.and_then(Fields::of).and_then(|input| input.text("tool_name"));
    let mut tool = ToolUse {
        name: grok::reached(&name, called.as_deref()).to_owned(),
        input: input.unwrap_or_default().to_owned(),
        call_id: fields.any_text(&["tool_use_id", "tool_call_id", "call_id"]),
        ..ToolUse::default()
    };
    match event {
        HookEvent::PostToolUseFailure => {
            let error = fields.raw("error").or_else(|| response(fields));
            tool.output = bounded(Answer::of(error.unwrap_or_default()).text);
            tool.failed = !fields.is_true("is_interrupt");
            tool.is_told = true;
        }
        HookEvent::PostToolUse => {
            let mut answer = Answer::of(response(fields).unwrap_or_default());
            // Claude has an event of its own for failures: what it prints here says nothing of one.
            if agent == Flavor::Claude {
                answer.failed.get_or_insert(false);
            }
            let failed = answer.failed.or_else(|| by_text(&answer.text));
            tool.failed = failed == Some(true);
            tool.is_told = failed.is_some();
            tool.output = bounded(answer.text);
        }
        _ => tool.is_told = true,
    }
    Some(tool)
}

fn response<'f>(fields: &'f Fields<'_>) -> Option<&'f str> {
    ["tool_response", "tool_result", "tool_output"].iter().find_map(|name| fields.raw(name))
}

/// What a tool answered.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answer {
    text: String,
    /// Whether it failed, if anything beside the text says so.
    failed: Option<bool>,
}

impl Answer {
    fn of(raw: &str) -> Self {
        let mut answer = Self::default();
        answer.look_into(raw, DEPTH_MAX);
        answer
    }

    fn look_into(&mut self, raw: &str, depth: u32) {
        match raw.as_bytes().first() {
            Some(b'"') => self.say(&decode(raw).unwrap_or_default()),
            Some(b'[') if depth > 0 => {
                let parts: Vec<sonic_rs::LazyValue<'_>> =
                    sonic_rs::from_str(raw).unwrap_or_default();
                for part in &parts {
                    self.look_into(part.as_raw_str().trim(), depth - 1);
                }
            }
            Some(b'{') if depth > 0 => match Fields::of(raw) {
                Some(fields) => self.object(raw, &fields, depth - 1),
                None => self.say(raw),
            },
            // A number in a list is a byte of the output, which stands beside it as text.
            _ => {}
        }
    }

    fn object(&mut self, raw: &str, fields: &Fields<'_>, depth: u32) {
        self.judge(fields);
        if let Some(metadata) = fields.raw("metadata").and_then(Fields::of) {
            self.judge(&metadata);
        }
        let before = self.text.len();
        for names in [TEXTS, ERRORS] {
            // Of several forms of one output the first that has text is enough.
            for name in names {
                let said = self.text.len();
                self.look_into(fields.raw(name).unwrap_or_default(), depth);
                if self.text.len() > said {
                    break;
                }
            }
        }
        if self.text.len() > before {
            return;
        }
        match fields.only() {
            // The answer stands in a member named after the tool.
            Some(inner) if inner.starts_with('{') => self.look_into(inner, depth),
            // An empty output says nothing; an object of unknown members may.
            _ if TEXTS.iter().chain(ERRORS).any(|name| fields.has(name)) => {}
            _ => self.say(raw),
        }
    }

    fn judge(&mut self, fields: &Fields<'_>) {
        let code = CODES.iter().find_map(|name| fields.number(name));
        let status = fields.any_text(&["status", "outcome"]).unwrap_or_default();
        let has_failed = code.is_some_and(|code| code != 0)
            || fields.is_true("is_error")
            || fields.raw("success") == Some("false")
            || BAD_STATUS.contains(&status.as_str());
        let says = code.is_some()
            || ["is_error", "success"].iter().any(|name| fields.raw(name).is_some())
            || GOOD_STATUS.contains(&status.as_str());
        if has_failed {
            self.failed = Some(true);
        } else if says {
            self.failed.get_or_insert(false);
        }
    }

    fn say(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }
}

/// What the first lines of an output say of how the call ended.
fn by_text(text: &str) -> Option<bool> {
    if let Some(failed) = header::has_failed(text) {
        return Some(failed);
    }
    let first = text.trim_start();
    let first = first.strip_prefix("Error: ").unwrap_or(first);
    let code = first.strip_prefix("Exit code ").map(|rest| rest.lines().next().unwrap_or_default());
    match code.and_then(|code| code.trim().parse::<i64>().ok()) {
        Some(code) => Some(code != 0),
        None => first.starts_with("<tool_use_error>").then_some(true),
    }
}

/// The beginning and the end of a long text.
fn bounded(mut text: String) -> String {
    const GAP: &str = "\n[…]\n";
    if text.len() > 2 * OUTPUT_MAX + GAP.len() {
        let head = text.floor_char_boundary(OUTPUT_MAX);
        let tail = text.ceil_char_boundary(text.len() - OUTPUT_MAX);
        text.replace_range(head..tail, GAP);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(raw: &str) -> (String, Option<bool>) {
        let answer = Answer::of(raw);
        let failed = answer.failed.or_else(|| by_text(&answer.text));
        (answer.text, failed)
    }

    #[test]
    fn answers_of_all_shapes_are_read() {
        let cases = [
            (r#""three""#, "three", None),
            (r#""Chunk ID: a\nProcess exited with code 2\nOutput:\nno""#, "", Some(true)),
            (r#""Exit code: 0\nWall time: 1 seconds\nOutput:\nok""#, "", Some(false)),
            (r#""Exit code 1\nboom""#, "Exit code 1\nboom", Some(true)),
            (r#""Error: Exit code 137\n""#, "", Some(true)),
            (r#""<tool_use_error>no such file</tool_use_error>""#, "", Some(true)),
            (
                r#""{\"output\":\"a\",\"metadata\":{\"exit_code\":3,\"duration_seconds\":0.1}}""#,
                "",
                Some(true),
            ),
            (r#"{"stdout":"a","stderr":"b","interrupted":false}"#, "a\nb", None),
            (r#"{"stdout":"","stderr":""}"#, "", None),
            (r#"{"output":[72,105],"output_for_prompt":"Hi","exit_code":1}"#, "Hi", Some(true)),
            (r#"{"Bash":{"output":[72],"outputForPrompt":"Hi","exitCode":0}}"#, "Hi", Some(false)),
            (r#"{"content":[{"type":"text","text":"x"}],"isError":true}"#, "x", Some(true)),
            (r#"[{"type":"text","text":"x"},{"type":"text","text":"y"}]"#, "x\ny", None),
            (r#"{"output":"z","metadata":{"exit_code":4}}"#, "z", Some(true)),
            (r#"{"success":false,"error":{"message":"m"}}"#, "m", Some(true)),
            (r#"{"status":"completed","text":"t"}"#, "t", Some(false)),
            (r#"{"filePath":"/a","oldString":"x"}"#, r#"{"filePath":"/a","oldString":"x"}"#, None),
            ("null", "", None),
            ("", "", None),
            ("{broken", "{broken", None),
        ];
        for (raw, text, failed) in cases {
            let (said, told) = told(raw);
            assert_eq!(told, failed, "{raw}");
            if !text.is_empty() || !raw.starts_with('"') {
                assert_eq!(said, text, "{raw}");
            }
        }
    }

    #[test]
    fn long_outputs_keep_both_ends() {
        let text = format!("begin{}end", "ä".repeat(2 * OUTPUT_MAX));
        let short = bounded(text);
        assert!(short.len() <= 2 * OUTPUT_MAX + 8);
        assert!(short.starts_with("begin") && short.ends_with("end") && short.contains("[…]"));
        assert_eq!(bounded("short".to_owned()), "short");
    }
}
