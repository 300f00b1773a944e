//! Changing a settings file: through links, at once, its mode kept, what it was kept beside it.

use super::receipt::{Receipt, Receipts};
use crate::error::{Failure, Kind};
use backstory_model::Timestamp;
use backstory_store::private_file;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What a file was before we came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undone {
    /// Its text; nothing if there was no file.
    pub(crate) before: Option<String>,
    /// Where that is kept.
    pub(crate) backup: Option<PathBuf>,
    /// Folders we made for it, the innermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// There is nothing to do.
    Unchanged,
    /// It was not there.
    Created,
    /// Ours was added, changed or taken out.
    Changed,
    /// It is what it was before we came.
    Restored,
    /// It is gone: it was ours alone.
    Removed,
}

impl Action {
    /// As people and JSON are told.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Restored => "restored",
            Self::Removed => "removed",
        }
    }
}

/// What is to become of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) action: Action,
    /// What it is now; nothing if there is no file.
    pub(crate) now: Option<String>,
    /// What it will be.
    pub(crate) after: Option<String>,
    /// What it was is kept there.
    pub(crate) backup: Option<PathBuf>,
    /// What is known of the time before us.
    undone: Option<Undone>,
    /// True if ours is in it already, in another form or among what others have changed since.
    held_ours: bool,
    /// True if ours is in it afterwards.
    holds_ours: bool,
}

impl Change {
    /// Nothing happens.
    pub(super) fn none(path: PathBuf) -> Self {
        Self {
            path,
            action: Action::Unchanged,
            now: None,
            after: None,
            backup: None,
            undone: None,
            held_ours: false,
            holds_ours: false,
        }
    }

    /// Ours is written.
    pub(super) fn written(
        path: PathBuf,
        now: Option<String>,
        after: String,
        undone: Option<Undone>,
        held_ours: bool,
    ) -> Self {
        let action = match &now {
            Some(now) if *now == after => Action::Unchanged,
            Some(_) => Action::Changed,
            None => Action::Created,
        };
        let backup = undone.as_ref().and_then(|undone| undone.backup.clone());
        let after = Some(after);
        Self { action, now, after, backup, undone, held_ours, holds_ours: true, ..Self::none(path) }
    }

    /// It becomes what it was.
    pub(super) fn undone(path: PathBuf, now: Option<String>, undone: Undone) -> Self {
        let action = if undone.before.is_some() { Action::Restored } else { Action::Removed };
        let after = undone.before.clone();
        Self { action, now, after, undone: Some(undone), ..Self::none(path) }
    }

    /// Ours is taken out of what others have changed since.
    pub(super) fn cleared(path: PathBuf, now: Option<String>, after: String) -> Self {
        let is_same = now.as_ref() == Some(&after);
        let action = if is_same { Action::Unchanged } else { Action::Changed };
        Self { action, now, after: Some(after), ..Self::none(path) }
    }

    /// It goes.
    pub(super) fn removed(path: PathBuf, now: Option<String>) -> Self {
        Self { action: Action::Removed, now, ..Self::none(path) }
    }

    /// Does it.
    pub(super) fn make(&mut self, receipts: &mut Receipts, now: Timestamp) -> io::Result<()> {
        if self.action == Action::Unchanged {
            return if self.holds_ours { Ok(()) } else { self.tidy(receipts) };
        }
        if current(&self.path)? != self.now {
            let what = format!("{} was changed by another program meanwhile", self.path.display());
            return Err(io::Error::other(what));
        }
        if self.holds_ours {
            self.keep_what_was(receipts, now)?;
        } else if self.undone.is_none() {
            // What it was before we came is kept already; what others wrote since is not.
            self.backup = match receipts.backup(&self.path) {
                Some(backup) => Some(backup),
                None => self.back_up(now)?,
            };
        }
        match &self.after {
            Some(text) => write(&self.path, text)?,
            None => fs_err::remove_file(target(&self.path)?)?,
        }
        if !self.holds_ours {
            self.tidy(receipts)?;
        }
        Ok(())
    }

    /// Makes sure that what it was can be had again. The receipt comes first: if we are killed before
    /// the file is written it fits no file and means nothing.
    fn keep_what_was(&mut self, receipts: &mut Receipts, now: Timestamp) -> io::Result<()> {
        let undone = match self.undone.take() {
            Some(undone) => undone,
            None if self.held_ours => {
                // What it is now is not what it was before us: uninstalling must not bring it back.
                self.backup = self.back_up(now)?;
                return Ok(());
            }
            None => Undone {
                before: self.now.clone(),
                backup: self.back_up(now)?,
                folders: missing_folders(&self.path),
            },
        };
        self.backup.clone_from(&undone.backup);
        let after = self.after.as_deref().unwrap_or_default();
        receipts.put(&self.path, Receipt::new(after, &undone))
    }

    /// Keeps what it is beside it.
    fn back_up(&self, now: Timestamp) -> io::Result<Option<PathBuf>> {
        let Some(text) = &self.now else { return Ok(None) };
        let stamp: String = now.to_string().chars().filter(char::is_ascii_alphanumeric).collect();
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for again in 0..100 {
            let again = if again == 0 { String::new() } else { format!("-{again}") };
            let backup =
                self.path.with_file_name(format!("{name}.backstory-backup-{stamp}{again}"));
            match private_file().create_new(true).open(&backup) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes())?;
                    file.sync_all()?;
                    return Ok(Some(backup));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(format!("too many backups of {}", self.path.display())))
    }

    /// Removes what nobody needs any more: the receipt, the backup of what is there again.
    fn tidy(&self, receipts: &mut Receipts) -> io::Result<()> {
        receipts.strike(&self.path)?;
        let Some(undone) = &self.undone else { return Ok(()) };
        match &undone.backup {
            Some(backup) => fs_err::remove_file(backup),
            None => Ok(()),
        }
    }

    /// Removes folders of ours that nothing is left in.
    pub(super) fn sweep_up(&self) {
        let undone = self.undone.iter().filter(|_| !self.holds_ours);
        for folder in undone.flat_map(|undone| &undone.folders) {
            // Whoever else uses it keeps it.
            let _ = fs_err::remove_dir(folder);
        }
    }
}

/// The text of a settings file; nothing if there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    let unreadable = |what: String| {
        Failure::new(Kind::Problems, format!("{}: {what}", path.display()))
            .hint("nothing was changed")
    };
    current(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => unreadable("it is not UTF-8 text".to_owned()),
        _ => unreadable(error.to_string()),
    })
}

fn current(path: &Path) -> io::Result<Option<String>> {
    match fs_err::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Folders that have to be made for a file, the innermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1);
    above.take_while(|dir| !dir.exists()).map(Path::to_owned).collect()
}

/// Writes a file whole or not at all, where its links lead, with the mode it has.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let real = target(path)?;
    let dir = real.parent().unwrap_or(Path::new("/"));
    backstory_store::create_private_dir(dir)?;
    let mut file = tempfile::Builder::new().prefix(".backstory-").tempfile_in(dir)?;
    file.write_all(text.as_bytes())?;
    if let Ok(existing) = fs_err::metadata(&real) {
        file.as_file().set_permissions(existing.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&real).map_err(|error| error.error)?;
    Ok(())
}

/// Where links lead, also if nothing is there yet.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many as the system itself follows.
    for _ in 0..40 {
        match fs_err::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("/")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other(format!("{} is a link to itself", path.display())))
}
