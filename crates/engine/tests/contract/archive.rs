//! An empty archive on one of the engines.

use crate::chunks::NOW;
use backstory_model::SessionUid;
use backstory_store::{Chunk, Home, PackFiles, Vault, Writer};
#[cfg(unix)]
use backstory_store_postgres::{Address, Postgres, Speaker};
use std::path::PathBuf;
#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::time::Duration;

/// An archive of one test.
pub(crate) struct Archive {
    pub(crate) home: Home,
    _dir: tempfile::TempDir,
    #[cfg(unix)]
    _database: Option<backstory_testkit::postgres::Database>,
}

impl Archive {
    /// In a file.
    pub(crate) fn sqlite() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self {
            home: backstory_store_sqlite::home(dir.path()),
            _dir: dir,
            #[cfg(unix)]
            _database: None,
        }
    }

    /// On a server.
    #[cfg(unix)]
    pub(crate) fn postgres() -> Self {
        let (dir, database) =
            (tempfile::tempdir().unwrap(), backstory_testkit::postgres::database());
        let speaker = Speaker { tenant: "default".into(), owner: "someone@somewhere".into() };
        let address = Address::parse(&database.url).unwrap();
        let engine = Postgres::new(address, speaker).waiting(Duration::from_millis(200));
        let home = Home::new(dir.path(), Arc::new(engine));
        Self { home, _dir: dir, _database: Some(database) }
    }

    /// The file of a session's pack.
    pub(crate) fn pack(&self, session_id: i64) -> PathBuf {
        PackFiles::new(self.home.dir().join("packs")).path(session_id)
    }

    pub(crate) fn writer(&self) -> Writer {
        Writer::open(&self.home).unwrap()
    }

    pub(crate) fn vault(&self) -> Vault {
        Vault::open(&self.home).unwrap()
    }

    /// Stores chunks, one after the other, in one transaction.
    pub(crate) fn store(&self, chunks: &[Chunk]) {
        let mut writer = self.writer();
        for chunk in chunks {
            writer.apply(chunk, NOW).unwrap();
        }
        writer.commit().unwrap();
    }

    /// Changes rows behind the archive's back.
    pub(crate) fn tamper(&self, sql: &str) {
        self.home.engine().write().unwrap().run(sql, &[]).unwrap();
    }
}

/// A uid as it is stored.
pub(crate) fn uid(uid: &str) -> SessionUid {
    SessionUid::from_stored(uid.to_owned())
}
