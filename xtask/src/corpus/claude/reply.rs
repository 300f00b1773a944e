//! Responses of the model: one record per content block, each with the usage of the whole.

use super::session::Transcript;
use super::tools::Call;
use crate::corpus::json::{NULL, Raw, object};
use crate::corpus::truth::Tokens;

/// A content block.
#[derive(Debug)]
pub(crate) enum Block {
    /// A thought; empty where only its signature is kept.
    Thinking(String),
    /// A text.
    Text(String),
    /// A tool call.
    Tool(Call),
}

impl Transcript<'_, '_> {
    /// Spends the tokens of a response of so many bytes.
    fn spend(&mut self, output_bytes: usize, thinking_bytes: usize) -> Tokens {
        let rng = &mut self.bed.writer.rng;
        let written = self.unseen / 4 + rng.range(20, 400);
        let cold = rng.percent(3);
        let read = if cold { 0 } else { self.context };
        let created = if cold { self.context + written } else { written };
        let mut tokens = Tokens {
            input: if rng.percent(10) { rng.range(200, 4_000) } else { rng.range(1, 12) },
            output: (output_bytes + thinking_bytes) as u64 / 4 + rng.range(5, 80),
            cache_read: read,
            ..Tokens::default()
        };
        if self.hour_cache {
            tokens.cache_write_1h = created;
            if rng.percent(4) {
                // A sub-request with the short cache within the same response.
                tokens.cache_write_5m = created / 3;
                tokens.cache_write_1h -= created / 3;
            }
        } else {
            tokens.cache_write_5m = created;
        }
        if self.era.requests() {
            tokens.reasoning = thinking_bytes as u64 / 4;
        }
        self.context += written + tokens.output;
        self.unseen = 0;
        self.sums.tokens.add(tokens);
        tokens
    }

    fn usage_json(&self, tokens: Tokens, output: u64) -> String {
        let created = tokens.cache_write_5m + tokens.cache_write_1h;
        let split = object(|json| {
            json.put("ephemeral_5m_input_tokens", tokens.cache_write_5m);
            json.put("ephemeral_1h_input_tokens", tokens.cache_write_1h);
        });
        object(|json| {
            json.put("input_tokens", tokens.input);
            json.put("cache_creation_input_tokens", created);
            json.put("cache_read_input_tokens", tokens.cache_read);
            if self.era.cache_split() && !self.era.final_usage() {
                json.put("cache_creation", Raw(&split));
            }
            json.put("output_tokens", output);
            if self.era.requests() {
                json.open_in("output_tokens_details").put("thinking_tokens", tokens.reasoning);
                json.close();
            }
            if self.era.server_tools() {
                json.put(
                    "server_tool_use",
                    Raw(r#"{"web_search_requests":0,"web_fetch_requests":0}"#),
                );
            }
            json.put("service_tier", "standard");
            if self.era.final_usage() {
                json.put("cache_creation", Raw(&split)).put("inference_geo", "not_available");
            }
            if self.era.iterations() {
                json.list_in("iterations").open().put("input_tokens", tokens.input);
                json.put("output_tokens", output).put("cache_read_input_tokens", tokens.cache_read);
                json.put("cache_creation_input_tokens", created).put("cache_creation", Raw(&split));
                json.put("type", "message").close().end_list().put("speed", "standard");
            }
        })
    }

    /// Writes a response; tool calls are answered by their results.
    pub(crate) fn respond(&mut self, blocks: Vec<Block>) {
        self.wait(800, 9_000);
        let tool_bytes = |call: &Call| call.input.len();
        let (mut spoken, mut thought) = (0, 0);
        for block in &blocks {
            match block {
                Block::Thinking(text) => thought += text.len() + 60,
                Block::Text(text) => spoken += text.len(),
                Block::Tool(call) => spoken += tool_bytes(call),
            }
        }
        let tokens = self.spend(spoken, thought);
        let rng = &mut self.bed.writer.rng;
        let message_id = format!("msg_01{}", rng.alnum(22));
        let request_id = format!("req_011C{}", rng.alnum(20));
        // Early records often carry what the stream had counted so far; the last one is right.
        let partial = blocks.len() > 1 && rng.percent(if self.era.final_usage() { 9 } else { 60 });
        let placeholder = rng.range(1, 9).min(tokens.output);
        let interleaved = blocks.len() > 2 && rng.percent(30);
        let calls = blocks.iter().any(|block| matches!(block, Block::Tool(_)));
        let last = blocks.len() - 1;
        let mut open_calls = Vec::new();
        for (at, block) in blocks.into_iter().enumerate() {
            let output = if partial && at < last { placeholder } else { tokens.output };
            let usage = self.usage_json(tokens, output);
            self.block_record(&block, &usage, (&message_id, &request_id), calls);
            if let Block::Tool(call) = block {
                let asked_by = self.last.clone().unwrap_or_default();
                if interleaved {
                    self.tool_result(&call, &asked_by);
                } else {
                    open_calls.push((call, asked_by));
                }
            }
        }
        for (call, asked_by) in open_calls {
            self.tool_result(&call, &asked_by);
        }
    }

    fn block_record(&mut self, block: &Block, usage: &str, ids: (&str, &str), calls: bool) {
        let model = self.era.model;
        self.follow();
        self.out.open_in("message");
        if self.era.cache_split() {
            self.out.put("model", model).put("id", ids.0).put("type", "message");
            self.out.put("role", "assistant");
        } else {
            self.out.put("id", ids.0).put("type", "message").put("role", "assistant");
            self.out.put("model", model);
        }
        self.out.list_in("content").open();
        self.block_body(block);
        self.out.close().end_list();
        if self.era.final_usage() {
            self.out.put("stop_reason", if calls { "tool_use" } else { "end_turn" });
            self.open_values();
            self.out.put("stop_details", NULL);
        } else {
            self.out.put("stop_reason", NULL);
            self.open_values();
        }
        self.out.put("usage", Raw(usage)).close();
        self.out.put("requestId", ids.1).put("type", "assistant");
        self.stamp();
        self.finish();
    }

    fn block_body(&mut self, block: &Block) {
        let records = &mut self.sums.records;
        match block {
            Block::Thinking(text) => {
                if text.is_empty() {
                    records.opaque_thinking += 1;
                } else {
                    records.thinking += 1;
                }
                let size = self.bed.writer.rng.size(640.0, 0.7, 180, 4_000);
                let signature = format!("Eu{}=", self.bed.writer.rng.base64(size));
                self.out.put("type", "thinking").put("thinking", text).put("signature", &signature);
            }
            Block::Text(text) => {
                records.assistant_texts += 1;
                self.out.put("type", "text").put("text", text);
            }
            Block::Tool(call) => {
                records.tool_calls += 1;
                self.out.put("type", "tool_use").put("id", &call.id).put("name", call.name);
                self.out.put("input", Raw(&call.input));
                if self.era.mode() {
                    self.out.put("caller", Raw(r#"{"type":"direct"}"#));
                }
            }
        }
    }

    /// The result of a call, and the structured copy beside it.
    fn tool_result(&mut self, call: &Call, asked_by: &str) {
        self.wait(20, 8_000);
        self.before_result(call);
        self.follow();
        self.out.put("type", "user").open_in("message").put("role", "user");
        self.out.list_in("content").open().put("tool_use_id", &call.id);
        self.out.put("type", "tool_result");
        if self.bed.writer.rng.percent(2) && !call.error {
            self.out.list_in("content").open().put("type", "text").put("text", &call.result);
            self.out.close().end_list();
        } else {
            self.out.put("content", &call.result);
        }
        if call.error || self.era.attachments() {
            self.out.put("is_error", call.error);
        }
        self.out.close().end_list().close();
        self.stamp();
        self.out.put("toolUseResult", Raw(&call.sidecar));
        if self.era.source_uuid() {
            self.out.put("sourceToolAssistantUUID", asked_by);
        }
        self.finish();
        self.unseen += call.result.len() as u64;
        self.sums.records.tool_results += 1;
        self.after_result(call);
    }
}
