//! One session: `sessions --json`, and the first line of `show --json`.

use crate::time;
use backstory_model::{SealReason, Timestamp};
use serde::Serialize;

/// What a session cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Uncached input tokens.
    pub input_tokens: u64,
    /// Output tokens, reasoning included.
    pub output_tokens: u64,
    /// Tokens read from the prompt cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the five-minute cache.
    pub cache_write_5m_tokens: u64,
    /// Tokens written to the one-hour cache.
    pub cache_write_1h_tokens: u64,
    /// Reasoning tokens, a part of the output.
    pub reasoning_tokens: u64,
    /// Money, where the agent itself states it.
    pub usd: Option<f64>,
    /// From the first to the last event; absent in sums over sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_clock_s: Option<u64>,
    /// Prompts the human gave.
    pub turns: u32,
    /// Tool calls repeated after they failed.
    pub retries: u32,
}

impl From<&backstory_model::Cost> for Cost {
    fn from(cost: &backstory_model::Cost) -> Self {
        Self {
            input_tokens: cost.input_tokens,
            output_tokens: cost.output_tokens,
            cache_read_tokens: cost.cache_read_tokens,
            cache_write_5m_tokens: cost.cache_write_5m_tokens,
            cache_write_1h_tokens: cost.cache_write_1h_tokens,
            reasoning_tokens: cost.reasoning_tokens,
            usd: cost.usd,
            wall_clock_s: Some(cost.wall_clock_s),
            turns: cost.turns,
            retries: cost.retries,
        }
    }
}

/// One session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Session {
    /// `<flavor>:<native id>`, globally unique.
    pub session_uid: String,
    /// `claude`, `codex`, `grok`, or `pushed` for agents known by their plugins alone.
    pub flavor: &'static str,
    /// The agent's own id.
    pub native_session_id: String,
    /// The session that started this one as its sub-agent.
    pub parent_session_uid: Option<String>,
    /// The session whose history this one began as a copy of.
    pub forked_from_uid: Option<String>,
    /// The session this one carries on under a new id.
    pub continues_uid: Option<String>,
    /// The tool call of the parent that started it.
    pub parent_call_id: Option<String>,
    /// Name or type of the sub-agent.
    pub agent_name: Option<String>,
    /// Repository name.
    pub repo: Option<String>,
    /// Shared by all worktrees of one repository.
    pub project_key: Option<String>,
    /// From the configured repository→domain map.
    pub domain: Option<String>,
    /// Where the agent worked.
    pub cwd: Option<String>,
    /// The branch it worked on.
    pub git_branch: Option<String>,
    /// The last model used.
    pub model: Option<String>,
    /// Every model used, in order of first use.
    pub models: Vec<String>,
    /// The agent's version.
    pub cli_version: Option<String>,
    /// The best title known.
    pub title: Option<String>,
    /// First event.
    pub started_at: Option<String>,
    /// Last event.
    pub ended_at: Option<String>,
    /// `success`, `fail`, `abandoned` or `unknown`.
    pub outcome: &'static str,
    /// How the outcome was inferred.
    pub outcome_reason: Option<String>,
    /// What it cost.
    pub cost: Cost,
    /// True when another session's cost already includes this one's.
    pub cost_in_parent: bool,
    /// The work item it served.
    pub task_ref: Option<String>,
    /// The (first) file it was read from, secrets redacted.
    pub source_path: String,
    /// Bytes of all its source files.
    pub source_bytes: u64,
    /// Number of stored events.
    pub events: u32,
    /// Schema it was written with.
    pub schema_version: u32,
    /// First seen.
    pub discovered_at: Option<String>,
    /// Last taken in.
    pub ingested_at: Option<String>,
    /// Digest written.
    pub analyzed_at: Option<String>,
    /// Raw events dropped.
    pub evicted_at: Option<String>,
    /// Kept from eviction by the human's word.
    pub pinned_at: Option<String>,
    /// When it was sealed last; told by `sessions` and `show`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sealed_at: Option<String>,
    /// Why: `compaction`, `ended`, `orphaned`, `idle` or `asked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seal_reason: Option<&'static str>,
}

impl Session {
    /// The same with its last seal, if it has one.
    #[must_use]
    pub fn sealed(self, at: Option<(Timestamp, SealReason)>) -> Self {
        let sealed_at = at.map(|(at, _)| at.to_string());
        Self { sealed_at, seal_reason: at.map(|(_, reason)| reason.name()), ..self }
    }
}

impl From<&backstory_model::Session> for Session {
    fn from(session: &backstory_model::Session) -> Self {
        let uid = |uid: &Option<backstory_model::SessionUid>| {
            uid.as_ref().map(|uid| uid.as_str().to_owned())
        };
        let (lineage, marks) = (&session.lineage, &session.watermarks);
        Self {
            session_uid: session.session_uid.as_str().to_owned(),
            flavor: session.flavor.name(),
            native_session_id: session.native_session_id.clone(),
            parent_session_uid: uid(&lineage.parent_session_uid),
            forked_from_uid: uid(&lineage.forked_from_uid),
            continues_uid: uid(&lineage.continues_uid),
            parent_call_id: lineage.parent_call_id.clone(),
            agent_name: lineage.agent_name.clone(),
            repo: session.repo.clone(),
            project_key: session.project_key.clone(),
            domain: session.domain.clone(),
            cwd: session.cwd.clone(),
            git_branch: session.git_branch.clone(),
            model: session.model.clone(),
            models: session.models.clone(),
            cli_version: session.cli_version.clone(),
            title: session.title.clone(),
            started_at: session.started_at.map(time),
            ended_at: session.ended_at.map(time),
            outcome: session.outcome.name(),
            outcome_reason: session.outcome_reason.clone(),
            cost: Cost::from(&session.cost),
            cost_in_parent: session.cost_in_parent,
            task_ref: session.task_ref.clone(),
            source_path: session.source_path.clone(),
            source_bytes: session.source_bytes,
            events: session.events,
            schema_version: session.schema_version,
            discovered_at: marks.discovered_at.map(time),
            ingested_at: marks.ingested_at.map(time),
            analyzed_at: marks.analyzed_at.map(time),
            evicted_at: marks.evicted_at.map(time),
            pinned_at: marks.pinned_at.map(time),
            sealed_at: None,
            seal_reason: None,
        }
    }
}
