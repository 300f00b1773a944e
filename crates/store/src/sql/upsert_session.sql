INSERT INTO sessions (
    id, session_uid, flavor, parent_session_uid, forked_from_uid, continues_uid, parent_call_id,
    agent_name, repo, project_key, domain, cwd, git_branch, model, models, cli_version, title,
    title_rank, started_at, ended_at, turns, retries, cost_in_parent, task_ref, source_path,
    source_bytes, events, next_seq, schema_version, discovered_at, ingested_at, forgotten_at
) VALUES (
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
    ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?30, iif(?32, ?30, NULL)
) ON CONFLICT (id) DO UPDATE SET
    parent_session_uid = coalesce(parent_session_uid, excluded.parent_session_uid),
    forked_from_uid = coalesce(excluded.forked_from_uid, forked_from_uid),
    continues_uid = coalesce(continues_uid, excluded.continues_uid),
    parent_call_id = coalesce(parent_call_id, excluded.parent_call_id),
    agent_name = coalesce(agent_name, excluded.agent_name),
    repo = coalesce(repo, excluded.repo),
    project_key = coalesce(project_key, excluded.project_key),
    domain = coalesce(domain, excluded.domain),
    cwd = coalesce(cwd, excluded.cwd),
    git_branch = coalesce(excluded.git_branch, git_branch),
    model = coalesce(excluded.model, model),
    models = excluded.models,
    cli_version = coalesce(excluded.cli_version, cli_version),
    title = iif(excluded.title_rank >= title_rank AND excluded.title IS NOT NULL, excluded.title, title),
    title_rank = max(title_rank, excluded.title_rank),
    started_at = min(coalesce(started_at, excluded.started_at), coalesce(excluded.started_at, started_at)),
    ended_at = max(coalesce(ended_at, excluded.ended_at), coalesce(excluded.ended_at, ended_at)),
    turns = turns + excluded.turns,
    retries = retries + excluded.retries,
    cost_in_parent = max(cost_in_parent, excluded.cost_in_parent),
    task_ref = coalesce(task_ref, excluded.task_ref),
    source_path = iif(source_path = '', excluded.source_path, source_path),
    source_bytes = source_bytes + excluded.source_bytes,
    events = events + excluded.events,
    next_seq = max(next_seq, excluded.next_seq),
    schema_version = excluded.schema_version,
    ingested_at = excluded.ingested_at,
    analyzed_at = NULL,
    analyzed_seq = iif(?31, 0, analyzed_seq)
WHERE forgotten_at IS NULL
