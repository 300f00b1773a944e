INSERT INTO usage (
    key, session_id, ts, model_id, input, output, cache_read, cache_write_5m, cache_write_1h,
    reasoning, usd
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
ON CONFLICT (key) DO NOTHING
