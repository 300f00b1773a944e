//! Packs: one file per session, payloads grouped into compressed blocks.
//!
//! A pack is a magic line followed by blocks; a block is a 16-byte header (compressed length, raw
//! length, checksum) and one zstd frame, or the raw bytes where they would not shrink. Event rows point at a block's
//! position and at offset and length inside its raw bytes. Packs are only appended to; a tail that
//! no committed row knows of is cut before the next append.

use crate::home::{create_private_dir, private_file};
use crate::{Home, StoreError};
use fs_err as fs;
use std::cell::RefCell;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Raw bytes gathered before a block is compressed. More would shrink a little better, but whoever
/// wants one payload has to take the whole block apart.
pub const BLOCK_BYTES: usize = 16 * 1024;

const MAGIC: &[u8; 8] = b"BSPACK1\n";
const HEADER: usize = 16;
const LEVEL: i32 = 1;
/// A raw length above this is damage, not data.
const RAW_LIMIT: u32 = 1 << 30;

/// Makes blocks. What does not shrink is kept as it is.
pub struct BlockCompressor {
    zstd: Option<zstd::bulk::Compressor<'static>>,
    /// Room for the compressed form, kept from block to block.
    room: Vec<u8>,
}

impl std::fmt::Debug for BlockCompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockCompressor").finish_non_exhaustive()
    }
}

impl Default for BlockCompressor {
    fn default() -> Self {
        Self { zstd: zstd::bulk::Compressor::new(LEVEL).ok(), room: Vec::new() }
    }
}

impl BlockCompressor {
    /// One block, header included.
    pub fn block(&mut self, raw: &[u8]) -> Vec<u8> {
        let bound = zstd::zstd_safe::compress_bound(raw.len());
        if self.room.len() < bound {
            self.room.resize(bound, 0);
        }
        let shrunk = self
            .zstd
            .as_mut()
            .and_then(|zstd| zstd.compress_to_buffer(raw, &mut self.room[..]).ok())
            .filter(|len| *len < raw.len());
        let body = shrunk.map_or(raw, |len| &self.room[..len]);
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(raw.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&xxh3_64(body).to_le_bytes());
        bytes.extend_from_slice(body);
        // One huge payload must not hold its memory for the rest of the sweep.
        if self.room.len() > 16 * BLOCK_BYTES {
            self.room = Vec::new();
        }
        bytes
    }
}

/// Compresses a single record outside a pack.
pub(crate) fn compress(raw: &[u8]) -> std::io::Result<Vec<u8>> {
    zstd::bulk::compress(raw, LEVEL)
}

/// Appends blocks to a session's pack and tells where each begins and how long the pack is then.
/// `committed` is the length the last committed row knows of.
pub(crate) fn append(
    home: &Home,
    session_id: i64,
    committed: u64,
    blocks: &[&[u8]],
) -> Result<(Vec<u64>, u64), StoreError> {
    let path = home.pack(session_id);
    let mut file = match private_file().open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
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
    let mut bytes = Vec::with_capacity(blocks.iter().map(|block| block.len()).sum::<usize>() + 8);
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
    Ok((positions, at))
}

/// Reads one block's raw bytes.
pub(crate) fn read_block(path: &Path, at: u64) -> Result<Vec<u8>, String> {
    let open = || -> std::io::Result<([u8; HEADER], fs::File)> {
        let mut file = fs::File::open(path)?;
        file.seek(SeekFrom::Start(at))?;
        let mut header = [0; HEADER];
        file.read_exact(&mut header)?;
        Ok((header, file))
    };
    let (header, mut file) = open().map_err(|error| error.to_string())?;
    let (len, raw_len, sum) = parse_header(header);
    let left = file.metadata().map_err(|error| error.to_string())?.len();
    let left = left.saturating_sub(at + HEADER as u64);
    if u64::from(len) > left || raw_len > RAW_LIMIT {
        return Err("the block runs past the end of its pack".into());
    }
    let mut compressed = vec![0; len as usize];
    file.read_exact(&mut compressed).map_err(|error| error.to_string())?;
    if xxh3_64(&compressed) != sum {
        return Err("the block does not match its checksum".into());
    }
    if len == raw_len {
        return Ok(compressed);
    }
    DECOMPRESSOR.with_borrow_mut(|decompressor| {
        let fresh = || zstd::bulk::Decompressor::new().map_err(|error| error.to_string());
        let decompressor = match decompressor {
            Some(decompressor) => decompressor,
            None => decompressor.insert(fresh()?),
        };
        decompressor.decompress(&compressed, raw_len as usize).map_err(|error| error.to_string())
    })
}

thread_local! {
    /// Making one costs as much as decompressing a small block.
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> =
        const { RefCell::new(None) };
}

fn parse_header(header: [u8; HEADER]) -> (u32, u32, u64) {
    let word = |at: usize| {
        u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    (word(0), word(4), u64::from(word(8)) | u64::from(word(12)) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(raw: &[u8]) -> Vec<u8> {
        BlockCompressor::default().block(raw)
    }

    #[test]
    fn blocks_come_back_and_orphan_tails_are_cut() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path());
        let (one, two, three) = (block(&b"one ".repeat(99)), block(b"two"), block(b"three"));
        let (at, len) = append(&home, 7, 0, &[&one, &two]).unwrap();
        assert_eq!(read_block(&home.pack(7), at[0]).unwrap(), b"one ".repeat(99));
        assert_eq!(read_block(&home.pack(7), at[1]).unwrap(), b"two");
        // The second append was written but never committed: the third takes its place.
        append(&home, 7, len, &[&three]).unwrap();
        let (again, end) = append(&home, 7, len, &[&two]).unwrap();
        assert_eq!(again[0], len);
        assert_eq!(read_block(&home.pack(7), again[0]).unwrap(), b"two");
        assert_eq!(fs::metadata(home.pack(7)).unwrap().len(), end);
    }

    #[test]
    fn damage_is_an_error_not_garbage() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path());
        let (at, _) = append(&home, 1, 0, &[&block(b"payload payload")]).unwrap();
        let path = home.pack(1);
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert!(read_block(&path, at[0]).unwrap_err().contains("checksum"));
        fs::write(&path, &bytes[..last]).unwrap();
        assert!(read_block(&path, at[0]).unwrap_err().contains("past the end"));
        fs::remove_file(&path).unwrap();
        assert!(read_block(&path, at[0]).is_err());
    }
}
