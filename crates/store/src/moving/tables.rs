//! What there is to move: every table with its columns, as both sides have them.

use crate::decisions::DECISION_COLUMNS;

/// A table whose rows belong to one session or one source.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// The column that says whose a row is.
    pub(super) owner: &'static str,
    /// The order rows are compared in.
    pub(super) order: &'static str,
    pub(super) columns: &'static [&'static str],
}

impl Table {
    pub(super) fn select(&self) -> String {
        let Self { name, owner, order, .. } = self;
        let columns = self.columns.join(", ");
        format!("SELECT {columns} FROM {name} WHERE {owner} = ?1 ORDER BY {order}")
    }
}

/// How far the index is and where blocks lie is the business of each archive.
pub(super) const SESSION: Table = Table {
    name: "sessions",
    owner: "id",
    order: "id",
    columns: &[
        "id",
        "session_uid",
        "flavor",
        "parent_session_uid",
        "forked_from_uid",
        "continues_uid",
        "parent_call_id",
        "agent_name",
        "repo",
        "project_key",
        "domain",
        "cwd",
        "git_branch",
        "model",
        "models",
        "cli_version",
        "title",
        "title_rank",
        "started_at",
        "ended_at",
        "outcome",
        "outcome_reason",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_5m_tokens",
        "cache_write_1h_tokens",
        "reasoning_tokens",
        "usd",
        "turns",
        "retries",
        "cost_in_parent",
        "task_ref",
        "source_path",
        "source_bytes",
        "events",
        "next_seq",
        "schema_version",
        "discovered_at",
        "ingested_at",
        "analyzed_at",
        "evicted_at",
        "evicted_before",
        "analyzed_seq",
        "pinned_at",
        "forgotten_at",
    ],
};

/// Whose model is a name, not a number.
pub(super) const USAGE_SQL: &str = "SELECT key, session_id, ts,
    (SELECT name FROM models WHERE id = model_id), input, output, cache_read, cache_write_5m,
    cache_write_1h, reasoning, usd FROM usage WHERE session_id = ?1 ORDER BY key";
/// Where the model is in it.
pub(super) const USAGE_MODEL: usize = 3;

/// Everything else of a session that is moved as it is.
pub(super) const OF_SESSION: [Table; 6] = [
    Table { name: "roots", owner: "session_id", order: "key", columns: &["key", "session_id"] },
    Table {
        name: "digests",
        owner: "session_id",
        order: "session_id",
        columns: &["session_id", "version", "digest", "state"],
    },
    Table {
        name: "signals",
        owner: "session_id",
        order: "kind, fingerprint",
        columns: &[
            "session_id",
            "kind",
            "fingerprint",
            "seq",
            "last_seq",
            "ts",
            "count",
            "what",
            "fix_seq",
            "fix",
            "tried",
        ],
    },
    Table {
        name: "seals",
        owner: "session_id",
        order: "number",
        columns: &[
            "session_id",
            "number",
            "last_seq",
            "sealed_at",
            "reason",
            "abstract",
            "overview",
        ],
    },
    DECISIONS,
    Table {
        name: "departed",
        owner: "session_id",
        order: "session_id",
        columns: &["session_id", "keys"],
    },
];

/// Decisions: of a session, and below [`crate::decisions::HUB`] of hubs.
pub(super) const DECISIONS: Table = Table {
    name: "decisions",
    owner: "session_id",
    order: "origin, seq, part",
    columns: &DECISION_COLUMNS,
};

/// A log, without the hash of its path.
pub(super) const SOURCE: Table = Table {
    name: "sources",
    owner: "id",
    order: "id",
    columns: &[
        "id",
        "path",
        "flavor",
        "role",
        "is_transcript",
        "dev",
        "inode",
        "size",
        "mtime_ns",
        "\"offset\"",
        "lines",
        "head_print",
        "tail_print",
        "state",
        "session_id",
        "messages",
        "bad",
        "unknown",
        "problem",
        "schema_version",
        "read_at",
    ],
};

/// What was found in a log.
pub(super) const OF_SOURCE: [Table; 2] = [
    Table {
        name: "quarantine",
        owner: "source_id",
        order: "line, part",
        columns: &[
            "source_id",
            "line",
            "part",
            "flavor",
            "cli_version",
            "type_name",
            "reason",
            "raw",
        ],
    },
    Table {
        name: "secrets",
        owner: "source_id",
        order: "line, kind, fingerprint",
        columns: &["source_id", "line", "kind", "fingerprint"],
    },
];
