//! What a search below an address looks at, as far as the words of the address tell.

use super::TreeError;
use super::address::{Address, Place};

/// What lies below an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Below {
    /// Everything, or nothing in particular.
    Everything,
    /// Memories.
    Memories,
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
            ["memories", ..] => Self::Memories,
            _ => Self::Everything,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_address_tell_what_is_below_it() {
        let session = |name: &str| Below::Session(name.into());
        for (address, below) in [
            ("", Below::Everything),
            ("viking://", Below::Everything),
            ("viking://user/ann", Below::Everything),
            ("viking://user/ann/sessions", Below::Everything),
            ("viking://~/memories", Below::Memories),
            ("viking://user/ann/memories/skills-i-have.md", Below::Memories),
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
