//! Which texts a file or a folder holds. Links are not followed, and files that hold nothing but secrets are
//! never opened.

use crate::tree::TreeError;
use fs_err as fs;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use walkdir::{DirEntry, WalkDir};

/// No document has more files…
const MOST_FILES: usize = 1_000;
/// …or bytes.
const MOST_BYTES: usize = 16 << 20;
/// No file is longer: the tree holds no longer ones.
const LONGEST: usize = 1 << 20;
/// Folders within folders.
const DEPTH: usize = 12;
/// Files told of that were passed over.
const MOST_TOLD: usize = 20;
/// What tools make or fetch is nobody's document.
const MADE: [&str; 5] = ["node_modules", "target", "vendor", "venv", "__pycache__"];
/// Folders, endings and names of files with keys and passwords in them.
const SECRET_FOLDERS: [&str; 7] =
    [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", "gcloud"];
const SECRET_ENDINGS: [&str; 9] =
    ["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "asc", "gpg"];
const SECRET_NAMES: [&str; 7] =
    ["auth.json", "credentials", "id_rsa", "id_ed25519", "id_ecdsa", "secrets", "token"];

/// A file that is not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// Its path.
    pub path: String,
    /// Why.
    pub why: &'static str,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gathered {
    /// Paths below the document with their texts; a file has the empty path.
    pub(super) texts: Vec<(String, String)>,
    pub(super) passed_over: Vec<PassedOver>,
    pub(super) is_cut: bool,
}

impl Gathered {
    /// One text.
    pub(super) fn one(text: String) -> Self {
        Self { texts: vec![(String::new(), text)], ..Self::default() }
    }

    fn pass(&mut self, path: &Path, why: &'static str) {
        if self.passed_over.len() < MOST_TOLD {
            self.passed_over.push(PassedOver { path: path.display().to_string(), why });
        }
    }
}

/// The texts at a path. What cannot be read is passed over, unless it is all there is.
pub(super) fn gather(path: &Path) -> Result<Gathered, TreeError> {
    let mut found = Gathered::default();
    // A link that was named itself is meant.
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(TreeError::NotFound(path.display().to_string()));
        }
        found => found?,
    };
    if metadata.is_file() {
        match text(path) {
            Ok(text) => found.texts.push((String::new(), text)),
            Err(Unfit::Io(error)) => return Err(error.into()),
            Err(Unfit::Why(why)) => found.pass(path, why),
        }
        return Ok(found);
    }
    let mut bytes = 0;
    let files = WalkDir::new(path).max_depth(DEPTH).sort_by_file_name().into_iter();
    for entry in files.filter_entry(|entry| entry.depth() == 0 || is_looked_at(entry)).flatten() {
        if !entry.file_type().is_file() {
            continue;
        }
        let Some(below) = below(path, entry.path()) else {
            found.pass(entry.path(), "its name cannot be an address");
            continue;
        };
        match text(entry.path()) {
            Ok(text) if found.texts.len() == MOST_FILES || bytes + text.len() > MOST_BYTES => {
                found.is_cut = true;
                return Ok(found);
            }
            Ok(text) => {
                bytes += text.len();
                found.texts.push((below, text));
            }
            Err(Unfit::Io(_)) => found.pass(entry.path(), "it cannot be read"),
            Err(Unfit::Why(why)) => found.pass(entry.path(), why),
        }
    }
    Ok(found)
}

/// Hidden files and folders are left alone, as are those tools make.
fn is_looked_at(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_made = entry.file_type().is_dir() && MADE.contains(&name.as_ref());
    !name.starts_with('.') && !is_made
}

/// The path of a file below its document, if every name in it can be part of an address.
fn below(root: &Path, path: &Path) -> Option<String> {
    let parts = path.strip_prefix(root).ok()?.iter().map(|part| part.to_str());
    let parts: Vec<&str> = parts.collect::<Option<_>>()?;
    let is_plain = |part: &&str| !part.contains(['\\', '%']) && !part.contains(char::is_control);
    parts.iter().all(is_plain).then(|| parts.join("/"))
}

enum Unfit {
    Why(&'static str),
    Io(io::Error),
}

fn text(path: &Path) -> Result<String, Unfit> {
    if is_secret(path) {
        return Err(Unfit::Why("files of that name hold keys or passwords"));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(Unfit::Io)?;
    file.take(LONGEST as u64 + 1).read_to_end(&mut bytes).map_err(Unfit::Io)?;
    as_text(bytes).map_err(Unfit::Why)
}

/// Bytes that are a text of bounded length.
pub(super) fn as_text(bytes: Vec<u8>) -> Result<String, &'static str> {
    if bytes.len() > LONGEST {
        return Err("it is longer than 1 MiB");
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.trim().is_empty() => Err("it is empty"),
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err("it is no text"),
    }
}

/// True for files that are there to hold secrets, by their path alone.
pub(super) fn is_secret(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let name = name.to_string_lossy().to_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let is_folder = |part: &std::ffi::OsStr| SECRET_FOLDERS.iter().any(|folder| part == *folder);
    path.iter().any(is_folder)
        || SECRET_ENDINGS.contains(&ending)
        || SECRET_NAMES.iter().any(|secret| name == *secret || stem == *secret)
        || [".env", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".credentials"]
            .iter()
            .any(|secret| name.starts_with(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_secrets_are_known_by_their_names() {
        for path in [
            "/h/.ssh/config",
            "/h/.env",
            "/h/app/.env.local",
            "/h/server.pem",
            "/h/.codex/auth.json",
            "/h/.claude/.credentials.json",
            "/h/credentials.json",
            "/h/id_rsa",
            "/h/.config/gcloud/x.json",
        ] {
            assert!(is_secret(Path::new(path)), "{path}");
        }
        for path in ["/h/notes.md", "/h/keys.md", "/h/tokens.rs", "/h/.config/x.toml", "/h/env.md"]
        {
            assert!(!is_secret(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn only_texts_are_kept() {
        assert_eq!(as_text(b"a fact".to_vec()).as_deref(), Ok("a fact"));
        for bytes in [b" \n".to_vec(), vec![0xff, 0xfe], b"a\0b".to_vec(), vec![b'x'; LONGEST + 1]]
        {
            assert!(as_text(bytes).is_err());
        }
    }
}
