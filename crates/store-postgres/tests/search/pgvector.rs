//! Where the server has pgvector: the same story, the same neighbours, and an extension that comes and goes.

use crate::kept::{add_vectors, vector};
use crate::{shelf_at, shelf_for, shelf_of, story};
use backstory_index::{LocalShelf, Place, Shelf, Stay};
use backstory_store_postgres::PostgresShelf;
use backstory_testkit::postgres::{Database, database_beside_pgvector};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

fn number(database: &Database, sql: &str) -> i64 {
    database.administrator().query_one(sql, &[]).unwrap().get(0)
}

fn has_graph(database: &Database) -> bool {
    let graph = "SELECT count(to_regclass('backstory.search_vectors_graph'))";
    number(database, graph) == 1
}

/// Each part of the story as a tenant of its own, beside one with so much that there is a graph.
fn told(story: impl Fn(&PostgresShelf)) {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    static TENANT: AtomicU32 = AtomicU32::new(0);
    let database = DATABASE.get_or_init(|| {
        let database = database_beside_pgvector();
        database.create_pgvector();
        add_vectors(&shelf_for(&database, "large"), 0, 1..42);
        assert!(has_graph(&database));
        database
    });
    let tenant = format!("teller-{}", TENANT.fetch_add(1, Ordering::Relaxed));
    story(&shelf_for(database, &tenant));
}

story::tell_all!(told);

/// Both find the same, whoever is let through.
fn assert_alike(there: &dyn Shelf, here: &dyn Shelf) {
    let readers = [there, here].map(|shelf| shelf.reader(Stay::Long).unwrap());
    let ask = |number, limit, accept: fn(i64) -> bool| {
        readers.each_ref().map(|reader| {
            let mut accept = |place: Place| accept(place.session());
            reader.nearest(&vector(number), limit, &mut accept).unwrap()
        })
    };
    for number in [117, 2_300, 4_043] {
        let [there, here] = ask(number, 5, |session| session % 3 != 0);
        assert!(there.len() == 5 && there[0] == here[0], "{number}: {there:?} {here:?}");
        // Not enough of these are near, so every one of them is looked at.
        let [there, here] = ask(number, 200, |session| session == 7);
        assert!(there.len() == 100 && there == here);
    }
}

#[test]
fn the_extension_comes_and_goes() {
    let database = database_beside_pgvector();
    let home = tempfile::tempdir().unwrap();
    let (there, other) = (shelf_of(&database), shelf_for(&database, "other"));
    let here = LocalShelf::new(home.path());
    let codes = || {
        number(&database, "SELECT count(*) FROM backstory.search_codes_all WHERE tenant = 'team'")
    };
    add_vectors(&other, 0, 1_001..1_042);
    let mut batches = [add_vectors(&there, 0, 1..44), add_vectors(&here, 0, 1..44)];
    assert!(codes() > 0);
    assert_alike(&there, &here);

    // Nothing changes before someone brings something in.
    database.create_pgvector();
    assert_alike(&there, &here);
    assert!(!has_graph(&database));
    batches = [add_vectors(&there, batches[0], 44..45), add_vectors(&here, batches[1], 44..45)];
    assert!(has_graph(&database) && codes() == 0);
    assert_alike(&there, &here);

    // What is added to the graph is found, what is removed is not.
    batches = [add_vectors(&there, batches[0], 45..46), add_vectors(&here, batches[1], 45..46)];
    let near = there.reader(Stay::Long).unwrap().nearest(&vector(4_542), 1, &mut |_| true).unwrap();
    assert_eq!(near[0].0, Place::event(45, 42));
    for (shelf, batch) in [&there as &dyn Shelf, &here].into_iter().zip(&mut batches) {
        let mut writer = shelf.writer(*batch).unwrap();
        writer.remove_events(23).unwrap();
        *batch = writer.commit().unwrap();
        writer.finish().unwrap();
    }
    let reader = there.reader(Stay::Long).unwrap();
    let near = reader.nearest(&vector(2_300), 50, &mut |_| true).unwrap();
    assert!(near.len() == 50 && near.iter().all(|(place, _)| place.session() != 23));

    // Without it everything is read until someone chooses cells again, also by who is reading already.
    database.administrator().batch_execute("DROP EXTENSION vector CASCADE").unwrap();
    let near_without = reader.nearest(&vector(2_300), 50, &mut |_| true).unwrap();
    assert_eq!(near[0], near_without[0]);
    assert_alike(&there, &here);
    add_vectors(&there, batches[0], 46..47);
    add_vectors(&here, batches[1], 46..47);
    assert!(codes() > 0);
    assert_alike(&there, &here);
}

#[test]
fn who_does_not_own_the_table_leaves_the_graph_to_its_owner() {
    let database = database_beside_pgvector();
    let shelf = shelf_of(&database);
    let batch = add_vectors(&shelf, 0, 1..2);
    database.create_pgvector();
    let mut administrator = database.administrator();
    let role = format!("scribe_{}", std::process::id());
    let create = format!("CREATE ROLE {role} LOGIN IN ROLE pg_read_all_data, pg_write_all_data");
    administrator.batch_execute(&create).unwrap();
    let url = database.administrator_url.replace("//postgres@", &format!("//{role}@"));
    let batch = add_vectors(&shelf_at(&url, "team"), batch, 2..43);
    assert!(!has_graph(&database));
    add_vectors(&shelf, batch, 43..44);
    assert!(has_graph(&database));
    administrator.batch_execute(&format!("DROP ROLE {role}")).unwrap();
}
