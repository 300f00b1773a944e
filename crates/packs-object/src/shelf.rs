//! The objects of one tenant: created once, read in ranges, listed and deleted.

use crate::names::{Names, parse_position};
use crate::patience::{CONDITIONAL, Patience, Trouble};
use backstory_store::{PackFault, StoreError};
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions,
    PutPayload,
};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Uploads under way at once.
const SIDE_BY_SIDE: usize = 8;
const MARKER: &str = "Packs of Backstory, version 1\n";

/// Objects and what is known of them.
#[derive(Debug)]
pub(crate) struct Shelf {
    store: Arc<dyn ObjectStore>,
    pub(crate) names: Names,
    /// What the marker says if it is left by us.
    marker: String,
    patience: Patience,
    turns: Semaphore,
    /// True once the marker was met.
    is_there: AtomicBool,
    taken: Mutex<Taken>,
}

/// Numbers that parts have already, committed or not.
#[derive(Debug, Default)]
struct Taken {
    /// Folders that were looked at.
    folders: HashSet<Path>,
    /// The first free number of sessions with parts.
    free: HashMap<i64, u64>,
}

impl Shelf {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, names: Names, patience: Patience) -> Self {
        Self {
            store,
            names,
            marker: MARKER.to_owned(),
            patience,
            turns: Semaphore::new(SIDE_BY_SIDE),
            is_there: AtomicBool::new(false),
            taken: Mutex::default(),
        }
    }

    /// Lets the marker tell who left it.
    pub(crate) fn set_maker(&mut self, owner: &str) {
        let place = self.names.label(self.names.root());
        self.marker = format!("{MARKER}{owner} made them ready as {place}\n");
    }

    /// What the marker says; nothing if there is none.
    pub(crate) async fn mark(&self) -> Result<Option<String>, StoreError> {
        let marker = self.names.marker();
        let get = || async { self.store.get(&marker).await?.bytes().await };
        match self.patience.repeat(0, get).await {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())),
            Err(Trouble::Failed(Error::NotFound { .. })) => Ok(None),
            Err(trouble) => Err(trouble.into_error(&self.names.label(&marker))),
        }
    }

    /// Leaves the marker, and makes sure that nothing can be overwritten.
    pub(crate) async fn create(&self) -> Result<(), StoreError> {
        self.forget_taken();
        let marker = self.names.marker();
        let failed = |trouble: Trouble| trouble.into_error(&self.names.label(&marker));
        // Whoever finds it there knows that the server refuses; the first one asks twice.
        for _ in 0..2 {
            if !self.create_once(&marker, self.marker.clone().into()).await.map_err(failed)? {
                self.is_there.store(true, Ordering::Relaxed);
                return Ok(());
            }
        }
        let place = self.names.label(self.names.root());
        Err(StoreError::Packs(format!("{place}: the server overwrites objects; {CONDITIONAL}")))
    }

    /// True if an object was created, false if there was one before.
    async fn create_once(&self, object: &Path, bytes: PutPayload) -> Result<bool, Trouble> {
        let put = || async {
            let create = PutOptions::from(PutMode::Create);
            match self.store.put_opts(object, bytes.clone(), create).await {
                Ok(_) => Ok(true),
                Err(Error::AlreadyExists { .. }) => Ok(false),
                Err(error) => Err(error),
            }
        };
        self.patience.repeat(bytes.content_length(), put).await
    }

    /// Stores a part under a number nobody has; what is there already may be what an attempt whose
    /// answer was lost has left.
    pub(crate) async fn store(&self, object: Path, bytes: Vec<u8>) -> Result<(), StoreError> {
        let failed = |trouble: Trouble| trouble.into_error(&self.names.label(&object));
        let Ok(_turn) = self.turns.acquire().await else { return Err(failed(Trouble::Silence)) };
        let payload = PutPayload::from(bytes);
        if self.create_once(&object, payload.clone()).await.map_err(failed)? {
            return Ok(());
        }
        let get = || async { self.store.get(&object).await?.bytes().await };
        let found = self.patience.repeat(payload.content_length(), get).await.map_err(failed)?;
        if payload.iter().map(AsRef::as_ref).eq([found.as_ref()]) {
            return Ok(());
        }
        self.forget_taken();
        Err(failed(Trouble::Taken))
    }

    /// A number for a session's next part: no less than the length of the pack, so that no row knows it,
    /// and none that an object has.
    pub(crate) async fn take_number(&self, session_id: i64, len: u64) -> Result<u64, StoreError> {
        let folder = self.names.folder(session_id);
        let is_known = self.taken(|taken| taken.folders.contains(&folder));
        if !is_known {
            let found = self.list(&folder).await?;
            self.taken(|taken| {
                for (session_id, number) in
                    found.iter().filter_map(|object| self.names.parse(&object.location))
                {
                    let free = taken.free.entry(session_id).or_default();
                    *free = (*free).max(number + 1);
                }
                taken.folders.insert(folder);
            });
        }
        Ok(self.taken(|taken| {
            let free = taken.free.entry(session_id).or_default();
            let number = len.max(*free);
            *free = number + 1;
            number
        }))
    }

    fn taken<T>(&self, look: impl FnOnce(&mut Taken) -> T) -> T {
        look(&mut self.taken.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Others may have written since.
    fn forget_taken(&self) {
        self.taken(|taken| *taken = Taken::default());
    }

    /// Bytes of a pack.
    pub(crate) async fn read(
        &self,
        session_id: i64,
        at: u64,
        len: usize,
    ) -> Result<Vec<u8>, PackFault> {
        let (number, offset) = parse_position(at);
        let object = self.names.part(session_id, number);
        let range = GetRange::Bounded(offset..offset + len as u64);
        let get = || async {
            let wanted = GetOptions { range: Some(range.clone()), ..GetOptions::default() };
            let got = match self.store.get_opts(&object, wanted).await {
                Ok(got) => got.bytes().await,
                Err(error) => Err(error),
            };
            match got {
                Err(error @ Error::Generic { .. }) => match self.store.head(&object).await {
                    // Stores refuse to read nothing, each in its own words.
                    Ok(meta) if meta.size <= offset => Ok(Vec::new()),
                    _ => Err(error),
                },
                got => got.map(Vec::from),
            }
        };
        match self.patience.repeat(len, get).await {
            Ok(bytes) => Ok(bytes),
            Err(Trouble::Failed(Error::NotFound { .. })) => self.missing(&object).await,
            Err(trouble) => {
                Err(PackFault::Unreachable(trouble.explain(&self.names.label(&object))))
            }
        }
    }

    /// A part that is not there is lost, unless all of them are: then the bucket is gone, or a file
    /// system is not mounted.
    async fn missing(&self, object: &Path) -> Result<Vec<u8>, PackFault> {
        let label = self.names.label(object);
        if !self.is_there.load(Ordering::Relaxed) {
            let marker = self.names.marker();
            let met = self.patience.repeat(0, || async { self.store.head(&marker).await }).await;
            match met {
                Ok(_) => self.is_there.store(true, Ordering::Relaxed),
                Err(trouble) => {
                    return Err(PackFault::Unreachable(match trouble {
                        Trouble::Failed(Error::NotFound { .. }) => format!(
                            "{} is not where packs are; check that it is mounted, and the one place \
                             that all workstations name (BACKSTORY_PACKS, or packs in [store])",
                            self.names.label(self.names.root())
                        ),
                        trouble => trouble.explain(&label),
                    }));
                }
            }
        }
        Err(PackFault::Lost(format!("{label} does not exist")))
    }

    /// Everything in a folder and below.
    pub(crate) async fn list(&self, folder: &Path) -> Result<Vec<ObjectMeta>, StoreError> {
        let list = || async { self.store.list(Some(folder)).try_collect().await };
        let listed = self.patience.repeat(0, list).await;
        listed.map_err(|trouble| trouble.into_error(&self.names.label(folder)))
    }

    /// Deletes everything of a session.
    pub(crate) async fn remove(&self, session_id: i64) -> Result<(), StoreError> {
        let folder = self.names.session(session_id);
        let delete = || async {
            let found: Vec<ObjectMeta> = self.store.list(Some(&folder)).try_collect().await?;
            let objects = stream::iter(found.into_iter().map(|object| Ok(object.location)));
            let mut gone = self.store.delete_stream(objects.boxed());
            while let Some(one) = gone.next().await {
                match one {
                    Ok(_) | Err(Error::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        let removed = self.patience.repeat(0, delete).await;
        removed.map_err(|trouble| trouble.into_error(&self.names.label(&folder)))
    }
}
