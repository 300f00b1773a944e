-- The mark of the place a tenant's packs are in.
CREATE TABLE packs_state_all (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.tenant'),
    owner TEXT COLLATE "C" NOT NULL DEFAULT current_setting('backstory.owner'),
    id BIGINT NOT NULL CHECK (id = 1),
    mark TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id)
);
CALL show_to_tenants();
