//! Reads logs the way a floor should: large chunks, lines handed out without a copy.

use fs_err as fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const CHUNK: usize = 1 << 20;

/// Every file of the agents below a home directory, in a fixed order.
pub(crate) fn files(home: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    for folder in
        [".claude/projects", ".codex/sessions", ".codex/archived_sessions", ".grok/sessions"]
    {
        for entry in walkdir::WalkDir::new(home.join(folder)).sort_by_file_name() {
            let Ok(entry) = entry else { continue };
            if entry.file_type().is_file() {
                let size = entry.metadata().map_err(io::Error::other)?.len();
                found.push((entry.into_path(), size));
            }
        }
    }
    Ok(found)
}

/// Reads a file to its end and forgets it.
pub(crate) fn read_only(path: &Path, buffer: &mut Vec<u8>) -> io::Result<u64> {
    buffer.resize(CHUNK, 0);
    let mut file = fs::File::open(path)?;
    let mut total = 0;
    loop {
        let read = file.read(buffer)?;
        if read == 0 {
            return Ok(total);
        }
        total += read as u64;
    }
}

/// Hands out every line of a file, decompressed where the name says so.
pub(crate) fn each_line(
    path: &Path,
    buffer: &mut Vec<u8>,
    line: &mut impl FnMut(&[u8]),
) -> io::Result<()> {
    let file = fs::File::open(path)?;
    if path.extension().is_some_and(|extension| extension == "zst") {
        lines_of(zstd::stream::read::Decoder::new(file)?, buffer, line)
    } else {
        lines_of(file, buffer, line)
    }
}

fn lines_of(
    mut source: impl Read,
    buffer: &mut Vec<u8>,
    line: &mut impl FnMut(&[u8]),
) -> io::Result<()> {
    let mut kept = 0;
    loop {
        if buffer.len() < kept + CHUNK {
            buffer.resize(kept + CHUNK, 0);
        }
        let read = source.read(&mut buffer[kept..])?;
        let filled = kept + read;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &buffer[..filled]) {
            line(&buffer[start..end]);
            start = end + 1;
        }
        if read == 0 {
            if start < filled {
                line(&buffer[start..filled]);
            }
            return Ok(());
        }
        buffer.copy_within(start..filled, 0);
        kept = filled - start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        let mut buffer = Vec::new();
        let result = lines_of(text, &mut buffer, &mut |line| {
            found.push(String::from_utf8_lossy(line).into_owned());
        });
        assert!(result.is_ok());
        found
    }

    #[test]
    fn lines_longer_than_a_chunk_and_a_torn_last_one() {
        assert_eq!(split(b"a\nb\n"), ["a", "b"]);
        assert_eq!(split(b"a\nb"), ["a", "b"]);
        let long = "x".repeat(CHUNK * 2 + 7);
        assert_eq!(split(format!("{long}\ny\n").as_bytes()), [long, "y".to_owned()]);
    }
}
