-- Events below this seq have left; how far the digest has seen; what must stay; what must not come
-- back. A forgotten session keeps its row without a word in it, as its own tombstone.
ALTER TABLE sessions ADD COLUMN evicted_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN analyzed_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN pinned_at INTEGER;
ALTER TABLE sessions ADD COLUMN forgotten_at INTEGER;
CREATE INDEX sessions_unanalyzed ON sessions (id) WHERE analyzed_at IS NULL;

-- The durable account of a session, and what the distiller needs to carry on from it. Both
-- compressed.
CREATE TABLE digests (
    session_id INTEGER PRIMARY KEY,
    version    INTEGER NOT NULL,
    digest     BLOB    NOT NULL,
    state      BLOB    NOT NULL
);

-- What was noticed in sessions. Patterns are groups of these by fingerprint.
CREATE TABLE signals (
    session_id  INTEGER NOT NULL,
    kind        INTEGER NOT NULL,
    fingerprint INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    last_seq    INTEGER NOT NULL,
    ts          INTEGER,
    count       INTEGER NOT NULL,
    what        TEXT    NOT NULL,
    fix_seq     INTEGER,
    fix         TEXT,
    tried       TEXT,
    PRIMARY KEY (session_id, kind, fingerprint)
) WITHOUT ROWID;
CREATE INDEX signals_fingerprint ON signals (fingerprint, kind);

-- Identities of events that have left, in the order of their seq: met again, they are still known.
CREATE TABLE departed (
    session_id INTEGER PRIMARY KEY,
    keys       BLOB    NOT NULL
);

-- Packs whose rows are gone and whose files are about to be.
CREATE TABLE doomed_packs (
    session_id INTEGER PRIMARY KEY
);

-- Names of models, so that a response need not repeat them.
CREATE TABLE models (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
ALTER TABLE usage ADD COLUMN model_id INTEGER;
INSERT INTO models (name) SELECT DISTINCT model FROM usage WHERE model IS NOT NULL;
UPDATE usage SET model_id = (SELECT id FROM models WHERE name = model), model = NULL;
