SELECT
    (SELECT count(*) FROM sessions WHERE flavor = ?1 AND events > 0 AND parent_session_uid IS NULL),
    (SELECT count(*) FROM sessions WHERE flavor = ?1 AND events > 0 AND parent_session_uid IS NOT NULL),
    sum(events),
    sum(iif(cost_in_parent, 0, input_tokens)),
    sum(iif(cost_in_parent, 0, output_tokens)),
    sum(iif(cost_in_parent, 0, cache_read_tokens)),
    sum(iif(cost_in_parent, 0, cache_write_5m_tokens)),
    sum(iif(cost_in_parent, 0, cache_write_1h_tokens)),
    sum(iif(cost_in_parent, 0, reasoning_tokens)),
    sum(iif(cost_in_parent, NULL, usd)),
    sum(turns),
    sum(retries),
    min(started_at),
    max(ended_at),
    (SELECT count(*) FROM sources WHERE flavor = ?1),
    (SELECT sum(size) FROM sources WHERE flavor = ?1),
    (SELECT sum(unknown) FROM sources WHERE flavor = ?1),
    (SELECT sum(bad) FROM sources WHERE flavor = ?1),
    (SELECT count(*) FROM sources WHERE flavor = ?1 AND is_transcript AND size > 0 AND messages = 0 AND path <> '')
FROM sessions
WHERE flavor = ?1
