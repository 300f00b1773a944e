-- Every file of posted messages asks whether its session has a log.
CREATE INDEX sources_session ON sources (session_id) WHERE session_id IS NOT NULL;
