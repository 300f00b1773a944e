//! Sessions by the ids people type: short unique prefixes, `last`, `backstory://` addresses.

use crate::error::Failure;
use backstory_model::SessionUid;
use backstory_store::{SessionFilter, Vault};
use std::collections::HashMap;

/// Fewer characters would soon be ambiguous.
const MIN_SHORT: usize = 8;
/// Candidates looked at for one prefix, and listed when there are several.
const MAX_CANDIDATES: usize = 200;
const LISTED_CANDIDATES: usize = 10;

/// The shortest unambiguous id of every session.
#[derive(Debug, Default)]
pub(crate) struct ShortIds(HashMap<SessionUid, String>);

impl ShortIds {
    /// Looks at every id once.
    pub(crate) fn new(vault: &Vault) -> Result<Self, Failure> {
        Ok(Self::of(vault.find_sessions("", i64::MAX as usize)?))
    }

    /// Those of a few sessions: the others are passed over once, without keeping them.
    pub(crate) fn few<'a>(
        vault: &Vault,
        wanted: impl Iterator<Item = &'a SessionUid>,
    ) -> Result<Self, Failure> {
        let mut wanted: Vec<(&SessionUid, usize)> = wanted.map(|uid| (uid, 0)).collect();
        vault.for_each_uid(|other| {
            for (uid, shared) in wanted.iter_mut().filter(|(uid, _)| uid.as_str() != other) {
                *shared = (*shared).max(shared_prefix(own_name(uid), name_in(other)));
            }
        })?;
        let short = |(uid, shared): (&SessionUid, usize)| (uid.clone(), shortened(uid, shared));
        Ok(Self(wanted.into_iter().map(short).collect()))
    }

    /// The shortest ids that tell these sessions apart.
    pub(crate) fn of(uids: Vec<SessionUid>) -> Self {
        let mut named: Vec<(String, SessionUid)> =
            uids.into_iter().map(|uid| (own_name(&uid).to_owned(), uid)).collect();
        named.sort();
        let mut short = HashMap::with_capacity(named.len());
        for (at, (name, uid)) in named.iter().enumerate() {
            let neighbours = [at.checked_sub(1).and_then(|at| named.get(at)), named.get(at + 1)];
            let shared =
                neighbours.into_iter().flatten().map(|(other, _)| shared_prefix(name, other)).max();
            short.insert(uid.clone(), shortened(uid, shared.unwrap_or_default()));
        }
        Self(short)
    }

    /// The short id; the whole one for a session that is not stored.
    pub(crate) fn get<'a>(&'a self, uid: &'a SessionUid) -> &'a str {
        self.0.get(uid).map_or(uid.as_str(), String::as_str)
    }
}

/// The part of an id that tells a session from others: a sub-agent's own id, else the native id.
fn own_name(uid: &SessionUid) -> &str {
    name_in(uid.as_str())
}

fn name_in(uid: &str) -> &str {
    let native = uid.split_once(':').map_or(uid, |(_, native)| native);
    native.rsplit('/').next().unwrap_or_default()
}

/// As much of a name as tells it from one that shares so many characters with it.
fn shortened(uid: &SessionUid, shared: usize) -> String {
    let name = own_name(uid);
    if shared == name.chars().count() {
        // Another session bears the same name, or one that begins with it.
        return uid.as_str().to_owned();
    }
    name.chars().take((shared + 1).max(MIN_SHORT)).collect()
}

fn shared_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// What an id names: a session, or one event of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) uid: SessionUid,
    pub(crate) seq: Option<u32>,
}

/// Finds the one session (or event) an id names.
pub(crate) fn resolve(vault: &Vault, id: &str) -> Result<Target, Failure> {
    if id == "last" {
        let newest = SessionFilter { limit: Some(1), ..SessionFilter::default() };
        let uid = vault.sessions(&newest)?.pop().map(|session| session.session_uid);
        return match uid {
            Some(uid) => Ok(Target { uid, seq: None }),
            None => Err(Failure::not_found("there is no session yet").hint("run `backstory`")),
        };
    }
    if let Some(address) = id.strip_prefix("backstory://") {
        return resolve_address(vault, address);
    }
    match find(vault, id) {
        Ok(uid) => Ok(Target { uid, seq: None }),
        // `1f2e/12`, as lists write the place of an event.
        Err(failure) => resolve_place(vault, id).unwrap_or(Err(failure)),
    }
}

fn resolve_place(vault: &Vault, id: &str) -> Option<Result<Target, Failure>> {
    let (session, seq) = id.rsplit_once('/')?;
    let seq = Some(seq.parse().ok()?);
    Some(find(vault, session).map(|uid| Target { uid, seq }))
}

fn resolve_address(vault: &Vault, address: &str) -> Result<Target, Failure> {
    let address = address.trim_end_matches('/');
    // A sub-agent's id may end in digits like an event's place: the session wins.
    if vault.session(&SessionUid::from_stored(address.to_owned()))?.is_some() {
        return Ok(Target { uid: SessionUid::from_stored(address.to_owned()), seq: None });
    }
    match address.rsplit_once('/').map(|(session, seq)| (session, seq.parse())) {
        Some((session, Ok(seq))) => find(vault, session).map(|uid| Target { uid, seq: Some(seq) }),
        _ => find(vault, address).map(|uid| Target { uid, seq: None }),
    }
}

fn find(vault: &Vault, prefix: &str) -> Result<SessionUid, Failure> {
    if prefix.is_empty() {
        return Err(Failure::usage("an empty id names no session"));
    }
    let found = vault.find_sessions(prefix, MAX_CANDIDATES)?;
    match meant(&found, prefix)[..] {
        [only] => Ok(only.clone()),
        [] => Err(Failure::not_found(format!("no session begins with {prefix:?}"))
            .hint("`backstory sessions` lists them, `backstory sessions --all` sub-agents too")),
        ref all => Err(ambiguous(all, prefix, |uid| {
            Ok(vault.session(uid)?.and_then(|session| session.title))
        })?),
    }
}

/// Finds the one session of these that an id names; nothing if there is none.
pub(crate) fn resolve_among(uids: &[SessionUid], id: &str) -> Result<Option<SessionUid>, Failure> {
    let id = id.strip_prefix("backstory://").unwrap_or(id).trim_end_matches('/');
    let begins = |uid: &&SessionUid| {
        let names = [uid.as_str(), uid.native(), own_name(uid)];
        !id.is_empty() && names.iter().any(|name| name.starts_with(id))
    };
    let found: Vec<SessionUid> = uids.iter().filter(begins).cloned().collect();
    match meant(&found, id)[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        ref all => Err(ambiguous(all, id, |_| Ok(None))?),
    }
}

/// Those of the sessions whose ids begin so that may be meant.
fn meant<'a>(found: &'a [SessionUid], prefix: &str) -> Vec<&'a SessionUid> {
    if let Some(exact) = found.iter().find(|uid| is_exact(uid, prefix)) {
        return vec![exact];
    }
    // A session's prefix is also one of its sub-agents' whole ids; the session is meant.
    let is_below = |uid: &SessionUid, other: &SessionUid| {
        uid.as_str().strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    found.iter().filter(|uid| !found.iter().any(|other| is_below(uid, other))).collect()
}

fn is_exact(uid: &SessionUid, id: &str) -> bool {
    uid.as_str() == id || uid.native() == id
}

fn ambiguous(
    all: &[&SessionUid],
    prefix: &str,
    title: impl Fn(&SessionUid) -> Result<Option<String>, Failure>,
) -> Result<Failure, Failure> {
    let mut failure = Failure::usage(format!("{prefix:?} could be any of {} sessions", all.len()));
    for uid in all.iter().take(LISTED_CANDIDATES) {
        let title = crate::untrusted::one_line(&title(uid)?.unwrap_or_default());
        failure.causes.push(crate::table::cut(format!("{uid}  {title}").trim_end(), 100));
    }
    if all.len() > LISTED_CANDIDATES {
        failure.causes.push(format!("and {} more", all.len() - LISTED_CANDIDATES));
    }
    Ok(failure.hint("type more characters of the id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(uids: &[&str]) -> Vec<String> {
        let uids: Vec<SessionUid> =
            uids.iter().map(|uid| SessionUid::from_stored((*uid).to_owned())).collect();
        let ids = ShortIds::of(uids.clone());
        uids.iter().map(|uid| ids.get(uid).to_owned()).collect()
    }

    #[test]
    fn ids_are_as_short_as_they_can_be() {
        assert_eq!(
            short(&[
                "claude:17092961-aaaa",
                "codex:0198c0de-1234-7abc",
                "codex:0198c0de-1299-7abc",
                "claude:17092961-aaaa/a1b2c3d4e5",
            ]),
            ["17092961", "0198c0de-123", "0198c0de-129", "a1b2c3d4"]
        );
    }

    #[test]
    fn a_beginning_names_one_session_or_none() {
        let uids = ["claude:abc-1", "claude:abc-1/sub-7", "codex:abd-2", "codex:abd-2x"]
            .map(|uid| SessionUid::from_stored(uid.to_owned()));
        let among = |id: &str| resolve_among(&uids, id).map(|uid| uid.map(|uid| uid.to_string()));
        for (id, uid) in [
            ("abc", "claude:abc-1"),
            ("abd-2", "codex:abd-2"),
            ("codex:abd-2x", "codex:abd-2x"),
            ("backstory://claude:abc-1/", "claude:abc-1"),
            ("sub", "claude:abc-1/sub-7"),
        ] {
            assert_eq!(among(id), Ok(Some(uid.to_owned())), "{id}");
        }
        assert_eq!((among("x"), among("")), (Ok(None), Ok(None)));
        assert!(among("ab").is_err() && among("abd").is_err());
    }

    #[test]
    fn names_borne_twice_are_written_out() {
        assert_eq!(
            short(&["claude:r1/agent-one", "claude:r2/agent-one", "grok:x"]),
            ["claude:r1/agent-one", "claude:r2/agent-one", "x"]
        );
    }
}
