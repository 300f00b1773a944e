-- Closed stretches of sessions, and what each came to by then. The overview is compressed.
CREATE TABLE seals_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    session_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    sealed_at BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    abstract TEXT COLLATE "C" NOT NULL,
    overview BYTEA NOT NULL,
    PRIMARY KEY (tenant, session_id, number)
);
CALL show_to_tenants();
