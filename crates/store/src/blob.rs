//! Small compressed values in rows: digests, saved states. They share their field names, so a
//! dictionary of those makes the difference between shrinking and not.

use std::io::Read;

const LEVEL: i32 = 9;
/// What every zstd frame begins with; no other value stored here does.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Never change it: what was compressed with it needs it. A better one gets a new name and a mark
/// of its own in front of the frame.
const DICTIONARY: &[u8] = include_bytes!("blob_dictionary_1.txt");

/// The short form.
pub(crate) fn shrink(raw: &[u8]) -> std::io::Result<Vec<u8>> {
    zstd::bulk::Compressor::with_dictionary(LEVEL, DICTIONARY)?.compress(raw)
}

/// True for what [`shrink`] made.
pub(crate) fn is_shrunk(bytes: &[u8]) -> bool {
    bytes.starts_with(&FRAME)
}

/// The long form of what [`shrink`] made; anything else as it is.
pub(crate) fn unfold(bytes: Vec<u8>) -> std::io::Result<Vec<u8>> {
    if !is_shrunk(&bytes) {
        return Ok(bytes);
    }
    let mut raw = Vec::new();
    let frame = bytes.as_slice();
    zstd::stream::Decoder::with_dictionary(frame, DICTIONARY)?.read_to_end(&mut raw)?;
    Ok(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let long = br#"{"version":1,"goal":{"seq":0,"why":"goal","text":"Fix it"}}"#.repeat(9);
        let short = shrink(&long).unwrap();
        assert!(short.len() < long.len() / 4);
        assert_eq!(unfold(short).unwrap(), long);
        assert_eq!(unfold(b"{}".to_vec()).unwrap(), b"{}");
    }
}
