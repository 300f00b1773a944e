//! A passage as every index takes it.

use crate::Place;
use crate::schema::{Facts, TextField};

/// A passage of an event, or of what is known of a session as a whole.
#[derive(Debug)]
pub struct Passage {
    /// Where it is.
    pub place: Place,
    /// What filters ask of it.
    pub facts: Facts,
    /// Its terms in every field it has, one blank between them.
    pub texts: Vec<(TextField, Box<str>)>,
}

/// As many fields of text as most have.
const TEXTS: usize = 2;

impl Passage {
    /// Memory one takes beside its terms.
    pub(crate) const BYTES: usize = size_of::<Self>() + TEXTS * size_of::<(TextField, Box<str>)>();

    pub(crate) fn new(place: Place, facts: Facts) -> Self {
        Self { place, facts, texts: Vec::with_capacity(TEXTS) }
    }

    /// Adds terms, unless there are none.
    pub(crate) fn add_terms(&mut self, field: TextField, terms: &str) {
        if !terms.is_empty() {
            self.texts.push((field, terms.into()));
        }
    }
}
