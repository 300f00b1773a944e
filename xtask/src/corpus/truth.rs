//! What is known about a generated history: the numbers every reader of it must find.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tokens. `input` is uncached input only; `reasoning` is a part of `output`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Input neither read from nor written to a cache.
    pub input: u64,
    /// Output, reasoning included.
    pub output: u64,
    /// Input read from a cache.
    pub cache_read: u64,
    /// Input written to a five-minute cache.
    pub cache_write_5m: u64,
    /// Input written to a one-hour cache.
    pub cache_write_1h: u64,
    /// Reasoning, where the agent tells it.
    pub reasoning: u64,
}

impl Tokens {
    /// Adds another count.
    pub(crate) fn add(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.cache_read += other.cache_read;
        self.cache_write_5m += other.cache_write_5m;
        self.cache_write_1h += other.cache_write_1h;
        self.reasoning += other.reasoning;
    }

    /// Everything sent to the model.
    pub(crate) fn sent(self) -> u64 {
        self.input + self.cache_read + self.cache_write_5m + self.cache_write_1h
    }
}

/// Records of the conversation; a copy in a fork is not counted again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Records {
    /// Prompts a person typed, queued ones included.
    pub user_prompts: u64,
    /// Of these, the ones typed while the agent was working.
    pub queued_prompts: u64,
    /// Prompts an agent gave a sub-agent.
    pub subagent_prompts: u64,
    /// Texts of the assistant.
    pub assistant_texts: u64,
    /// Readable thoughts.
    pub thinking: u64,
    /// Thoughts of which only a signature or an encrypted form is stored.
    pub opaque_thinking: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Tool results.
    pub tool_results: u64,
    /// Turns a person broke off.
    pub interrupts: u64,
    /// Compactions.
    pub compactions: u64,
}

impl Records {
    fn add(&mut self, other: Self) {
        self.user_prompts += other.user_prompts;
        self.queued_prompts += other.queued_prompts;
        self.subagent_prompts += other.subagent_prompts;
        self.assistant_texts += other.assistant_texts;
        self.thinking += other.thinking;
        self.opaque_thinking += other.opaque_thinking;
        self.tool_calls += other.tool_calls;
        self.tool_results += other.tool_results;
        self.interrupts += other.interrupts;
        self.compactions += other.compactions;
    }
}

/// One session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Session {
    /// `claude:<id>`, `claude:<id>/<agent id>`, `codex:<thread>`, `grok:<id>`.
    pub uid: String,
    /// Its file below the home directory.
    pub file: String,
    /// How its file is laid out.
    pub dialect: String,
    /// The session whose sub-agent it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<String>,
    /// The session whose history it copies or refers to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fork_of: Option<String>,
    /// True when the parent's tokens include this session's: not added to the agent's total.
    pub in_parent: bool,
    /// Its own tokens.
    pub tokens: Tokens,
    /// Its own records.
    pub records: Records,
}

/// A secret and where it was put.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Secret {
    /// Its kind.
    pub kind: String,
    /// Its value.
    pub secret: String,
    /// Where in the session it stands.
    pub position: String,
    /// The file below the home directory.
    pub file: String,
}

/// Sums over one agent.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Agent {
    /// Sessions, sub-agents and forks included.
    pub sessions: u64,
    /// Files.
    pub files: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Tokens, each counted once.
    pub tokens: Tokens,
    /// Records, each counted once.
    pub records: Records,
}

/// Everything known about a generated history.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Truth {
    /// The seed.
    pub seed: u64,
    /// Files under the home directory.
    pub files: u64,
    /// Lines in them; a compressed file counts its lines before compression.
    pub lines: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Sums per agent.
    pub agents: BTreeMap<String, Agent>,
    /// Every session.
    pub sessions: Vec<Session>,
    /// Every secret planted.
    pub secrets: Vec<Secret>,
}

impl Truth {
    /// Takes in a session.
    pub(crate) fn session(&mut self, session: Session) {
        let agent = session.uid.split(':').next().unwrap_or_default().to_owned();
        let sums = self.agents.entry(agent).or_default();
        sums.sessions += 1;
        sums.records.add(session.records);
        if !session.in_parent {
            sums.tokens.add(session.tokens);
        }
        self.sessions.push(session);
    }

    /// Takes in a file.
    pub(crate) fn file(&mut self, path: &str, bytes: u64, lines: u64) {
        self.files += 1;
        self.bytes += bytes;
        self.lines += lines;
        let agent = path.trim_start_matches('.').split('/').next().unwrap_or_default();
        let sums = self.agents.entry(agent.to_owned()).or_default();
        sums.files += 1;
        sums.bytes += bytes;
    }
}
