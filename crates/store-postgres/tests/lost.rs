//! Connections that are lost: no transaction goes on without its beginning, no sweep without its lock.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use backstory_store::{Engine, StoreError, Value};
use backstory_store_postgres::{Address, Postgres, Speaker};
use backstory_testkit::postgres::{Database, database};
use std::time::Duration;

fn engine(database: &Database, owner: &str) -> Postgres {
    let speaker = Speaker { tenant: "team".into(), owner: owner.into() };
    Postgres::new(Address::parse(&database.url).unwrap(), speaker)
        .waiting(Duration::from_millis(200))
}

fn add(rows: &dyn backstory_store::Database, name: &str) -> Result<u64, StoreError> {
    rows.run("INSERT INTO models (name) VALUES (?1)", &[Value::Text(name)])
}

fn names(database: &Database) -> Vec<String> {
    let rows =
        database.administrator().query("SELECT name FROM backstory.models_all ORDER BY 1", &[]);
    rows.unwrap().iter().map(|row| row.get(0)).collect()
}

/// Ends the server's side of connections, and waits until it has ended.
fn cut(database: &Database, which: &str) {
    let mut administrator = database.administrator();
    let cut = format!(
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'backstory ann %' AND {which}"
    );
    assert_eq!(administrator.query_one(&cut, &[]).unwrap().get::<_, i64>(0), 1);
}

const WITH_LOCK: &str =
    "pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2
        AND mode = 'ExclusiveLock' AND granted)";

#[test]
fn a_transaction_that_lost_its_beginning_does_not_go_on() {
    let database = database();
    let ann = engine(&database, "ann");
    let rows = ann.write().unwrap();
    rows.begin().unwrap();
    add(&*rows, "first").unwrap();
    cut(&database, "TRUE");
    assert!(add(&*rows, "second").unwrap_err().is_passing());
    assert!(add(&*rows, "third").unwrap_err().is_passing());
    assert!(rows.commit().unwrap_err().is_passing());
    assert_eq!(names(&database), [""; 0]);
    rows.begin().unwrap();
    add(&*rows, "fourth").unwrap();
    rows.commit().unwrap();
    assert_eq!(names(&database), ["fourth"]);
}

#[test]
fn outside_of_a_transaction_a_lost_connection_is_not_noticed() {
    let database = database();
    let rows = engine(&database, "ann").write().unwrap();
    add(&*rows, "first").unwrap();
    cut(&database, "TRUE");
    add(&*rows, "second").unwrap();
    assert_eq!(names(&database), ["first", "second"]);
}

#[test]
fn whoever_lost_the_lock_writes_no_more() {
    let database = database();
    let (ann, bob) = (engine(&database, "ann"), engine(&database, "bob"));
    let lock = ann.lock().unwrap();
    let rows = ann.write().unwrap();
    rows.begin().unwrap();
    rows.commit().unwrap();
    cut(&database, WITH_LOCK);
    let of_bob = bob.lock().unwrap();
    assert!(rows.begin().unwrap_err().is_passing());
    drop(lock);
    assert!(matches!(ann.lock().unwrap_err(), StoreError::Busy(holder) if holder.contains("bob")));
    drop(of_bob);
    let _lock = ann.lock().unwrap();
    rows.begin().unwrap();
    add(&*rows, "again").unwrap();
    rows.commit().unwrap();
    assert_eq!(names(&database), ["again"]);
}

#[test]
fn the_next_sweep_waits_for_what_the_last_one_is_writing() {
    let database = database();
    let (ann, bob) = (engine(&database, "ann"), engine(&database, "bob"));
    let _lock = ann.lock().unwrap();
    let rows = ann.write().unwrap();
    rows.begin().unwrap();
    add(&*rows, "late").unwrap();
    cut(&database, WITH_LOCK);
    assert!(matches!(bob.lock().unwrap_err(), StoreError::Busy(_)));
    rows.commit().unwrap();
    assert_eq!(names(&database), ["late"]);
    bob.lock().unwrap();
}
