//! Queries put together from what was asked for.

use crate::database::Value;

/// What a limit is where there is none.
const NO_LIMIT: i64 = i64::MAX;

/// Lists are filled up to one of these lengths, so that there are few statements to prepare.
const LIST_LENGTHS: [usize; 6] = [1, 8, 16, 32, 64, 256];
/// The longest list of keys…
pub(crate) const LONG_LIST: usize = 256;
/// …of what is looked up one by one whatever the server knows of its tables…
pub(crate) const MIDDLE_LIST: usize = 64;
/// …and of sessions: a server that has not looked at their table yet takes a tenant for a handful of them,
/// and would rather read all than look up more than these.
pub(crate) const SHORT_LIST: usize = 16;

/// A list, filled up to a length that is prepared.
pub(crate) fn filled<'a, T>(list: &'a [T], filling: &'a T) -> impl Iterator<Item = &'a T> {
    let length = LIST_LENGTHS.into_iter().find(|length| *length >= list.len());
    let missing = length.unwrap_or(list.len()) - list.len();
    list.iter().chain(std::iter::repeat_n(filling, missing))
}

/// A statement that grows clause by clause, with its values.
#[derive(Debug)]
pub(crate) struct Clauses<'a> {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value<'a>>,
}

impl<'a> Clauses<'a> {
    pub(crate) fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), values: Vec::new() }
    }

    /// Adds a clause; every `?` in it is the value.
    pub(crate) fn add(&mut self, clause: &str, value: impl Into<Value<'a>>) {
        self.values.push(value.into());
        self.sql.push_str(&clause.replace('?', &format!("?{}", self.values.len())));
    }

    /// The same, if there is a value.
    pub(crate) fn add_if(&mut self, clause: &str, value: Option<impl Into<Value<'a>>>) {
        if let Some(value) = value {
            self.add(clause, value);
        }
    }

    /// Adds that the clause holds for one of the values, if there are any.
    pub(crate) fn add_any<T: Into<Value<'a>>>(
        &mut self,
        clause: &str,
        values: impl IntoIterator<Item = T>,
    ) {
        let mut word = " AND (";
        for value in values {
            self.sql.push_str(word);
            self.add(clause, value);
            word = " OR ";
        }
        if word == " OR " {
            self.sql.push(')');
        }
    }

    /// Adds a list of keys with its closing bracket.
    pub(crate) fn add_list(&mut self, keys: &[i64]) {
        // Nothing is in a list of nothing; without an entry it would be no list.
        let Some(last) = keys.last() else { return self.sql.push_str("NULL)") };
        for (at, key) in filled(keys, last).enumerate() {
            self.add(if at == 0 { "?" } else { ", ?" }, *key);
        }
        self.sql.push(')');
    }

    /// Ends it with an order and a limit.
    pub(crate) fn finish(&mut self, order: &str, limit: Option<usize>) {
        self.sql.push_str(order);
        self.add(" LIMIT ?", limit.map_or(NO_LIMIT, |limit| limit as i64));
    }
}
