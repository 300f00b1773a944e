-- The archive of one or more tenants. Tables end in `_all`; the view without the ending shows the rows
-- of the tenant the connection speaks for, and is all that statements know of. Keys begin with the
-- tenant, so that rows can be spread by it. Text compares byte by byte, as it does in a local archive.

CREATE FUNCTION instr(TEXT, TEXT) RETURNS INTEGER LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT strpos($1, $2) $$;

-- How far each log was read, and the hashes that prove it is still the same file. Two workstations
-- have the same paths: a path belongs to its owner.
CREATE TABLE sources_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    id BIGINT NOT NULL,
    path_key BIGINT NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    flavor TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    is_transcript BIGINT NOT NULL,
    dev BIGINT NOT NULL,
    inode BIGINT NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    "offset" BIGINT NOT NULL,
    lines BIGINT NOT NULL,
    head_print BIGINT NOT NULL,
    tail_print BIGINT NOT NULL,
    state BYTEA NOT NULL,
    session_id BIGINT,
    messages BIGINT NOT NULL,
    bad BIGINT NOT NULL,
    unknown BIGINT NOT NULL,
    problem TEXT COLLATE "C",
    schema_version BIGINT NOT NULL,
    read_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, owner, path_key)
);
CREATE INDEX sources_session ON sources_all (tenant, session_id);

-- One row a session. A forgotten session keeps its row without a word in it, as its own tombstone.
CREATE TABLE sessions_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    id BIGINT NOT NULL,
    session_uid TEXT COLLATE "C" NOT NULL,
    flavor TEXT COLLATE "C" NOT NULL,
    parent_session_uid TEXT COLLATE "C",
    forked_from_uid TEXT COLLATE "C",
    continues_uid TEXT COLLATE "C",
    parent_call_id TEXT COLLATE "C",
    agent_name TEXT COLLATE "C",
    repo TEXT COLLATE "C",
    project_key TEXT COLLATE "C",
    domain TEXT COLLATE "C",
    cwd TEXT COLLATE "C",
    git_branch TEXT COLLATE "C",
    model TEXT COLLATE "C",
    models TEXT COLLATE "C" NOT NULL DEFAULT '',
    cli_version TEXT COLLATE "C",
    title TEXT COLLATE "C",
    title_rank BIGINT NOT NULL DEFAULT 0,
    started_at BIGINT,
    ended_at BIGINT,
    outcome TEXT COLLATE "C" NOT NULL DEFAULT 'unknown',
    outcome_reason TEXT COLLATE "C",
    input_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    cache_read_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_5m_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_1h_tokens BIGINT NOT NULL DEFAULT 0,
    reasoning_tokens BIGINT NOT NULL DEFAULT 0,
    usd DOUBLE PRECISION,
    turns BIGINT NOT NULL DEFAULT 0,
    retries BIGINT NOT NULL DEFAULT 0,
    cost_in_parent BIGINT NOT NULL DEFAULT 0,
    task_ref TEXT COLLATE "C",
    source_path TEXT COLLATE "C" NOT NULL DEFAULT '',
    source_bytes BIGINT NOT NULL DEFAULT 0,
    events BIGINT NOT NULL DEFAULT 0,
    next_seq BIGINT NOT NULL DEFAULT 0,
    pack_len BIGINT NOT NULL DEFAULT 0,
    schema_version BIGINT NOT NULL,
    discovered_at BIGINT,
    ingested_at BIGINT,
    analyzed_at BIGINT,
    evicted_at BIGINT,
    evicted_before BIGINT NOT NULL DEFAULT 0,
    analyzed_seq BIGINT NOT NULL DEFAULT 0,
    indexed_seq BIGINT NOT NULL DEFAULT 0,
    pinned_at BIGINT,
    forgotten_at BIGINT,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, session_uid)
);
CREATE INDEX sessions_started ON sessions_all (tenant, started_at);
CREATE INDEX sessions_parent ON sessions_all (tenant, parent_session_uid) WHERE parent_session_uid IS NOT NULL;
CREATE INDEX sessions_forked ON sessions_all (tenant, forked_from_uid) WHERE forked_from_uid IS NOT NULL;
CREATE INDEX sessions_unanalyzed ON sessions_all (tenant, id) WHERE analyzed_at IS NULL;

-- Raw events. A tenant that outgrows the rest gets a partition of its own.
CREATE TABLE events_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    session_id BIGINT NOT NULL,
    key BIGINT NOT NULL,
    ts BIGINT,
    block BIGINT,
    tokens BIGINT,
    duration_ms BIGINT,
    seq INTEGER NOT NULL,
    parent_seq INTEGER,
    "offset" INTEGER,
    len INTEGER,
    exit_code INTEGER,
    kind SMALLINT NOT NULL,
    role SMALLINT NOT NULL,
    flags SMALLINT NOT NULL,
    native_id TEXT COLLATE "C",
    tool TEXT COLLATE "C",
    call_id TEXT COLLATE "C",
    summary TEXT COLLATE "C" NOT NULL,
    files TEXT COLLATE "C",
    PRIMARY KEY (tenant, session_id, seq)
) PARTITION BY LIST (tenant);
CREATE TABLE events_rest PARTITION OF events_all DEFAULT;
CREATE UNIQUE INDEX events_key ON events_all (tenant, session_id, key);

-- Tokens of one response, counted once over all sessions.
CREATE TABLE usage_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    key BIGINT NOT NULL,
    session_id BIGINT NOT NULL,
    ts BIGINT,
    model_id BIGINT,
    input BIGINT NOT NULL,
    output BIGINT NOT NULL,
    cache_read BIGINT NOT NULL,
    cache_write_5m BIGINT NOT NULL,
    cache_write_1h BIGINT NOT NULL,
    reasoning BIGINT NOT NULL,
    usd DOUBLE PRECISION,
    PRIMARY KEY (tenant, key)
);
CREATE INDEX usage_session ON usage_all (tenant, session_id);

-- Who stored a chain-opening event first.
CREATE TABLE roots_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    key BIGINT NOT NULL,
    session_id BIGINT NOT NULL,
    PRIMARY KEY (tenant, key)
);
CREATE INDEX roots_session ON roots_all (tenant, session_id);

-- Records no reader understood, redacted and compressed.
CREATE TABLE quarantine_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    source_id BIGINT NOT NULL,
    line BIGINT NOT NULL,
    part BIGINT NOT NULL,
    flavor TEXT COLLATE "C" NOT NULL,
    cli_version TEXT COLLATE "C",
    type_name TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    raw BYTEA NOT NULL,
    PRIMARY KEY (tenant, source_id, line, part)
);

-- Where secrets were found, by fingerprint.
CREATE TABLE secrets_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    source_id BIGINT NOT NULL,
    line BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    fingerprint TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, source_id, line, kind, fingerprint)
);

-- The sweep finished last.
CREATE TABLE last_sweep_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    id BIGINT NOT NULL CHECK (id = 1),
    started_at BIGINT NOT NULL,
    finished_at BIGINT NOT NULL,
    files BIGINT NOT NULL,
    files_read BIGINT NOT NULL,
    bytes_read BIGINT NOT NULL,
    new_events BIGINT NOT NULL,
    problems BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- The durable account of a session, and what the distiller needs to carry on from it. Both compressed.
CREATE TABLE digests_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    session_id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    state BYTEA NOT NULL,
    PRIMARY KEY (tenant, session_id)
);

-- What was noticed in sessions. Patterns are groups of these by fingerprint.
CREATE TABLE signals_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    session_id BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    fingerprint BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    ts BIGINT,
    count BIGINT NOT NULL,
    what TEXT COLLATE "C" NOT NULL,
    fix_seq BIGINT,
    fix TEXT COLLATE "C",
    tried TEXT COLLATE "C",
    PRIMARY KEY (tenant, session_id, kind, fingerprint)
);
CREATE INDEX signals_fingerprint ON signals_all (tenant, fingerprint, kind);

-- Identities of events that have left, in the order of their seq: met again, they are still known.
CREATE TABLE departed_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    session_id BIGINT NOT NULL,
    keys BYTEA NOT NULL,
    PRIMARY KEY (tenant, session_id)
);

-- Packs whose rows are gone and which are about to go themselves.
CREATE TABLE doomed_packs_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    session_id BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id)
);

-- Names of models, so that a response need not repeat them.
CREATE TABLE models_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    id BIGINT GENERATED BY DEFAULT AS IDENTITY,
    name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, name)
);

-- What the search index has not heard of yet.
CREATE TABLE index_debts_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    session_id BIGINT NOT NULL,
    flags BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id)
);

-- The index this archive is in step with: its name, and the last of its commits known here.
CREATE TABLE index_state_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    id BIGINT NOT NULL CHECK (id = 1),
    name TEXT COLLATE "C" NOT NULL,
    batch BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- Shows every table to its tenant. A migration that adds tables or columns calls it at its end.
CREATE PROCEDURE show_to_tenants() LANGUAGE plpgsql AS $$
DECLARE shown TEXT;
BEGIN
    FOR shown IN
        SELECT relname FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname LIKE '%\_all'
    LOOP
        EXECUTE format(
            'CREATE OR REPLACE VIEW %I AS SELECT * FROM %I WHERE tenant = current_setting(''backstory.tenant'')',
            left(shown, -4), shown);
    END LOOP;
END $$;
CALL show_to_tenants();

-- The logs of the machine that asks.
CREATE VIEW own_sources AS SELECT * FROM sources WHERE owner = current_setting('backstory.owner');
