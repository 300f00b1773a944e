//! Blocks of packs: a session's payloads, grouped and compressed.
//!
//! A block is a 16-byte header (compressed length, raw length, checksum) and one zstd frame, or the raw
//! bytes where they would not shrink. Event rows point at a block's position and at offset and length
//! inside its raw bytes. Where the bytes of a pack are kept is the business of [`Packs`].

use crate::{PackFault, Packs};
use std::cell::RefCell;
use xxhash_rust::xxh3::xxh3_64;

/// Raw bytes gathered before a block is compressed. More would shrink a little better, but whoever
/// wants one payload has to take the whole block apart.
pub const BLOCK_BYTES: usize = 16 * 1024;

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

/// Reads one block's raw bytes.
pub(crate) fn read_block(
    packs: &dyn Packs,
    session_id: i64,
    at: u64,
) -> Result<Vec<u8>, PackFault> {
    let mut bytes = packs.read(session_id, at, HEADER + BLOCK_BYTES)?;
    let past_the_end = || PackFault::Lost("the block runs past the end of its pack".into());
    let Some((header, _)) = bytes.split_first_chunk() else { return Err(past_the_end()) };
    let (len, raw_len, sum) = parse_header(*header);
    if raw_len > RAW_LIMIT || len > raw_len {
        return Err(past_the_end());
    }
    let end = HEADER + len as usize;
    if bytes.len() < end {
        let rest = packs.read(session_id, at + bytes.len() as u64, end - bytes.len())?;
        bytes.extend_from_slice(&rest);
    }
    let Some(body) = bytes.get(HEADER..end) else { return Err(past_the_end()) };
    if xxh3_64(body) != sum {
        return Err(PackFault::Lost("the block does not match its checksum".into()));
    }
    if len == raw_len {
        return Ok(body.to_vec());
    }
    decompress(body, raw_len as usize).map_err(|error| PackFault::Lost(error.to_string()))
}

fn decompress(body: &[u8], raw_len: usize) -> std::io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| {
        let decompressor = match decompressor {
            Some(decompressor) => decompressor,
            None => decompressor.insert(zstd::bulk::Decompressor::new()?),
        };
        decompressor.decompress(body, raw_len)
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
    use crate::{PackBatch, PackFiles};

    fn block(raw: &[u8]) -> Vec<u8> {
        BlockCompressor::default().block(raw)
    }

    #[test]
    fn blocks_come_back_whatever_their_size() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = PackFiles::new(dir.path());
        let noise: Vec<u8> = (0..BLOCK_BYTES as u64)
            .flat_map(|at| xxh3_64(&at.to_le_bytes()).to_le_bytes())
            .collect();
        let raw = [b"one ".repeat(99), b"two".to_vec(), noise, Vec::new()];
        let blocks = raw.each_ref().map(|raw| block(raw));
        let written = files.append(7, 0, &blocks.each_ref().map(Vec::as_slice)).unwrap();
        for (raw, at) in raw.iter().zip(written.positions) {
            assert_eq!(read_block(&files, 7, at).unwrap(), *raw);
        }
    }

    #[test]
    fn damage_is_an_error_not_garbage() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = PackFiles::new(dir.path());
        let path = files.path(1);
        let at = files.append(1, 0, &[&block(b"payload payload")]).unwrap().positions[0];
        let fault = || read_block(&files, 1, at).unwrap_err().to_string();
        let mut bytes = fs_err::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs_err::write(&path, &bytes).unwrap();
        assert!(fault().contains("checksum"));
        fs_err::write(&path, &bytes[..last]).unwrap();
        assert!(fault().contains("past the end"));
        fs_err::write(&path, &bytes[..at as usize + 3]).unwrap();
        assert!(fault().contains("past the end"));
        fs_err::remove_file(&path).unwrap();
        assert!(fault().contains("00000001.pack"));
    }
}
