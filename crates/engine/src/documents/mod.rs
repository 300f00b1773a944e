//! Documents: texts handed in from outside, copied below `memories/resources` and from then on read, found
//! and recalled as memories are. One that is watched is copied again from time to time.

mod gather;
mod register;
mod uploads;
mod watches;

pub use gather::PassedOver;
pub use uploads::{UPLOAD_NAME_CHARS, keep_upload};
pub use watches::{Watch, cancel_watch, refresh, watches};

use crate::tree::{DOCUMENTS, Files, TreeError, path_to_change};
use backstory_model::Timestamp;
use backstory_store::Home;
use gather::Gathered;
use register::{Entry, Register};
use std::path::{Path, PathBuf};

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file or a folder of this machine.
    Path(PathBuf),
    /// What was uploaded, by the name it got.
    Upload(String),
}

/// What is handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handover {
    /// Where it comes from.
    pub origin: Origin,
    /// The address it is to have; by its own name if nobody says.
    pub to: Option<String>,
    /// The folder it is to lie in.
    pub parent: Option<String>,
    /// Copied again after so many minutes; never if zero.
    pub every_minutes: u32,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedIn {
    /// Where it is read.
    pub address: String,
    /// Copied files.
    pub files: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Files that were not copied.
    pub passed_over: Vec<PassedOver>,
    /// There was more than is taken at once.
    pub is_cut: bool,
}

/// Copies a document. The same one again brings the copy up to date.
pub fn hand_in(home: &Home, handover: &Handover, now: Timestamp) -> Result<HandedIn, TreeError> {
    let (name, found) = match &handover.origin {
        Origin::Path(path) => (own_name(path)?, gather::gather(path)?),
        Origin::Upload(id) => uploads::take(home, id)?,
    };
    if found.texts.is_empty() {
        let why = found.passed_over.first().map_or("it is empty", |passed| passed.why);
        return Err(TreeError::Refused(format!("{name:?} cannot be kept: {why}")));
    }
    let place = place(handover, &name)?;
    let mut register = Register::open(home)?;
    let before = register.take(&place);
    let files = Files::new(home.dir());
    if before.is_none() && files.find(&words(&place))?.is_some() {
        return Err(TreeError::Refused(format!(
            "something else is at {} already: name another address",
            address(&place)
        )));
    }
    let path = match &handover.origin {
        Origin::Path(path) => Some(path.clone()),
        Origin::Upload(_) => None,
    };
    let mut entry = Entry {
        to: place.clone(),
        every_minutes: if path.is_some() { handover.every_minutes } else { 0 },
        path,
        read_at: now,
        files: before.map(|before| before.files).unwrap_or_default(),
        error: None,
    };
    let bytes = copy(&files, &mut entry, &found)?;
    register.put(entry);
    register.save()?;
    if let Origin::Upload(id) = &handover.origin {
        uploads::forget(home, id);
    }
    Ok(HandedIn {
        address: address(&place),
        files: found.texts.len(),
        bytes,
        passed_over: found.passed_over,
        is_cut: found.is_cut,
    })
}

/// Makes the copies what was found: what is no longer there goes. Returns how many bytes they have.
fn copy(files: &Files, entry: &mut Entry, found: &Gathered) -> Result<usize, TreeError> {
    let of = |below: &str| -> Vec<String> {
        let below = below.split('/').filter(|part| !part.is_empty()).map(str::to_owned);
        entry.to.iter().cloned().chain(below).collect()
    };
    let mut bytes = 0;
    for (below, text) in &found.texts {
        bytes += files.keep_copy(&words(&of(below)), text)?;
    }
    let now: Vec<String> = found.texts.iter().map(|(below, _)| below.clone()).collect();
    for gone in entry.files.iter().filter(|file| !now.contains(file)) {
        match files.remove(&words(&of(gone)), false) {
            Ok(_) | Err(TreeError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    entry.files = now;
    Ok(bytes)
}

/// What a path is called.
fn own_name(path: &Path) -> Result<String, TreeError> {
    let refused = |why: &str| TreeError::Refused(format!("{}: {why}", path.display()));
    if !path.is_absolute() {
        return Err(refused("give the whole path, from the root"));
    }
    let name = path.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| refused("name a file or a folder"))
}

/// Where the copy lies, in the words of the tree.
fn place(handover: &Handover, name: &str) -> Result<Vec<String>, TreeError> {
    let named = |given: &str| {
        if given.contains("://") || given.starts_with("memories/") {
            return path_to_change(given);
        }
        // A bare name is one below the folder.
        path_to_change(&format!("backstory://{}/{given}", DOCUMENTS.join("/")))
    };
    let said = |given: &Option<String>| given.as_deref().map(named).transpose();
    let place = match (said(&handover.to)?, said(&handover.parent)?) {
        (Some(to), _) => to,
        (None, parent) => {
            let mut place = parent.unwrap_or_else(|| DOCUMENTS.map(str::to_owned).to_vec());
            place.push(name.trim_start_matches('.').to_owned());
            place
        }
    };
    let is_below = words(&place).starts_with(&DOCUMENTS) && place.len() > DOCUMENTS.len();
    if !is_below || place.iter().any(|part| part.is_empty() || part.starts_with('.')) {
        return Err(TreeError::Refused(format!(
            "{} is no place for a document: name one below backstory://{}/",
            address(&place),
            DOCUMENTS.join("/")
        )));
    }
    Ok(place)
}

fn words(place: &[String]) -> Vec<&str> {
    place.iter().map(String::as_str).collect()
}

fn address(place: &[String]) -> String {
    format!("backstory://{}", place.join("/"))
}

#[cfg(test)]
mod tests;
