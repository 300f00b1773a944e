//! The fields of a document.

use backstory_model::{EventKind, Timestamp};
use tantivy::Term;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use xxhash_rust::xxh3::xxh3_64;

/// The directory below the home. A change of schema, terms or passages changes the number; an index
/// under another name is of another version and is built anew.
pub const DIR_NAME: &str = "index-v3";

/// The name of our tokeniser in the schema.
pub(crate) const BLANKS: &str = "blanks";
/// What a missing exit code is stored as.
const NO_EXIT: i64 = i64::MAX;

/// The fields. Words are stems, with positions; names are whole identifiers, file names, and words
/// as they were written where their stem differs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) title: Field,
    pub(crate) prompt: Field,
    pub(crate) prose: Field,
    pub(crate) tool: Field,
    pub(crate) names: Field,
    /// The session of an event; removing raw events goes by it.
    pub(crate) session: Field,
    /// The session a card is of.
    pub(crate) card: Field,
    /// The commit that brought it.
    pub(crate) batch: Field,
    pub(crate) place: Field,
    pub(crate) ts: Field,
    pub(crate) kind: Field,
    pub(crate) exit: Field,
    pub(crate) tool_name: Field,
}

impl Fields {
    pub(crate) fn build() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let text = |record| {
            let indexing =
                TextFieldIndexing::default().set_tokenizer(BLANKS).set_index_option(record);
            TextOptions::default().set_indexing_options(indexing)
        };
        let key: NumericOptions = INDEXED.into();
        let fast: NumericOptions = FAST.into();
        let words = text(IndexRecordOption::WithFreqsAndPositions);
        let fields = Self {
            title: schema.add_text_field("title", words.clone()),
            prompt: schema.add_text_field("prompt", words.clone()),
            prose: schema.add_text_field("prose", words.clone()),
            tool: schema.add_text_field("tool", words),
            names: schema.add_text_field("names", text(IndexRecordOption::WithFreqs)),
            session: schema.add_u64_field("session", key.clone()),
            card: schema.add_u64_field("card", key.clone()),
            batch: schema.add_u64_field("batch", key),
            place: schema.add_u64_field("place", fast.clone()),
            ts: schema.add_i64_field("ts", fast.clone()),
            kind: schema.add_u64_field("kind", fast.clone()),
            exit: schema.add_i64_field("exit", fast.clone()),
            tool_name: schema.add_u64_field("tool_name", fast),
        };
        (schema.build(), fields)
    }

    /// Where words are looked for.
    pub(crate) fn word_fields(&self) -> [Field; 4] {
        [self.title, self.prompt, self.prose, self.tool]
    }

    /// A word in every field of words.
    pub(crate) fn word_terms(&self, stem: &str, written: &str) -> [Term; 4] {
        self.word_fields().map(|field| {
            Term::from_field_text(field, if field == self.tool { written } else { stem })
        })
    }
}

/// What filters may ask of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// When it happened; 0 if unknown.
    pub ts: Timestamp,
    /// Its kind; none for a session as a whole.
    pub kind: Option<EventKind>,
    /// The exit code of a command.
    pub exit: Option<i32>,
    /// The tool, by [`tool_key`]; 0 for none.
    pub tool: u64,
}

/// A tool's name as filters compare it.
pub fn tool_key(name: &str) -> u64 {
    xxh3_64(name.to_lowercase().as_bytes()) >> 32
}

pub(crate) fn kind_code(kind: Option<EventKind>) -> u64 {
    kind.map_or(0, |kind| u64::from(kind.code()) + 1)
}

pub(crate) fn kind_of(code: u64) -> Option<EventKind> {
    code.checked_sub(1).and_then(|code| EventKind::from_code(code as u8))
}

pub(crate) fn exit_code(exit: Option<i32>) -> i64 {
    exit.map_or(NO_EXIT, i64::from)
}

pub(crate) fn exit_of(code: i64) -> Option<i32> {
    i32::try_from(code).ok()
}
