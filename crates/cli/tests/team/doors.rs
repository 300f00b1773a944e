//! Doors that stay shut: what is said, and that it is said soon.

use crate::workstation::{Workstation, told};
use backstory_testkit::postgres::{self, PASSWORD, Server};
use std::net::TcpListener;

/// A sync on an address fails with exit code 3, names the server and says what to do.
fn refuses(dir: &std::path::Path, url: &str, parts: &[&str]) {
    let machine = Workstation::new(dir, "ann", Some(url));
    machine.write_history(2, 2);
    let output = machine.run(&["sync"]);
    let text = told(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert!(!text.contains(PASSWORD) && !text.contains("wrong-one"), "{text}");
}

#[test]
fn a_server_that_does_not_run_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = format!("127.0.0.1:{port}");
    refuses(
        dir.path(),
        &format!("postgres://ann:{PASSWORD}@{server}/team"),
        &[
            &format!("postgres://ann@{server}/team"),
            "onnection refused",
            "check that its server runs",
        ],
    );
}

#[test]
fn a_wrong_password_and_a_wrong_name_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("rules");
    fs_err::write(&rules, "local all postgres trust\nlocal all all scram-sha-256\n").unwrap();
    let server = Server::with_files(&[], &[("pg_hba.conf", &rules)]).unwrap();
    let database = server.database().unwrap();
    refuses(
        dir.path(),
        &database.url.replace(PASSWORD, "wrong-one"),
        &[
            "postgres://member@",
            "password authentication failed",
            "check the user and the password",
        ],
    );
    let elsewhere = database.url.replace("/test_", "/nowhere_");
    refuses(dir.path(), &elsewhere, &["nowhere_", "does not exist", "create the database"]);
    // The right one opens the door.
    Workstation::new(dir.path(), "ann", Some(&database.url)).succeed(&["sync"]);
}

#[test]
fn a_role_without_rights_is_told_which_one_it_needs() {
    let dir = tempfile::tempdir().unwrap();
    let database = postgres::database();
    let mut administrator = database.administrator();
    let name: String = administrator.query_one("SELECT current_database()", &[]).unwrap().get(0);
    let role = format!("guest_of_{name}");
    administrator.batch_execute(&format!("CREATE ROLE {role} LOGIN")).unwrap();
    let guest = database.url.replace("member:", &format!("{role}:"));
    refuses(dir.path(), &guest, &[&role, "permission denied", "may CREATE in this database"]);
    Workstation::new(dir.path(), "bob", Some(&database.url)).succeed(&["sync"]);
    refuses(dir.path(), &guest, &[&role, "permission denied"]);
    administrator.batch_execute(&format!("DROP ROLE {role}")).unwrap();
}

#[test]
fn a_statement_that_takes_too_long_for_its_role_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let database = postgres::database();
    Workstation::new(dir.path(), "bob", Some(&database.url)).succeed(&["sync"]);
    let mut administrator = database.administrator();
    let name: String = administrator.query_one("SELECT current_database()", &[]).unwrap().get(0);
    let limit = format!("ALTER ROLE member IN DATABASE {name} SET statement_timeout = '50ms'");
    administrator.batch_execute(&limit).unwrap();
    administrator.batch_execute("BEGIN; LOCK TABLE backstory.sessions_all").unwrap();
    refuses(
        dir.path(),
        &database.url,
        &["postgres://member@", "statement timeout", "longer statement_timeout"],
    );
}
