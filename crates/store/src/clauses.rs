//! Queries put together from what was asked for.

use crate::database::Value;

/// What a limit is where there is none.
const NO_LIMIT: i64 = i64::MAX;

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

    /// Ends it with an order and a limit.
    pub(crate) fn finish(&mut self, order: &str, limit: Option<usize>) {
        self.sql.push_str(order);
        self.add(" LIMIT ?", limit.map_or(NO_LIMIT, |limit| limit as i64));
    }
}
