//! Typed identities: agents, sessions, events.

use std::fmt;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The agent family a session comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flavor {
    /// Anthropic Claude Code.
    Claude,
    /// OpenAI Codex CLI.
    Codex,
    /// xAI Grok CLI.
    Grok,
    /// Any other agent: its logs are not read, it is known by what its plugin posts.
    Pushed,
}

impl Flavor {
    /// Every flavor, in the order lists show them.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Grok, Self::Pushed];

    /// Those whose logs are read and whose hooks are heard.
    pub const LOGGED: [Self; 3] = [Self::Claude, Self::Codex, Self::Grok];

    /// The short name used in session ids, flags and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Grok => "grok",
            Self::Pushed => "pushed",
        }
    }

    /// The flavor with this short name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flavor| flavor.name() == name)
    }

    /// The same, if its logs are read.
    pub fn logged_from_name(name: &str) -> Option<Self> {
        Self::LOGGED.into_iter().find(|flavor| flavor.name() == name)
    }
}

impl fmt::Display for Flavor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `<flavor>:<native session id>`, globally unique. A sub-agent is `<flavor>:<root id>/<agent id>`
/// where the agent's own id is not unique by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionUid(String);

impl SessionUid {
    /// Builds the uid of a native session id.
    pub fn new(flavor: Flavor, native: &str) -> Self {
        Self(format!("{flavor}:{native}"))
    }

    /// Takes a uid as it was stored.
    pub fn from_stored(uid: String) -> Self {
        Self(uid)
    }

    /// The whole uid.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the flavor.
    pub fn native(&self) -> &str {
        self.0.split_once(':').map_or(self.0.as_str(), |(_, native)| native)
    }

    /// The agent family, when the prefix names one.
    pub fn flavor(&self) -> Option<Flavor> {
        self.0.split_once(':').and_then(|(flavor, _)| Flavor::from_name(flavor))
    }
}

impl fmt::Display for SessionUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The `backstory://` address of one event.
pub fn address(session: &SessionUid, seq: u32) -> String {
    format!("backstory://{session}/{seq}")
}

/// What makes an event the same event wherever it is met again: a hash of its native id, or of its
/// content and place where the agent gives none. Unique within a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventKey(pub u64);

impl EventKey {
    /// The key of one native id.
    pub fn of(native: &str) -> Self {
        Self(xxh3_64(native.as_bytes()))
    }

    /// The key of several parts; the parts are length-separated, so `("ab","c") != ("a","bc")`.
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hasher = Xxh3::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uid_splits_into_flavor_and_native_id() {
        let uid = SessionUid::new(Flavor::Codex, "0198-abc");
        assert_eq!(uid.as_str(), "codex:0198-abc");
        assert_eq!(uid.native(), "0198-abc");
        assert_eq!(uid.flavor(), Some(Flavor::Codex));
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(EventKey::of_parts(&[b"ab", b"c"]), EventKey::of_parts(&[b"a", b"bc"]));
    }
}
