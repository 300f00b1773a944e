//! What a search below an address looks at, as far as the words of the address tell.

use super::TreeError;
use super::address::{Address, Place};
use backstory_adapters::pushed::any_uid_of;

/// What lies below an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Below {
    /// Everything, or nothing in particular.
    Everything,
    /// Memories, and with them all that is told of a project.
    Memories,
    /// A folder of memories, or one of them.
    Folder,
    /// Documents among them.
    Resources,
    /// Skills among them.
    Skills,
    /// One session, by whatever name it goes.
    Session(String),
}

impl Below {
    /// What lies below this address. Nothing is looked up.
    pub fn of(address: &str) -> Result<Self, TreeError> {
        let Place::Path(path) = Address::parse(address)?.place else { return Ok(Self::Everything) };
        Ok(match path.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["sessions", name, ..] => Self::Session((*name).to_owned()),
            ["skills", ..] | ["memories", "skills", ..] => Self::Skills,
            ["memories", "resources", ..] => Self::Resources,
            ["memories"] | ["memories", "peers"] | ["memories", "peers", _] => Self::Memories,
            ["memories", ..] => Self::Folder,
            _ => Self::Everything,
        })
    }
}

/// True for what is at an address or below it, in whatever words both are named. Nothing is below what is no
/// address.
pub fn is_below(address: &str, above: &str) -> bool {
    match (plain(address), plain(above)) {
        (Some(address), Some(above)) => address.starts_with(&above),
        _ => false,
    }
}

/// The path of an address, the same for all names of a thing.
fn plain(address: &str) -> Option<Vec<String>> {
    let Place::Path(mut path) = Address::parse(address).ok()?.place else { return None };
    match path.first().map(String::as_str) {
        Some("skills") => path.insert(0, "memories".into()),
        Some("sessions") => {
            if let Some(name) = path.get_mut(1).filter(|name| !name.contains(':')) {
                any_uid_of(name).as_str().clone_into(name);
            }
        }
        _ => {}
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_thing_is_below_the_same_folder_by_any_name() {
        let memory = "backstory://memories/experiences/a.md";
        let skill = "backstory://memories/skills/deploy/SKILL.md";
        for (address, above, is) in [
            (memory, "viking://user/default/memories/experiences", true),
            (memory, "viking://~/memories/experiences/a.md", true),
            (memory, "viking://~/memories/experience", false),
            (skill, "viking://agent/skills", true),
            (skill, "viking://user/default/skills/", true),
            ("backstory://codex:1/3", "viking://user/sessions/cx-1", true),
            ("backstory://codex:12/3", "viking://session/cx-1", false),
            (memory, "https://example.invalid/", false),
            (memory, "viking://", false),
        ] {
            assert_eq!(is_below(address, above), is, "{address} {above}");
        }
    }

    #[test]
    fn the_words_of_an_address_tell_what_is_below_it() {
        let session = |name: &str| Below::Session(name.into());
        for (address, below) in [
            ("", Below::Everything),
            ("viking://", Below::Everything),
            ("viking://user/ann", Below::Everything),
            ("viking://user/ann/sessions", Below::Everything),
            ("viking://~/memories", Below::Memories),
            ("viking://user/ann/memories/skills-i-have.md", Below::Folder),
            ("viking://~/memories/experiences", Below::Folder),
            ("viking://user/ann/peers/-tmp-p/memories/preferences", Below::Folder),
            ("viking://user/ann/peers/-tmp-p/memories", Below::Memories),
            ("viking://resources", Below::Resources),
            ("backstory://memories/resources/app", Below::Resources),
            ("viking://~/skills/", Below::Skills),
            ("viking://agent/skills", Below::Skills),
            ("viking://session/cx-1/history", session("cx-1")),
            ("backstory://sessions/claude:1", session("claude:1")),
        ] {
            assert_eq!(Below::of(address).unwrap(), below, "{address}");
        }
        assert!(Below::of("https://example.invalid/skills").is_err());
    }
}
