//! `muted.json`: what agents must not be told again, by the user's word.

use crate::journal::{read_if_there, replace};
use crate::stamp;
use backstory_model::{SessionUid, Timestamp};
use backstory_store::{Home, create_private_dir};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// What is muted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum Target {
    /// One address.
    Address(String),
    /// All of a session, by its uid.
    Session(String),
    /// All of a project, by its key; agents that work in it are told nothing either.
    Project(String),
}

impl Target {
    /// `address`, `session` or `project`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Address(_) => "address",
            Self::Session(_) => "session",
            Self::Project(_) => "project",
        }
    }

    /// What it names.
    pub fn name(&self) -> &str {
        let (Self::Address(name) | Self::Session(name) | Self::Project(name)) = self;
        name
    }
}

/// Something muted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mute {
    /// What.
    #[serde(flatten)]
    pub target: Target,
    /// Since when.
    #[serde(with = "stamp")]
    pub at: Timestamp,
}

/// All that is muted, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Muted {
    /// The list.
    #[serde(default)]
    pub muted: Vec<Mute>,
}

impl Muted {
    /// What is muted. A file that cannot be understood is an error: telling what was muted is worse than
    /// telling nothing.
    pub fn read(home: &Home) -> io::Result<Self> {
        let Some(bytes) = read_if_there(&path(home))? else { return Ok(Self::default()) };
        serde_json::from_slice(&bytes).map_err(|error| {
            let path = path(home);
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} cannot be understood: {error}; mend or remove it", path.display()),
            )
        })
    }

    /// True if this is muted itself.
    pub fn has(&self, target: &Target) -> bool {
        self.muted.iter().any(|mute| mute.target == *target)
    }

    /// True if agents that work in a project are told nothing.
    pub fn has_project(&self, project: Option<&str>) -> bool {
        let is_it = |name: &str| project == Some(name);
        self.muted.iter().any(|mute| matches!(&mute.target, Target::Project(name) if is_it(name)))
    }

    /// True if a session or what it is a part of is muted.
    pub fn has_session(&self, uid: &SessionUid, project: Option<&str>) -> bool {
        let whole = |name: &str| {
            let rest = uid.as_str().strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.has_project(project)
            || self
                .muted
                .iter()
                .any(|mute| matches!(&mute.target, Target::Session(name) if whole(name)))
    }

    /// True if an address is muted, by itself or with what it lies below.
    pub fn has_address(&self, address: &str) -> bool {
        let below = |name: &str| {
            let rest = address.strip_prefix(name.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.muted.iter().any(|mute| match &mute.target {
            Target::Address(name) => below(name),
            Target::Session(name) => below(&format!("backstory://{name}")),
            Target::Project(_) => false,
        })
    }

    /// The sessions that are muted by themselves.
    pub(super) fn sessions(&self) -> impl Iterator<Item = SessionUid> {
        self.muted.iter().filter_map(|mute| match &mute.target {
            Target::Session(name) => Some(SessionUid::from_stored(name.clone())),
            Target::Address(_) | Target::Project(_) => None,
        })
    }
}

/// Mutes something; false if it was muted already.
pub fn mute(home: &Home, target: &Target, now: Timestamp) -> io::Result<bool> {
    let mut muted = Muted::read(home)?;
    if muted.has(target) {
        return Ok(false);
    }
    muted.muted.push(Mute { target: target.clone(), at: now });
    write(home, &muted)?;
    Ok(true)
}

/// Lets something be told again; false if it was not muted.
pub fn unmute(home: &Home, target: &Target) -> io::Result<bool> {
    let mut muted = Muted::read(home)?;
    let before = muted.muted.len();
    muted.muted.retain(|mute| mute.target != *target);
    let has_changed = muted.muted.len() < before;
    if has_changed {
        write(home, &muted)?;
    }
    Ok(has_changed)
}

fn write(home: &Home, muted: &Muted) -> io::Result<()> {
    create_private_dir(home.dir())?;
    let mut bytes = serde_json::to_vec_pretty(muted)?;
    bytes.push(b'\n');
    replace(&path(home), &bytes)
}

fn path(home: &Home) -> PathBuf {
    home.dir().join("muted.json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fs_err as fs;

    #[test]
    fn what_is_muted_is_muted_with_all_below_it_until_it_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let home = backstory_store_sqlite::home(dir.path().join("home"));
        let session = Target::Session("claude:1f2e".into());
        let address = Target::Address("backstory://codex:9/4".into());
        let project = Target::Project("/src/app/.git".into());
        for target in [&session, &address, &project] {
            assert!(mute(&home, target, Timestamp(0)).unwrap());
            assert!(!mute(&home, target, Timestamp(1)).unwrap());
        }
        let muted = Muted::read(&home).unwrap();
        for (address, is_muted) in [
            ("backstory://claude:1f2e", true),
            ("backstory://claude:1f2e/7", true),
            ("backstory://claude:1f2e0/7", false),
            ("backstory://codex:9/4", true),
            ("backstory://codex:9/40", false),
            ("backstory://codex:9", false),
        ] {
            assert_eq!(muted.has_address(address), is_muted, "{address}");
        }
        let uid = |uid: &str| SessionUid::from_stored(uid.into());
        assert!(muted.has_session(&uid("claude:1f2e/agent"), None));
        assert!(muted.has_session(&uid("grok:1"), Some("/src/app/.git")));
        assert!(!muted.has_session(&uid("grok:1"), None) && !muted.has_project(None));
        assert!(unmute(&home, &session).unwrap() && !unmute(&home, &session).unwrap());
        assert!(!Muted::read(&home).unwrap().has_address("backstory://claude:1f2e"));
        assert_eq!(
            fs::read_to_string(home.dir().join("muted.json")).unwrap(),
            "{\n  \"muted\": [\n    {\n      \"kind\": \"address\",\n      \
             \"name\": \"backstory://codex:9/4\",\n      \"at\": \"1970-01-01T00:00:00.000Z\"\n    },\n    \
             {\n      \"kind\": \"project\",\n      \"name\": \"/src/app/.git\",\n      \
             \"at\": \"1970-01-01T00:00:00.000Z\"\n    }\n  ]\n}\n"
        );
    }

    #[test]
    fn a_file_that_cannot_be_understood_is_not_taken_for_empty() {
        let dir = tempfile::tempdir().unwrap();
        let home = backstory_store_sqlite::home(dir.path());
        fs::write(dir.path().join("muted.json"), "{").unwrap();
        assert!(Muted::read(&home).unwrap_err().to_string().contains("mend or remove it"));
        assert!(mute(&home, &Target::Session("x".into()), Timestamp(0)).is_err());
    }
}
