-- Questions agents put to the human, and the answers. What a hub recorded has no session: its session_id is
-- 0, and origin names it there. Project and time stand here once more, so that recall need look nowhere else.
CREATE TABLE decisions (
    session_id  INTEGER NOT NULL,
    origin      TEXT    NOT NULL,
    seq         INTEGER NOT NULL,
    part        INTEGER NOT NULL,
    project     TEXT,
    repo        TEXT,
    hub_session TEXT,
    rationale   TEXT,
    happened_at INTEGER NOT NULL,
    answer_seq  INTEGER,
    asked_at    INTEGER,
    answered_at INTEGER,
    kind        TEXT    NOT NULL,
    form        TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    question_id TEXT    NOT NULL,
    skill       TEXT    NOT NULL,
    header      TEXT    NOT NULL,
    question    TEXT    NOT NULL,
    options     TEXT    NOT NULL,
    recommended INTEGER,
    chosen      TEXT    NOT NULL,
    free_text   TEXT,
    confidence  INTEGER NOT NULL,
    PRIMARY KEY (session_id, origin, seq, part)
) WITHOUT ROWID;
CREATE INDEX decisions_project ON decisions (project, kind, happened_at);
CREATE INDEX decisions_question ON decisions (question_id);
CREATE INDEX decisions_happened ON decisions (happened_at);
