//! The search index: `index --json`.

use serde::Serialize;

/// What was done to the index, and how it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Index {
    /// Its name, which says its version.
    pub name: &'static str,
    /// It was begun anew.
    pub is_new: bool,
    /// Sessions brought up to date.
    pub sessions: u64,
    /// Events added.
    pub events: u64,
    /// Passages of text it holds.
    pub documents: u64,
    /// Passages it knows the meaning of.
    pub vectors: u64,
    /// Parts the full text lies in.
    pub segments: u64,
    /// Its size on disk.
    pub bytes: u64,
    /// Sessions it has not heard all of.
    pub behind: u64,
    /// What is wrong with it.
    pub problem: Option<String>,
}
