//! The TypeScript CLI: one pretty-printed JSON document per session, no times, no tokens.

use crate::corpus::clock::iso;
use crate::corpus::family::{Family, Seedbed, Written};
use crate::corpus::truth;
use crate::corpus::work::Step;
use serde_json::{Value, json};

/// One document.
pub(crate) fn family(bed: &mut Seedbed<'_>) -> Family {
    let now = bed.moment(0, 60);
    let id = bed.writer.rng.uuid4();
    let path = format!(".codex/sessions/rollout-{}-{id}.json", &iso(now)[..10]);
    let mut sums = truth::Session {
        uid: format!("codex:{id}"),
        file: path.clone(),
        dialect: "codex-document".to_owned(),
        ..Default::default()
    };
    let chat = bed.writer.rng.percent(30);
    let mut items = Vec::new();
    let mut bytes = 0;
    while bytes < bed.target {
        let (prompt, _) = bed.prompt(&path);
        bytes += prompt.len() + 200;
        items.push(prompt_item(&prompt, chat));
        sums.records.user_prompts += 1;
        for _ in 0..bed.writer.rng.range(1, 7) {
            bytes += if chat {
                chat_round(bed, &path, &mut items, &mut sums)
            } else {
                item_round(bed, &path, &mut items, &mut sums)
            };
        }
        let answer = bed.writer.prose(400);
        bytes += answer.len() + 250;
        items.push(if chat {
            json!({"role": "assistant", "content": answer})
        } else {
            json!({"id": format!("msg_{}", bed.writer.rng.hex(48)), "type": "message",
                   "status": "completed", "role": "assistant",
                   "content": [{"type": "output_text", "text": answer, "annotations": []}]})
        });
        sums.records.assistant_texts += 1;
    }
    let document = json!({
        "session": {"timestamp": iso(now), "id": id, "instructions": ""},
        "items": items,
    });
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    let ended = now + bytes as u64;
    Family {
        files: vec![Written::text(path, text, ended)],
        sessions: vec![sums],
        secrets: Vec::new(),
    }
}

fn prompt_item(prompt: &str, chat: bool) -> Value {
    if chat {
        json!({"role": "user", "content": [{"type": "text", "text": prompt}]})
    } else {
        json!({"role": "user", "type": "message",
               "content": [{"type": "input_text", "text": prompt}]})
    }
}

/// The command of a step, as the only tool of that time took it.
fn shell(bed: &mut Seedbed<'_>, path: &str) -> (String, String) {
    let (command, output, code) = match bed.step(path) {
        Step::Run { command, output, exit_code } => (command, output, exit_code),
        Step::Read { path, content } => {
            let found = content.is_some();
            (
                format!("cat {path}"),
                content.unwrap_or_else(|| format!("cat: {path}: No such file")),
                u64::from(!found),
            )
        }
        Step::Edit { path, new, .. } => (format!("apply_patch {path}"), new, 0),
        Step::Write { path, content } => {
            (format!("cat > {path} <<'EOF'\n{content}EOF"), String::new(), 0)
        }
        Step::Search { pattern, output } => (format!("rg -n {pattern}"), output, 0),
    };
    let arguments = json!({"command": ["bash", "-lc", command], "timeout": 120_000}).to_string();
    let result =
        json!({"output": output, "metadata": {"exit_code": code, "duration_seconds": 0.3}});
    (arguments, result.to_string())
}

fn item_round(
    bed: &mut Seedbed<'_>,
    path: &str,
    items: &mut Vec<Value>,
    sums: &mut truth::Session,
) -> usize {
    let (arguments, output) = shell(bed, path);
    let size = arguments.len() + output.len() + 300;
    let call = format!("call_{}", bed.writer.rng.alnum(24));
    items.push(json!({"type": "function_call", "id": format!("fc_{}", bed.writer.rng.hex(48)),
                      "status": "completed", "name": "shell", "arguments": arguments, "call_id": call}));
    items.push(json!({"type": "function_call_output", "call_id": call, "output": output}));
    sums.records.tool_calls += 1;
    sums.records.tool_results += 1;
    size
}

fn chat_round(
    bed: &mut Seedbed<'_>,
    path: &str,
    items: &mut Vec<Value>,
    sums: &mut truth::Session,
) -> usize {
    let (arguments, output) = shell(bed, path);
    let size = arguments.len() + output.len() + 300;
    let call = format!("call_{}", bed.writer.rng.alnum(8).to_lowercase());
    items.push(json!({"role": "assistant", "content": "", "tool_calls": [
        {"id": call, "index": 0, "type": "function",
         "function": {"name": "shell", "arguments": arguments}}]}));
    items.push(json!({"role": "tool", "tool_call_id": call, "content": output}));
    sums.records.tool_calls += 1;
    sums.records.tool_results += 1;
    size
}
