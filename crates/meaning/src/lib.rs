//! What a text is about: a vector of 256 numbers from the words in it, and files of such vectors in
//! which the nearest are found. No input, no output, no clock.

// A loop is compiled for several processors only together with what is inlined into it.
#![allow(clippy::inline_always)]

mod embedding;
mod pieces;
mod table;
pub mod vectors;
mod words;

pub use embedding::{DIMENSIONS, Embedder, Embedding, cosine};
pub use table::{Table, TableError};
pub use vectors::{VectorFile, VectorFileError};
