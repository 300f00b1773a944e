SELECT flavor, cli_version, type_name, many, reason, path, line
FROM (
    SELECT q.flavor, q.cli_version, q.type_name, s.path, q.line,
        count(*) OVER alike AS many,
        max(q.reason) OVER alike AS reason,
        row_number() OVER (
            PARTITION BY q.flavor, q.cli_version, q.type_name ORDER BY q.line, s.path
        ) AS place
    FROM quarantine q JOIN sources s ON s.id = q.source_id
    WINDOW alike AS (PARTITION BY q.flavor, q.cli_version, q.type_name)
) AS counted
WHERE place = 1
ORDER BY many DESC, flavor, type_name, cli_version NULLS FIRST
