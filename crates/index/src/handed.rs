//! What is handed to the local engine. It has a document of its own, but that takes a kilobyte at
//! least, and thousands wait for the engine's thread.

use crate::document::Passage;
use crate::handing::PlaceInLine;
use crate::schema::{self, Fields, TextField};
use std::iter::Empty;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{Document, Field, Value};

/// A passage on its way.
#[derive(Debug)]
pub(crate) struct Handed {
    pub(crate) passage: Passage,
    /// The commit that brings it.
    pub(crate) batch: u64,
    /// Dropped with it.
    pub(crate) line: Option<PlaceInLine>,
}

/// What a field is given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given<'a> {
    Unsigned(u64),
    Signed(i64),
    Terms(&'a str),
}

/// Fields every passage has.
const NUMBERS: usize = 7;
type Text = (TextField, Box<str>);

impl Document for Handed {
    type Value<'a> = Given<'a>;
    type FieldsValuesIter<'a> = std::iter::Chain<
        std::array::IntoIter<(Field, Given<'a>), NUMBERS>,
        std::iter::Map<std::slice::Iter<'a, Text>, fn(&'a Text) -> (Field, Given<'a>)>,
    >;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let Passage { place, facts, texts } = &self.passage;
        let fields = Fields::known();
        let whose = if place.seq().is_some() { fields.session } else { fields.card };
        let numbers = [
            (whose, Given::Unsigned(place.session() as u64)),
            (fields.place, Given::Unsigned(place.0)),
            (fields.ts, Given::Signed(facts.ts.0)),
            (fields.kind, Given::Unsigned(schema::kind_code(facts.kind))),
            (fields.exit, Given::Signed(schema::exit_code(facts.exit))),
            (fields.tool_name, Given::Unsigned(facts.tool)),
            (fields.batch, Given::Unsigned(self.batch)),
        ];
        let text: fn(&Text) -> (Field, Given<'_>) =
            |(field, terms)| (Fields::known().text(*field), Given::Terms(terms));
        numbers.into_iter().chain(texts.iter().map(text))
    }
}

impl<'a> Value<'a> for Given<'a> {
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
