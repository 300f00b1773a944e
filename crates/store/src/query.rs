//! Questions people ask: which sessions, what happened in one.

use crate::{StoreError, Vault, rows};
use backstory_model::{Flavor, Outcome, Session, SessionEvent, SessionUid, Timestamp};
use rusqlite::{OptionalExtension, ToSql};

/// Which sessions to list.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    /// Only this agent.
    pub flavor: Option<Flavor>,
    /// Only this repository.
    pub repo: Option<String>,
    /// Only this branch.
    pub branch: Option<String>,
    /// Active at or after.
    pub since: Option<Timestamp>,
    /// Begun before.
    pub until: Option<Timestamp>,
    /// Only with this outcome.
    pub outcome: Option<Outcome>,
    /// Only sub-agents of this session.
    pub parent: Option<SessionUid>,
    /// Only pinned ones.
    pub pinned: bool,
    /// Sub-agents too; otherwise they are folded into their parents.
    pub with_subagents: bool,
    /// At most so many.
    pub limit: Option<usize>,
}

impl Vault {
    /// Sessions, the most recently active first.
    pub fn sessions(&self, filter: &SessionFilter) -> Result<Vec<Session>, StoreError> {
        let mut sql = format!("{} WHERE events > 0", rows::SESSION_SQL);
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut add = |clause: &str, value: Box<dyn ToSql>| {
            values.push(value);
            sql.push_str(&clause.replace('?', &format!("?{}", values.len())));
        };
        if let Some(flavor) = filter.flavor {
            add(" AND flavor = ?", Box::new(flavor.name()));
        }
        if let Some(repo) = &filter.repo {
            add(" AND repo = ?", Box::new(repo.clone()));
        }
        if let Some(branch) = &filter.branch {
            add(" AND git_branch = ?", Box::new(branch.clone()));
        }
        if let Some(since) = filter.since {
            add(" AND ended_at >= ?", Box::new(since.0));
        }
        if let Some(until) = filter.until {
            add(" AND started_at < ?", Box::new(until.0));
        }
        if let Some(outcome) = filter.outcome {
            add(" AND outcome = ?", Box::new(outcome.name()));
        }
        if filter.pinned {
            add(" AND (pinned_at IS NOT NULL) = ?", Box::new(true));
        }
        if let Some(parent) = &filter.parent {
            add(" AND parent_session_uid = ?", Box::new(parent.as_str().to_owned()));
        } else if !filter.with_subagents {
            // A sub-agent whose parent is not stored has nothing to be folded into.
            add(
                " AND (parent_session_uid IS NULL OR ? = (SELECT count(*) FROM sessions AS parent
                  WHERE parent.session_uid = sessions.parent_session_uid AND parent.events > 0))",
                Box::new(0),
            );
        }
        let limit = filter.limit.map_or(-1, |limit| limit as i64);
        add(
            " ORDER BY coalesce(ended_at, started_at, 0) DESC, session_uid LIMIT ?",
            Box::new(limit),
        );
        let mut statement = self.connection.prepare(&sql)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let sessions = statement.query_map(values.as_slice(), rows::session)?;
        Ok(sessions.collect::<Result<_, _>>()?)
    }

    /// One session.
    pub fn session(&self, uid: &SessionUid) -> Result<Option<Session>, StoreError> {
        let sql = format!("{} WHERE session_uid = ?1", rows::SESSION_SQL);
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row([uid.as_str()], rows::session).optional()?)
    }

    /// Sessions whose uid or native id begins with a text, exact matches first, at most `limit`.
    pub fn find_sessions(&self, prefix: &str, limit: usize) -> Result<Vec<SessionUid>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT session_uid FROM sessions
             WHERE events > 0 AND (substr(session_uid, 1, length(?1)) = ?1
                OR substr(session_uid, instr(session_uid, ':') + 1, length(?1)) = ?1
                OR substr(session_uid, instr(session_uid, '/') + 1, length(?1)) = ?1
                    AND instr(session_uid, '/') > 0)
             ORDER BY session_uid = ?1 OR session_uid LIKE '%:' || ?1 DESC,
                parent_session_uid IS NOT NULL, coalesce(ended_at, 0) DESC
             LIMIT ?2",
        )?;
        let found = statement.query_map(rusqlite::params![prefix, limit as i64], |row| {
            Ok(SessionUid::from_stored(row.get(0)?))
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Hands the uid of every session to `each`, forgotten ones included.
    pub fn for_each_uid(&self, mut each: impl FnMut(&str)) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT session_uid FROM sessions")?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            each(&row.get::<_, String>(0)?);
        }
        Ok(())
    }

    /// Hands every event of a session to `each`, by seq; stops early when `each` says so.
    pub fn for_each_event(
        &self,
        uid: &SessionUid,
        mut each: impl FnMut(SessionEvent) -> std::ops::ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let Some(head) = self.session_head(uid)? else { return Ok(()) };
        let mut statement =
            self.connection.prepare_cached(&format!("{} ORDER BY seq", rows::EVENT_SQL))?;
        let mut found = statement.query([head.id])?;
        while let Some(row) = found.next()? {
            if each(rows::event(row, uid)?).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Every event of a session, by seq.
    pub fn events(&self, uid: &SessionUid) -> Result<Vec<SessionEvent>, StoreError> {
        let mut events = Vec::new();
        self.for_each_event(uid, |event| {
            events.push(event);
            std::ops::ControlFlow::Continue(())
        })?;
        Ok(events)
    }
}
