//! Moments of a session into what the index keeps of them. It costs more than writing it down, and
//! needs no index: several threads may do it.

use crate::analysis::{Analyst, Terms};
use crate::document::Passage;
use crate::schema::{self, Facts, TextField};
use crate::{IndexError, Place};
use backstory_distill::passages::{self, Voice};
use backstory_meaning::{Embedder, Embedding, Table};
use backstory_model::{SessionEvent, Timestamp};

/// What is known of a session as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionCard {
    /// Its title.
    pub title: String,
    /// Digest and signals in words.
    pub text: String,
    /// Its last activity.
    pub ts: Option<Timestamp>,
}

/// Moments as the index takes them.
#[derive(Debug, Default)]
pub struct Prepared {
    /// In the order of their places.
    pub passages: Vec<Passage>,
    /// What their prose is about.
    pub vectors: Vec<(Place, Embedding)>,
    bytes: usize,
}

impl Prepared {
    /// Memory it takes, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Leaves out what comes before some event; returns how many events remain.
    pub(crate) fn begin_at(&mut self, from_seq: u32) -> u64 {
        let is_wanted = |place: Place| place.seq().is_none_or(|seq| seq >= from_seq);
        self.vectors.retain(|(place, _)| is_wanted(*place));
        self.passages.retain(|passage| is_wanted(passage.place));
        let places = self.passages.iter().map(|passage| passage.place);
        let mut last = None;
        places.filter(|place| last.replace(*place) != Some(*place)).count() as u64
    }

    fn add_vector(&mut self, place: Place, embedding: Option<Embedding>) {
        if let Some(embedding) = embedding {
            self.bytes += size_of::<(Place, Embedding)>();
            self.vectors.push((place, embedding));
        }
    }
}

/// Prepares moments; remembers words, so that one is best used for many sessions.
pub struct Preparer {
    embedder: Embedder<'static>,
    analyst: Analyst,
    /// What a tool was told, without the form of it.
    spoken: String,
    /// Those of the passage being made.
    terms: Terms,
    session: i64,
}

impl std::fmt::Debug for Preparer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Preparer").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Preparer {
    /// One that has met no word yet.
    pub fn new() -> Result<Self, IndexError> {
        let table = Table::shipped().map_err(|error| IndexError::Damaged(error.to_string()))?;
        Ok(Self {
            embedder: Embedder::new(table),
            analyst: Analyst::default(),
            spoken: String::new(),
            terms: Terms::default(),
            session: 0,
        })
    }

    /// Says whose events come next, in their order.
    pub fn begin_session(&mut self, session: i64) {
        self.session = session;
        self.analyst.begin_session();
    }

    /// Adds an event with its content to `out`.
    pub fn add_event(&mut self, event: &SessionEvent, text: &str, out: &mut Prepared) {
        let Some(voice) = passages::voice(event.kind) else { return };
        let place = Place::event(self.session, event.seq);
        if voice == Voice::Tool {
            self.add_tool_terms(event, text);
            self.put(event_passage(place, event), TextField::Tool, out);
            return;
        }
        let field = if voice == Voice::Prompt { TextField::Prompt } else { TextField::Prose };
        for part in passages::prose(text) {
            out.add_vector(place, self.embedder.embed(part));
            self.terms.clear();
            self.analyst.add_prose(part, &mut self.terms);
            self.put(event_passage(place, event), field, out);
        }
    }

    fn add_tool_terms(&mut self, event: &SessionEvent, text: &str) {
        let Self { terms, spoken, analyst, .. } = self;
        terms.clear();
        let cut = passages::tool(passages::spoken(text, spoken));
        for part in &cut.told {
            Analyst::add_tool(part, terms);
        }
        analyst.add_names(cut.rest, terms);
        for file in &event.files {
            if !cut.told.iter().any(|part| part.contains(file.as_str())) {
                Analyst::add_tool(file, terms);
            }
        }
    }

    /// Adds what is known of a session as a whole.
    pub fn add_card(&mut self, session: i64, card: &SessionCard, out: &mut Prepared) {
        let place = Place::session_card(session);
        let mut title = Some(card.title.as_str());
        for part in passages::prose(&card.text).chain(std::iter::once("")) {
            if part.is_empty() && title.is_none() {
                break;
            }
            self.terms.clear();
            self.analyst.add_prose(part, &mut self.terms);
            let ts = card.ts.unwrap_or(Timestamp(0));
            let mut passage = Passage::new(place, Facts { ts, kind: None, exit: None, tool: 0 });
            let embedding = match title.take() {
                Some(title) => {
                    let mut terms = Terms::default();
                    self.analyst.add_prose(title, &mut terms);
                    passage.add_terms(TextField::Title, &terms.words);
                    self.terms.names.push(' ');
                    self.terms.names.push_str(&terms.names);
                    self.embedder.embed(&format!("{title}\n{part}"))
                }
                None => self.embedder.embed(part),
            };
            out.add_vector(place, embedding);
            self.put(passage, TextField::Prose, out);
        }
    }

    /// Adds a passage with the terms at hand.
    fn put(&self, mut passage: Passage, field: TextField, out: &mut Prepared) {
        passage.add_terms(field, &self.terms.words);
        passage.add_terms(TextField::Names, &self.terms.names);
        out.bytes += Passage::BYTES + self.terms.words.len() + self.terms.names.len();
        out.passages.push(passage);
    }
}

/// What a text is about; none if it has hardly a word.
pub fn embed(text: &str) -> Option<Embedding> {
    Embedder::new(Table::shipped().ok()?).embed(text)
}

fn event_passage(place: Place, event: &SessionEvent) -> Passage {
    let facts = Facts {
        ts: event.ts.unwrap_or(Timestamp(0)),
        kind: Some(event.kind),
        exit: event.exit_code,
        tool: event.tool.as_deref().map_or(0, schema::tool_key),
    };
    Passage::new(place, facts)
}
