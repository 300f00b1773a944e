//! Where the archives of these tests are: in files, or with `BACKSTORY_TEST_STORE=postgres` on a real
//! Postgres, in a database for each home.

use backstory_packs_object::ObjectPacks;
use backstory_store::Home;
use backstory_store_postgres::{Address, Postgres, Speaker};
use backstory_testkit::postgres::{self, Database};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Who brings in the logs of tests.
pub(crate) const OWNER: &str = "someone@somewhere";

/// Ends a test, or the rest of one, that is about an archive in a file where archives are somewhere
/// else. The only way to leave a test out, always with the reason.
macro_rules! about_the_file {
    ($reason:literal) => {
        if crate::store::is_postgres() {
            eprintln!("left out on Postgres: {}", $reason);
            return;
        }
    };
}
pub(crate) use about_the_file;

/// True if archives are on Postgres in this run.
#[expect(clippy::disallowed_methods, reason = "a switch of the tests, not of the program")]
pub(crate) fn is_postgres() -> bool {
    match std::env::var("BACKSTORY_TEST_STORE").as_deref() {
        Err(_) | Ok("" | "sqlite") => false,
        Ok("postgres") => true,
        Ok(other) => panic!("BACKSTORY_TEST_STORE={other}: sqlite and postgres are known"),
    }
}

/// Where the packs of a home are.
#[allow(dead_code, reason = "only one of the suites that have this module asks")]
pub(crate) fn packs(dir: &Path) -> PathBuf {
    dir.join(if is_postgres() { "objects/default" } else { "packs" })
}

/// What lies beside packs on a server and is none.
#[allow(dead_code, reason = "only one of the suites that have this module asks")]
pub(crate) const PACKS_MARKER: &str = "backstory-packs";

/// The archives of one sandbox.
#[derive(Default)]
pub(crate) struct Store {
    databases: Mutex<HashMap<PathBuf, Database>>,
}

impl Store {
    /// The archive of a home.
    pub(crate) fn home(&self, dir: &Path) -> Home {
        match self.url(dir) {
            Some(url) => {
                let speaker = Speaker { tenant: "default".into(), owner: OWNER.into() };
                let engine = Postgres::new(Address::parse(&url).unwrap(), speaker);
                let objects = dir.join("objects").display().to_string();
                let packs = ObjectPacks::open(&objects, "default", &[]).unwrap();
                Home::new(dir, Arc::new(engine)).with_packs(Arc::new(packs))
            }
            None => backstory_store_sqlite::home(dir),
        }
    }

    /// What the program is told of the archive of a home.
    pub(crate) fn variables(&self, dir: &Path) -> Vec<(&'static str, String)> {
        let store = self.url(dir).map(|url| ("BACKSTORY_STORE", url));
        store.into_iter().chain([("BACKSTORY_OWNER", OWNER.to_owned())]).collect()
    }

    /// Where the archive of a home is; nothing if it is a file in it.
    fn url(&self, dir: &Path) -> Option<String> {
        is_postgres().then(|| self.with(dir, |database| database.url.clone()))
    }

    /// Whether a row of the archive of a home holds a text.
    #[allow(dead_code, reason = "only one of the suites that have this module asks")]
    pub(crate) fn rows_hold(&self, dir: &Path, text: &str) -> bool {
        let in_file = |dir: &Path| {
            let bytes = fs_err::read(dir.join("archive.db")).unwrap();
            bytes.windows(text.len()).any(|part| part == text.as_bytes())
        };
        if is_postgres() { self.with(dir, |database| database.holds(text)) } else { in_file(dir) }
    }

    /// Removes a home with its archive.
    pub(crate) fn remove(&self, dir: &Path) {
        fs_err::remove_dir_all(dir).unwrap();
        self.databases.lock().unwrap().remove(dir);
    }

    /// Copies a home with its archive; nobody may be using it.
    #[allow(dead_code, reason = "only one of the suites that have this module asks")]
    pub(crate) fn copy(&self, from: &Path, to: &Path) {
        Self::copy_files(from, to);
        if is_postgres() {
            let copy = self.with(from, postgres::Database::copy);
            self.databases.lock().unwrap().insert(to.to_owned(), copy);
        }
    }

    fn with<T>(&self, dir: &Path, ask: impl FnOnce(&Database) -> T) -> T {
        let mut databases = self.databases.lock().unwrap();
        ask(databases.entry(dir.to_owned()).or_insert_with(postgres::database))
    }

    #[allow(dead_code, reason = "only one of the suites that have this module copies")]
    fn copy_files(from: &Path, to: &Path) {
        fs_err::create_dir_all(to).unwrap();
        for entry in fs_err::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let target = to.join(path.file_name().unwrap());
            if path.is_dir() {
                Self::copy_files(&path, &target);
            } else {
                fs_err::copy(&path, target).unwrap();
            }
        }
    }
}
