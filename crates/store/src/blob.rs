//! Small compressed values in rows: digests, saved states. They share their field names, so a
//! dictionary of those makes the difference between shrinking and not.

use std::cell::RefCell;
use std::io;
use std::sync::LazyLock;
use zstd::bulk::Decompressor;
use zstd::dict::DecoderDictionary;
use zstd::zstd_safe::get_frame_content_size;

/// What every zstd frame begins with; no other value stored here does.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Never change it: what was compressed with it needs it. A better one gets a new name and a mark
/// of its own in front of the frame.
const DICTIONARY: &[u8] = include_bytes!("blob_dictionary_1.txt");

/// Makes short forms. Kept from value to value: loading the dictionary costs more than using it.
pub struct BlobCompressor {
    zstd: Option<zstd::bulk::Compressor<'static>>,
}

impl std::fmt::Debug for BlobCompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlobCompressor").finish_non_exhaustive()
    }
}

impl BlobCompressor {
    /// For values written by the thousand.
    pub fn fast() -> Self {
        Self { zstd: zstd::bulk::Compressor::with_dictionary(1, DICTIONARY).ok() }
    }

    /// For values kept for ever.
    pub fn small() -> Self {
        Self { zstd: zstd::bulk::Compressor::with_dictionary(6, DICTIONARY).ok() }
    }

    /// The short form; the value itself where that is no longer.
    pub fn shrink(&mut self, raw: Vec<u8>) -> Vec<u8> {
        let short = self.zstd.as_mut().and_then(|zstd| zstd.compress(&raw).ok());
        short.filter(|short| short.len() < raw.len()).unwrap_or(raw)
    }
}

/// The long form of what [`BlobCompressor::shrink`] made; anything else as it is.
pub(crate) fn unfold(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&FRAME) {
        return Ok(bytes);
    }
    let len = get_frame_content_size(&bytes).ok().flatten();
    let damaged = || io::Error::other("a stored value is damaged");
    let len = len.and_then(|len| usize::try_from(len).ok()).ok_or_else(damaged)?;
    if len > LONGEST {
        return Err(damaged());
    }
    DECOMPRESSOR.with_borrow_mut(|decompressor| {
        let decompressor = match decompressor {
            Some(decompressor) => decompressor,
            None => decompressor.insert(Decompressor::with_prepared_dictionary(&PREPARED)?),
        };
        decompressor.decompress(&bytes, len)
    })
}

/// What is longer was not made by [`BlobCompressor::shrink`], which is given small values.
const LONGEST: usize = 1 << 30;

thread_local! {
    /// Making one costs more than using it.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Digesting the dictionary costs more than using it.
static PREPARED: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let long = br#"{"version":1,"goal":{"seq":0,"why":"goal","text":"Fix it"}}"#.repeat(9);
        for mut compressor in [BlobCompressor::fast(), BlobCompressor::small()] {
            let short = compressor.shrink(long.clone());
            assert!(short.len() < long.len() / 4);
            assert_eq!(unfold(short).unwrap(), long);
            assert_eq!(compressor.shrink(b"{}".to_vec()), b"{}");
        }
        assert_eq!(unfold(b"{}".to_vec()).unwrap(), b"{}");
    }
}
