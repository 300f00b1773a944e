//! Packs as immutable objects: in a directory (local or shared) or in a bucket of an S3 server.
//!
//! Objects cannot grow, so a session's pack is a folder of parts that are written once:
//! `<tenant>/<xx>/<session>/<part>`. A part holds what one transaction adds, is numbered by the length
//! of the pack before it, and is only ever created, never overwritten.

mod batch;
mod names;
mod patience;
mod place;
mod shelf;

use backstory_store::{PackBatch, PackFault, Packs, Piece, StoreError};
use batch::Batch;
use names::{Names, positions_of};
use object_store::ObjectStore;
pub use patience::Patience;
use place::Place;
use shelf::Shelf;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Threads that move bytes; the rest of a request is waiting.
const WORKERS: usize = 2;
/// Threads that wait for a file system.
const FILE_WORKERS: usize = 8;

/// Packs of one tenant, as objects. Not to be used from within an asynchronous runtime.
#[derive(Debug)]
pub struct ObjectPacks {
    shelf: Arc<Shelf>,
    runtime: Arc<Runtime>,
}

impl ObjectPacks {
    /// Names a place: an absolute path, `file:///path`, or `s3://bucket/prefix` with options such as
    /// `aws_endpoint`, `aws_region`, `aws_access_key_id`, `aws_secret_access_key` and `aws_allow_http`.
    /// Keys are taken from the options alone; nothing is asked over the network yet.
    pub fn open(
        place: &str,
        tenant: &str,
        options: &[(String, String)],
    ) -> Result<Self, StoreError> {
        Self::at(Place::parse(place, options)?, tenant, Patience::default())
    }

    /// On a store of objects of one's own.
    pub fn on(
        store: Arc<dyn ObjectStore>,
        tenant: &str,
        patience: Patience,
    ) -> Result<Self, StoreError> {
        let label = format!("{store}://");
        Self::at(
            Place { store, prefix: object_store::path::Path::default(), label },
            tenant,
            patience,
        )
    }

    /// The same; if nothing is there yet, the place will say who made it. That tells folders apart which
    /// have the same path on two machines.
    #[must_use]
    pub fn made_by(mut self, owner: &str) -> Self {
        if let Some(shelf) = Arc::get_mut(&mut self.shelf) {
            shelf.set_maker(owner);
        }
        self
    }

    fn at(place: Place, tenant: &str, patience: Patience) -> Result<Self, StoreError> {
        if tenant.is_empty() {
            return Err(StoreError::Packs("whose packs they are must not be empty".into()));
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .max_blocking_threads(FILE_WORKERS)
            .thread_name("packs")
            .enable_all()
            .build()?;
        let names = Names::new(&place.prefix, tenant, place.label);
        let shelf = Shelf::new(place.store, names, patience);
        Ok(Self { shelf: Arc::new(shelf), runtime: Arc::new(runtime) })
    }
}

impl Packs for ObjectPacks {
    fn create(&self) -> Result<(), StoreError> {
        self.runtime.block_on(self.shelf.create())
    }

    fn mark(&self) -> Result<Option<String>, StoreError> {
        self.runtime.block_on(self.shelf.mark())
    }

    fn begin(&self) -> Box<dyn PackBatch> {
        Box::new(Batch::new(Arc::clone(&self.shelf), Arc::clone(&self.runtime)))
    }

    fn read(&self, session_id: i64, at: u64, len: usize) -> Result<Vec<u8>, PackFault> {
        self.runtime.block_on(self.shelf.read(session_id, at, len))
    }

    fn remove(&self, session_id: i64) -> Result<(), StoreError> {
        self.runtime.block_on(self.shelf.remove(session_id))
    }

    fn len(&self, session_id: i64) -> Result<u64, StoreError> {
        let names = &self.shelf.names;
        let found = self.runtime.block_on(self.shelf.list(&names.session(session_id)))?;
        let ends = found.iter().filter_map(|object| {
            let (_, number) = names.parse(&object.location)?;
            Some(number + object.size)
        });
        Ok(ends.max().unwrap_or(0))
    }

    fn pieces(&self) -> Result<Vec<Piece>, StoreError> {
        let names = &self.shelf.names;
        let found = self.runtime.block_on(self.shelf.list(names.root()))?;
        let ours = found.into_iter().filter(|object| object.location != names.marker());
        Ok(ours
            .map(|object| {
                let part = names.parse(&object.location);
                Piece {
                    name: names.label(&object.location),
                    session_id: part.map(|(session_id, _)| session_id),
                    positions: part.map(|(_, number)| positions_of(number)),
                }
            })
            .collect())
    }

    fn piece_at(&self, session_id: i64, at: u64) -> String {
        let (number, _) = names::parse_position(at);
        self.shelf.names.label(&self.shelf.names.part(session_id, number))
    }

    fn folders(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}
