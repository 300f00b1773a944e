UPDATE events SET
    parent_seq = coalesce(?3, parent_seq),
    kind = ?4,
    role = ?5,
    tool = ?6,
    call_id = ?7,
    summary = ?8,
    exit_code = ?9,
    duration_ms = ?10,
    files = ?11,
    block = coalesce(?12, block),
    "offset" = coalesce(?13, "offset"),
    len = coalesce(?14, len)
WHERE session_id = ?1 AND seq = ?2
