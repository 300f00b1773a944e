//! How many passages have a lexeme, kept in step with the passages.

use super::refused;
use backstory_index::IndexError;
use postgres::Client;
use rustc_hash::FxHashMap;

/// Lexemes written by one statement.
const CHUNK: usize = 20_000;

/// What a transaction changes.
#[derive(Debug, Default)]
pub(super) struct Counts {
    changes: FxHashMap<String, i64>,
    /// Passages more, or fewer.
    pub(super) passages: i64,
}

impl Counts {
    /// A passage with these lexemes was added.
    pub(super) fn add<'a>(&mut self, lexemes: impl Iterator<Item = &'a str>) {
        self.passages += 1;
        for lexeme in lexemes {
            match self.changes.get_mut(lexeme) {
                Some(count) => *count += 1,
                None => {
                    self.changes.insert(lexeme.to_owned(), 1);
                }
            }
        }
    }

    /// How many lexemes changed.
    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// Deletes passages and counts what they had. `condition` stands after `WHERE`, about passages `p`
    /// and the numbers `n` it is given.
    pub(super) fn delete(
        &mut self,
        client: &mut Client,
        condition: &str,
        numbers: &[i64],
    ) -> Result<(), IndexError> {
        let sql = format!(
            "WITH gone AS (DELETE FROM search_passages p USING unnest($1::bigint[]) n
                WHERE {condition} RETURNING p.terms)
             SELECT u.lexeme, count(*) FROM gone, unnest(gone.terms) u GROUP BY u.lexeme
             UNION ALL SELECT NULL, count(*) FROM gone"
        );
        for row in client.query(&sql, &[&numbers]).map_err(refused)? {
            let count: i64 = row.get(1);
            match row.get::<_, Option<&str>>(0) {
                Some(lexeme) => *self.changes.entry(lexeme.to_owned()).or_default() -= count,
                None => self.passages -= count,
            }
        }
        Ok(())
    }

    /// Writes the changes. In the order of lexemes, so that two who write wait for each other rather
    /// than both for ever.
    pub(super) fn write(&mut self, client: &mut Client) -> Result<(), IndexError> {
        let mut changes: Vec<(String, i64)> =
            self.changes.drain().filter(|(_, change)| *change != 0).collect();
        changes.sort_unstable();
        let upsert = client
            .prepare(
                "INSERT INTO search_terms_all AS s (term, passages)
                 SELECT * FROM unnest($1::text[], $2::bigint[])
                 ON CONFLICT (tenant, term) DO UPDATE SET passages = s.passages + excluded.passages",
            )
            .map_err(refused)?;
        for chunk in changes.chunks(CHUNK) {
            let (terms, counts): (Vec<&str>, Vec<i64>) =
                chunk.iter().map(|(term, change)| (term.as_str(), *change)).unzip();
            client.execute(&upsert, &[&terms, &counts]).map_err(refused)?;
        }
        let fewer: Vec<&str> =
            changes.iter().filter(|change| change.1 < 0).map(|change| change.0.as_str()).collect();
        if !fewer.is_empty() {
            let sql = "DELETE FROM search_terms WHERE term = ANY($1) AND passages <= 0";
            client.execute(sql, &[&fewer]).map_err(refused)?;
        }
        Ok(())
    }
}
