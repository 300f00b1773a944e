-- Questions agents put to the human, and the answers. What a hub recorded has no session: its session_id is
-- 0, and origin names it there. Project and time stand here once more, so that recall need look nowhere else.
CREATE TABLE decisions_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    session_id BIGINT NOT NULL,
    origin TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    part BIGINT NOT NULL,
    project TEXT COLLATE "C",
    repo TEXT COLLATE "C",
    hub_session TEXT COLLATE "C",
    rationale TEXT COLLATE "C",
    happened_at BIGINT NOT NULL,
    answer_seq BIGINT,
    asked_at BIGINT,
    answered_at BIGINT,
    kind TEXT COLLATE "C" NOT NULL,
    form TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    question_id TEXT COLLATE "C" NOT NULL,
    skill TEXT COLLATE "C" NOT NULL,
    header TEXT COLLATE "C" NOT NULL,
    question TEXT COLLATE "C" NOT NULL,
    options TEXT COLLATE "C" NOT NULL,
    recommended BIGINT,
    chosen TEXT COLLATE "C" NOT NULL,
    free_text TEXT COLLATE "C",
    confidence BIGINT NOT NULL,
    PRIMARY KEY (tenant, session_id, origin, seq, part)
);
CREATE INDEX decisions_project ON decisions_all (tenant, project, kind, happened_at);
CREATE INDEX decisions_question ON decisions_all (tenant, question_id);
CREATE INDEX decisions_happened ON decisions_all (tenant, happened_at);
CALL show_to_tenants();
