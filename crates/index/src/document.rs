//! What is handed to the engine. It has a document of its own, but that takes a kilobyte at least,
//! and thousands wait for the engine's thread.

use crate::handing::PlaceInLine;
use std::iter::Empty;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{Document, Field, Value};

/// The fields of one passage.
#[derive(Debug)]
pub(crate) struct Passage {
    fields: Vec<(Field, Given)>,
    /// Dropped with it.
    pub(crate) place: Option<PlaceInLine>,
}

/// What a field is given.
#[derive(Debug)]
pub(crate) enum Given {
    Unsigned(u64),
    Signed(i64),
    Terms(Box<str>),
}

/// As many as an event has.
const FIELDS: usize = 9;

impl Passage {
    /// Memory one takes beside its terms.
    pub(crate) const BYTES: usize = size_of::<Self>() + FIELDS * size_of::<(Field, Given)>();

    pub(crate) fn new() -> Self {
        Self { fields: Vec::with_capacity(FIELDS), place: None }
    }

    pub(crate) fn add_u64(&mut self, field: Field, value: u64) {
        self.fields.push((field, Given::Unsigned(value)));
    }

    pub(crate) fn add_i64(&mut self, field: Field, value: i64) {
        self.fields.push((field, Given::Signed(value)));
    }

    /// Adds terms, unless there are none.
    pub(crate) fn add_terms(&mut self, field: Field, terms: &str) {
        if !terms.is_empty() {
            self.fields.push((field, Given::Terms(terms.into())));
        }
    }
}

impl Document for Passage {
    type Value<'a> = &'a Given;
    type FieldsValuesIter<'a> = std::iter::Map<
        std::slice::Iter<'a, (Field, Given)>,
        fn(&'a (Field, Given)) -> (Field, &'a Given),
    >;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.fields.iter().map(|(field, value)| (*field, value))
    }
}

impl<'a> Value<'a> for &'a Given {
    type ArrayIter = Empty<Self>;
    type ObjectIter = Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match self {
            Given::Unsigned(value) => ReferenceValueLeaf::U64(*value),
            Given::Signed(value) => ReferenceValueLeaf::I64(*value),
            Given::Terms(terms) => ReferenceValueLeaf::Str(terms),
        })
    }
}
