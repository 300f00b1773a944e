//! Tokens of model responses: each response once over all sessions, added up in its session.

use crate::chunk::{Chunk, UsageRow, UsageRule};
use crate::clauses::{Clauses, LONG_LIST};
use crate::database::{TakeRow, values};
use crate::{StoreError, Writer};
use backstory_model::{EventKey, Usage};
use std::collections::HashMap;

/// What a new response is stored as.
pub(crate) const USAGE_COLUMNS: [&str; 11] = [
    "key",
    "session_id",
    "ts",
    "model_id",
    "input",
    "output",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "reasoning",
    "usd",
];

/// Tokens and money to be added to a session.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    tokens: [i64; 6],
    usd: Option<f64>,
}

/// A response as it is going to be stored.
#[derive(Clone, Copy)]
struct Response {
    session_id: i64,
    ts: Option<i64>,
    model: Option<i64>,
    tokens: [i64; 6],
    usd: Option<f64>,
    change: Change,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    New,
    Merged,
}

impl Response {
    /// Takes in what was said of the response again; true if that changed it.
    fn merge(&mut self, row: &UsageRow, model: Option<i64>) -> bool {
        let new = tokens(row.usage);
        let merged = match row.rule {
            UsageRule::Max => std::array::from_fn(|at| self.tokens[at].max(new[at])),
            UsageRule::Last => new,
        };
        let usd = row.usd.or(self.usd);
        if merged == self.tokens && usd == self.usd {
            return false;
        }
        (self.tokens, self.usd) = (merged, usd);
        self.ts = self.ts.or(row.ts.map(|at| at.0));
        self.model = model.or(self.model);
        if self.change == Change::None {
            self.change = Change::Merged;
        }
        true
    }

    fn put(&self, key: i64, take: &mut TakeRow<'_>) -> Result<(), StoreError> {
        let [input, output, read, write_5m, write_1h, reasoning] = self.tokens;
        take(values![
            key,
            self.session_id,
            self.ts,
            self.model,
            input,
            output,
            read,
            write_5m,
            write_1h,
            reasoning,
            self.usd
        ])
    }
}

impl Writer {
    /// Counts the responses of a chunk, within the open transaction.
    pub(crate) fn merge_usage(&mut self, chunk: &Chunk) -> Result<(), StoreError> {
        if chunk.usage.is_empty() {
            return Ok(());
        }
        let mut responses = self.known_usage(chunk.usage.iter().map(|row| row.key))?;
        let mut order = Vec::new();
        for row in &chunk.usage {
            let key = row.key.0 as i64;
            let model = row.model.map(|model| self.model_id(chunk.get(model))).transpose()?;
            if let Some(response) = responses.get_mut(&key) {
                let before = *response;
                if response.merge(row, model) {
                    let after = *response;
                    self.spend(&before, &after);
                    if before.change == Change::None {
                        order.push(key);
                    }
                }
                continue;
            }
            let response = Response {
                session_id: row.session_id,
                ts: row.ts.map(|at| at.0),
                model,
                tokens: tokens(row.usage),
                usd: row.usd,
                change: Change::New,
            };
            self.spend(&Response { tokens: [0; 6], usd: None, ..response }, &response);
            responses.insert(key, response);
            order.push(key);
        }
        self.put_usage(&order, &responses)
    }

    fn put_usage(
        &self,
        order: &[i64],
        responses: &HashMap<i64, Response>,
    ) -> Result<(), StoreError> {
        let of = |change: Change| {
            let kept = order.iter().filter_map(|key| Some((*key, responses.get(key)?)));
            kept.filter(move |(_, response)| response.change == change)
        };
        if of(Change::New).next().is_some() {
            self.database.insert("usage", &USAGE_COLUMNS, &mut |take| {
                of(Change::New).try_for_each(|(key, response)| response.put(key, take))
            })?;
        }
        let update = include_str!("sql/update_usage.sql");
        for (key, response) in of(Change::Merged) {
            response.put(key, &mut |values| self.database.run(update, values).map(|_| ()))?;
        }
        Ok(())
    }

    /// Those of the responses that were stored before.
    fn known_usage(
        &self,
        keys: impl Iterator<Item = EventKey>,
    ) -> Result<HashMap<i64, Response>, StoreError> {
        let keys: Vec<i64> = keys.map(|key| key.0 as i64).collect();
        let mut known = HashMap::new();
        for keys in keys.chunks(LONG_LIST) {
            let mut asked = Clauses::new(
                "SELECT key, session_id, input, output, cache_read, cache_write_5m, cache_write_1h,
                    reasoning, usd, ts, model_id
                 FROM usage WHERE key IN (",
            );
            asked.add_list(keys);
            self.database.each(&asked.sql, &asked.values, |row| -> Result<(), StoreError> {
                let mut tokens = [0_i64; 6];
                for (at, count) in tokens.iter_mut().enumerate() {
                    *count = row.get(at + 2)?;
                }
                let response = Response {
                    session_id: row.get(1)?,
                    ts: row.get(9)?,
                    model: row.get(10)?,
                    tokens,
                    usd: row.get(8)?,
                    change: Change::None,
                };
                known.insert(row.get(0)?, response);
                Ok(())
            })?;
        }
        Ok(known)
    }

    /// Names of models are long and few; a response refers to its model by number.
    pub(crate) fn model_id(&mut self, name: &str) -> Result<i64, StoreError> {
        if let Some(id) = self.models.get(name) {
            return Ok(*id);
        }
        let insert = "INSERT INTO models (name) VALUES (?1) ON CONFLICT DO NOTHING";
        self.database.run(insert, values![name])?;
        let select = "SELECT id FROM models WHERE name = ?1";
        let id = self.database.one(select, values![name], |row| row.get(0))?.unwrap_or_default();
        self.models.insert(name.to_owned(), id);
        Ok(id)
    }

    fn spend(&mut self, before: &Response, after: &Response) {
        let spent = self.spent.entry(after.session_id).or_default();
        let tokens = after.tokens.iter().zip(before.tokens);
        for (sum, (after, before)) in spent.tokens.iter_mut().zip(tokens) {
            *sum += after - before;
        }
        if let Some(usd) = after.usd {
            *spent.usd.get_or_insert(0.0) += usd - before.usd.unwrap_or(0.0);
        }
    }

    /// Adds what was spent to its sessions, within the open transaction.
    pub(crate) fn add_spent(&mut self) -> Result<(), StoreError> {
        for (session_id, spent) in self.spent.drain() {
            let [input, output, read, write_5m, write_1h, reasoning] = spent.tokens;
            self.database.run(
                include_str!("sql/add_spent.sql"),
                values![session_id, input, output, read, write_5m, write_1h, reasoning, spent.usd],
            )?;
        }
        Ok(())
    }
}

fn tokens(usage: Usage) -> [i64; 6] {
    [
        usage.input as i64,
        usage.output as i64,
        usage.cache_read as i64,
        usage.cache_write_5m as i64,
        usage.cache_write_1h as i64,
        usage.reasoning as i64,
    ]
}
