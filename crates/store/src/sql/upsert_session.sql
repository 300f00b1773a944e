INSERT INTO sessions (
    id, session_uid, flavor, parent_session_uid, forked_from_uid, continues_uid, parent_call_id,
    agent_name, repo, project_key, domain, cwd, git_branch, model, models, cli_version, title,
    title_rank, started_at, ended_at, turns, retries, cost_in_parent, task_ref, source_path,
    source_bytes, events, next_seq, schema_version, discovered_at, ingested_at, forgotten_at
) VALUES (
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
    ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?30, ?32
) ON CONFLICT (id) DO UPDATE SET
    parent_session_uid = coalesce(sessions.parent_session_uid, excluded.parent_session_uid),
    forked_from_uid = coalesce(excluded.forked_from_uid, sessions.forked_from_uid),
    continues_uid = coalesce(sessions.continues_uid, excluded.continues_uid),
    parent_call_id = coalesce(sessions.parent_call_id, excluded.parent_call_id),
    agent_name = coalesce(sessions.agent_name, excluded.agent_name),
    repo = coalesce(sessions.repo, excluded.repo),
    project_key = coalesce(sessions.project_key, excluded.project_key),
    domain = coalesce(sessions.domain, excluded.domain),
    cwd = coalesce(sessions.cwd, excluded.cwd),
    git_branch = coalesce(excluded.git_branch, sessions.git_branch),
    model = coalesce(excluded.model, sessions.model),
    models = excluded.models,
    cli_version = coalesce(excluded.cli_version, sessions.cli_version),
    title = CASE WHEN excluded.title_rank >= sessions.title_rank
        THEN coalesce(excluded.title, sessions.title) ELSE sessions.title END,
    title_rank = CASE WHEN excluded.title_rank > sessions.title_rank
        THEN excluded.title_rank ELSE sessions.title_rank END,
    started_at = CASE WHEN sessions.started_at <= excluded.started_at
        THEN sessions.started_at ELSE coalesce(excluded.started_at, sessions.started_at) END,
    ended_at = CASE WHEN sessions.ended_at >= excluded.ended_at
        THEN sessions.ended_at ELSE coalesce(excluded.ended_at, sessions.ended_at) END,
    turns = sessions.turns + excluded.turns,
    retries = sessions.retries + excluded.retries,
    cost_in_parent = sessions.cost_in_parent | excluded.cost_in_parent,
    task_ref = coalesce(sessions.task_ref, excluded.task_ref),
    source_path = coalesce(nullif(sessions.source_path, ''), excluded.source_path),
    source_bytes = sessions.source_bytes + excluded.source_bytes,
    events = sessions.events + excluded.events,
    next_seq = CASE WHEN excluded.next_seq > sessions.next_seq
        THEN excluded.next_seq ELSE sessions.next_seq END,
    schema_version = excluded.schema_version,
    ingested_at = excluded.ingested_at,
    analyzed_at = NULL,
    analyzed_seq = CASE WHEN ?31 <> 0 THEN 0 ELSE sessions.analyzed_seq END
WHERE sessions.forgotten_at IS NULL
