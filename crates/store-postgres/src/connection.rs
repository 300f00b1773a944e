//! One connection: whom it speaks for, its prepared statements, and what it says when it fails.

use crate::{Speaker, tls};
use backstory_store::{Fault, StoreError};
use postgres::error::SqlState;
use postgres::{Client, Config, Statement};
use std::collections::HashMap;
use std::error::Error;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The schema all of it lies in.
pub(crate) const SCHEMA: &str = "backstory";

/// A connection that speaks for a tenant and an owner.
pub(crate) struct Connection {
    pub(crate) client: Client,
    statements: HashMap<String, Statement>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn open(
        config: &Config,
        tls: MakeRustlsConnect,
        speaker: &Speaker,
    ) -> Result<Self, StoreError> {
        let mut config = config.clone();
        config.application_name(&format!("backstory {} {}", speaker.owner, std::process::id()));
        let mut client = config.connect(tls).map_err(refused)?;
        let speak = "SELECT set_config('search_path', $1, false),
            set_config('backstory.tenant', $2, false), set_config('backstory.owner', $3, false)";
        let path = format!("{SCHEMA}, public");
        client.query_one(speak, &[&path, &speaker.tenant, &speaker.owner]).map_err(refused)?;
        Ok(Self { client, statements: HashMap::new() })
    }

    /// A statement of ours, prepared once.
    pub(crate) fn prepare(&mut self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(&translated(sql)).map_err(refused)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        self.client.batch_execute(sql).map_err(refused)
    }
}

/// Values are numbered `?1` in our statements and `$1` here; every key begins with the tenant.
fn translated(sql: &str) -> String {
    sql.replace('?', "$").replace("ON CONFLICT (", "ON CONFLICT (tenant, ")
}

/// What Postgres says, what is at fault and what to do about it.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(crate) fn refused(error: postgres::Error) -> StoreError {
    let (fault, advice) = match error.as_db_error() {
        Some(said) => judged(said.code()),
        None => tls::advice(&error).map_or_else(
            // Without an answer of the server it is the connection that failed.
            || if is_about_the_line(&error) { (Fault::Passing, "") } else { (Fault::Other, "") },
            |advice| (Fault::Refused, advice),
        ),
    };
    let mut reason = told(&error);
    if !advice.is_empty() {
        reason = format!("{reason}; {advice}");
    }
    StoreError::Database { fault, reason }
}

/// What is at fault, and what to do about it.
fn judged(code: &SqlState) -> (Fault, &'static str) {
    match (code, code.code().get(..2)) {
        (&SqlState::DISK_FULL, _) => (Fault::DiskFull, ""),
        (&SqlState::INSUFFICIENT_PRIVILEGE, _) => (
            Fault::Refused,
            "the first sync must be run by a role that may CREATE in this database, every other by \
             one that may use what it created",
        ),
        (&SqlState::QUERY_CANCELED, _) => {
            (Fault::Refused, "give this role a longer statement_timeout")
        }
        (&SqlState::INVALID_CATALOG_NAME, _) => {
            (Fault::Refused, "create the database, or correct its name in the store's address")
        }
        (_, Some("28")) => {
            (Fault::Refused, "check the user and the password in the store's address")
        }
        // Another transaction in the way, the line, the server going down or coming up.
        (_, Some("40" | "08" | "57" | "55")) | (&SqlState::TOO_MANY_CONNECTIONS, _) => {
            (Fault::Passing, "")
        }
        (_, Some("XX")) => (Fault::Corrupt, ""),
        _ => (Fault::Other, ""),
    }
}

fn is_about_the_line(error: &postgres::Error) -> bool {
    error.is_closed() || causes(error).any(<dyn Error>::is::<std::io::Error>)
}

/// What is behind an error, from the outside in.
pub(crate) fn causes(error: &postgres::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| (*cause).source())
}

/// What the server said, or the error with what is behind it.
fn told(error: &postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return said.message().to_owned();
    }
    let mut told = error.to_string();
    for cause in causes(error).map(ToString::to_string) {
        if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}
