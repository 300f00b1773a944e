-- Recall looks for the sessions of a project at every prompt.
CREATE INDEX sessions_project ON sessions_all (tenant, project_key);
