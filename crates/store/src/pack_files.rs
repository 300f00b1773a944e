//! Packs of a local archive: one growing file per session.
//!
//! A file is a magic line followed by blocks; a position is an offset in it. A tail that no committed
//! row knows of is cut before the next append.

use crate::home::{create_private_dir, private_file};
use crate::{Appended, PackBatch, PackFault, Packs, Piece, StoreError};
use fs_err as fs;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"BSPACK1\n";
const SUFFIX: &str = ".pack";

/// One growing file per session, below a folder.
#[derive(Clone, Debug)]
pub struct PackFiles {
    dir: PathBuf,
}

impl PackFiles {
    /// Names the folder; nothing is created.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The file of one session.
    pub fn path(&self, session_id: i64) -> PathBuf {
        self.dir
            .join(format!("{:02x}", session_id & 0xff))
            .join(format!("{session_id:08x}{SUFFIX}"))
    }

    /// The session a file is of.
    fn owner(&self, path: &Path) -> Option<i64> {
        let name = path.file_name()?.to_str()?.strip_suffix(SUFFIX)?;
        let session_id = i64::from_str_radix(name, 16).ok()?;
        (self.path(session_id) == path).then_some(session_id)
    }
}

impl Packs for PackFiles {
    fn create(&self) -> Result<(), StoreError> {
        Ok(create_private_dir(&self.dir)?)
    }

    fn mark(&self) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    fn begin(&self) -> Box<dyn PackBatch> {
        Box::new(self.clone())
    }

    fn read(&self, session_id: i64, at: u64, len: usize) -> Result<Vec<u8>, PackFault> {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = fs::File::open(self.path(session_id))?;
            file.seek(SeekFrom::Start(at))?;
            let mut bytes = Vec::with_capacity(len);
            file.take(len as u64).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|error| PackFault::Lost(error.to_string()))
    }

    fn remove(&self, session_id: i64) -> Result<(), StoreError> {
        match fs::remove_file(self.path(session_id)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn len(&self, session_id: i64) -> Result<u64, StoreError> {
        match fs::metadata(self.path(session_id)) {
            Ok(meta) => Ok(meta.len()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    fn pieces(&self) -> Result<Vec<Piece>, StoreError> {
        let mut pieces = Vec::new();
        let mut found = |path: &Path| {
            let (name, session_id) = (path.display().to_string(), self.owner(path));
            pieces.push(Piece { name, session_id, positions: None });
        };
        for folder in fs::read_dir(&self.dir)? {
            let folder = folder?.path();
            if !folder.is_dir() {
                found(&folder);
                continue;
            }
            for pack in fs::read_dir(folder)? {
                found(&pack?.path());
            }
        }
        Ok(pieces)
    }

    fn piece_at(&self, session_id: i64, _at: u64) -> String {
        self.path(session_id).display().to_string()
    }

    fn folders(&self) -> Vec<PathBuf> {
        vec![self.dir.clone()]
    }
}

/// Blocks are written at once: what is not committed is a tail that will be cut.
impl PackBatch for PackFiles {
    fn append(
        &mut self,
        session_id: i64,
        committed: u64,
        blocks: &[&[u8]],
    ) -> Result<Appended, StoreError> {
        let path = self.path(session_id);
        let mut file = match private_file().open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if let Some(dir) = path.parent() {
                    create_private_dir(dir)?;
                }
                private_file().open(&path)?
            }
            Err(error) => return Err(error.into()),
        };
        let len = file.metadata()?.len();
        if len > committed {
            file.set_len(committed)?;
        }
        let mut at = file.seek(SeekFrom::End(0))?;
        let room = blocks.iter().map(|block| block.len()).sum::<usize>() + MAGIC.len();
        let mut bytes = Vec::with_capacity(room);
        if at == 0 {
            bytes.extend_from_slice(MAGIC);
            at = MAGIC.len() as u64;
        }
        let mut positions = Vec::with_capacity(blocks.len());
        for block in blocks {
            positions.push(at);
            bytes.extend_from_slice(block);
            at += block.len() as u64;
        }
        file.write_all(&bytes)?;
        Ok(Appended { positions, len: at })
    }

    fn settle(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_no_row_knows_is_cut_by_the_next_append() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = PackFiles::new(dir.path());
        let len = files.append(0x107, 0, &[b"one", b"two"]).unwrap().len;
        files.append(0x107, len, &[b"written, but never committed"]).unwrap();
        let again = files.append(0x107, len, &[b"three"]).unwrap();
        assert_eq!(again.positions, [len]);
        let path = dir.path().join("07/00000107.pack");
        assert_eq!(fs::read(path).unwrap(), b"BSPACK1\nonetwothree");
    }

    #[test]
    fn files_of_nobody_are_told_from_packs() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = PackFiles::new(dir.path());
        files.append(7, 0, &[b"block"]).unwrap();
        fs::write(dir.path().join("07/notes.txt"), "").unwrap();
        fs::write(dir.path().join("stray"), "").unwrap();
        let mut owners: Vec<Option<i64>> =
            files.pieces().unwrap().into_iter().map(|piece| piece.session_id).collect();
        owners.sort_unstable();
        assert_eq!(owners, [None, None, Some(7)]);
    }
}
