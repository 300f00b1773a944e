//! `injections.jsonl`: what agents were really handed, and why.

use super::fixes::is_part_of;
use super::{Recall, RecallItem, Wording};
use crate::journal::Journal;
use crate::stamp;
use backstory_distill::Redactor;
use backstory_distill::recall::compress::addresses_in;
use backstory_distill::recall::{Category, tokens};
use backstory_model::{Flavor, SessionUid, Timestamp};
use backstory_store::Home;
use serde::{Deserialize, Serialize};
use std::io;
use xxhash_rust::xxh3::xxh3_64;

/// A log of this size is set aside; one older log is kept.
const ROTATE_BYTES: u64 = 8 << 20;
/// So much of a prompt is looked at for secrets…
const LOOK_BYTES: usize = 4096;
/// …and so much of it is kept, in characters.
const PROMPT_CHARS: usize = 120;
/// So much of a thing is kept, in characters.
const TEXT_CHARS: usize = 300;

/// When something is handed to an agent.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'a> {
    /// The session that is told, or [`unnamed`].
    pub session: &'a SessionUid,
    /// The hook's own name for what happened; `HTTP search`, `HTTP recall` or `MCP recall` where an agent or
    /// its plugin asked.
    pub event: &'a str,
    /// When.
    pub at: Timestamp,
}

/// The session of somebody who asks and does not say which it is.
pub fn unnamed() -> SessionUid {
    SessionUid::from_stored(String::new())
}

/// What an agent was handed at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Injection {
    /// Counted from 1.
    pub number: u64,
    /// When.
    #[serde(with = "stamp")]
    pub at: Timestamp,
    /// The agent; empty if it did not say which session it is.
    pub agent: String,
    /// The session that was told; empty likewise.
    pub session_uid: String,
    /// The hook's own name for what happened, or how it was asked for.
    pub event: String,
    /// The same for the same prompt.
    pub prompt_hash: String,
    /// The beginning of the prompt, or of what the tool said, secrets redacted.
    pub prompt: String,
    /// What was told, in order.
    pub items: Vec<InjectedItem>,
    /// Bytes of the block.
    pub bytes: usize,
    /// Tokens of the block, estimated.
    pub tokens: u32,
    /// The words it was told in, if a model found others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wording: Option<Wording>,
}

/// One thing that was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InjectedItem {
    /// What kind of thing.
    pub category: String,
    /// Where more of it is.
    pub address: String,
    /// What was said; of an overview the beginning.
    pub text: String,
    /// How relevant it was.
    pub score: f32,
    /// Why it was chosen.
    pub why: String,
    /// Tokens, estimated.
    pub tokens: u32,
}

impl From<&RecallItem> for InjectedItem {
    fn from(item: &RecallItem) -> Self {
        Self {
            category: item.category.name().to_owned(),
            address: item.address.clone(),
            text: item.text.chars().take(TEXT_CHARS).collect(),
            score: item.score,
            why: item.why.clone(),
            tokens: item.tokens,
        }
    }
}

impl InjectedItem {
    /// The thing as it was told; nothing if a newer version told it.
    pub(super) fn told(&self) -> Option<RecallItem> {
        Some(RecallItem {
            category: Category::from_name(&self.category)?,
            address: self.address.clone(),
            text: self.text.clone(),
            score: self.score,
            why: self.why.clone(),
            tokens: self.tokens,
        })
    }
}

/// The same number for the same prompt.
pub(super) fn prompt_hash(prompt: &str) -> String {
    format!("{:016x}", xxh3_64(prompt.trim().as_bytes()))
}

/// Records what an agent is handed; returns its number.
pub fn record(
    home: &Home,
    occasion: &Occasion<'_>,
    prompt: &str,
    recall: &Recall,
) -> io::Result<u64> {
    let shown = &prompt[..prompt.floor_char_boundary(LOOK_BYTES.min(prompt.len()))];
    let shown = Redactor::shared().redact(shown).into_owned();
    let mut injection = Injection {
        number: 1,
        at: occasion.at,
        agent: occasion.session.flavor().map_or("", Flavor::name).to_owned(),
        session_uid: occasion.session.as_str().to_owned(),
        event: occasion.event.to_owned(),
        prompt_hash: prompt_hash(prompt),
        prompt: one_line(&shown),
        items: recall.items.iter().map(InjectedItem::from).collect(),
        bytes: recall.text.len(),
        tokens: tokens(&recall.text),
        wording: recall.wording.clone(),
    };
    let mut number = 1;
    journal(home).append_after(|last: Option<Injection>| {
        number = last.map_or(1, |last| last.number + 1);
        injection.number = number;
        let mut line = serde_json::to_vec(&injection)?;
        line.push(b'\n');
        Ok(line)
    })?;
    Ok(number)
}

/// Every injection that is still on record, the oldest first.
pub fn injections(home: &Home) -> io::Result<Vec<Injection>> {
    journal(home).read()
}

/// Removes what the record says of some sessions: what they were told, and what others were told of them.
pub(super) fn erase(home: &Home, sessions: &[SessionUid]) -> io::Result<()> {
    journal(home).rewrite(|line| {
        let Ok(mut injection) = serde_json::from_str::<Injection>(line) else {
            // What cannot be understood is kept unless it names one of them.
            let names = sessions.iter().any(|uid| line.contains(uid.as_str()));
            return (!names).then(|| line.to_owned());
        };
        let told = SessionUid::from_stored(injection.session_uid.clone());
        let is_own = |uid: &SessionUid| is_part_of(&told, Some(uid));
        if sessions.iter().any(is_own) {
            return None;
        }
        let before = injection.items.len();
        let is_of = |item: &InjectedItem| sessions.iter().any(|uid| is_in(&item.address, uid));
        injection.items.retain(|item| !is_of(item));
        if let Some(wording) = &mut injection.wording {
            let names = |line: &String| {
                addresses_in(line).iter().any(|at| sessions.iter().any(|uid| is_in(at, uid)))
            };
            wording.lines.retain(|line| !names(line));
        }
        if injection.items.len() == before {
            return Some(line.to_owned());
        }
        serde_json::to_string(&injection).ok()
    })
}

/// True for the address of a session or of something in it.
pub(super) fn is_in(address: &str, uid: &SessionUid) -> bool {
    let below =
        address.strip_prefix("backstory://").and_then(|rest| rest.strip_prefix(uid.as_str()));
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn journal(home: &Home) -> Journal {
    Journal::new(home.dir(), "injections", ROTATE_BYTES)
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(PROMPT_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
