//! What search asks the archive: which sessions a filter lets through, and the rows behind places.

use crate::{StoreError, Vault, rows};
use backstory_model::{Flavor, Outcome, Session, SessionEvent, SessionUid, Timestamp};
use rusqlite::{OptionalExtension, Row, ToSql, params, params_from_iter};
use std::collections::HashSet;

/// Which sessions a search looks at. Within a list any entry holds, an empty list holds always.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionScope {
    /// Of these agents.
    pub flavors: Vec<Flavor>,
    /// Of these repositories, in whatever case.
    pub repos: Vec<String>,
    /// On these branches.
    pub branches: Vec<String>,
    /// With these outcomes.
    pub outcomes: Vec<Outcome>,
    /// Whose id, with or without the agent's name, begins so.
    pub sessions: Vec<String>,
    /// In which a model took part whose name holds this.
    pub models: Vec<String>,
}

impl Vault {
    /// The row ids a scope lets through; `None` if it lets everything through.
    pub fn ids_in(&self, scope: &SessionScope) -> Result<Option<HashSet<i64>>, StoreError> {
        if *scope == SessionScope::default() {
            return Ok(None);
        }
        let mut sql = String::from("SELECT id FROM sessions WHERE TRUE");
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut any_of = |clause: &str, list: Vec<String>| {
            if list.is_empty() {
                return;
            }
            let clauses: Vec<String> = list
                .into_iter()
                .map(|value| {
                    values.push(Box::new(value));
                    clause.replace('?', &format!("?{}", values.len()))
                })
                .collect();
            sql.push_str(" AND (");
            sql.push_str(&clauses.join(" OR "));
            sql.push(')');
        };
        any_of("flavor = ?", names(&scope.flavors, Flavor::name));
        any_of("repo = ? COLLATE NOCASE", scope.repos.clone());
        any_of("git_branch = ?", scope.branches.clone());
        any_of("outcome = ?", names(&scope.outcomes, Outcome::name));
        any_of(
            "substr(session_uid, 1, length(?)) = ?
             OR substr(session_uid, instr(session_uid, ':') + 1, length(?)) = ?",
            scope.sessions.clone(),
        );
        any_of("instr(lower(models), lower(?)) > 0", scope.models.clone());
        let mut statement = self.connection.prepare(&sql)?;
        let ids = statement.query_map(params_from_iter(values), |row| row.get(0))?;
        Ok(Some(ids.collect::<Result<_, _>>()?))
    }

    /// A session by its row id; none if it was forgotten.
    pub fn session_by_id(&self, id: i64) -> Result<Option<Session>, StoreError> {
        let sql =
            format!("{} WHERE id = ?1 AND events > 0 AND forgotten_at IS NULL", rows::SESSION_SQL);
        Ok(self.connection.prepare_cached(&sql)?.query_row([id], rows::session).optional()?)
    }

    /// A session's last activity, and its project.
    pub fn standing(&self, id: i64) -> Result<(Option<Timestamp>, Option<String>), StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT coalesce(ended_at, started_at), project_key FROM sessions WHERE id = ?1",
        )?;
        let row = |row: &Row<'_>| Ok((row.get::<_, Option<i64>>(0)?.map(Timestamp), row.get(1)?));
        Ok(statement.query_row([id], row).optional()?.unwrap_or_default())
    }

    /// One event; none if it left.
    pub fn event_at(
        &self,
        id: i64,
        uid: &SessionUid,
        seq: u32,
    ) -> Result<Option<SessionEvent>, StoreError> {
        Ok(self.events_between(id, uid, seq, seq)?.pop())
    }

    /// The events from one seq to another, both included.
    pub fn events_between(
        &self,
        id: i64,
        uid: &SessionUid,
        from: u32,
        to: u32,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        let sql = format!("{} AND seq BETWEEN ?2 AND ?3 ORDER BY seq", rows::EVENT_SQL);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = statement.query(params![id, from, to])?;
        let mut events = Vec::new();
        while let Some(row) = found.next()? {
            events.push(rows::event(row, uid)?);
        }
        Ok(events)
    }
}

fn names<T: Copy>(list: &[T], name: impl Fn(T) -> &'static str) -> Vec<String> {
    list.iter().map(|item| name(*item).to_owned()).collect()
}
