-- What the search index has not heard of yet; see indexing.rs.
CREATE TABLE index_debts (
    session_id INTEGER PRIMARY KEY,
    flags      INTEGER NOT NULL
);

-- The index this archive is in step with: its name, and the last of its commits known here.
CREATE TABLE index_state (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    name  TEXT    NOT NULL,
    batch INTEGER NOT NULL
);

ALTER TABLE sessions ADD COLUMN indexed_seq INTEGER NOT NULL DEFAULT 0;
