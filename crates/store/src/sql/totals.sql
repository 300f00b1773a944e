SELECT
    (SELECT count(*) FROM sessions WHERE flavor = ?1 AND events > 0 AND parent_session_uid IS NULL),
    (SELECT count(*) FROM sessions WHERE flavor = ?1 AND events > 0 AND parent_session_uid IS NOT NULL),
    CAST(sum(events) AS BIGINT),
    CAST(sum(input_tokens) FILTER (WHERE cost_in_parent = 0) AS BIGINT),
    CAST(sum(output_tokens) FILTER (WHERE cost_in_parent = 0) AS BIGINT),
    CAST(sum(cache_read_tokens) FILTER (WHERE cost_in_parent = 0) AS BIGINT),
    CAST(sum(cache_write_5m_tokens) FILTER (WHERE cost_in_parent = 0) AS BIGINT),
    CAST(sum(cache_write_1h_tokens) FILTER (WHERE cost_in_parent = 0) AS BIGINT),
    CAST(sum(reasoning_tokens) FILTER (WHERE cost_in_parent = 0) AS BIGINT),
    sum(usd) FILTER (WHERE cost_in_parent = 0),
    CAST(sum(turns) AS BIGINT),
    CAST(sum(retries) AS BIGINT),
    min(started_at),
    max(ended_at),
    (SELECT count(*) FROM sources WHERE flavor = ?1),
    (SELECT CAST(sum(size) AS BIGINT) FROM sources WHERE flavor = ?1),
    (SELECT CAST(sum(unknown) AS BIGINT) FROM sources WHERE flavor = ?1),
    (SELECT CAST(sum(bad) AS BIGINT) FROM sources WHERE flavor = ?1),
    (SELECT count(*) FROM sources WHERE flavor = ?1 AND is_transcript <> 0 AND size > 0 AND messages = 0 AND path <> '')
FROM sessions
WHERE flavor = ?1
