//! Passages as lexemes, and terms as queries. Postgres never sees a text: it is given the terms the
//! local index would store, each with the letter of its field before it.

use backstory_index::{Passage, TextField, scoring};
use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use std::error::Error;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// Positions Postgres keeps of one lexeme, and the last one it can tell from others.
const MAX_POSITIONS: usize = 255;
const MAX_POSITION: usize = 16_383;
/// Bits of a length in [`Lengths`].
const LENGTH_BITS: u32 = 20;

/// The letter of a field.
pub(super) fn letter(field: TextField) -> char {
    match field {
        TextField::Title => 't',
        TextField::Prompt => 'p',
        TextField::Prose => 'a',
        TextField::Tool => 'o',
        TextField::Names => 'n',
    }
}

/// A passage in which a term is so dense is nearly about it: about one in eight.
fn dense_from(field: TextField) -> f32 {
    match field {
        TextField::Title | TextField::Prompt | TextField::Prose => 1.5,
        TextField::Names => 1.6,
        TextField::Tool => 1.75,
    }
}

/// A term of a field.
pub(super) fn lexeme(field: TextField, term: &str) -> String {
    format!("{}{term}", letter(field))
}

/// The same in passages that are nearly about it.
pub(super) fn dense(lexeme: &str) -> String {
    let letter = lexeme.chars().next().map(|letter| letter.to_ascii_uppercase());
    letter.into_iter().chain(lexeme.chars().skip(1)).collect()
}

/// A lexeme as a query.
pub(super) fn quoted(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', "\\\\").replace('\'', "''"))
}

/// Lexemes that follow each other, as a query.
pub(super) fn phrase(lexemes: &[String]) -> String {
    let quoted: Vec<String> = lexemes.iter().map(|lexeme| quoted(lexeme)).collect();
    format!("({})", quoted.join("<->"))
}

/// Words in the title, in the text and among the names of a passage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lengths(pub(super) i64);

impl Lengths {
    fn shift(field: TextField) -> u32 {
        match field {
            TextField::Title => 0,
            TextField::Prompt | TextField::Prose | TextField::Tool => LENGTH_BITS,
            TextField::Names => 2 * LENGTH_BITS,
        }
    }

    fn add(&mut self, field: TextField, length: usize) {
        let length = length.min((1 << LENGTH_BITS) - 1) as i64;
        self.0 |= length << Self::shift(field);
    }

    /// Words in a field, if the passage has it.
    pub(super) fn of(self, field: TextField) -> u32 {
        ((self.0 >> Self::shift(field)) & ((1 << LENGTH_BITS) - 1)) as u32
    }
}

/// The lexemes of a passage with their positions, as Postgres reads them.
#[derive(Debug, Default)]
pub(super) struct Lexemes {
    bytes: Vec<u8>,
    /// Where in the bytes each of them is.
    each: Vec<Range<usize>>,
    /// The same in short; see [`times`].
    pub(super) had: Vec<u8>,
}

/// What a lexeme is recognised by.
pub(super) type Hash = [u8; 3];
/// Bytes of a hash and of how often the lexeme stands in a passage.
const HAD_BYTES: usize = 4;
/// So many lexemes are told in short; a page has to hold them.
const MAX_HAD: usize = 1_500;

/// How often a lexeme stands in a passage; 0 if it does not.
pub(super) fn times(had: &[u8], hash: Hash) -> f32 {
    let entries = had.as_chunks::<HAD_BYTES>().0;
    let found = entries.binary_search_by(|entry| entry[..3].cmp(&hash));
    found.map_or(0.0, |at| f32::from(entries[at][3]))
}

/// The hash of a lexeme.
pub(super) fn hash(lexeme: &[u8]) -> Hash {
    let [first, second, third, ..] = xxh3_64(lexeme).to_le_bytes();
    [first, second, third]
}

/// A term of a passage and where it stands.
struct Standing<'a> {
    term: &'a str,
    position: usize,
}

impl Lexemes {
    /// Those of a passage, and its lengths.
    pub(super) fn of(passage: &Passage) -> (Self, Lengths) {
        let mut lengths = Lengths::default();
        let mut fields: Vec<(TextField, usize, Vec<Standing<'_>>)> = Vec::new();
        for (field, terms) in &passage.texts {
            // A blank at the end begins no term.
            let terms = terms.strip_suffix(' ').unwrap_or(terms).split(' ');
            let mut standing: Vec<Standing<'_>> =
                terms.zip(1..).map(|(term, position)| Standing { term, position }).collect();
            let length = standing.len();
            lengths.add(*field, length);
            standing.retain(|standing| !standing.term.is_empty() && !standing.term.contains('\0'));
            standing.sort_unstable_by(|left, right| {
                left.term.cmp(right.term).then(left.position.cmp(&right.position))
            });
            fields.push((*field, length, standing));
        }
        // In the order Postgres keeps them in; it would sort them otherwise.
        fields.sort_unstable_by_key(|(field, ..)| letter(*field));
        let mut lexemes = Self { bytes: vec![0; 4], ..Self::default() };
        for (field, length, standing) in &fields {
            for same in standing.chunk_by(|left, right| left.term == right.term) {
                let times = same.len().min(MAX_POSITIONS) as f32;
                if scoring::density(times, *length as u32, *field) >= dense_from(*field) {
                    lexemes.push(letter(*field).to_ascii_uppercase(), same[0].term, &[]);
                }
            }
        }
        let mut had: Vec<(Hash, u8)> = Vec::new();
        for (field, _, standing) in &fields {
            for same in standing.chunk_by(|left, right| left.term == right.term) {
                let positions = positions(*field, same);
                lexemes.push(letter(*field), same[0].term, &positions);
                had.push((hash(lexemes.last()), positions.len().min(usize::from(u8::MAX)) as u8));
            }
        }
        had.truncate(MAX_HAD);
        had.sort_unstable();
        lexemes.had =
            had.iter().flat_map(|(hash, times)| hash.iter().chain([times])).copied().collect();
        let count = lexemes.each.len() as u32;
        lexemes.bytes[..4].copy_from_slice(&count.to_be_bytes());
        (lexemes, lengths)
    }

    fn push(&mut self, letter: char, term: &str, positions: &[u16]) {
        let from = self.bytes.len();
        self.bytes.push(letter as u8);
        self.bytes.extend_from_slice(term.as_bytes());
        self.each.push(from..self.bytes.len());
        self.bytes.push(0);
        self.bytes.extend_from_slice(&(positions.len() as u16).to_be_bytes());
        for position in positions {
            self.bytes.extend_from_slice(&position.to_be_bytes());
        }
    }

    fn last(&self) -> &[u8] {
        self.each.last().map_or(&[], |at| &self.bytes[at.clone()])
    }

    /// Each once.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.each.iter().filter_map(|at| std::str::from_utf8(&self.bytes[at.clone()]).ok())
    }

    /// Bytes on their way.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// Where a term stands, as far as Postgres can tell. Of names only how many there are matters, and those
/// of a long output lie far apart.
fn positions(field: TextField, same: &[Standing<'_>]) -> Vec<u16> {
    let place = |(number, standing): (usize, &Standing<'_>)| {
        let position = if field == TextField::Names { number + 1 } else { standing.position };
        position.min(MAX_POSITION) as u16
    };
    let mut positions: Vec<u16> = same.iter().take(MAX_POSITIONS).enumerate().map(place).collect();
    positions.dedup();
    positions
}

impl ToSql for Lexemes {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.bytes);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TS_VECTOR
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_index::{Facts, Place};
    use backstory_model::Timestamp;

    #[test]
    fn lexemes_are_quoted_for_queries() {
        assert_eq!(quoted("na'b\\c"), "'na''b\\\\c'");
        assert_eq!(phrase(&["pa".into(), "pb".into()]), "('pa'<->'pb')");
        assert_eq!(dense("pété"), "Pété");
    }

    #[test]
    fn terms_stand_in_order_with_their_places() {
        let facts = Facts { ts: Timestamp(0), kind: None, exit: None, tool: 0 };
        let texts = vec![
            (TextField::Tool, "run b run a b run run".into()),
            (TextField::Names, " x_y x_y ".into()),
        ];
        let (lexemes, lengths) = Lexemes::of(&Passage { place: Place::event(1, 0), facts, texts });
        assert_eq!(
            lexemes.all().collect::<Vec<_>>(),
            ["Nx_y", "Ob", "Orun", "nx_y", "oa", "ob", "orun"]
        );
        assert_eq!((lengths.of(TextField::Tool), lengths.of(TextField::Names)), (7, 3));
        assert_eq!(times(&lexemes.had, hash(b"orun")) as u8, 4);
        assert_eq!(times(&lexemes.had, hash(b"oa")) as u8, 1);
        assert_eq!(times(&lexemes.had, hash(b"ox")) as u8, 0);
        assert!(lexemes.bytes.ends_with(b"orun\0\0\x04\0\x01\0\x03\0\x06\0\x07"));
    }

    #[test]
    fn lengths_are_told_apart() {
        let mut lengths = Lengths::default();
        lengths.add(TextField::Title, 3);
        lengths.add(TextField::Prose, 77);
        lengths.add(TextField::Names, 1 << 30);
        let of = |field| lengths.of(field);
        assert_eq!((of(TextField::Title), of(TextField::Prose)), (3, 77));
        assert_eq!(of(TextField::Names), (1 << LENGTH_BITS) - 1);
    }
}
