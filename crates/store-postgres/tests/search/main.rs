//! The search index on a server: the story every index tells, and that it finds what the local one does.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "../../../index/tests/story/mod.rs"]
mod story;

mod alike;
mod kept;
mod pgvector;

use backstory_store_postgres::{Address, Postgres, PostgresShelf, Speaker};
use backstory_testkit::postgres::{Database, database};
use postgres::{Client, NoTls};

/// The index of a tenant.
fn shelf_for(database: &Database, tenant: &str) -> PostgresShelf {
    shelf_at(&database.url, tenant)
}

fn shelf_at(url: &str, tenant: &str) -> PostgresShelf {
    let speaker = Speaker { tenant: tenant.into(), owner: "tester".into() };
    PostgresShelf::beside(&Postgres::new(Address::parse(url).unwrap(), speaker))
}

fn shelf_of(database: &Database) -> PostgresShelf {
    shelf_for(database, "team")
}

fn told(story: impl Fn(&PostgresShelf)) {
    let database = database();
    story(&shelf_of(&database));
}

story::tell_all!(told);

#[test]
fn what_is_removed_leaves_no_trace() {
    let database = database();
    let knows = |stem: &str| {
        let mut client = Client::connect(&database.url, NoTls).unwrap();
        let sql = "SELECT EXISTS (SELECT FROM backstory.search_blocks_all
            WHERE position(convert_to($1, 'UTF8') IN terms) > 0
                OR position(convert_to($1, 'UTF8') IN first) > 0)";
        client.query_one(sql, &[&stem]).unwrap().get(0)
    };
    story::what_is_removed_leaves_no_trace(&shelf_of(&database), &knows);
}
