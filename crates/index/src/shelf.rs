//! The seam: where an index is kept, how it is read and how it is written. One keeper is the machine
//! itself ([`crate::LocalShelf`]), another the server a team's archive lies on.

use crate::{Accept, Evidence, Hit, IndexError, Lexical, Place, Prepared, Wanted};
use backstory_meaning::Embedding;
use std::fmt::Debug;

/// A place an index is kept in.
pub trait Shelf: Debug + Send + Sync {
    /// The name of the index, which says its version.
    fn name(&self) -> &'static str;

    /// True once an index of this version was begun.
    fn exists(&self) -> bool;

    /// Bytes taken, by whatever version.
    fn bytes(&self) -> u64;

    /// Removes what there is, of whatever version.
    fn remove(&self) -> Result<(), IndexError>;

    /// Opens it for searching; [`IndexError::Missing`] if there is none.
    fn reader(&self, stay: Stay) -> Result<Box<dyn Reader>, IndexError>;

    /// Opens or creates it for writing. `batch` is the last commit the archive knows of; what came
    /// after it is undone. [`IndexError::Damaged`] if there is less than that.
    fn writer(&self, batch: u64) -> Result<Box<dyn Writer>, IndexError>;
}

/// How long an index stays open, which decides between speed and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stay {
    /// As long as a command runs: what is looked at may take all the memory it likes.
    Short,
    /// As long as a server does: what was looked at should not stay in memory.
    Long,
}

/// An index open for searching; several threads may ask at once.
pub trait Reader: Debug + Send + Sync {
    /// Passages.
    fn documents(&self) -> u64;

    /// True if there is any vector to compare with.
    fn has_vectors(&self) -> bool;

    /// How much there is.
    fn stock(&self) -> Stock;

    /// Files of vectors that should be there and cannot be read.
    fn missing_vectors(&self) -> &[String];

    /// Puts a query to the index.
    fn ask<'a>(&'a self, wanted: &'a Wanted) -> Result<Box<dyn Asked + 'a>, IndexError>;

    /// The newest passages that have every word; without a word, the newest of all.
    fn newest(&self, search: &Lexical<'_>) -> Result<Vec<Hit>, IndexError>;

    /// The places nearest in meaning, best first, each once.
    fn nearest(
        &self,
        query: &Embedding,
        limit: usize,
        accept: &mut dyn FnMut(Place) -> bool,
    ) -> Result<Vec<(Place, f32)>, IndexError>;

    /// The same within some sessions alone, which are in order; nothing where they are so many that asking
    /// all is as good.
    fn nearest_within(
        &self,
        query: &Embedding,
        limit: usize,
        sessions: &[i64],
    ) -> Result<Option<Vec<(Place, f32)>>, IndexError>;

    /// How near each of some places is; none for one without a vector.
    fn nearness(&self, query: &Embedding, places: &[Place])
    -> Result<Vec<Option<f32>>, IndexError>;
}

/// A query put to an index: its words are counted once, for every way of looking for them.
pub trait Asked: Sync {
    /// The best passages among titles, prompts, answers, thoughts and digests, each place once.
    fn prose(&self, limit: usize, accept: Option<Accept<'_>>) -> Result<Vec<Hit>, IndexError>;

    /// The best passages among calls and outputs of tools, and by names anywhere.
    fn tools(&self, limit: usize, accept: Option<Accept<'_>>) -> Result<Vec<Hit>, IndexError>;

    /// What sessions as a whole say to the words. A word is rare if few passages have it, and few of
    /// the sessions in question.
    fn evidence(&self, accept: &dyn Fn(i64) -> bool) -> Result<Evidence, IndexError>;
}

/// The one writer of an index.
pub trait Writer: Debug {
    /// Adds passages and vectors.
    fn add(&mut self, prepared: Prepared) -> Result<(), IndexError>;

    /// Removes a session's events. Their text must be gone before [`Writer::finish`] returns.
    fn remove_events(&mut self, session: i64) -> Result<(), IndexError>;

    /// Removes what is known of a session as a whole. With `for_good` its text must be gone before
    /// [`Writer::finish`] returns; otherwise another takes its place.
    fn remove_card(&mut self, session: i64, for_good: bool) -> Result<(), IndexError>;

    /// True when so much is pending that it should be committed.
    fn is_full(&self) -> bool;

    /// Makes everything so far durable and visible, in one step; returns the number of the commit.
    fn commit(&mut self) -> Result<u64, IndexError>;

    /// Ends writing; what was removed leaves no text behind. Call [`Writer::commit`] before.
    fn finish(self: Box<Self>) -> Result<(), IndexError>;
}

/// What an index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stock {
    /// Passages.
    pub documents: u64,
    /// Vectors.
    pub vectors: u64,
    /// Parts the full text lies in.
    pub segments: u64,
}
