INSERT INTO quarantine (
    source_id, line, part, flavor, cli_version, type_name, reason, raw
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (source_id, line, part) DO UPDATE SET
    flavor = excluded.flavor,
    cli_version = excluded.cli_version,
    type_name = excluded.type_name,
    reason = excluded.reason,
    raw = excluded.raw
