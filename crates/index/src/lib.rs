//! The search index: full text and vectors over what the archive holds. All of it is derived; it
//! can be deleted and is built anew.
//!
//! One document is a passage of one event, or what is known of a session as a whole (title, digest,
//! signals). Documents hold no text to show, only terms, a place and what filters ask for; who
//! found a place reads the archive. [`IndexWriter`] adds and really removes, [`IndexReader`] finds.

mod analysis;
mod asked;
mod columns;
mod document;
mod error;
mod evidence;
mod files;
mod handing;
mod lexical;
mod merging;
mod place;
mod prefix;
mod preparing;
mod reader;
mod schema;
mod statistics;
mod tokens;
mod wanted;
mod writer;

pub use asked::Asked;
pub use error::IndexError;
pub use evidence::Evidence;
pub use lexical::{Accept, Hit, Lexical};
pub use place::Place;
pub use preparing::{Prepared, Preparer, SessionCard};
pub use reader::{IndexReader, Stock, Vectors};
pub use schema::{DIR_NAME, Facts, tool_key};
pub use wanted::{Phrase, Wanted, WantedWord};
pub use writer::IndexWriter;
