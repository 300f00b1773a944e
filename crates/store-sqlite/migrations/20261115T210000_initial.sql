-- Sources: every log file ever read, and how far. The key is a hash of the path, because the path
-- itself may hold a secret and is stored redacted.
CREATE TABLE sources (
    id             INTEGER PRIMARY KEY,
    path_key       INTEGER NOT NULL UNIQUE,
    path           TEXT    NOT NULL,
    flavor         TEXT    NOT NULL,
    role           TEXT    NOT NULL,
    is_transcript  INTEGER NOT NULL,
    dev            INTEGER NOT NULL,
    inode          INTEGER NOT NULL,
    size           INTEGER NOT NULL,
    mtime_ns       INTEGER NOT NULL,
    offset         INTEGER NOT NULL,
    lines          INTEGER NOT NULL,
    head_print     INTEGER NOT NULL,
    tail_print     INTEGER NOT NULL,
    state          BLOB    NOT NULL,
    session_id     INTEGER,
    messages       INTEGER NOT NULL,
    bad            INTEGER NOT NULL,
    unknown        INTEGER NOT NULL,
    problem        TEXT,
    schema_version INTEGER NOT NULL,
    read_at        INTEGER NOT NULL
);
-- What a sweep compares with the file system, and nothing more.
CREATE INDEX sources_stat ON sources (path_key, size, mtime_ns, inode, dev, schema_version);

CREATE TABLE sessions (
    id                    INTEGER PRIMARY KEY,
    session_uid           TEXT    NOT NULL UNIQUE,
    flavor                TEXT    NOT NULL,
    parent_session_uid    TEXT,
    forked_from_uid       TEXT,
    continues_uid         TEXT,
    parent_call_id        TEXT,
    agent_name            TEXT,
    repo                  TEXT,
    project_key           TEXT,
    domain                TEXT,
    cwd                   TEXT,
    git_branch            TEXT,
    model                 TEXT,
    models                TEXT    NOT NULL DEFAULT '',
    cli_version           TEXT,
    title                 TEXT,
    title_rank            INTEGER NOT NULL DEFAULT 0,
    started_at            INTEGER,
    ended_at              INTEGER,
    outcome               TEXT    NOT NULL DEFAULT 'unknown',
    outcome_reason        TEXT,
    input_tokens          INTEGER NOT NULL DEFAULT 0,
    output_tokens         INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens     INTEGER NOT NULL DEFAULT 0,
    cache_write_5m_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_1h_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens      INTEGER NOT NULL DEFAULT 0,
    usd                   REAL,
    turns                 INTEGER NOT NULL DEFAULT 0,
    retries               INTEGER NOT NULL DEFAULT 0,
    cost_in_parent        INTEGER NOT NULL DEFAULT 0,
    task_ref              TEXT,
    source_path           TEXT    NOT NULL DEFAULT '',
    source_bytes          INTEGER NOT NULL DEFAULT 0,
    events                INTEGER NOT NULL DEFAULT 0,
    next_seq              INTEGER NOT NULL DEFAULT 0,
    pack_len              INTEGER NOT NULL DEFAULT 0,
    schema_version        INTEGER NOT NULL,
    discovered_at         INTEGER,
    ingested_at           INTEGER,
    analyzed_at           INTEGER,
    evicted_at            INTEGER
);
CREATE INDEX sessions_started ON sessions (started_at);
CREATE INDEX sessions_parent ON sessions (parent_session_uid) WHERE parent_session_uid IS NOT NULL;

CREATE INDEX sessions_forked ON sessions (forked_from_uid) WHERE forked_from_uid IS NOT NULL;

-- Events are clustered by session: reading a session is one range, evicting it another.
CREATE TABLE events (
    session_id  INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    key         INTEGER NOT NULL,
    parent_seq  INTEGER,
    native_id   ANY,
    ts          INTEGER,
    kind        INTEGER NOT NULL,
    role        INTEGER NOT NULL,
    flags       INTEGER NOT NULL,
    tool        TEXT,
    call_id     TEXT,
    summary     TEXT    NOT NULL,
    block       INTEGER,
    offset      INTEGER,
    len         INTEGER,
    tokens      INTEGER,
    exit_code   INTEGER,
    duration_ms INTEGER,
    files       TEXT,
    PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;
-- Identity: the same event is never stored twice in a session.
CREATE UNIQUE INDEX events_key ON events (session_id, key);

-- Tokens per model response, keyed over all sessions: a copied response is never counted again.
CREATE TABLE usage (
    key            INTEGER PRIMARY KEY,
    session_id     INTEGER NOT NULL,
    ts             INTEGER,
    model          TEXT,
    input          INTEGER NOT NULL,
    output         INTEGER NOT NULL,
    cache_read     INTEGER NOT NULL,
    cache_write_5m INTEGER NOT NULL,
    cache_write_1h INTEGER NOT NULL,
    reasoning      INTEGER NOT NULL,
    usd            REAL
);
CREATE INDEX usage_session ON usage (session_id);

-- Events that open a chain, and the session that stored them first: how copies are recognised.
CREATE TABLE roots (
    key        INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL
);

-- Records no reader understood, verbatim (secrets redacted, compressed), for a later --reparse.
CREATE TABLE quarantine (
    source_id   INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    part        INTEGER NOT NULL,
    flavor      TEXT    NOT NULL,
    cli_version TEXT,
    type_name   TEXT    NOT NULL,
    reason      TEXT,
    raw         BLOB    NOT NULL,
    PRIMARY KEY (source_id, line, part)
) WITHOUT ROWID;

-- Where sources hold secrets: by kind and line, never the value.
CREATE TABLE secrets (
    source_id   INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    fingerprint TEXT    NOT NULL,
    PRIMARY KEY (source_id, line, kind, fingerprint)
) WITHOUT ROWID;

CREATE TABLE last_sweep (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    started_at  INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    files       INTEGER NOT NULL,
    files_read  INTEGER NOT NULL,
    bytes_read  INTEGER NOT NULL,
    new_events  INTEGER NOT NULL,
    problems    INTEGER NOT NULL
);
