//! What is in a folder of the tree, and in the folders below it.

use super::address::{Address, TOP};
use super::files::Files;
use super::history::{self, History, Stretch};
use super::place::{Lore, Node};
use super::{PatternChoice, Tree, TreeError, lore, session};
use backstory_model::{Seal, Session, SessionUid, Timestamp};
use std::ops::ControlFlow;
use std::path::Path;

/// Errors and patterns listed, the most widespread first.
const MOST_LORE: usize = 200;
/// Beginnings of memories told beside their names.
const ABOUT_CHARS: usize = 160;
/// More folders than this within each other are not walked through.
const MAX_DEPTH: usize = 16;

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the folder.
    pub name: String,
    /// Its address, in the words the folder was asked for with.
    pub address: String,
    /// It is a folder.
    pub is_folder: bool,
    /// Its length in bytes, where it is a real file.
    pub bytes: Option<u64>,
    /// What it is, in a line.
    pub about: Option<String>,
    /// When it last changed.
    pub changed: Option<Timestamp>,
}

/// Folders within folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Everything met, each with how deep it is; what is in a folder follows it.
    pub entries: Vec<(usize, Entry)>,
    /// There is more than the limit.
    pub is_cut: bool,
}

impl Tree {
    /// What is in a folder.
    pub fn list(&self, address: &str) -> Result<Vec<Entry>, TreeError> {
        self.children(&Address::parse(address)?)
    }

    /// What is in a folder and in the folders below, so many levels deep, at most so many.
    pub fn walk(&self, address: &str, depth: usize, limit: usize) -> Result<Walked, TreeError> {
        let mut walked = Walked::default();
        let address = Address::parse(address)?;
        let _ = self.visit(&address, depth, 0, &mut |level, entry| {
            if walked.entries.len() == limit {
                walked.is_cut = true;
                return ControlFlow::Break(());
            }
            walked.entries.push((level, entry.clone()));
            ControlFlow::Continue(())
        })?;
        Ok(walked)
    }

    /// Goes through a folder; a folder comes before what is in it.
    pub(super) fn visit(
        &self,
        folder: &Address,
        depth: usize,
        level: usize,
        each: &mut dyn FnMut(usize, &Entry) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TreeError> {
        for entry in self.children(folder)? {
            if each(level, &entry).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if entry.is_folder && level + 1 < depth.min(MAX_DEPTH) {
                let below = Address::parse(&entry.address)?;
                // A folder that went meanwhile is empty.
                match self.visit(&below, depth, level + 1, each) {
                    Ok(ControlFlow::Break(())) => return Ok(ControlFlow::Break(())),
                    Ok(ControlFlow::Continue(())) | Err(TreeError::NotFound(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    pub(super) fn children(&self, folder: &Address) -> Result<Vec<Entry>, TreeError> {
        let here = Here { folder };
        match self.node(folder)? {
            Node::Root => Ok(TOP.iter().map(|name| here.folder(name, top_about(name))).collect()),
            Node::Above(names) => Ok(names.iter().map(|name| here.folder(name, None)).collect()),
            Node::Sessions => Ok(self.session_folders(&here, None)?),
            Node::Session(session) => self.session_documents(&here, &session),
            Node::Seals(session) => {
                let seals = self.vault()?.seals_of(&session.session_uid)?.into_iter();
                let name = |seal: &Seal| format!("{:03}.md", seal.number);
                Ok(seals.map(|seal| here.file(&name(&seal), &seal.abstract_text)).collect())
            }
            Node::History(History::All(stretches)) => {
                let name = |number: u32| format!("archive_{number:03}");
                let folder = |at: &Stretch| here.folder(&name(at.number), Some(&at.gist));
                Ok(stretches.iter().map(folder).collect())
            }
            Node::History(History::Archive) => {
                Ok(history::IN_ARCHIVE.iter().map(|(name, about)| here.file(name, about)).collect())
            }
            Node::Lores(kind) => self.lore_files(&here, kind),
            Node::AllDecisions => self.decision_files(&here),
            Node::HubDecisions => self.hub_decision_files(&here),
            Node::Folder(path) => real_files(&here, &path),
            _ => Err(TreeError::IsFile(folder.text())),
        }
    }

    /// Sessions as folders: those nobody started, or the sub-agents of one.
    fn session_folders(
        &self,
        here: &Here<'_>,
        parent: Option<&SessionUid>,
    ) -> Result<Vec<Entry>, TreeError> {
        let mut entries = Vec::new();
        for session in self.sessions()? {
            let uid = session.session_uid.as_str();
            let name = match parent {
                // A sub-agent with an id of its own is listed with the others.
                None => (!uid.contains('/')).then_some(uid),
                Some(parent) => uid
                    .strip_prefix(parent.as_str())
                    .and_then(|rest| rest.strip_prefix('/'))
                    .filter(|rest| !rest.contains('/')),
            };
            let Some(name) = name else { continue };
            let mut entry = here.folder(name, Some(&session::about(session)));
            entry.changed = session.ended_at.or(session.started_at);
            entries.push(entry);
        }
        Ok(entries)
    }

    fn session_documents(
        &self,
        here: &Here<'_>,
        session: &Session,
    ) -> Result<Vec<Entry>, TreeError> {
        let mut entries = vec![
            here.file("overview.md", "what it was about and came to"),
            here.file("digest.md", "all that is kept of it"),
            here.file("transcript.md", "everything said and done"),
        ];
        let uid = &session.session_uid;
        let (name, is_sealed) = if here.folder.root.starts_with("viking") {
            ("history", !self.stretches(uid)?.is_empty())
        } else {
            ("seals", self.vault()?.latest_seal(uid)?.is_some())
        };
        if is_sealed {
            entries.push(here.folder(name, Some("its overview as of each seal")));
        }
        entries.extend(self.session_folders(here, Some(&session.session_uid))?);
        Ok(entries)
    }

    fn lore_files(&self, here: &Here<'_>, kind: Lore) -> Result<Vec<Entry>, TreeError> {
        if self.vault.is_none() {
            return Ok(Vec::new());
        }
        let choice = PatternChoice {
            kinds: kind.kinds(),
            // An error is worth knowing the first time; a pattern is none until it shows again.
            min_sessions: if kind == Lore::Errors { 1 } else { 2 },
            ..PatternChoice::default()
        };
        let mut entries: Vec<Entry> = Vec::new();
        for pattern in self.patterns(&choice)? {
            let name = lore::file_name(&pattern);
            // The same words may be known as several kinds of trouble: one file tells them all.
            if entries.iter().all(|entry| entry.name != name) {
                let mut entry = here.file(&name, &lore::about(&pattern));
                entry.changed = pattern.last;
                entries.push(entry);
            }
            if entries.len() == MOST_LORE {
                break;
            }
        }
        Ok(entries)
    }
}

fn top_about(name: &str) -> Option<&'static str> {
    Some(match name {
        "sessions" => "every session of every agent, the latest first",
        "memories" => "notes to remember; the only folder that can be written",
        "errors" => "errors met before and what helped",
        "decisions" => "what the human was asked, and answered",
        "patterns" => "what happens again and again",
        "skills" => "skills",
        _ => return None,
    })
}

/// A folder whose entries are made.
pub(super) struct Here<'a> {
    folder: &'a Address,
}

impl Here<'_> {
    fn entry(&self, name: &str, about: Option<&str>) -> Entry {
        Entry {
            name: name.to_owned(),
            address: self.folder.child(name),
            is_folder: false,
            bytes: None,
            about: about.filter(|about| !about.is_empty()).map(str::to_owned),
            changed: None,
        }
    }

    pub(super) fn folder(&self, name: &str, about: Option<&str>) -> Entry {
        Entry { is_folder: true, ..self.entry(name, about) }
    }

    pub(super) fn file(&self, name: &str, about: &str) -> Entry {
        self.entry(name, Some(about))
    }
}

fn real_files(here: &Here<'_>, folder: &Path) -> Result<Vec<Entry>, TreeError> {
    let mut entries = Vec::new();
    for (name, meta) in Files::list(folder)? {
        if meta.is_dir() {
            entries.push(here.folder(&name, None));
            continue;
        }
        let text = Files::beginning(&folder.join(&name)).unwrap_or_default();
        let mut entry = here.file(&name, &super::recollect::about(&text, ABOUT_CHARS));
        entry.bytes = Some(meta.len());
        let age = meta.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        entry.changed = age.map(|age| Timestamp(age.as_millis() as i64));
        entries.push(entry);
    }
    Ok(entries)
}
