//! Whose a memory is: one in a folder with the name of a project is that project's own, and so is one a
//! plugin filed below the name it has for the project.

use super::memories::Memory;
use super::{RecallOptions, StoreError};
use crate::peers::is_called;
use backstory_store::Vault;

/// Folders that hold memories of all kinds, whatever projects are called.
const GENERAL: [&str; 3] = ["notes", "resources", "skills"];
/// The folder of preferences, and that of what plugins filed.
const PREFERENCES: &str = "preferences";
const PEERS: &str = "peers";

/// Where a memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folder<'a> {
    /// In none that could be a project's.
    General,
    /// In one that may have the name of a project.
    Named(&'a str),
    /// In one with the name a plugin has for a project.
    Peer(&'a str),
}

impl Memory {
    /// Its path below the folder of memories.
    fn below(&self) -> &str {
        self.address.strip_prefix("backstory://memories/").unwrap_or_default()
    }

    /// True for what the user prefers.
    pub(super) fn is_preference(&self) -> bool {
        self.below().split_once('/').is_some_and(|(first, _)| first == PREFERENCES)
    }

    /// Where it lies.
    pub(super) fn folder(&self) -> Folder<'_> {
        let below = self.below();
        let below = match below.split_once('/') {
            Some((PREFERENCES, rest)) => rest,
            _ => below,
        };
        match below.split_once('/') {
            Some((PEERS, rest)) => {
                rest.split_once('/').map_or(Folder::General, |(peer, _)| Folder::Peer(peer))
            }
            Some((first, _)) if !GENERAL.contains(&first) => Folder::Named(first),
            _ => Folder::General,
        }
    }
}

/// Leaves out what belongs to other projects than the one that is asked for.
pub(super) fn retain_own(
    vault: &Vault,
    options: &RecallOptions,
    memories: &mut Vec<Memory>,
) -> Result<(), StoreError> {
    let is_general = |memory: &Memory| memory.folder() == Folder::General;
    if options.everywhere || memories.iter().all(is_general) {
        return Ok(());
    }
    let places = vault.places()?;
    let own = options.project.as_deref();
    memories.retain(|memory| match memory.folder() {
        Folder::General => true,
        Folder::Named(name) => {
            let mut called = places.iter().filter(|(_, repo, _)| repo.eq_ignore_ascii_case(name));
            let is_own = |(_, _, key): &(String, String, String)| Some(key.as_str()) == own;
            // A folder that no project is called by is nobody's own.
            called.clone().next().is_none() || called.any(is_own)
        }
        Folder::Peer(peer) => own.is_some_and(|own| is_called(peer, own, &places)),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_known_by_its_folder() {
        for (below, folder, is_preference) in [
            ("a.md", Folder::General, false),
            ("notes/a.md", Folder::General, false),
            ("resources/app/a.md", Folder::General, false),
            ("preferences/a.md", Folder::General, true),
            ("preferences/shop/a.md", Folder::Named("shop"), true),
            ("shop/a.md", Folder::Named("shop"), false),
            ("shop/b/a.md", Folder::Named("shop"), false),
            ("peers/-src-shop/a.md", Folder::Peer("-src-shop"), false),
            ("peers/a.md", Folder::General, false),
        ] {
            let memory = Memory {
                address: format!("backstory://memories/{below}"),
                name: String::new(),
                text: String::new(),
            };
            assert_eq!(
                (memory.folder(), memory.is_preference()),
                (folder, is_preference),
                "{below}"
            );
        }
    }
}
