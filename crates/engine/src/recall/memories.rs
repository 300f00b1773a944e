//! `memories/`: what was written down on purpose, as Markdown files.

use crate::tree::DOCUMENTS;
use backstory_store::Home;
use fs_err as fs;
use walkdir::{DirEntry, WalkDir};

/// More files than this are not looked at…
const MAX_FILES: usize = 500;
/// …nor larger ones…
const MAX_FILE_BYTES: u64 = 64 << 10;
/// …nor more bytes in all.
const MAX_BYTES: u64 = 2 << 20;
const MAX_DEPTH: usize = 6;

/// A memory.
pub(super) struct Memory {
    /// Where it is read.
    pub(super) address: String,
    /// Its path below the folder, without the ending.
    pub(super) name: String,
    /// Its words.
    pub(super) text: String,
}

/// Every memory, by name. What cannot be read is passed over: a prompt must not wait for it.
pub(super) fn memories(home: &Home) -> Vec<Memory> {
    let dir = home.dir().join("memories");
    let mut found = Vec::new();
    let mut bytes = 0;
    // Documents come last: what somebody wrote down to be remembered has the room first.
    let order = |entry: &DirEntry| {
        let is_documents = entry.depth() == 1 && entry.file_name() == DOCUMENTS[1];
        (is_documents, entry.file_name().to_owned())
    };
    let files = WalkDir::new(&dir).max_depth(MAX_DEPTH).sort_by_key(order);
    for file in files.into_iter().filter_map(Result::ok).take(4 * MAX_FILES) {
        let is_markdown = file.path().extension().is_some_and(|ending| ending == "md");
        if !file.file_type().is_file() || !is_markdown || found.len() == MAX_FILES {
            continue;
        }
        let size = file.metadata().map_or(u64::MAX, |meta| meta.len());
        let Ok(below) = file.path().strip_prefix(&dir) else { continue };
        let Some(below) = below.to_str() else { continue };
        if size > MAX_FILE_BYTES || bytes + size > MAX_BYTES {
            continue;
        }
        let Ok(text) = fs::read_to_string(file.path()) else { continue };
        bytes += size;
        found.push(Memory {
            address: format!("backstory://memories/{below}"),
            name: below.trim_end_matches(".md").replace(['/', '-', '_'], " "),
            text,
        });
    }
    found
}
