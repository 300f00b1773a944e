UPDATE sessions SET
    input_tokens = input_tokens + ?2,
    output_tokens = output_tokens + ?3,
    cache_read_tokens = cache_read_tokens + ?4,
    cache_write_5m_tokens = cache_write_5m_tokens + ?5,
    cache_write_1h_tokens = cache_write_1h_tokens + ?6,
    reasoning_tokens = reasoning_tokens + ?7,
    usd = coalesce(coalesce(usd, 0.0) + ?8, usd)
WHERE id = ?1
