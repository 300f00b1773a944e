INSERT INTO sources (
    id, path_key, path, flavor, role, is_transcript, dev, inode, size, mtime_ns, "offset", lines,
    head_print, tail_print, state, session_id, messages, bad, unknown, problem, schema_version,
    read_at
) VALUES (
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
    ?22
) ON CONFLICT (id) DO UPDATE SET
    path_key = excluded.path_key,
    path = excluded.path,
    role = excluded.role,
    is_transcript = excluded.is_transcript,
    dev = excluded.dev,
    inode = excluded.inode,
    size = excluded.size,
    mtime_ns = excluded.mtime_ns,
    "offset" = excluded."offset",
    lines = excluded.lines,
    head_print = excluded.head_print,
    tail_print = excluded.tail_print,
    state = excluded.state,
    session_id = coalesce(excluded.session_id, sources.session_id),
    messages = excluded.messages,
    bad = excluded.bad,
    unknown = excluded.unknown,
    problem = excluded.problem,
    schema_version = excluded.schema_version,
    read_at = excluded.read_at
