-- The logs of the machine that asks: in a local archive all of them.
CREATE VIEW own_sources AS SELECT * FROM sources;
