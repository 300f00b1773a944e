//! The files of the full text as a reader opens them. Dictionaries and columns are mapped into memory. Lists
//! of passages, the largest part, are read from where they lie if the reader stays: of what is mapped the
//! neighbourhood comes along with every page, and all of it counts as the memory of whoever looked. Some of
//! those read last are kept.

use crate::Stay;
use crate::kept::KeptLists;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError};
use tantivy::directory::error::{OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, FileSlice, Lock, MmapDirectory, OwnedBytes,
    WatchCallback, WatchHandle, WritePtr,
};

/// Files of lists: which passages have a term, and where in them.
const LISTS: [&str; 2] = ["idx", "pos"];

/// The directory of an index.
#[derive(Clone, Debug)]
pub(crate) struct IndexDirectory {
    mapped: MmapDirectory,
    dir: PathBuf,
    stay: Stay,
    kept: Arc<KeptLists>,
    /// How many files of lists were opened.
    opened: Arc<AtomicU32>,
}

impl IndexDirectory {
    pub(crate) fn open(dir: &Path, stay: Stay) -> Result<Self, OpenDirectoryError> {
        let mapped = MmapDirectory::open(dir)?;
        let (kept, opened) = (Arc::default(), Arc::default());
        Ok(Self { mapped, dir: dir.to_owned(), stay, kept, opened })
    }
}

impl Directory for IndexDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_list = ending.is_some_and(|ending| LISTS.contains(&ending));
        if self.stay == Stay::Short || !is_list {
            return self.mapped.get_file_handle(path);
        }
        match FileSlice::open(&self.dir.join(path)) {
            Ok(slice) => Ok(Arc::new(Unmapped {
                slice,
                number: self.opened.fetch_add(1, Ordering::Relaxed),
                kept: Arc::clone(&self.kept),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(OpenReadError::FileDoesNotExist(path.to_owned()))
            }
            Err(error) => Err(OpenReadError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.mapped.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.mapped.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.mapped.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.mapped.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, changed: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(changed)
    }
}

/// A file that is read, not mapped.
#[derive(Debug)]
struct Unmapped {
    slice: FileSlice,
    number: u32,
    kept: Arc<KeptLists>,
}

impl HasLen for Unmapped {
    fn len(&self) -> usize {
        self.slice.len()
    }
}

impl FileHandle for Unmapped {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        // A slice of a file says that nothing is no range.
        if range.is_empty() {
            return Ok(OwnedBytes::empty());
        }
        self.kept.list(self.number, range, |range| self.slice.read_bytes_slice(range))
    }
}
