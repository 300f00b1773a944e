//! Addresses of the tree: `backstory://…`, `viking://…` and bare paths, understood by their words alone.

use super::TreeError;

/// What lies right below the root.
pub(super) const TOP: [&str; 6] =
    ["sessions", "memories", "errors", "decisions", "patterns", "skills"];
/// What OpenViking has besides in a user's space.
const ELSEWHERE: [&str; 3] = ["peers", "resources", "privacy"];
/// The only user there is; any name is taken for it.
pub(super) const USER: &str = "default";
/// No address is longer.
const MAX_BYTES: usize = 4096;

/// What an address names, as far as its words tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// What the addresses of everything below begin with, e.g. `backstory://` or `viking://~/`.
    pub(super) root: String,
    /// What is named.
    pub(super) place: Place,
}

/// A place in the tree, or above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `viking://`: the scopes.
    Scopes,
    /// `viking://user`: the users.
    Users,
    /// `viking://agent`.
    Agent,
    /// A folder OpenViking has and we have nothing for.
    Empty,
    /// A path below the root; no part of it is empty, `.` or `..`.
    Path(Vec<String>),
}

impl Address {
    /// Understands an address. Whatever it says, its parts are plain names.
    pub(super) fn parse(text: &str) -> Result<Self, TreeError> {
        let refuse = |reason: &'static str| TreeError::Address { address: shown(text), reason };
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return Err(refuse("it is too long"));
        }
        if let Some(rest) = text.strip_prefix("viking://") {
            return Ok(viking(parts(rest).map_err(refuse)?));
        }
        let rest = text.strip_prefix("backstory://").unwrap_or(text);
        if rest.contains("://") {
            return Err(refuse("addresses begin with backstory:// or viking://"));
        }
        let mut path = parts(rest).map_err(refuse)?;
        // `backstory://claude:1f2e/12` names an event of a session.
        if path.first().is_some_and(|first| !TOP.contains(&first.as_str())) {
            path.insert(0, "sessions".into());
        }
        Ok(Self { root: "backstory://".into(), place: Place::Path(path) })
    }

    /// The address in the words everything below it is told in.
    pub(super) fn text(&self) -> String {
        match &self.place {
            Place::Scopes => "viking://".into(),
            Place::Users => "viking://user".into(),
            Place::Agent => "viking://agent".into(),
            Place::Empty => self.root.clone(),
            Place::Path(path) => format!("{}{}", self.root, path.join("/")),
        }
    }

    /// The address of something in this folder.
    pub(super) fn child(&self, name: &str) -> String {
        let text = self.text();
        if text.ends_with('/') { format!("{text}{name}") } else { format!("{text}/{name}") }
    }
}

/// An address as an error repeats it.
fn shown(text: &str) -> String {
    text.chars().take(200).collect()
}

fn viking(mut path: Vec<String>) -> Address {
    let at = |root: &str, place| Address { root: root.into(), place };
    let Some(scope) = path.first().cloned() else { return at("viking://", Place::Scopes) };
    match scope.as_str() {
        "user" => {
            path.remove(0);
            let Some(name) = path.first() else { return at("viking://", Place::Users) };
            // Older plugins leave the user out.
            if is_of_user(name) {
                return at("viking://~/", of_user(path));
            }
            let root = format!("viking://user/{}/", path.remove(0));
            at(&root, of_user(path))
        }
        "~" => {
            path.remove(0);
            at("viking://~/", of_user(path))
        }
        "session" => {
            path[0] = "sessions".into();
            at("viking://~/", Place::Path(path))
        }
        "agent" => {
            path.remove(0);
            let skills = path.iter().take(2).position(|part| part == "skills");
            match (path.is_empty(), skills) {
                (true, _) => at("viking://", Place::Agent),
                (false, Some(skills)) => at("viking://agent/", Place::Path(path.split_off(skills))),
                (false, None) => at("viking://agent/", Place::Empty),
            }
        }
        _ => at("viking://", of_user(path)),
    }
}

fn is_of_user(name: &str) -> bool {
    TOP.contains(&name) || ELSEWHERE.contains(&name)
}

/// A path in a user's space.
fn of_user(path: Vec<String>) -> Place {
    match path.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        // What OpenViking keeps per project is a folder of the memories here.
        ["peers"] => Place::Path(vec!["memories".into(), "peers".into()]),
        ["peers", peer] | ["peers", peer, "memories"] => {
            Place::Path(vec!["memories".into(), "peers".into(), (*peer).into()])
        }
        ["peers", peer, "memories", rest @ ..] => {
            let above = ["memories", "peers", peer];
            Place::Path(above.iter().chain(rest).map(|part| (*part).to_owned()).collect())
        }
        // So are documents.
        ["resources", ..] => Place::Path(std::iter::once("memories".into()).chain(path).collect()),
        ["peers" | "privacy", ..] => Place::Empty,
        _ => Place::Path(path),
    }
}

/// The names in a path. What could lead out of the tree is refused, also where it is escaped.
fn parts(path: &str) -> Result<Vec<String>, &'static str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        let part = unescaped(part);
        if part.is_empty() || part == "." {
            continue;
        }
        if part == ".." {
            return Err("`..` leads nowhere in it");
        }
        if part.contains(['/', '\\']) || part.chars().any(char::is_control) {
            return Err("a name in it holds a character no name may hold");
        }
        parts.push(part);
    }
    Ok(parts)
}

/// `%20` and the like made plain, where they are.
fn unescaped(part: &str) -> String {
    if !part.contains('%') {
        return part.to_owned();
    }
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| part.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(address: &str) -> String {
        match Address::parse(address).unwrap().place {
            Place::Path(path) => path.join("/"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn every_form_names_the_same_places() {
        for (address, expected) in [
            ("backstory://", ""),
            ("backstory://sessions/claude:1/overview.md", "sessions/claude:1/overview.md"),
            ("backstory://claude:1/12", "sessions/claude:1/12"),
            ("backstory://claude%3A1/12", "sessions/claude:1/12"),
            ("claude:1/12", "sessions/claude:1/12"),
            ("memories/a.md", "memories/a.md"),
            ("/memories//./a.md/", "memories/a.md"),
            ("viking://~/memories/a.md", "memories/a.md"),
            ("viking://user/ann/memories/a.md", "memories/a.md"),
            ("viking://user/memories/a.md", "memories/a.md"),
            ("viking://user/default", ""),
            ("viking://~", ""),
            ("viking://session/cx-1", "sessions/cx-1"),
            ("viking://user/ann/sessions/cx-1/history", "sessions/cx-1/history"),
            ("viking://agent/skills/a", "skills/a"),
            ("viking://agent/me/skills/a", "skills/a"),
            ("viking://user/ann/peers/-tmp-p/memories/a.md", "memories/peers/-tmp-p/a.md"),
            ("viking://user/ann/peers/-tmp-p", "memories/peers/-tmp-p"),
            ("viking://", "Scopes"),
            ("viking://user/", "Users"),
            ("viking://agent", "Agent"),
            ("viking://resources", "memories/resources"),
            ("viking://user/ann/resources/app", "memories/resources/app"),
            ("viking://resources/app", "memories/resources/app"),
            ("viking://user/ann/privacy/app", "Empty"),
        ] {
            assert_eq!(path(address), expected, "{address}");
        }
    }

    #[test]
    fn what_is_below_is_named_in_the_same_words() {
        for (address, child) in [
            ("backstory://", "backstory://a"),
            ("backstory://memories", "backstory://memories/a"),
            ("viking://user/ann/memories/", "viking://user/ann/memories/a"),
            ("viking://user/memories", "viking://~/memories/a"),
            ("viking://", "viking://a"),
            ("viking://user", "viking://user/a"),
        ] {
            assert_eq!(Address::parse(address).unwrap().child("a"), child, "{address}");
        }
    }

    #[test]
    fn nothing_leads_out_of_the_tree() {
        for address in [
            "backstory://memories/../../etc/passwd",
            "backstory://memories/%2e%2e/x",
            "memories/a%2fb",
            "memories\\..\\x",
            "viking://user/../x",
            "memories/a%00b",
            "file:///etc/passwd",
            "https://example.invalid/x",
        ] {
            assert!(matches!(Address::parse(address), Err(TreeError::Address { .. })), "{address}");
        }
    }

    proptest! {
        #[test]
        fn parts_are_always_plain_names(text in "(backstory://|viking://)?[a-z%2eF./\\\\~ü:]{0,40}") {
            if let Ok(Address { place: Place::Path(path), .. }) = Address::parse(&text) {
                for part in path {
                    prop_assert!(!part.is_empty() && part != "." && part != "..");
                    prop_assert!(!part.contains(['/', '\\', '\0']));
                }
            }
        }

        #[test]
        fn an_address_told_is_understood_again(text in "(backstory://|viking://)[a-z~:/.]{0,30}") {
            if let Ok(address) = Address::parse(&text) && address.place != Place::Empty {
                prop_assert_eq!(Address::parse(&address.text()).unwrap().place, address.place);
            }
        }
    }
}
