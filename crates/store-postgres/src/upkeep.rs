//! What only Postgres has: rows it still holds after they were deleted, estimates of their size, and
//! indexes that can be left half built.

/// Lets new rows take the place of deleted ones, and gives empty pages at the end of a table back.
pub(crate) const GIVE_BACK_ROOM: &str = "VACUUM events_all, sessions_all, sources_all, digests_all,
    signals_all, quarantine_all, secrets_all, departed_all, usage_all,
    seals_all, decisions_all";

/// Counts how many rows tenants have. Whoever does not own the tables is not heard, and told so in a warning.
pub(crate) const LOOK_AT_TENANTS: &str = "ANALYZE events_all (tenant), usage_all (tenant),
    sessions_all (tenant), sources_all (tenant), roots_all (tenant), index_debts_all (tenant),
    digests_all (tenant), signals_all (tenant), decisions_all (tenant)";

/// Bytes of the tenant's raw events, and of everything else it has. Not the size of the files: a table
/// does not shrink when rows leave it, the next ones take their place, and other tenants have rows in
/// it. What an event takes is known once the table was analysed; an index entry or two and the header
/// of a row come to 140 bytes.
pub(crate) const ROOM: &str = "SELECT
    CAST((SELECT coalesce(sum(next_seq - evicted_before), 0) FROM sessions
        WHERE next_seq > evicted_before) * (SELECT coalesce(max(width) + 140, 400) FROM (
            SELECT sum(avg_width * (1 - null_frac)) AS width FROM pg_stats
            WHERE schemaname = current_schema() AND tablename LIKE 'events\\_%'
            GROUP BY tablename) AS widths) AS BIGINT),
    CAST((SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
            AND NOT relispartition AND relname LIKE '%\\_all'
            AND relname NOT LIKE 'search\\_%')
        * (SELECT greatest(count(*), 1) FROM sessions)
        / (SELECT greatest(count(*), 1) FROM sessions_all) AS BIGINT)";

/// Indexes that no statement uses, because building them was cut short.
pub(crate) const BROKEN_INDEXES: &str = "SELECT CAST(indexrelid::regclass AS TEXT) FROM pg_index
    JOIN pg_class ON pg_class.oid = indexrelid
    WHERE relnamespace = current_schema()::regnamespace AND NOT indisvalid ORDER BY 1";
