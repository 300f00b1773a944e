//! The fields of a document.

use backstory_model::{EventKind, Timestamp};
use std::sync::LazyLock;
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

/// A field of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextField {
    /// A session's title, as stems.
    Title,
    /// What the human said, as stems.
    Prompt,
    /// What the agent said, and digests, as stems.
    Prose,
    /// What a tool was told or answered, as it stands there.
    Tool,
    /// Whole identifiers, file names, and words as they were written.
    Names,
}

impl TextField {
    /// Where words are looked for.
    pub const OF_WORDS: [Self; 4] = [Self::Title, Self::Prompt, Self::Prose, Self::Tool];

    /// Words in a usual text of it.
    pub(crate) fn usual_length(self) -> u32 {
        match self {
            Self::Title => 10,
            Self::Tool => 150,
            Self::Prompt | Self::Prose | Self::Names => 50,
        }
    }
}

static BUILT: LazyLock<(Schema, Fields)> = LazyLock::new(Fields::build);

impl Fields {
    /// The fields of this version.
    pub(crate) fn known() -> &'static Self {
        &BUILT.1
    }

    /// The schema of this version.
    pub(crate) fn schema() -> &'static Schema {
        &BUILT.0
    }

    /// A field of text.
    pub(crate) fn text(&self, field: TextField) -> Field {
        match field {
            TextField::Title => self.title,
            TextField::Prompt => self.prompt,
            TextField::Prose => self.prose,
            TextField::Tool => self.tool,
            TextField::Names => self.names,
        }
    }

    fn build() -> (Schema, Self) {
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
