//! The files of vectors beside the full text, and the note that says which of them count.

use crate::{IndexError, Stay};
use backstory_meaning::{Embedding, VectorFile, vectors};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use tantivy::directory::{Directory as _, MmapDirectory, OwnedBytes};

/// Files of one size class are merged when there are so many.
const FAN_IN: usize = 8;
/// Files of so many vectors are left alone.
const SETTLED_VECTORS: usize = 200_000;
const SUFFIX: &str = "vec";

/// What one commit of the full text says about itself; it is written with it in one step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Counts commits.
    pub(crate) batch: u64,
    /// Files of vectors that belong to it.
    pub(crate) vectors: Vec<String>,
}

impl Manifest {
    pub(crate) fn parse(payload: Option<&str>) -> Result<Self, IndexError> {
        let Some(payload) = payload else { return Ok(Self::default()) };
        serde_json::from_str(payload).map_err(|error| IndexError::Damaged(error.to_string()))
    }

    pub(crate) fn payload(&self) -> Result<String, IndexError> {
        serde_json::to_string(self).map_err(|error| IndexError::Damaged(error.to_string()))
    }
}

/// Opens a file of vectors where it lies.
pub(crate) fn map(dir: &Path, name: &str) -> Result<OwnedBytes, IndexError> {
    let damaged = |what: String| IndexError::Damaged(format!("{name}: {what}"));
    let mapped = MmapDirectory::open(dir).map_err(|error| damaged(error.to_string()))?;
    let file = mapped.open_read(Path::new(name)).map_err(|error| damaged(error.to_string()))?;
    let bytes = file.read_bytes()?;
    VectorFile::open(&bytes).map_err(|error| damaged(error.to_string()))?;
    Ok(bytes)
}

/// A file of vectors that is open for searches.
pub(crate) struct OpenVectors {
    mapped: OwnedBytes,
    /// How the vectors themselves are read, where they are not looked at as mapped.
    read: Option<Box<ReadAt>>,
}

/// Fills bytes from some place of a file on.
type ReadAt = dyn Fn(&mut [u8], u64) -> io::Result<()> + Send + Sync;

impl OpenVectors {
    pub(crate) fn open(dir: &Path, name: &str, stay: Stay) -> Result<Self, IndexError> {
        let mapped = map(dir, name)?;
        let read: Option<Box<ReadAt>> = match stay {
            Stay::Short => None,
            Stay::Long => {
                let file = fs::File::open(dir.join(name))?;
                Some(Box::new(move |into, from| file.file().read_exact_at(into, from)))
            }
        };
        Ok(Self { mapped, read })
    }

    pub(crate) fn file(&self) -> Option<VectorFile<'_>> {
        // One that does not open was sorted out before.
        let file = VectorFile::open(&self.mapped).ok()?;
        Some(match &self.read {
            Some(read) => file.reading_by(&**read),
            None => file,
        })
    }
}

/// The vectors of an index that is being written.
#[derive(Debug)]
pub(crate) struct VectorFiles {
    dir: PathBuf,
    names: Vec<String>,
    pending: Vec<(u64, Embedding)>,
    made: u32,
}

impl VectorFiles {
    pub(crate) fn new(dir: &Path, names: Vec<String>) -> Self {
        Self { dir: dir.to_owned(), names, pending: Vec::new(), made: 0 }
    }

    pub(crate) fn add(&mut self, place: u64, embedding: Embedding) {
        self.pending.push((place, embedding));
    }

    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Writes what is pending, without what `is_gone` names, and merges what has become many. The
    /// files the last commit counts stay until the next one counts others.
    pub(crate) fn settle(
        &mut self,
        batch: u64,
        is_gone: &mut dyn FnMut(u64) -> bool,
        any_gone: bool,
    ) -> Result<Vec<String>, IndexError> {
        if any_gone {
            self.rewrite_without(batch, is_gone)?;
        }
        if !self.pending.is_empty() {
            let mut pending = std::mem::take(&mut self.pending);
            let name = self.create(batch, &mut |out| vectors::write(&mut pending, out))?;
            self.names.push(name);
        }
        self.merge_many(batch)?;
        Ok(self.names.clone())
    }

    fn rewrite_without(
        &mut self,
        batch: u64,
        is_gone: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), IndexError> {
        for name in std::mem::take(&mut self.names) {
            let bytes = map(&self.dir, &name)?;
            let file = VectorFile::open(&bytes).map_err(|e| IndexError::Damaged(e.to_string()))?;
            let gone = file.places().filter(|place| is_gone(*place)).count();
            if gone == 0 {
                self.names.push(name);
            } else if gone < file.len() {
                let mut keep = |place| !is_gone(place);
                let rest =
                    self.create(batch, &mut |out| vectors::merge(&[file], &mut keep, out))?;
                self.names.push(rest);
            }
        }
        Ok(())
    }

    fn merge_many(&mut self, batch: u64) -> Result<(), IndexError> {
        loop {
            let mut classes: Vec<Vec<(String, OwnedBytes)>> = vec![Vec::new(); 12];
            for name in &self.names {
                let bytes = map(&self.dir, name)?;
                let len = VectorFile::open(&bytes).map_or(0, |file| file.len());
                if len < SETTLED_VECTORS {
                    let class = (len.max(1).ilog(FAN_IN) as usize).min(classes.len() - 1);
                    classes[class].push((name.clone(), bytes));
                }
            }
            let Some(many) = classes.into_iter().find(|class| class.len() >= FAN_IN) else {
                return Ok(());
            };
            let files: Vec<VectorFile<'_>> =
                many.iter().filter_map(|(_, bytes)| VectorFile::open(bytes).ok()).collect();
            let merged =
                self.create(batch, &mut |out| vectors::merge(&files, &mut |_| true, out))?;
            self.names.retain(|name| !many.iter().any(|(old, _)| old == name));
            self.names.push(merged);
        }
    }

    fn create(
        &mut self,
        batch: u64,
        write: &mut dyn FnMut(&mut dyn std::io::Write) -> std::io::Result<()>,
    ) -> Result<String, IndexError> {
        self.made += 1;
        let name = format!("vectors-{batch}-{}.{SUFFIX}", self.made);
        let mut out = BufWriter::with_capacity(1 << 18, fs::File::create(self.dir.join(&name))?);
        write(&mut out)?;
        out.flush()?;
        out.get_ref().sync_data()?;
        Ok(name)
    }

    /// Removes files no commit counts: those merged, and what a killed writer left.
    pub(crate) fn remove_others(&self) -> Result<(), IndexError> {
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let is_ours = path.extension().is_some_and(|extension| extension == SUFFIX);
            if is_ours && name.is_some_and(|name| !self.names.contains(&name)) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}
