//! Schema migrations: additive, named by time, each applied once. An older binary opens a newer
//! database, because nothing is ever removed or renamed and unknown migrations are left alone.

use rusqlite::{Connection, TransactionBehavior};

const MIGRATIONS: &[(&str, &str)] = &[
    ("20261115T210000_initial", include_str!("../migrations/20261115T210000_initial.sql")),
    ("20261116T000000_distilled", include_str!("../migrations/20261116T000000_distilled.sql")),
    ("20261116T040000_index", include_str!("../migrations/20261116T040000_index.sql")),
    ("20261116T180000_own_sources", include_str!("../migrations/20261116T180000_own_sources.sql")),
    ("20261117T100000_packs", include_str!("../migrations/20261117T100000_packs.sql")),
    ("20261117T150000_projects", include_str!("../migrations/20261117T150000_projects.sql")),
    ("20261117T160000_seals", include_str!("../migrations/20261117T160000_seals.sql")),
    ("20261117T200000_sources", include_str!("../migrations/20261117T200000_sources.sql")),
    ("20261118T000000_decisions", include_str!("../migrations/20261118T000000_decisions.sql")),
    (
        "20261118T060000_asked_before",
        include_str!("../migrations/20261118T060000_asked_before.sql"),
    ),
];

/// Applies what is missing.
pub(crate) fn run(connection: &mut Connection) -> rusqlite::Result<()> {
    if is_current(connection) {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) WITHOUT ROWID;",
    )?;
    for (name, sql) in MIGRATIONS {
        let fresh = transaction.execute("INSERT OR IGNORE INTO migrations VALUES (?1)", [name])?;
        if fresh == 1 {
            transaction.execute_batch(sql)?;
        }
    }
    transaction.commit()?;
    Ok(())
}

/// True if nothing this version needs is missing.
pub(crate) fn is_current(connection: &Connection) -> bool {
    let Some((newest, _)) = MIGRATIONS.last() else { return true };
    connection
        .query_row("SELECT count(*) FROM migrations WHERE name = ?1", [newest], |row| {
            row.get::<_, i64>(0)
        })
        .is_ok_and(|found| found == 1)
}
