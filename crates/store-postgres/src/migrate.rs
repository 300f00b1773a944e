//! Schema migrations: additive, named by time, each applied once, by one process at a time. An older
//! binary uses a newer schema, because nothing is ever removed or renamed.

use crate::connection::{Connection, SCHEMA, refused};
use backstory_store::StoreError;

const MIGRATIONS: &[(&str, &str)] = &[
    ("20261116T180000_initial", include_str!("../migrations/20261116T180000_initial.sql")),
    ("20261116T190000_search", include_str!("../migrations/20261116T190000_search.sql")),
    ("20261117T090000_nearest", include_str!("../migrations/20261117T090000_nearest.sql")),
    ("20261117T100000_packs", include_str!("../migrations/20261117T100000_packs.sql")),
    ("20261117T150000_projects", include_str!("../migrations/20261117T150000_projects.sql")),
    ("20261117T160000_seals", include_str!("../migrations/20261117T160000_seals.sql")),
    ("20261118T000000_decisions", include_str!("../migrations/20261118T000000_decisions.sql")),
    (
        "20261118T060000_asked_before",
        include_str!("../migrations/20261118T060000_asked_before.sql"),
    ),
];

/// Keeps two processes from migrating at once.
const LOCK: i64 = 0x6261_636b_7374_6f72;

/// True once there is a schema of ours.
pub(crate) fn exists(connection: &mut Connection) -> Result<bool, StoreError> {
    let sql = "SELECT to_regclass($1) IS NOT NULL";
    let found = connection.client.query_one(sql, &[&format!("{SCHEMA}.migrations")]);
    found.map(|row| row.get(0)).map_err(refused)
}

/// Brings a schema that exists up to date.
pub(crate) fn bring_up_to_date(connection: &mut Connection) -> Result<(), StoreError> {
    let Some((newest, _)) = MIGRATIONS.last() else { return Ok(()) };
    let sql = format!("SELECT 1 FROM {SCHEMA}.migrations WHERE name = $1");
    let found = connection.client.query_opt(&sql, &[newest]).map_err(refused)?;
    if found.is_some() { Ok(()) } else { apply(connection) }
}

/// The same for one that may not exist.
pub(crate) fn run(connection: &mut Connection) -> Result<(), StoreError> {
    if exists(connection)? { bring_up_to_date(connection) } else { apply(connection) }
}

/// Applies what is missing.
fn apply(connection: &mut Connection) -> Result<(), StoreError> {
    let mut transaction = connection.client.transaction().map_err(refused)?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).map_err(refused)?;
    let begin = format!(
        "CREATE SCHEMA IF NOT EXISTS {SCHEMA};
         CREATE TABLE IF NOT EXISTS {SCHEMA}.migrations (name TEXT PRIMARY KEY);"
    );
    transaction.batch_execute(&begin).map_err(refused)?;
    for (name, sql) in MIGRATIONS {
        let note = format!("INSERT INTO {SCHEMA}.migrations VALUES ($1) ON CONFLICT DO NOTHING");
        if transaction.execute(&note, &[name]).map_err(refused)? == 1 {
            transaction.batch_execute(sql).map_err(refused)?;
        }
    }
    transaction.commit().map_err(refused)
}
