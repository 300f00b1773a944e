-- Closed stretches of sessions, and what each came to by then. The overview is compressed.
CREATE TABLE seals (
    session_id INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    sealed_at  INTEGER NOT NULL,
    reason     TEXT    NOT NULL,
    abstract   TEXT    NOT NULL,
    overview   BLOB    NOT NULL,
    PRIMARY KEY (session_id, number)
) WITHOUT ROWID;
