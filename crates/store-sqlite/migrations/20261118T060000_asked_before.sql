-- What was asked in sessions that were analysed before questions were looked for. Their digests stay until
-- new ones take their place, and none of their events leaves before that: it counts as not analysed yet. Of a
-- session whose beginning has left only the digest knows what was asked there, so that it goes on as it is.
UPDATE sessions SET analyzed_at = NULL, analyzed_seq = 0 WHERE events > 0 AND evicted_before = 0;
-- Recall looks for the latest answers of all projects.
CREATE INDEX decisions_kind ON decisions (kind, state, happened_at);
