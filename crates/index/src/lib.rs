//! The search index: full text and vectors over what the archive holds. All of it is derived; it
//! can be deleted and is built anew.
//!
//! One document is a passage of one event, or what is known of a session as a whole (title, digest,
//! signals). Documents hold no text to show, only terms, a place and what filters ask for; who
//! found a place reads the archive. A [`Shelf`] says where the index is kept; [`IndexWriter`] adds and
//! really removes, a [`Reader`] finds.

mod analysis;
mod asked;
mod columns;
mod directory;
mod document;
mod error;
pub mod evidence;
mod files;
mod handed;
mod handing;
mod kept;
mod lexical;
mod local;
mod merging;
mod place;
mod prefix;
mod preparing;
mod reader;
mod schema;
pub mod scoring;
mod shelf;
mod statistics;
mod tokens;
mod wanted;
mod within;
mod writer;
mod writing;

pub use asked::telling;
pub use document::Passage;
pub use error::IndexError;
pub use evidence::{Evidence, WordSeen};
pub use lexical::{Accept, AcceptPassage, Hit, Lexical, NAME_WEIGHT, TITLE_WEIGHT};
pub use local::LocalShelf;
pub use place::Place;
pub use prefix::{MAX_TERMS as MAX_PREFIX_TERMS, most_frequent};
pub use preparing::{Prepared, Preparer, SessionCard, embed};
pub use schema::{DIR_NAME, Facts, TextField, tool_key};
pub use shelf::{Asked, Reader, Shelf, Stay, Stock, Writer};
pub use wanted::{Phrase, Wanted, WantedWord};
pub use writing::IndexWriter;
