//! OpenAI's Responses protocol.

use serde_json::{Value, json};

use super::Answer;
use super::exchange::{Exchange, array, content_text, pieces, text};
use super::http::{Response, push_event};

/// Reads a request.
pub(crate) fn read(body: &Value) -> Exchange {
    let mut exchange = Exchange::of(body);
    if let Some(said) = body["input"].as_str() {
        exchange.hear(said);
    }
    for item in array(&body["input"]) {
        if item["role"] == "user" {
            exchange.hear(&content_text(&item["content"]));
        } else if text(&item["type"]).ends_with("_output") {
            exchange.results.push(content_text(&item["output"]));
        }
    }
    exchange
}

/// Writes the answer, streamed or whole.
pub(crate) fn write(exchange: &Exchange, answer: &Answer) -> Response {
    let items = items(answer);
    let mut response = json!({
        "id": answer.id, "object": "response", "created_at": 1, "model": exchange.model,
        "status": "completed", "output": items, "usage": usage(answer), "tools": [],
        "tool_choice": "auto", "parallel_tool_calls": false,
    });
    if !exchange.stream {
        return Response::json(200, &response);
    }
    let mut stream = Stream::default();
    let completed = response.clone();
    response["status"] = json!("in_progress");
    response["output"] = json!([]);
    response["usage"] = Value::Null;
    stream.push("response.created", json!({ "response": response }));
    for (index, item) in items.iter().enumerate() {
        stream.push_item(index, item);
    }
    stream.push("response.completed", json!({ "response": completed }));
    Response::events(stream.text)
}

/// Here the input includes what was read from and written to the cache.
fn usage(answer: &Answer) -> Value {
    let used = answer.usage;
    let input = used.input + used.cache_read + used.cache_write_5m;
    json!({
        "input_tokens": input,
        "input_tokens_details": {
            "cached_tokens": used.cache_read, "cache_write_tokens": used.cache_write_5m,
        },
        "output_tokens": used.output,
        "output_tokens_details": { "reasoning_tokens": used.reasoning },
        "total_tokens": input + used.output,
    })
}

fn items(answer: &Answer) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some(thought) = &answer.thought {
        items.push(json!({
            "type": "reasoning", "id": format!("rs_{}", answer.id),
            "summary": [{ "type": "summary_text", "text": thought }],
            "content": null, "encrypted_content": "c2VhbGVk",
        }));
    }
    if let Some(tool) = &answer.tool {
        let (space, name) = match tool.name.split_once('/') {
            Some((space, name)) => (Some(space), name),
            None => (None, tool.name.as_str()),
        };
        let mut item = json!({
            "type": "function_call", "id": format!("fc_{}", answer.id), "status": "completed",
            "call_id": tool.call_id, "name": name, "arguments": tool.arguments.to_string(),
        });
        if let Some(space) = space {
            item["namespace"] = json!(space);
        }
        items.push(item);
    }
    if let Some(said) = &answer.final_text {
        items.push(json!({
            "type": "message", "id": format!("msg_{}", answer.id), "status": "completed",
            "role": "assistant",
            "content": [{ "type": "output_text", "text": said, "annotations": [] }],
        }));
    }
    items
}

/// The events, numbered as they are pushed.
#[derive(Debug, Default)]
struct Stream {
    text: String,
    pushed: u64,
}

impl Stream {
    fn push(&mut self, kind: &str, mut event: Value) {
        event["type"] = json!(kind);
        event["sequence_number"] = json!(self.pushed);
        self.pushed += 1;
        push_event(&mut self.text, Some(kind), &event.to_string());
    }

    fn push_item(&mut self, index: usize, item: &Value) {
        let mut begun = item.clone();
        match text(&item["type"]) {
            "message" => begun["content"] = json!([]),
            "reasoning" => begun["summary"] = json!([]),
            _ => begun["arguments"] = json!(""),
        }
        self.push("response.output_item.added", json!({ "output_index": index, "item": begun }));
        self.push_deltas(index, item);
        self.push("response.output_item.done", json!({ "output_index": index, "item": item }));
    }

    fn push_deltas(&mut self, index: usize, item: &Value) {
        let at = |mut event: Value| {
            event["item_id"] = item["id"].clone();
            event["output_index"] = json!(index);
            event
        };
        match text(&item["type"]) {
            "message" => {
                for piece in pieces(text(&item["content"][0]["text"])) {
                    let delta = at(json!({ "content_index": 0, "delta": piece }));
                    self.push("response.output_text.delta", delta);
                }
            }
            "reasoning" => {
                let part = &item["summary"][0];
                let begun = json!({ "summary_index": 0, "part": part });
                self.push("response.reasoning_summary_part.added", at(begun));
                let delta = json!({ "summary_index": 0, "delta": part["text"] });
                self.push("response.reasoning_summary_text.delta", at(delta));
            }
            _ => {
                let delta = at(json!({ "delta": item["arguments"] }));
                self.push("response.function_call_arguments.delta", delta);
            }
        }
    }
}
