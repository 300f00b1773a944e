-- The mark of the place packs are in, unless they are files beside this one.
CREATE TABLE packs_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    mark TEXT NOT NULL
);
