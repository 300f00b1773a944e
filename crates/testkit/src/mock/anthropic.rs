//! Anthropic's Messages protocol.

use serde_json::{Value, json};

use super::Answer;
use super::exchange::{Exchange, array, content_text, pieces, text};
use super::http::{Response, push_event};

/// Reads a request.
pub(crate) fn read(body: &Value) -> Exchange {
    let mut exchange = Exchange::of(body);
    for message in array(&body["messages"]).iter().filter(|m| m["role"] == "user") {
        match &message["content"] {
            Value::String(said) => exchange.hear(said),
            blocks => array(blocks).iter().for_each(|block| hear_block(&mut exchange, block)),
        }
    }
    exchange
}

fn hear_block(exchange: &mut Exchange, block: &Value) {
    match text(&block["type"]) {
        "text" => exchange.hear(text(&block["text"])),
        "tool_result" => exchange.results.push(content_text(&block["content"])),
        _ => {}
    }
}

/// Writes the answer, streamed or whole.
pub(crate) fn write(exchange: &Exchange, answer: &Answer) -> Response {
    let blocks = blocks(answer);
    let stop_reason = if answer.tool.is_some() { "tool_use" } else { "end_turn" };
    let mut message = json!({
        "id": answer.id, "type": "message", "role": "assistant", "model": exchange.model,
        "content": blocks, "stop_reason": stop_reason, "stop_sequence": null,
        "usage": usage(answer, answer.usage.output),
    });
    if !exchange.stream {
        return Response::json(200, &message);
    }
    // The first event knows everything about the input and next to nothing about the output.
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"] = usage(answer, 1);
    let mut stream = String::new();
    push(&mut stream, &json!({ "type": "message_start", "message": message }));
    for (index, block) in blocks.iter().enumerate() {
        push_block(&mut stream, index, block);
    }
    push(
        &mut stream,
        &json!({
            "type": "message_delta",
            "delta": { "stop_reason": stop_reason, "stop_sequence": null },
            "usage": usage(answer, answer.usage.output),
        }),
    );
    push(&mut stream, &json!({ "type": "message_stop" }));
    Response::events(stream)
}

fn usage(answer: &Answer, output: u64) -> Value {
    let used = answer.usage;
    json!({
        "input_tokens": used.input,
        "cache_read_input_tokens": used.cache_read,
        "cache_creation_input_tokens": used.cache_write_5m + used.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": used.cache_write_5m,
            "ephemeral_1h_input_tokens": used.cache_write_1h,
        },
        "output_tokens": output,
        "service_tier": "standard",
    })
}

fn blocks(answer: &Answer) -> Vec<Value> {
    let mut blocks = Vec::new();
    if let Some(thought) = &answer.thought {
        blocks.push(json!({ "type": "thinking", "thinking": thought, "signature": "c2lnbmVk" }));
    }
    if let Some(tool) = &answer.tool {
        blocks.push(json!({
            "type": "tool_use", "id": tool.call_id, "name": tool.name, "input": tool.arguments,
        }));
    }
    if let Some(said) = &answer.final_text {
        blocks.push(json!({ "type": "text", "text": said }));
    }
    blocks
}

fn push(stream: &mut String, event: &Value) {
    push_event(stream, event["type"].as_str(), &event.to_string());
}

fn push_block(stream: &mut String, index: usize, block: &Value) {
    let mut empty = block.clone();
    let mut deltas = Vec::new();
    match text(&block["type"]) {
        "thinking" => {
            empty["thinking"] = json!("");
            empty["signature"] = json!("");
            deltas.push(json!({ "type": "thinking_delta", "thinking": block["thinking"] }));
            deltas.push(json!({ "type": "signature_delta", "signature": block["signature"] }));
        }
        "tool_use" => {
            empty["input"] = json!({});
            let input = block["input"].to_string();
            deltas.push(json!({ "type": "input_json_delta", "partial_json": input }));
        }
        _ => {
            empty["text"] = json!("");
            let said = text(&block["text"]);
            deltas.extend(pieces(said).map(|p| json!({ "type": "text_delta", "text": p })));
        }
    }
    push(stream, &json!({ "type": "content_block_start", "index": index, "content_block": empty }));
    for delta in deltas {
        push(stream, &json!({ "type": "content_block_delta", "index": index, "delta": delta }));
    }
    push(stream, &json!({ "type": "content_block_stop", "index": index }));
}
