//! A real Postgres for tests.
//!
//! [`database`] gives a test an empty database of its own. All of them are on one server, which the
//! first test to ask starts and the last process to use it takes along, however that ends.
//! [`Server::private`] is for tests that stop or kill it.

mod error;
mod programs;
mod server;

pub use error::PostgresError;
pub use programs::programs;
pub use server::Server;

use postgres::{Client, NoTls};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Who owns the databases of tests: nobody special, so that privileges are as they are elsewhere.
const OWNER: &str = "member";
/// What lets the owner in; nothing may ever print it.
pub const PASSWORD: &str = "not-to-be-printed";

/// A database of one test; it is dropped with this.
#[derive(Debug)]
pub struct Database {
    /// Where its owner connects to it, password included.
    pub url: String,
    /// Where the server's administrator connects to it.
    pub administrator_url: String,
    name: String,
    socket: Socket,
}

/// Where a server is asked.
#[derive(Clone, Debug)]
struct Socket {
    folder: PathBuf,
    port: String,
}

impl Socket {
    fn of(server: &Server) -> Self {
        let (folder, port) = server.socket_parts();
        Self { folder, port }
    }

    /// Where a role connects to a database.
    fn url(&self, role: &str, database: &str) -> String {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://{role}@/{database}?host={folder}&port={}", self.port)
    }
}

/// A fresh database on the server all tests share.
///
/// # Panics
///
/// If there is no Postgres on this machine, or it does not start; it says what to do.
pub fn database() -> Database {
    static SHARED: OnceLock<Result<Server, PostgresError>> = OnceLock::new();
    database_on(SHARED.get_or_init(Server::shared))
}

/// The same on a server that has pgvector; [`Database::create_pgvector`] makes use of it.
///
/// # Panics
///
/// If that Postgres cannot be fetched, or does not start.
pub fn database_beside_pgvector() -> Database {
    static SHARED: OnceLock<Result<Server, PostgresError>> = OnceLock::new();
    database_on(SHARED.get_or_init(Server::with_pgvector))
}

fn database_on(server: &Result<Server, PostgresError>) -> Database {
    let made = match server {
        Ok(server) => server.database().map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    made.unwrap_or_else(|error| panic!("{error}"))
}

impl Server {
    /// A fresh database on this server.
    pub fn database(&self) -> Result<Database, PostgresError> {
        // Nothing an administrator may have put into the usual template.
        Database::create(&Socket::of(self), "template0")
    }

    /// The role every test database belongs to.
    fn create_owner(&self) -> Result<(), PostgresError> {
        let mut client = administrator(&Socket::of(self))?;
        client.batch_execute(&format!("CREATE ROLE {OWNER} LOGIN PASSWORD '{PASSWORD}'"))?;
        Ok(())
    }
}

impl Database {
    fn create(socket: &Socket, template: &str) -> Result<Self, PostgresError> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        let create = format!("CREATE DATABASE {name} OWNER {OWNER} TEMPLATE {template}");
        administrator(socket)?.batch_execute(&create)?;
        Ok(Self {
            url: socket.url(&format!("{OWNER}:{PASSWORD}"), &name),
            administrator_url: socket.url("postgres", &name),
            name,
            socket: socket.clone(),
        })
    }

    /// Another database with the same rows; nobody may be connected to this one.
    ///
    /// # Panics
    ///
    /// If somebody is.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self::create(&self.socket, &self.name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A connection of the server's administrator.
    ///
    /// # Panics
    ///
    /// If the server cannot be asked.
    pub fn administrator(&self) -> Client {
        let connected = Client::connect(&self.administrator_url, NoTls);
        connected.unwrap_or_else(|error| panic!("{error}"))
    }

    /// What an administrator does who wants pgvector in this database.
    ///
    /// # Panics
    ///
    /// If the server has none.
    pub fn create_pgvector(&self) {
        // Not where everything else is: nobody may rely on that.
        let create = "CREATE SCHEMA \"Extras\"; GRANT USAGE ON SCHEMA \"Extras\" TO PUBLIC;
            CREATE EXTENSION vector SCHEMA \"Extras\"";
        let created = self.administrator().batch_execute(create);
        created.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Whether a row of any table holds a text, bytes included.
    ///
    /// # Panics
    ///
    /// If the server cannot be asked.
    pub fn holds(&self, text: &str) -> bool {
        let ask = || -> Result<bool, postgres::Error> {
            let mut client = self.administrator();
            let tables = "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
                WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
            for table in client.query(tables, &[])? {
                let table: String = table.get(0);
                let holding = format!(
                    "SELECT count(*) FROM {table} AS r WHERE strpos(r::text, $1) > 0
                     OR strpos(r::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0"
                );
                if client.query_one(&holding, &[&text])?.get::<_, i64>(0) > 0 {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        ask().unwrap_or_else(|error| panic!("{error}"))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A server that is gone took the database along.
        let Ok(mut client) = administrator(&self.socket) else { return };
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let _ = client.batch_execute(&drop);
    }
}

fn administrator(socket: &Socket) -> Result<Client, postgres::Error> {
    Client::connect(&socket.url("postgres", "postgres"), NoTls)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(url: &str, sql: &str) -> Result<i64, postgres::Error> {
        let mut client = Client::connect(url, NoTls)?;
        Ok(client.query_one(sql, &[])?.get(0))
    }

    const TABLES: &str = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";

    #[test]
    fn databases_are_empty_their_owners_own_and_gone_in_the_end() {
        let (one, other) = (database(), database());
        let mut client = Client::connect(&one.url, NoTls).unwrap();
        client.batch_execute("CREATE TABLE t (x TEXT)").unwrap();
        assert_eq!(count(&one.url, TABLES).unwrap(), 1);
        assert_eq!(count(&other.url, TABLES).unwrap(), 0);
        let super_users = "SELECT count(*) FROM pg_roles WHERE rolname = current_user AND rolsuper";
        assert_eq!(count(&one.url, super_users).unwrap(), 0);
        assert_eq!(count(&one.administrator_url, super_users).unwrap(), 1);
        client.batch_execute("INSERT INTO t VALUES ('quokka')").unwrap();
        assert!(one.holds("quokka") && !one.holds("zebra") && !other.holds("quokka"));
        drop(client);
        let copy = one.copy();
        assert!(copy.holds("quokka"));
        // Also while someone is still connected.
        let _client = Client::connect(&one.url, NoTls).unwrap();
        let url = one.url.clone();
        drop(one);
        assert!(Client::connect(&url, NoTls).is_err());
    }

    #[test]
    fn a_private_server_stops_dies_and_comes_back_with_its_rows() {
        let server = Server::private(&[("application_name", "private")]).unwrap();
        let database = server.database().unwrap();
        let mut client = Client::connect(&database.url, NoTls).unwrap();
        client.batch_execute("CREATE TABLE t (x TEXT)").unwrap();
        assert_eq!(
            client.query_one("SHOW application_name", &[]).unwrap().get::<_, &str>(0),
            "private"
        );
        server.restart().unwrap();
        assert!(client.batch_execute("SELECT 1").is_err());
        assert_eq!(count(&database.url, TABLES).unwrap(), 1);
        server.kill().unwrap();
        assert!(Client::connect(&database.url, NoTls).is_err());
        server.start().unwrap();
        assert_eq!(count(&database.url, TABLES).unwrap(), 1);
        server.stop().unwrap();
        assert!(Client::connect(&database.url, NoTls).is_err());
    }
}
