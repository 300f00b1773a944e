//! Which archive the settings mean.

use crate::env::Env;
use crate::error::Failure;
use crate::settings::{Place, Settings, Store};
use backstory_engine::Archive;
use backstory_packs_object::ObjectPacks;
use backstory_store::Home;
use backstory_store_postgres::{Postgres, PostgresShelf};
use std::path::Path;
use std::sync::Arc;

/// Where packs of a team's archive are if nobody says, below the home directory.
const OBJECTS: &str = "objects";

/// The archive with its search index.
pub(crate) fn archive(settings: &Settings) -> Result<Archive, Failure> {
    let archive = archive_at(&settings.home.value, &settings.store)?;
    let home = archive.home.with_marker(&settings.marker.value);
    let home = match &settings.state {
        Some(state) => home.with_state(&state.value),
        None => home,
    };
    Ok(Archive { home, ..archive })
}

/// The same for any store.
pub(crate) fn archive_at(dir: &Path, store: &Store) -> Result<Archive, Failure> {
    match &store.place.value {
        Place::Local => {
            let home = backstory_store_sqlite::home(dir);
            let home = match &store.packs {
                Some(packs) => with_packs(home, &packs.value, store)?,
                None => home,
            };
            Ok(Archive::indexed_at_home(home))
        }
        Place::Postgres(address) => {
            let engine = Postgres::new((**address).clone(), store.speaker());
            let index = PostgresShelf::beside(&engine);
            let nearby = || Env::absolute(&dir.join(OBJECTS)).display().to_string();
            let packs = store.packs.as_ref().map_or_else(nearby, |packs| packs.value.clone());
            let home = with_packs(Home::new(dir, Arc::new(engine)), &packs, store)?;
            Ok(Archive { home, index: Arc::new(index) })
        }
    }
}

fn with_packs(home: Home, place: &str, store: &Store) -> Result<Home, Failure> {
    let packs = ObjectPacks::open(place, &store.tenant.value, &store.bucket)?;
    Ok(home.with_packs(Arc::new(packs.made_by(&store.owner.value))))
}
