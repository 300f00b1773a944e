//! Ids that plugins choose for their sessions, and what they tell.

use backstory_model::{EventKey, Flavor, SessionUid};

/// The role of a file of posted messages among the sources.
pub const ROLE: &str = "pushed";

const CLAUDE: &str = "cc-";
const CODEX: &str = "cx-";
/// Agents whose logs are not read, by the prefixes of their plugins.
const HARNESSES: [(&str, &str); 8] = [
    ("oc-", "OpenCode"),
    ("pi-", "Pi"),
    ("cu-", "Cursor"),
    ("tr-", "Trae"),
    ("trcn-", "Trae"),
    ("zc-", "ZCode"),
    ("kc-", "Kimi Code"),
    ("dsh-", "dsh"),
];
/// What an agent is called whose plugin tells nothing of it.
pub(super) const OTHER_AGENT: &str = "Other agents";
/// Stands between a session and the sub-agent it started.
const SUBAGENT: &str = "__subagent-";
/// Longer ids are cut; file systems allow names of 255 bytes.
const NAME_BYTES: usize = 160;

/// An id as it is kept: every character outside `[A-Za-z0-9._-]` is `_`, as the plugins do it.
pub fn safe_id(id: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let id: String = id.chars().map(safe).collect();
    if id.len() <= NAME_BYTES {
        return id;
    }
    // The hash keeps two long ids apart.
    format!("{}-{:016x}", &id[..NAME_BYTES - 17], EventKey::of(&id).0)
}

/// The file of a session.
pub fn file_name(id: &str) -> String {
    format!("{}.jsonl", safe_id(id))
}

/// The folder its file lies in: thousands of files in one folder are slow to list.
pub fn folder_name(id: &str) -> String {
    format!("{:02x}", EventKey::of(&safe_id(id)).0 & 0xff)
}

/// The agent an id tells of whose logs are not read here, as people write it.
pub fn harness(id: &str) -> &'static str {
    let known = HARNESSES.into_iter().find(|(prefix, _)| id.starts_with(prefix));
    known.map_or(OTHER_AGENT, |(_, name)| name)
}

/// Whose session an id means; nobody's if the plugin is of an agent whose logs are not read here.
pub fn uid_of(id: &str) -> Option<SessionUid> {
    if let Some(native) = id.strip_prefix(CODEX).filter(|native| !native.is_empty()) {
        return Some(SessionUid::new(Flavor::Codex, native));
    }
    let native = id.strip_prefix(CLAUDE).filter(|native| !native.is_empty())?;
    let native = match native.split_once(SUBAGENT) {
        Some((root, agent)) => format!("{root}/{agent}"),
        None => native.to_owned(),
    };
    Some(SessionUid::new(Flavor::Claude, &native))
}

/// The same for any id: a session whose logs are not read here is told apart by the whole of it.
pub fn any_uid_of(id: &str) -> SessionUid {
    uid_of(id).unwrap_or_else(|| SessionUid::new(Flavor::Pushed, id))
}

/// The session a sub-agent's id names as the one that started it.
pub(super) fn parent_of(id: &str) -> Option<SessionUid> {
    let (root, _) = id.split_once(SUBAGENT)?;
    let parent = any_uid_of(root);
    // Codex names its sub-agents as it names all its threads.
    (parent.flavor() != Some(Flavor::Codex)).then_some(parent)
}

/// The id under which a plugin would post a session.
pub fn id_of(session: &SessionUid) -> Option<String> {
    match session.flavor()? {
        Flavor::Codex => Some(safe_id(&format!("{CODEX}{}", session.native()))),
        Flavor::Claude => {
            Some(safe_id(&format!("{CLAUDE}{}", session.native().replacen('/', SUBAGENT, 1))))
        }
        Flavor::Pushed => Some(safe_id(session.native())),
        Flavor::Grok => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_sessions_and_back() {
        for (id, uid) in [
            ("cx-0198-ab", Some("codex:0198-ab")),
            ("cc-77aa", Some("claude:77aa")),
            ("cc-77aa__subagent-a1", Some("claude:77aa/a1")),
            ("oc-1", None),
            ("cx-", None),
            ("import__codex__1", None),
        ] {
            let found = uid_of(id);
            assert_eq!(found.as_ref().map(SessionUid::as_str), uid, "{id}");
            if let Some(found) = found {
                assert_eq!(id_of(&found).as_deref(), Some(id));
            }
        }
        assert_eq!(parent_of("cc-77aa__subagent-a1").unwrap().as_str(), "claude:77aa");
        assert_eq!(parent_of("cc-77aa"), None);
        assert_eq!(parent_of("oc-1__subagent-2").unwrap().as_str(), "pushed:oc-1");
    }

    #[test]
    fn other_agents_are_told_by_their_prefix() {
        let uid = any_uid_of("oc-1");
        assert_eq!((uid.as_str(), uid.flavor()), ("pushed:oc-1", Some(Flavor::Pushed)));
        assert_eq!(id_of(&uid).as_deref(), Some("oc-1"));
        for (id, name) in
            [("oc-1", "OpenCode"), ("trcn-7", "Trae"), ("pi-x", "Pi"), ("mcp-store-1", OTHER_AGENT)]
        {
            assert_eq!(harness(id), name, "{id}");
        }
    }

    #[test]
    fn no_id_leaves_its_folder() {
        assert_eq!(file_name("cx-codex:123"), "cx-codex_123.jsonl");
        assert_eq!(file_name("../../etc/passwd"), ".._.._etc_passwd.jsonl");
        assert_eq!(folder_name("a:b"), folder_name("a_b"));
        let (long, longer) = ("x".repeat(500), "x".repeat(501));
        assert!(file_name(&long).len() < 200);
        assert_ne!(file_name(&long), file_name(&longer));
        assert_eq!(safe_id(&safe_id(&long)), safe_id(&long));
    }
}
