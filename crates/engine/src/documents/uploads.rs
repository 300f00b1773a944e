//! `state/uploads/`: texts a client sent to a server, which reads no files of its machine for others.

use super::gather::{Gathered, as_text, is_secret};
use crate::tree::TreeError;
use backstory_distill::Redactor;
use backstory_model::Timestamp;
use backstory_store::{Home, create_private_dir, private_file};
use fs_err as fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use xxhash_rust::xxh3::xxh3_64;

/// The longest name an upload may have.
pub const UPLOAD_NAME_CHARS: usize = 120;
/// What nobody handed in for so long goes.
const KEPT_MS: i64 = 24 * 3_600_000;
/// Digits of the number before the name.
const DIGITS: usize = 16;

/// Keeps an uploaded text until it is handed in; returns what it is called from now on.
pub fn keep_upload(home: &Home, name: &str, bytes: Vec<u8>) -> Result<String, TreeError> {
    let refused = |why: &str| TreeError::Refused(format!("{name:?} cannot be kept: {why}"));
    if !is_name(name) {
        return Err(refused(
            "its name is not one of letters, digits, dots, dashes and underscores",
        ));
    }
    if is_secret(Path::new(name)) {
        return Err(refused("files of that name hold keys or passwords"));
    }
    let text = as_text(bytes).map_err(refused)?;
    let text = Redactor::shared().redact(&text).into_owned();
    let id = format!("{:0DIGITS$x}-{name}", xxh3_64(text.as_bytes()));
    create_private_dir(&dir(home))?;
    let draft = dir(home).join(format!(".{id}.{}", std::process::id()));
    let mut file = private_file().truncate(true).open(&draft)?;
    file.write_all(text.as_bytes()).and_then(|()| fs::rename(&draft, dir(home).join(&id)))?;
    Ok(id)
}

/// The name and the text of an upload.
pub(super) fn take(home: &Home, id: &str) -> Result<(String, Gathered), TreeError> {
    let unknown = || TreeError::Refused(format!("no upload is called {id:?}: upload it again"));
    let (number, name) = id.split_at_checked(DIGITS).ok_or_else(unknown)?;
    let name = name.strip_prefix('-').filter(|name| is_name(name)).ok_or_else(unknown)?;
    if !number.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(unknown());
    }
    match fs::read_to_string(dir(home).join(id)) {
        Ok(text) => Ok((name.to_owned(), Gathered::one(text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(unknown()),
        Err(error) => Err(error.into()),
    }
}

/// Removes an upload that was handed in.
pub(super) fn forget(home: &Home, id: &str) {
    // One that stays is removed with the old ones.
    let _ = fs::remove_file(dir(home).join(id));
}

/// Removes uploads nobody handed in.
pub(super) fn expire(home: &Home, now: Timestamp) -> io::Result<()> {
    let entries = match fs::read_dir(dir(home)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries.flatten() {
        let written = entry.metadata().and_then(|meta| meta.modified());
        let written = written.ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        if written.is_some_and(|at| at.as_millis() as i64 + KEPT_MS < now.0) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty()
        && name.len() <= UPLOAD_NAME_CHARS
        && !name.starts_with('.')
        && name.chars().all(is_plain)
}

fn dir(home: &Home) -> PathBuf {
    home.dir().join("state").join("uploads")
}
