INSERT INTO events (
    session_id, seq, key, parent_seq, native_id, ts, kind, role, flags, tool, call_id, summary,
    block, "offset", len, tokens, exit_code, duration_ms, files
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
