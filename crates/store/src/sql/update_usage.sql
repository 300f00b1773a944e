UPDATE usage SET
    session_id = ?2,
    ts = coalesce(ts, ?3),
    model_id = coalesce(?4, model_id),
    input = ?5,
    output = ?6,
    cache_read = ?7,
    cache_write_5m = ?8,
    cache_write_1h = ?9,
    reasoning = ?10,
    usd = ?11
WHERE key = ?1
