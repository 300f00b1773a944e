//! The search index on a server: the story every index tells, and that it finds what the local one does.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "../../../index/tests/story/mod.rs"]
mod story;

mod alike;
mod kept;

use backstory_store_postgres::{Address, Postgres, PostgresShelf, Speaker};
use backstory_testkit::postgres::{Database, database};
use postgres::{Client, NoTls};

/// The index of a tenant.
fn shelf_for(database: &Database, tenant: &str) -> PostgresShelf {
    let speaker = Speaker { tenant: tenant.into(), owner: "tester".into() };
    PostgresShelf::beside(&Postgres::new(Address::parse(&database.url).unwrap(), speaker))
}

fn shelf_of(database: &Database) -> PostgresShelf {
    shelf_for(database, "team")
}

fn told(story: impl Fn(&PostgresShelf)) {
    let database = database();
    story(&shelf_of(&database));
}

#[test]
fn words_stems_names_and_parts_are_found() {
    told(|shelf| story::words_stems_names_and_parts_are_found(shelf));
}

#[test]
fn phrases_bind_and_refusals_hold() {
    told(|shelf| story::phrases_bind_and_refusals_hold(shelf));
}

#[test]
fn meaning_finds_what_words_do_not() {
    told(|shelf| story::meaning_finds_what_words_do_not(shelf));
}

#[test]
fn what_is_removed_leaves_no_trace() {
    let database = database();
    let knows = |stem: &str| {
        let mut client = Client::connect(&database.url, NoTls).unwrap();
        let sql =
            "SELECT EXISTS (SELECT FROM backstory.search_terms_all WHERE substr(term, 2) = $1)
            OR EXISTS (SELECT FROM ts_stat('SELECT terms FROM backstory.search_passages_all')
                WHERE substr(word, 2) = $1)";
        client.query_one(sql, &[&stem]).unwrap().get(0)
    };
    story::what_is_removed_leaves_no_trace(&shelf_of(&database), &knows);
}

#[test]
fn a_card_replaces_the_one_before() {
    told(|shelf| story::a_card_replaces_the_one_before(shelf));
}

#[test]
fn a_commit_the_archive_did_not_hear_of_is_undone() {
    told(|shelf| story::a_commit_the_archive_did_not_hear_of_is_undone(shelf));
}
