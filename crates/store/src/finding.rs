//! What search asks the archive: which sessions a filter lets through, and the rows behind places.

use crate::clauses::Clauses;
use crate::database::values;
use crate::{StoreError, Vault, rows};
use backstory_model::{Flavor, Outcome, Session, SessionEvent, SessionUid, Timestamp};
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
        let mut asked = Clauses::new("SELECT id FROM sessions WHERE TRUE");
        asked.add_any("flavor = ?", scope.flavors.iter().map(|flavor| flavor.name()));
        asked.add_any("lower(repo) = lower(?)", &scope.repos);
        asked.add_any("git_branch = ?", &scope.branches);
        asked.add_any("outcome = ?", scope.outcomes.iter().map(|outcome| outcome.name()));
        asked.add_any(
            "substr(session_uid, 1, length(?)) = ?
             OR substr(session_uid, instr(session_uid, ':') + 1, length(?)) = ?",
            &scope.sessions,
        );
        asked.add_any("instr(lower(models), lower(?)) > 0", &scope.models);
        let ids = self.database.all(&asked.sql, &asked.values, |row| row.get(0))?;
        Ok(Some(ids.into_iter().collect()))
    }

    /// A session by its row id; none if it was forgotten.
    pub fn session_by_id(&self, id: i64) -> Result<Option<Session>, StoreError> {
        let sql =
            format!("{} WHERE id = ?1 AND events > 0 AND forgotten_at IS NULL", rows::SESSION_SQL);
        self.database.one(&sql, values![id], rows::session)
    }

    /// A session's last activity, and its project.
    pub fn standing(&self, id: i64) -> Result<(Option<Timestamp>, Option<String>), StoreError> {
        let sql = "SELECT coalesce(ended_at, started_at), project_key FROM sessions WHERE id = ?1";
        let standing = self.database.one(sql, values![id], |row| {
            Ok((row.get::<Option<i64>>(0)?.map(Timestamp), row.get(1)?))
        })?;
        Ok(standing.unwrap_or_default())
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
        self.database.all(&sql, values![id, from, to], |row| rows::event(row, uid))
    }
}
