//! Lines of the tree that fit an expression. Sessions are looked through event by event, the latest
//! first, until a bound is met; the answer says from where to go on.

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
/// Between an address and a line, where a question goes on.
const AT_LINE: &str = "#L";

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct GrepOptions {
    /// Expressions, any of which may fit; one that cannot be read as such is taken as it stands.
    pub patterns: Vec<String>,
    /// In whatever case.
    pub ignore_case: bool,
    /// At most so many lines.
    pub limit: usize,
    /// Goes on where an earlier answer ended: its `next`.
    pub from: Option<String>,
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
    /// From where to go on, if something was not looked at.
    pub next: Option<String>,
    /// Sessions that were not looked at, because the ones before were enough work.
    pub sessions_left: usize,
}

struct Search {
    patterns: Vec<(String, Regex)>,
    limit: usize,
    bytes: usize,
    /// The address and the line to begin at; everything before it is passed over.
    from: Option<(String, usize)>,
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
        match search.from {
            Some((place, _)) => Err(TreeError::NotFound(place)),
            None => Ok(search.found),
        }
    }

    /// Documents at an address and below it.
    fn grep_files(&self, at: &Address, search: &mut Search) -> Result<(), TreeError> {
        let look = |address: &str, search: &mut Search| {
            if search.is_before(address) {
                return ControlFlow::Continue(());
            }
            // A file that went meanwhile has no lines.
            let text = self.read(address, Part::WHOLE).map(|reading| reading.text);
            search.look(address, &text.unwrap_or_default())
        };
        let visited = self.visit(at, usize::MAX, 0, &mut |_, entry| {
            if entry.is_folder {
                return ControlFlow::Continue(());
            }
            look(&entry.address, search)
        });
        match visited {
            Err(TreeError::IsFile(address)) => {
                let _ = look(&address, search);
                Ok(())
            }
            other => other.map(|_| ()),
        }
    }

    fn grep_sessions(&self, sessions: &[Session], search: &mut Search) -> Result<(), TreeError> {
        for (at, session) in sessions.iter().enumerate() {
            if search.found.next.is_some() {
                search.found.sessions_left = sessions.len() - at;
                break;
            }
            let begins = address(&session.session_uid, 0);
            let folder = &begins[..=begins.rfind('/').unwrap_or(0)];
            if search.from.as_ref().is_some_and(|(place, _)| !place.starts_with(folder)) {
                continue;
            }
            let vault = self.vault()?;
            transcript::in_order(vault, session, &mut |event| {
                let place = address(&event.session_uid, event.seq);
                if !transcript::is_told(event.kind) || search.is_before(&place) {
                    return ControlFlow::Continue(());
                }
                let content = vault.payload(event).unwrap_or_else(|_| event.summary.clone());
                search.look(&place, &content)
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
                builder.case_insensitive(options.ignore_case).size_limit(1 << 20);
                // The whole text is asked first, in which lines begin and end as well.
                builder.multi_line(true).crlf(true).build()
            };
            let pattern = build(text).or_else(|_| build(&regex::escape(text)));
            let pattern =
                pattern.map_err(|_| TreeError::Refused(format!("{text:?} is too large")))?;
            patterns.push((text.clone(), pattern));
        }
        if patterns.is_empty() {
            return Err(TreeError::Refused("there is nothing to look for".into()));
        }
        let from = options.from.as_deref().map(|from| match from.rsplit_once(AT_LINE) {
            Some((place, line)) => (place.to_owned(), line.parse().unwrap_or(1)),
            None => (from.to_owned(), 1),
        });
        Ok(Self { patterns, limit: options.limit, bytes: 0, from, found: Grepped::default() })
    }

    /// True for what an earlier answer told.
    fn is_before(&self, address: &str) -> bool {
        self.from.as_ref().is_some_and(|(place, _)| place != address)
    }

    fn stop_before(&mut self, address: &str, line: usize) -> ControlFlow<()> {
        self.found.next = Some(format!("{address}{AT_LINE}{line}"));
        ControlFlow::Break(())
    }

    fn look(&mut self, address: &str, text: &str) -> ControlFlow<()> {
        let first = self.from.take().map_or(1, |(_, line)| line);
        if self.bytes >= MOST_BYTES {
            return self.stop_before(address, first);
        }
        self.bytes += text.len();
        // Most texts hold no line that fits.
        if !self.patterns.iter().any(|(_, pattern)| pattern.is_match(text)) {
            return ControlFlow::Continue(());
        }
        for (line, number) in text.lines().zip(1..).skip_while(|(_, number)| *number < first) {
            let fits = self.patterns.iter().find_map(|(name, pattern)| {
                pattern.find(line).map(|found| (name.clone(), found.start()))
            });
            let Some((pattern, start)) = fits else { continue };
            if self.found.hits.len() == self.limit {
                return self.stop_before(address, number);
            }
            let text = around(line, start);
            self.found.hits.push(Hit { address: address.to_owned(), line: number, pattern, text });
        }
        ControlFlow::Continue(())
    }
}

/// The part of a line where something was found.
fn around(line: &str, start: usize) -> String {
    let before = line[..start].char_indices().rev().nth(LINE_CHARS / 3).map_or(0, |(at, _)| at);
    let mark = if before > 0 { "…" } else { "" };
    format!("{mark}{}", one_line(&line[before..], LINE_CHARS))
}
