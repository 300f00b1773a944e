INSERT INTO last_sweep (
    id, started_at, finished_at, files, files_read, bytes_read, new_events, problems
) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (id) DO UPDATE SET
    started_at = excluded.started_at,
    finished_at = excluded.finished_at,
    files = excluded.files,
    files_read = excluded.files_read,
    bytes_read = excluded.bytes_read,
    new_events = excluded.new_events,
    problems = excluded.problems
