//! Lines of the tree that fit an expression. Sessions are looked through event by event, the latest
//! first, until a bound is met; what was not looked at is said.

use super::address::Address;
use super::place::Node;
use super::text::one_line;
use super::{Part, Tree, TreeError, transcript};
use backstory_model::{Session, address};
use regex::{Regex, RegexBuilder};
use std::ops::ControlFlow;

/// Text looked at for one question.
const MOST_BYTES: usize = 48 << 20;
/// What is told of a line.
const LINE_CHARS: usize = 300;
/// Files looked at for one question.
const MOST_FILES: usize = 20_000;

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct GrepOptions {
    /// Expressions, any of which may fit; one that cannot be read as such is taken as it stands.
    pub patterns: Vec<String>,
    /// In whatever case.
    pub ignore_case: bool,
    /// At most so many lines.
    pub limit: usize,
}

/// A line that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where it stands.
    pub address: String,
    /// Its number there, from 1.
    pub line: usize,
    /// The first expression that fits.
    pub pattern: String,
    /// The line, cut.
    pub text: String,
}

/// Lines that fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grepped {
    /// The lines.
    pub hits: Vec<Hit>,
    /// There may be more: the limit was met.
    pub is_cut: bool,
    /// Sessions that were not looked at, because the ones before were enough work.
    pub sessions_left: usize,
}

struct Search {
    patterns: Vec<(String, Regex)>,
    limit: usize,
    bytes: usize,
    found: Grepped,
}

impl Tree {
    /// Lines that fit at an address and below it.
    pub fn grep(&self, at: &str, options: &GrepOptions) -> Result<Grepped, TreeError> {
        let address = Address::parse(at)?;
        let mut search = Search::new(options)?;
        match self.node(&address)? {
            Node::Root => {
                self.grep_files(&Address::parse("backstory://memories")?, &mut search)?;
                self.grep_sessions(self.sessions()?, &mut search)?;
            }
            Node::Sessions => self.grep_sessions(self.sessions()?, &mut search)?,
            Node::Session(session) => {
                let uid = session.session_uid.as_str();
                let is_below = |other: &&Session| {
                    let rest = other.session_uid.as_str().strip_prefix(uid);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                let own: Vec<Session> = self.sessions()?.iter().filter(is_below).cloned().collect();
                self.grep_sessions(&own, &mut search)?;
            }
            Node::Transcript(session) => self.grep_sessions(&[*session], &mut search)?,
            _ => self.grep_files(&address, &mut search)?,
        }
        Ok(search.found)
    }

    /// Documents at an address and below it.
    fn grep_files(&self, at: &Address, search: &mut Search) -> Result<(), TreeError> {
        let mut files = Vec::new();
        let visited = self.visit(at, usize::MAX, 0, &mut |_, entry| {
            if !entry.is_folder {
                files.push(entry.address.clone());
            }
            if files.len() < MOST_FILES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        match visited {
            Err(TreeError::IsFile(address)) => files.push(address),
            other => search.found.is_cut |= other?.is_break(),
        }
        for address in files {
            // A file that went meanwhile has no lines.
            let Ok(reading) = self.read(&address, Part::WHOLE) else { continue };
            if search.look(&address, &reading.text).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn grep_sessions(&self, sessions: &[Session], search: &mut Search) -> Result<(), TreeError> {
        for (at, session) in sessions.iter().enumerate() {
            if search.is_done() {
                search.found.sessions_left = sessions.len() - at;
                break;
            }
            let vault = self.vault()?;
            transcript::in_order(vault, session, &mut |event| {
                if !transcript::is_told(event.kind) {
                    return ControlFlow::Continue(());
                }
                let content = vault.payload(event).unwrap_or_else(|_| event.summary.clone());
                search.look(&address(&event.session_uid, event.seq), &content)
            })?;
        }
        Ok(())
    }
}

impl Search {
    fn new(options: &GrepOptions) -> Result<Self, TreeError> {
        let mut patterns = Vec::new();
        for text in options.patterns.iter().filter(|text| !text.is_empty()) {
            let build = |text: &str| {
                let mut builder = RegexBuilder::new(text);
                builder.case_insensitive(options.ignore_case).size_limit(1 << 20).build()
            };
            let pattern = build(text).or_else(|_| build(&regex::escape(text)));
            let pattern =
                pattern.map_err(|_| TreeError::Refused(format!("{text:?} is too large")))?;
            patterns.push((text.clone(), pattern));
        }
        if patterns.is_empty() {
            return Err(TreeError::Refused("there is nothing to look for".into()));
        }
        Ok(Self { patterns, limit: options.limit, bytes: 0, found: Grepped::default() })
    }

    fn is_done(&self) -> bool {
        self.found.is_cut || self.bytes >= MOST_BYTES
    }

    fn look(&mut self, address: &str, text: &str) -> ControlFlow<()> {
        self.bytes += text.len();
        // Most texts hold no line that fits.
        if self.patterns.iter().any(|(_, pattern)| pattern.is_match(text)) {
            for (at, line) in text.lines().enumerate() {
                let fits = self.patterns.iter().find_map(|(name, pattern)| {
                    pattern.find(line).map(|found| (name, found.start()))
                });
                let Some((name, start)) = fits else { continue };
                if self.found.hits.len() == self.limit {
                    self.found.is_cut = true;
                    return ControlFlow::Break(());
                }
                self.found.hits.push(Hit {
                    address: address.to_owned(),
                    line: at + 1,
                    pattern: name.clone(),
                    text: around(line, start),
                });
            }
        }
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The part of a line where something was found.
fn around(line: &str, start: usize) -> String {
    let before = line[..start].char_indices().rev().nth(LINE_CHARS / 3).map_or(0, |(at, _)| at);
    let mark = if before > 0 { "…" } else { "" };
    format!("{mark}{}", one_line(&line[before..], LINE_CHARS))
}
