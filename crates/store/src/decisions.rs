//! The ledger: what agents asked the human, and what the human answered.

use crate::clauses::Clauses;
use crate::database::{Row, Value, values};
use crate::{StoreError, Vault, Writer};
use backstory_model::{
    Decision, DecisionForm, DecisionKind, DecisionState, Flavor, SessionUid, Timestamp, address,
};

/// What stands for a session in rows that have none: hubs recorded them.
pub(crate) const HUB: i64 = 0;

/// What a decision is stored as.
pub(crate) const DECISION_COLUMNS: [&str; 24] = [
    "session_id",
    "origin",
    "seq",
    "part",
    "project",
    "repo",
    "hub_session",
    "rationale",
    "happened_at",
    "answer_seq",
    "asked_at",
    "answered_at",
    "kind",
    "form",
    "state",
    "question_id",
    "skill",
    "header",
    "question",
    "options",
    "recommended",
    "chosen",
    "free_text",
    "confidence",
];

/// What [`decision`] reads, in its order.
const READ_COLUMNS: &str = "d.seq, d.part, d.answer_seq, d.asked_at, d.answered_at, d.kind, d.form,
    d.state, d.question_id, d.skill, d.header, d.question, d.options, d.recommended, d.chosen,
    d.free_text, d.confidence";

/// A decision that was recorded elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HubDecision {
    /// What it is called there: the same name is the same decision.
    pub origin: String,
    /// The `project_key` it belongs to; a name if no project here is called so.
    pub project: Option<String>,
    /// The name of the repository.
    pub repo: Option<String>,
    /// The session it was made in, as the hub names it.
    pub session: Option<String>,
    /// Why it was decided so.
    pub rationale: Option<String>,
    /// What was decided.
    pub decision: Decision,
}

/// A row of the ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerEntry {
    /// The session it was asked in; nothing for what a hub recorded.
    pub session_uid: Option<SessionUid>,
    /// What it is called at the hub that recorded it.
    pub origin: Option<String>,
    /// The session the hub names.
    pub hub_session: Option<String>,
    /// Why it was decided so, if somebody said.
    pub rationale: Option<String>,
    /// The `project_key`.
    pub project: Option<String>,
    /// The name of the repository.
    pub repo: Option<String>,
    /// Where the agent worked.
    pub cwd: Option<String>,
    /// The title of the session.
    pub title: Option<String>,
    /// When it was asked, or the session began.
    pub at: Option<Timestamp>,
    /// What was asked and answered.
    pub decision: Decision,
}

impl LedgerEntry {
    /// Where more of it is: the event that asks, or its page among those of hubs.
    pub fn address(&self) -> String {
        match (&self.session_uid, &self.origin) {
            (Some(uid), _) => address(uid, self.decision.seq),
            (None, origin) => {
                format!("backstory://decisions/hub/{}", origin.as_deref().unwrap_or_default())
            }
        }
    }

    /// The agent that asked.
    pub fn flavor(&self) -> Option<Flavor> {
        self.session_uid.as_ref().and_then(SessionUid::flavor)
    }
}

/// Which rows of the ledger to list.
#[derive(Clone, Debug, Default)]
pub struct DecisionFilter {
    /// Only of these projects, by their keys; none means all.
    pub projects: Vec<String>,
    /// Only of this repository, in whatever case.
    pub repo: Option<String>,
    /// Only of this session.
    pub session: Option<SessionUid>,
    /// Only what this event asks.
    pub seq: Option<u32>,
    /// Only what a hub calls so.
    pub origin: Option<String>,
    /// Only asked at or after.
    pub since: Option<Timestamp>,
    /// Only asked before.
    pub until: Option<Timestamp>,
    /// Only in this state.
    pub state: Option<DecisionState>,
    /// Only of these kinds; none means all.
    pub kinds: Vec<DecisionKind>,
    /// Only recognised like this.
    pub form: Option<DecisionForm>,
    /// Only this question.
    pub question_id: Option<String>,
    /// Only with this text in question or answer, in whatever case.
    pub text: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// What became of a decision of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is new.
    New,
    /// It says something else than before.
    Changed,
    /// It was there, word for word.
    Known,
}

impl Vault {
    /// Rows of the ledger, the latest first.
    pub fn decisions(&self, filter: &DecisionFilter) -> Result<Vec<LedgerEntry>, StoreError> {
        // Engines agree on the case of these letters alone.
        let lower = |text: &Option<String>| text.as_ref().map(|text| text.to_ascii_lowercase());
        let (repo, text) = (lower(&filter.repo), lower(&filter.text));
        let mut asked = Clauses::new(format!(
            "SELECT {READ_COLUMNS}, s.session_uid, d.origin, d.hub_session, d.rationale, d.project,
                d.repo, s.cwd, s.title, d.happened_at
             FROM decisions d LEFT JOIN sessions s ON s.id = d.session_id WHERE TRUE"
        ));
        asked.add_any("d.project = ?", &filter.projects);
        asked.add_if(" AND lower(d.repo) = ?", repo.as_ref());
        asked.add_if(
            " AND d.session_id = (SELECT id FROM sessions WHERE session_uid = ?)",
            filter.session.as_ref().map(SessionUid::as_str),
        );
        asked.add_if(" AND d.seq = ?", filter.seq);
        asked.add_if(" AND d.session_id = 0 AND d.origin = ?", filter.origin.as_ref());
        // Said in any case: without it a local archive reads all rows before it sorts them.
        asked.add(" AND d.happened_at >= ?", filter.since.map_or(i64::MIN, |at| at.0));
        asked.add_if(" AND d.happened_at < ?", filter.until.map(|at| at.0));
        asked.add_if(" AND d.state = ?", filter.state.map(DecisionState::name));
        asked.add_any("d.kind = ?", filter.kinds.iter().map(|kind| kind.name()));
        asked.add_if(" AND d.form = ?", filter.form.map(DecisionForm::name));
        asked.add_if(" AND d.question_id = ?", filter.question_id.as_ref());
        asked.add_if(
            " AND (instr(lower(d.question), ?) > 0 OR instr(lower(d.header), ?) > 0
                OR instr(lower(d.options), ?) > 0
                OR instr(lower(coalesce(d.free_text, '')), ?) > 0)",
            text.as_ref(),
        );
        asked.finish(
            " ORDER BY d.happened_at DESC, s.session_uid NULLS FIRST, d.seq, d.part, d.origin",
            filter.limit,
        );
        self.database.all(&asked.sql, &asked.values, entry)
    }

    /// The decisions of a session, in the order they were asked in.
    pub(crate) fn decisions_of(&self, session_id: i64) -> Result<Vec<Decision>, StoreError> {
        let sql = format!(
            "SELECT {READ_COLUMNS} FROM decisions d WHERE session_id = ?1 ORDER BY seq, part"
        );
        self.database.all(&sql, values![session_id], decision)
    }

    /// The keys of the projects whose repository is called so, in whatever case.
    pub fn projects_called(&self, repo: &str) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT DISTINCT project_key FROM sessions
            WHERE lower(repo) = ?1 AND project_key IS NOT NULL ORDER BY project_key";
        self.database.all(sql, values![&repo.to_ascii_lowercase()], |row| row.get(0))
    }
}

impl Writer {
    /// Replaces the decisions of a session, within the open transaction.
    pub(crate) fn put_decisions(
        &self,
        session_id: i64,
        decisions: &[Decision],
    ) -> Result<(), StoreError> {
        let delete = "DELETE FROM decisions WHERE session_id = ?1";
        self.database.run(delete, values![session_id])?;
        if decisions.is_empty() {
            return Ok(());
        }
        let sql = "SELECT project_key, repo, started_at FROM sessions WHERE id = ?1";
        let of = self.database.one(sql, values![session_id], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<Option<i64>>(2)?))
        })?;
        let (project, repo, began): (Option<String>, Option<String>, _) = of.unwrap_or_default();
        for decision in decisions {
            let stored = HubDecision {
                project: project.clone(),
                repo: repo.clone(),
                decision: decision.clone(),
                ..HubDecision::default()
            };
            self.insert_decision(session_id, &stored, began)?;
        }
        Ok(())
    }

    /// Adds what a hub recorded to the open transaction, or brings it up to date.
    pub fn record_hub_decision(&mut self, recorded: &HubDecision) -> Result<Recorded, StoreError> {
        self.begin()?;
        let result = self.record(recorded);
        if result.is_err() {
            self.rollback();
        }
        result
    }

    fn record(&self, recorded: &HubDecision) -> Result<Recorded, StoreError> {
        let sql = format!(
            "SELECT {READ_COLUMNS}, hub_session, rationale, project, repo FROM decisions d
             WHERE session_id = {HUB} AND origin = ?1"
        );
        let known = self.database.one(&sql, values![&recorded.origin], |row| {
            Ok(HubDecision {
                origin: recorded.origin.clone(),
                session: row.get(17)?,
                rationale: row.get(18)?,
                project: row.get(19)?,
                repo: row.get(20)?,
                decision: decision(row)?,
            })
        })?;
        let became = match known {
            Some(known) if known == *recorded => return Ok(Recorded::Known),
            Some(_) => Recorded::Changed,
            None => Recorded::New,
        };
        let delete = "DELETE FROM decisions WHERE session_id = ?1 AND origin = ?2";
        self.database.run(delete, values![HUB, &recorded.origin])?;
        self.insert_decision(HUB, recorded, None)?;
        Ok(became)
    }

    fn insert_decision(
        &self,
        session_id: i64,
        stored: &HubDecision,
        began: Option<i64>,
    ) -> Result<(), StoreError> {
        let decision = &stored.decision;
        let json = |value: serde_json::Result<String>| value.map_err(std::io::Error::other);
        let options = json(serde_json::to_string(&decision.options))?;
        let chosen = json(serde_json::to_string(&decision.chosen))?;
        let (asked, answered) = (decision.asked_at, decision.answered_at);
        let happened = asked.or(answered).map(|at| at.0).or(began).unwrap_or(0);
        let numbers: Vec<String> = (1..=DECISION_COLUMNS.len()).map(|n| format!("?{n}")).collect();
        let sql = format!(
            "INSERT INTO decisions ({}) VALUES ({})",
            DECISION_COLUMNS.join(", "),
            numbers.join(", ")
        );
        let values: &[Value<'_>; DECISION_COLUMNS.len()] = values![
            session_id,
            &stored.origin,
            decision.seq,
            u32::from(decision.part),
            stored.project.as_ref(),
            stored.repo.as_ref(),
            stored.session.as_ref(),
            stored.rationale.as_ref(),
            happened,
            decision.answer_seq,
            asked.map(|at| at.0),
            answered.map(|at| at.0),
            decision.kind.name(),
            decision.form.name(),
            decision.state.name(),
            &decision.question_id,
            &decision.skill,
            &decision.header,
            &decision.question,
            &options,
            decision.recommended.map(u32::from),
            &chosen,
            decision.free_text.as_ref(),
            decision.confidence,
        ];
        self.database.run(&sql, values)?;
        Ok(())
    }
}

fn entry(row: &dyn Row) -> Result<LedgerEntry, StoreError> {
    let origin: String = row.get(18)?;
    let at: i64 = row.get(25)?;
    Ok(LedgerEntry {
        decision: decision(row)?,
        session_uid: row.get::<Option<String>>(17)?.map(SessionUid::from_stored),
        origin: (!origin.is_empty()).then_some(origin),
        hub_session: row.get(19)?,
        rationale: row.get(20)?,
        project: row.get(21)?,
        repo: row.get(22)?,
        cwd: row.get(23)?,
        title: row.get(24)?,
        at: (at != 0).then_some(Timestamp(at)),
    })
}

/// A later version may know more kinds, forms and states; what cannot be read is nothing.
fn decision(row: &dyn Row) -> Result<Decision, StoreError> {
    let text = |column: usize| row.get::<String>(column);
    let time = |column: usize| Ok::<_, StoreError>(row.get::<Option<i64>>(column)?.map(Timestamp));
    Ok(Decision {
        seq: row.get(0)?,
        part: row.get::<u32>(1)? as u16,
        answer_seq: row.get(2)?,
        asked_at: time(3)?,
        answered_at: time(4)?,
        kind: DecisionKind::from_name(&text(5)?).unwrap_or_default(),
        form: DecisionForm::from_name(&text(6)?).unwrap_or_default(),
        state: DecisionState::from_name(&text(7)?).unwrap_or_default(),
        question_id: text(8)?,
        skill: text(9)?,
        header: text(10)?,
        question: text(11)?,
        options: serde_json::from_str(&text(12)?).unwrap_or_default(),
        recommended: row.get::<Option<u32>>(13)?.map(|at| at as u16),
        chosen: serde_json::from_str(&text(14)?).unwrap_or_default(),
        free_text: row.get(15)?,
        confidence: row.get(16)?,
    })
}
