//! Memories: remembered, changed, forgotten, and found again by their words.

use super::address::{Address, Place};
use super::text::one_line;
use super::{Tree, TreeError, WriteMode, session};
use backstory_distill::terms::{self, TermKind, is_stop_word, stem};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// Where notes go unless they say where.
const NOTES: &str = "notes";
/// Longer names tell nothing more.
const NAME_CHARS: usize = 48;
/// Notes of one day with the same name.
const MOST_ALIKE: usize = 1000;
/// Memories looked through for words.
const MOST_READ: usize = 5000;
/// Below this share of its words, a memory only happens to have one of them.
const MIN_SHARE: f32 = 0.34;
/// What is told of a memory that was found.
const ABOUT_CHARS: usize = 300;

/// Something to remember.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// What it is about, in a few words; the beginning of the text if it is empty.
    pub title: String,
    /// The text, Markdown.
    pub text: String,
    /// The folder of the memories it goes into, such as `preferences`; `notes` if it is empty.
    pub folder: String,
}

/// A memory that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Its address.
    pub address: String,
    /// What it says, in a line.
    pub about: String,
    /// How many of the words it has, from 0 to 1, rare words counting more.
    pub score: f32,
}

impl Tree {
    /// Writes a note to a file of its own. The same note again changes nothing.
    pub fn remember(&self, note: &Note) -> Result<String, TreeError> {
        let text = note.text.trim();
        if text.is_empty() {
            return Err(TreeError::Refused("there is nothing to remember".into()));
        }
        let title = if note.title.trim().is_empty() { about(text, 80) } else { note.title.clone() };
        let title = one_line(&title, 120);
        let heading = if text.starts_with('#') { String::new() } else { format!("# {title}\n\n") };
        let content = format!("{heading}{text}\n");
        let folder = file_name(&note.folder);
        let folder = if folder.is_empty() { NOTES.to_owned() } else { folder };
        let stem = format!("{}-{}", session::day(self.now), file_name(&title));
        let stem = stem.trim_end_matches('-');
        let redacted = backstory_distill::Redactor::shared().redact(&content).into_owned();
        for number in 1..MOST_ALIKE {
            let name =
                if number == 1 { format!("{stem}.md") } else { format!("{stem}-{number}.md") };
            let words = ["memories", folder.as_str(), name.as_str()];
            let address = format!("backstory://{}", words.join("/"));
            match self.files().write(&words, &content, WriteMode::Create) {
                Ok(_) => return Ok(address),
                Err(TreeError::Refused(reason)) => {
                    let known = self.read(&address, super::Part::WHOLE);
                    match known {
                        Ok(known) if known.text == redacted => return Ok(address),
                        Ok(_) => {}
                        Err(_) => return Err(TreeError::Refused(reason)),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(TreeError::Refused(format!("there are too many notes called {stem} already")))
    }

    /// Writes a file below the memories. Returns its length.
    pub fn write(&self, address: &str, content: &str, mode: WriteMode) -> Result<usize, TreeError> {
        let path = path_to_change(address)?;
        self.files().write(&words(&path), content, mode)
    }

    /// Replaces a text in a memory. Returns how often it stood there.
    pub fn edit(&self, address: &str, old: &str, new: &str, all: bool) -> Result<usize, TreeError> {
        let path = path_to_change(address)?;
        self.files().edit(&words(&path), old, new, all)
    }

    /// Removes a memory, or a folder of them. Returns how many files went.
    pub fn forget(&self, address: &str, recursive: bool) -> Result<usize, TreeError> {
        let path = path_to_change(address)?;
        self.files().remove(&words(&path), recursive)
    }

    /// Memories below an address that have many of the words of a text, the best first.
    pub fn find_memories(
        &self,
        below: &str,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, TreeError> {
        let wanted = stems(text);
        let mut read: Vec<(String, String, HashSet<String>)> = Vec::new();
        let visited = self.visit(&Address::parse(below)?, usize::MAX, 0, &mut |_, entry| {
            if entry.is_folder {
                return ControlFlow::Continue(());
            }
            if let Ok(reading) = self.read(&entry.address, super::Part::WHOLE) {
                let has = stems(&reading.text).intersection(&wanted).cloned().collect();
                read.push((entry.address.clone(), about(&reading.text, ABOUT_CHARS), has));
            }
            let is_enough = read.len() >= MOST_READ;
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match visited {
            Ok(_) => {}
            // Nobody wrote anything there yet.
            Err(TreeError::NotFound(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        }
        let mut often: HashMap<&str, usize> = HashMap::new();
        for word in read.iter().flat_map(|(_, _, has)| has) {
            *often.entry(word).or_default() += 1;
        }
        let all = read.len() as f32;
        let worth = |word: &String| {
            let often = often.get(word.as_str()).copied().unwrap_or_default() as f32;
            (1.0 + all / (1.0 + often)).ln()
        };
        let whole: f32 = wanted.iter().map(worth).sum();
        let mut found: Vec<Memory> = read
            .iter()
            .filter(|(_, _, has)| !has.is_empty())
            .map(|(address, about, has)| Memory {
                address: address.clone(),
                about: about.clone(),
                score: has.iter().map(worth).sum::<f32>() / whole,
            })
            .filter(|found| found.score >= MIN_SHARE)
            .collect();
        found.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then_with(|| one.address.cmp(&other.address))
        });
        found.truncate(limit);
        Ok(found)
    }
}

/// The words of an address below which something may be changed.
pub(crate) fn path_to_change(address: &str) -> Result<Vec<String>, TreeError> {
    match Address::parse(address)?.place {
        Place::Path(path) => Ok(path),
        _ => Err(TreeError::ReadOnly {
            address: address.to_owned(),
            instead: "only memories can be written",
        }),
    }
}

fn words(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// The stems of the words of a text that mean something.
fn stems(text: &str) -> HashSet<String> {
    let mut stems = HashSet::new();
    terms::for_each(text, &mut |term| {
        if !is_stop_word(term.text) {
            stems.insert(match term.kind {
                TermKind::Word => stem(term.text),
                _ => term.text.to_owned(),
            });
        }
    });
    stems
}

/// What a Markdown text is about: its first words behind headings and front matter.
pub(super) fn about(text: &str, max_chars: usize) -> String {
    let body = match text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")) {
        Some((_, body)) => body,
        None => text,
    };
    let mut heading = "";
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix('#') {
            Some(title) if heading.is_empty() => heading = title.trim_start_matches('#').trim(),
            Some(_) => {}
            None if heading.is_empty() => return one_line(line, max_chars),
            None => return one_line(&format!("{heading}: {line}"), max_chars),
        }
    }
    one_line(heading, max_chars)
}

/// A text as a file's name: letters, digits and dashes.
fn file_name(text: &str) -> String {
    let mut name = String::new();
    let mut chars = 0;
    for c in text.chars().flat_map(char::to_lowercase) {
        if chars == NAME_CHARS {
            break;
        }
        if c.is_alphanumeric() {
            name.push(c);
            chars += 1;
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
            chars += 1;
        }
    }
    name.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_told_by_its_first_words() {
        for (text, expected) in [
            ("# Tea\n\nGreen, at 70 °C.\n", "Tea: Green, at 70 °C."),
            ("---\nname: x\n---\n\nBody", "Body"),
            ("# Only a title", "Only a title"),
            ("", ""),
        ] {
            assert_eq!(about(text, 80), expected);
        }
    }

    #[test]
    fn names_hold_letters_digits_and_dashes() {
        assert_eq!(file_name("  Use ../SQLite: WAL! "), "use-sqlite-wal");
        assert_eq!(file_name("日本語 メモ"), "日本語-メモ");
        assert_eq!(file_name("..//.."), "");
        assert!(file_name(&"x".repeat(500)).len() <= NAME_CHARS);
    }
}
