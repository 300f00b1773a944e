//! OpenAI's Chat Completions protocol.

use serde_json::{Value, json};

use super::Answer;
use super::exchange::{Exchange, array, content_text, pieces, text};
use super::http::{Response, push_event};

/// How clients ask for something of their own at the end of a conversation.
const REMINDER: &str = "<system-reminder>";

/// Reads a request.
pub(crate) fn read(body: &Value) -> Exchange {
    let mut exchange = Exchange::of(body);
    let messages = array(&body["messages"]);
    for message in messages {
        match text(&message["role"]) {
            "user" => exchange.hear(&content_text(&message["content"])),
            "tool" => exchange.results.push(content_text(&message["content"])),
            _ => {}
        }
    }
    exchange.aside |= asks_after_the_turn(messages);
    exchange
}

/// After a finished turn a reminder is a request of the client, not of the user. Within a turn it
/// follows a tool result and only adds context.
fn asks_after_the_turn(messages: &[Value]) -> bool {
    let [.., before, last] = messages else { return false };
    before["role"] == "assistant"
        && last["role"] == "user"
        && content_text(&last["content"]).trim_start().starts_with(REMINDER)
}

/// Writes the answer, streamed or whole.
pub(crate) fn write(exchange: &Exchange, answer: &Answer) -> Response {
    let finish = if answer.tool.is_some() { "tool_calls" } else { "stop" };
    let base = json!({ "id": answer.id, "created": 1, "model": exchange.model });
    if exchange.stream {
        return Response::events(stream(answer, finish, &base));
    }
    let mut whole = base;
    let mut message = json!({ "role": "assistant", "content": answer.final_text });
    if let Some(calls) = tool_calls(answer) {
        message["tool_calls"] = calls;
    }
    whole["object"] = json!("chat.completion");
    whole["choices"] = json!([{ "index": 0, "message": message, "finish_reason": finish }]);
    whole["usage"] = usage(answer);
    Response::json(200, &whole)
}

fn stream(answer: &Answer, finish: &str, base: &Value) -> String {
    let mut deltas = vec![json!({ "role": "assistant", "content": "" })];
    if let Some(thought) = &answer.thought {
        deltas.push(json!({ "reasoning_content": thought }));
    }
    if let Some(calls) = tool_calls(answer) {
        deltas.push(json!({ "tool_calls": calls }));
    }
    if let Some(said) = &answer.final_text {
        deltas.extend(pieces(said).map(|piece| json!({ "content": piece })));
    }
    let mut choices: Vec<Value> = deltas
        .into_iter()
        .map(|delta| json!([{ "index": 0, "delta": delta, "finish_reason": null }]))
        .collect();
    choices.push(json!([{ "index": 0, "delta": {}, "finish_reason": finish }]));

    let mut stream = String::new();
    let mut chunk = base.clone();
    chunk["object"] = json!("chat.completion.chunk");
    for choice in choices {
        chunk["choices"] = choice;
        push_event(&mut stream, None, &chunk.to_string());
    }
    chunk["choices"] = json!([]);
    chunk["usage"] = usage(answer);
    push_event(&mut stream, None, &chunk.to_string());
    push_event(&mut stream, None, "[DONE]");
    stream
}

/// Here the prompt includes what was read from the cache.
fn usage(answer: &Answer) -> Value {
    let used = answer.usage;
    let prompt = used.input + used.cache_read;
    json!({
        "prompt_tokens": prompt,
        "prompt_tokens_details": { "cached_tokens": used.cache_read },
        "completion_tokens": used.output,
        "completion_tokens_details": { "reasoning_tokens": used.reasoning },
        "total_tokens": prompt + used.output,
    })
}

fn tool_calls(answer: &Answer) -> Option<Value> {
    let tool = answer.tool.as_ref()?;
    Some(json!([{
        "index": 0, "id": tool.call_id, "type": "function",
        "function": { "name": tool.name, "arguments": tool.arguments.to_string() },
    }]))
}
