//! Questions people ask: which sessions, what happened in one.

use crate::clauses::Clauses;
use crate::database::values;
use crate::{StoreError, Vault, rows};
use backstory_model::{Flavor, Outcome, Session, SessionEvent, SessionUid, Timestamp};
use std::ops::ControlFlow;

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
        let mut asked = Clauses::new(format!("{} WHERE events > 0", rows::SESSION_SQL));
        asked.add_if(" AND flavor = ?", filter.flavor.map(Flavor::name));
        asked.add_if(" AND repo = ?", filter.repo.as_ref());
        asked.add_if(" AND git_branch = ?", filter.branch.as_ref());
        asked.add_if(" AND ended_at >= ?", filter.since.map(|at| at.0));
        asked.add_if(" AND started_at < ?", filter.until.map(|at| at.0));
        asked.add_if(" AND outcome = ?", filter.outcome.map(Outcome::name));
        if filter.pinned {
            asked.sql.push_str(" AND pinned_at IS NOT NULL");
        }
        asked.add_if(" AND parent_session_uid = ?", filter.parent.as_ref().map(SessionUid::as_str));
        if filter.parent.is_none() && !filter.with_subagents {
            // A sub-agent whose parent is not stored has nothing to be folded into.
            asked.sql.push_str(
                " AND (parent_session_uid IS NULL OR NOT EXISTS (SELECT 1 FROM sessions AS parent
                  WHERE parent.session_uid = sessions.parent_session_uid AND parent.events > 0))",
            );
        }
        let order = " ORDER BY coalesce(ended_at, started_at, 0) DESC, session_uid";
        asked.finish(order, filter.limit);
        self.database.all(&asked.sql, &asked.values, rows::session)
    }

    /// One session.
    pub fn session(&self, uid: &SessionUid) -> Result<Option<Session>, StoreError> {
        let sql = format!("{} WHERE session_uid = ?1", rows::SESSION_SQL);
        self.database.one(&sql, values![uid.as_str()], rows::session)
    }

    /// Sessions whose uid or native id begins with a text, exact matches first, at most `limit`.
    pub fn find_sessions(&self, prefix: &str, limit: usize) -> Result<Vec<SessionUid>, StoreError> {
        let sql = "SELECT session_uid FROM sessions
            WHERE events > 0 AND (substr(session_uid, 1, length(?1)) = ?1
                OR substr(session_uid, instr(session_uid, ':') + 1, length(?1)) = ?1
                OR substr(session_uid, instr(session_uid, '/') + 1, length(?1)) = ?1
                    AND instr(session_uid, '/') > 0)
            ORDER BY session_uid = ?1 OR substr(session_uid, instr(session_uid, ':') + 1) = ?1 DESC,
                parent_session_uid IS NOT NULL, coalesce(ended_at, 0) DESC
            LIMIT ?2";
        self.database.all(sql, values![prefix, limit as i64], rows::uid)
    }

    /// Hands the uid of every session to `each`, forgotten ones included.
    pub fn for_each_uid(&self, mut each: impl FnMut(&str)) -> Result<(), StoreError> {
        self.database.each("SELECT session_uid FROM sessions", &[], |row| {
            each(&row.get::<String>(0)?);
            Ok(())
        })
    }

    /// Hands every event of a session to `each`, by seq; stops early when `each` says so.
    pub fn for_each_event(
        &self,
        uid: &SessionUid,
        mut each: impl FnMut(SessionEvent) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let Some(head) = self.session_head(uid)? else { return Ok(()) };
        let sql = format!("{} ORDER BY seq", rows::EVENT_SQL);
        let read =
            self.database.each(&sql, values![head.id], |row| match each(rows::event(row, uid)?) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Stop::Enough),
            });
        match read {
            Err(Stop::Failed(error)) => Err(error),
            Ok(()) | Err(Stop::Enough) => Ok(()),
        }
    }

    /// Every event of a session, by seq.
    pub fn events(&self, uid: &SessionUid) -> Result<Vec<SessionEvent>, StoreError> {
        let mut events = Vec::new();
        self.for_each_event(uid, |event| {
            events.push(event);
            ControlFlow::Continue(())
        })?;
        Ok(events)
    }
}

/// Why reading ended early.
enum Stop {
    Enough,
    Failed(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}
