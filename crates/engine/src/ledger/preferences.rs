//! `state/preferences.json`: what was said to suggested preferences. One that is accepted becomes a memory,
//! which agents are told; one that is rejected is not suggested again.

use super::stats::{Suggestion, suggestions};
use crate::journal::{read_if_there, replace};
use crate::stamp;
use crate::tree::{Part, Tree, TreeError, WriteMode};
use backstory_model::{DecisionKind, Timestamp};
use backstory_store::{DecisionFilter, Home, StoreError, Vault, create_private_dir};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::path::PathBuf;

/// Characters of a memory's name.
const MAX_NAME: usize = 60;

/// What was said to a suggestion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// True if it was accepted.
    pub accepted: bool,
    /// The answer it was said to.
    pub answer: String,
    /// The memory made of it…
    #[serde(default)]
    pub memory: Option<String>,
    /// …and its words: whoever changes them makes it theirs.
    #[serde(default)]
    words: String,
    /// When.
    #[serde(with = "stamp")]
    pub at: Timestamp,
}

/// What was said to every suggestion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Verdicts {
    #[serde(default)]
    verdicts: BTreeMap<String, Verdict>,
}

/// Why nothing was said.
#[derive(Debug, thiserror::Error)]
pub enum PreferenceError {
    /// Nothing of the kind is suggested.
    #[error("nothing is suggested under {0:?}")]
    NotSuggested(String),
    /// The archive does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The memory cannot be written or removed.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// What was said cannot be kept.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What became of a verdict that is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// There was none.
    Nothing,
    /// It may be suggested again.
    Verdict,
    /// The same, and the memory is gone.
    Memory,
    /// The same, but somebody changed the memory, so it stays.
    MemoryKept,
}

/// Suggested preferences nothing was said to yet. An accepted one comes back if the human answers otherwise
/// since.
pub fn suggested(vault: &Vault) -> Result<Vec<Suggestion>, PreferenceError> {
    let verdicts = Verdicts::read(vault.home())?.verdicts;
    let mut found = all_suggestions(vault)?;
    found.retain(|suggestion| match verdicts.get(&suggestion.id) {
        Some(verdict) => verdict.accepted && verdict.answer != suggestion.answer,
        None => true,
    });
    Ok(found)
}

fn all_suggestions(vault: &Vault) -> Result<Vec<Suggestion>, StoreError> {
    let questions =
        DecisionFilter { kinds: vec![DecisionKind::Question], ..DecisionFilter::default() };
    Ok(suggestions(&vault.decisions(&questions)?))
}

/// Accepts a suggestion: from now on agents are told. Returns the address of the memory.
pub fn accept(home: &Home, id: &str, now: Timestamp) -> Result<String, PreferenceError> {
    let suggestion = find(home, id)?;
    let folder = suggestion.repo.as_deref().map(|repo| format!("{}/", file_name(repo)));
    let (folder, name) = (folder.unwrap_or_default(), file_name(&suggestion.question_id));
    let address = format!("backstory://memories/preferences/{folder}{name}.md");
    let tree = Tree::open(home, now)?;
    let before = Verdicts::read(home)?.verdicts.remove(id);
    let is_ours = match (before, words(&tree, &address)?) {
        (Some(before), Some(words)) => before.words == words,
        (_, words) => words.is_none(),
    };
    // What somebody else wrote there is not overwritten.
    let mode = if is_ours { WriteMode::Replace } else { WriteMode::Create };
    tree.write(&address, &memory(&suggestion), mode)?;
    let verdict = Verdict {
        accepted: true,
        answer: suggestion.answer,
        memory: Some(address.clone()),
        words: words(&tree, &address)?.unwrap_or_default(),
        at: now,
    };
    Verdicts::say(home, id, verdict)?;
    Ok(address)
}

/// The words of a memory, if there is one.
fn words(tree: &Tree, address: &str) -> Result<Option<String>, TreeError> {
    match tree.read(address, Part::WHOLE) {
        Ok(read) => Ok(Some(read.text)),
        Err(TreeError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Rejects a suggestion for good.
pub fn reject(home: &Home, id: &str, now: Timestamp) -> Result<(), PreferenceError> {
    let answer = find(home, id)?.answer;
    let verdict = Verdict { accepted: false, answer, memory: None, words: String::new(), at: now };
    Ok(Verdicts::say(home, id, verdict)?)
}

/// Takes back what was said to a suggestion.
pub fn reset(home: &Home, id: &str, now: Timestamp) -> Result<TakenBack, PreferenceError> {
    let mut verdicts = Verdicts::read(home)?;
    let Some(verdict) = verdicts.verdicts.remove(id) else { return Ok(TakenBack::Nothing) };
    let mut taken = TakenBack::Verdict;
    if let Some(address) = &verdict.memory {
        let tree = Tree::open(home, now)?;
        match words(&tree, address)? {
            Some(words) if words == verdict.words => {
                tree.forget(address, false)?;
                taken = TakenBack::Memory;
            }
            Some(_) => taken = TakenBack::MemoryKept,
            None => {}
        }
    }
    verdicts.write(home)?;
    Ok(taken)
}

/// Every verdict, by the id it was given under.
pub fn verdicts(home: &Home) -> io::Result<BTreeMap<String, Verdict>> {
    Ok(Verdicts::read(home)?.verdicts)
}

fn find(home: &Home, id: &str) -> Result<Suggestion, PreferenceError> {
    let found = all_suggestions(&Vault::open(home)?)?;
    let wanted = found.into_iter().find(|suggestion| suggestion.id == id);
    wanted.ok_or_else(|| PreferenceError::NotSuggested(id.to_owned()))
}

/// The memory a preference becomes: what holds comes first, for that is what agents are told of it.
fn memory(suggestion: &Suggestion) -> String {
    let Suggestion { question_id, question, answer, times, repo, last, .. } = suggestion;
    let place = repo.as_ref().map_or_else(String::new, |repo| format!(" in {repo}"));
    let mut text = format!("# Preference: {question}\n\n");
    let _ = writeln!(text, "Asked \"{question}\", the user always answers{place}: {answer}\n");
    let day = last.map_or_else(String::new, |at| format!(", last on {}", &at.to_string()[..10]));
    let _ = writeln!(text, "Answered so {times} times in a row{day}; question {question_id}.");
    text
}

/// A name a file may have.
fn file_name(id: &str) -> String {
    let name: String = id
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(MAX_NAME)
        .collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "preference".into() } else { name.to_owned() }
}

impl Verdicts {
    /// A file that cannot be understood is an error: suggesting what was rejected is worse than nothing.
    fn read(home: &Home) -> io::Result<Self> {
        let Some(bytes) = read_if_there(&path(home))? else { return Ok(Self::default()) };
        serde_json::from_slice(&bytes).map_err(|error| {
            let path = path(home);
            let reason =
                format!("{} cannot be understood: {error}; mend or remove it", path.display());
            io::Error::new(io::ErrorKind::InvalidData, reason)
        })
    }

    fn say(home: &Home, id: &str, verdict: Verdict) -> io::Result<()> {
        let mut verdicts = Self::read(home)?;
        verdicts.verdicts.insert(id.to_owned(), verdict);
        verdicts.write(home)
    }

    fn write(&self, home: &Home) -> io::Result<()> {
        create_private_dir(&home.dir().join("state"))?;
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        replace(&path(home), &bytes)
    }
}

fn path(home: &Home) -> PathBuf {
    home.dir().join("state").join("preferences.json")
}
