//! What a sweep knows of sessions while it runs: ids, next seq, identities already taken.

use super::pipeline::Pipeline;
use backstory_adapters::{Ancestry, Located, Record};
use backstory_model::{EventKey, SessionUid};
use backstory_store::{KnownEvent, StoreError, Vault};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Identities kept in memory over all open sessions; beyond it the least recently used are asked
/// from the archive again.
const KEYS_LIMIT: usize = 400_000;
/// Sessions kept open. Generous: a session met again after it was closed makes the sweep wait for a
/// commit, and agents spread a session over files that are read far apart.
const SESSIONS_LIMIT: usize = 4096;

/// Event keys are hashes already.
#[derive(Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

type KeyMap<V> = HashMap<u64, V, BuildHasherDefault<KeyHasher>>;

/// What the archive knows of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing, until its first delta.
    New,
    /// Its row.
    Known,
    /// That nothing of it may be stored again.
    Forgotten,
}

/// One open session.
pub(crate) struct OpenSession {
    pub(crate) id: i64,
    pub(crate) next_seq: u32,
    pub(crate) has_cwd: bool,
    pub(crate) standing: Standing,
    keys: KeyMap<u32>,
    /// True if `keys` holds every event of the session.
    complete: bool,
    used: u64,
}

/// The sessions of a sweep.
pub(crate) struct Book<'a> {
    vault: &'a Vault,
    pipeline: &'a Pipeline,
    archive_was_empty: bool,
    next_id: i64,
    /// The session asked for last, and nearly always next.
    current: Option<(SessionUid, OpenSession)>,
    /// The other open ones.
    open: HashMap<SessionUid, OpenSession>,
    /// Every session touched in this sweep: what is not open any more must be committed before it
    /// can be asked from the archive.
    touched: HashSet<SessionUid>,
    /// What the archive said of identities asked for together, by session; gone with the next batch.
    asked: HashMap<i64, KeyMap<Option<KnownEvent>>>,
    roots: KeyMap<SessionUid>,
    /// Forks met in this sweep, by the session they copied.
    forks: HashMap<SessionUid, Vec<SessionUid>>,
    keys: usize,
    clock: u64,
    /// The first failure of a lookup; the sweep stops at the next chance.
    failure: Option<StoreError>,
}

impl<'a> Book<'a> {
    pub(crate) fn new(vault: &'a Vault, pipeline: &'a Pipeline) -> Result<Self, StoreError> {
        let (last_id, _) = vault.last_ids()?;
        Ok(Self {
            vault,
            pipeline,
            archive_was_empty: last_id == 0,
            next_id: last_id + 1,
            current: None,
            open: HashMap::new(),
            touched: HashSet::new(),
            asked: HashMap::new(),
            roots: KeyMap::default(),
            forks: HashMap::new(),
            keys: 0,
            clock: 0,
            failure: None,
        })
    }

    /// True if nothing of a stored session may be stored again.
    pub(crate) fn is_forgotten(&self, session_id: i64) -> Result<bool, StoreError> {
        if self.archive_was_empty { Ok(false) } else { self.vault.is_forgotten(session_id) }
    }

    /// The same, by its uid; a session that is not known is not opened for it.
    pub(super) fn is_forgotten_uid(&self, uid: &SessionUid) -> Result<bool, StoreError> {
        let current = self.current.as_ref().filter(|(known, _)| known == uid);
        if let Some(open) = current.map(|(_, session)| session).or_else(|| self.open.get(uid)) {
            return Ok(open.standing == Standing::Forgotten);
        }
        if self.archive_was_empty {
            return Ok(false);
        }
        Ok(self.vault.session_head(uid)?.is_some_and(|head| head.is_forgotten))
    }

    /// Takes the first failure of a lookup.
    pub(crate) fn take_failure(&mut self) -> Option<StoreError> {
        self.failure.take()
    }

    /// The session, opened; created if it is new.
    pub(crate) fn open(&mut self, uid: &SessionUid) -> Result<&mut OpenSession, StoreError> {
        if self.current.as_ref().is_none_or(|(known, _)| known != uid) {
            self.put_back();
            let session = match self.open.remove(uid) {
                Some(session) => session,
                None => self.begin(uid)?,
            };
            self.current = Some((uid.clone(), session));
        }
        // Put there above if it was another one.
        self.current.as_mut().map(|(_, session)| session).ok_or_else(unreachable_state)
    }

    /// Puts the current session back among the others.
    fn put_back(&mut self) {
        if let Some((uid, mut session)) = self.current.take() {
            self.clock += 1;
            session.used = self.clock;
            self.open.insert(uid, session);
        }
    }

    fn begin(&mut self, uid: &SessionUid) -> Result<OpenSession, StoreError> {
        let session = match self.stored(uid)? {
            Some(session) => session,
            None => self.create(),
        };
        self.touched.insert(uid.clone());
        self.make_room();
        Ok(session)
    }

    fn create(&mut self) -> OpenSession {
        let id = self.next_id;
        self.next_id += 1;
        OpenSession {
            id,
            next_seq: 0,
            has_cwd: false,
            standing: Standing::New,
            keys: KeyMap::default(),
            complete: true,
            used: 0,
        }
    }

    fn stored(&self, uid: &SessionUid) -> Result<Option<OpenSession>, StoreError> {
        if self.touched.contains(uid) {
            self.pipeline.settle()?;
        } else if self.archive_was_empty {
            return Ok(None);
        }
        Ok(self.vault.session_head(uid)?.map(|head| OpenSession {
            id: head.id,
            next_seq: head.next_seq,
            has_cwd: head.has_cwd,
            standing: if head.is_forgotten { Standing::Forgotten } else { Standing::Known },
            keys: KeyMap::default(),
            complete: false,
            used: 0,
        }))
    }

    /// Closes the least recently used quarter at once: finding them costs a pass over all.
    fn make_room(&mut self) {
        while self.open.len() >= SESSIONS_LIMIT || (self.keys > KEYS_LIMIT && self.open.len() > 1) {
            let mut used: Vec<u64> = self.open.values().map(|session| session.used).collect();
            let quarter = used.len() / 4;
            let (_, last, _) = used.select_nth_unstable(quarter);
            let (last, keys) = (*last, &mut self.keys);
            self.open.retain(|_, session| {
                let stays = session.used > last;
                *keys -= if stays { 0 } else { session.keys.len() };
                stays
            });
            // What a session took in since it was asked about is known only while it is open.
            self.asked.clear();
        }
    }

    /// Looks an identity up in an opened session.
    pub(crate) fn known(
        &mut self,
        uid: &SessionUid,
        key: EventKey,
    ) -> Result<Option<KnownEvent>, StoreError> {
        let session = self.open(uid)?;
        if let Some(seq) = session.keys.get(&key.0) {
            return Ok(Some(KnownEvent { seq: *seq, payload_lost: false }));
        }
        if session.complete {
            return Ok(None);
        }
        let id = session.id;
        match self.asked.get(&id).and_then(|asked| asked.get(&key.0)) {
            Some(answer) => Ok(*answer),
            None => self.vault.known_event(id, key),
        }
    }

    /// Asks the archive about everything the events of a batch will be looked up by: one by one each
    /// takes a way to the server and back.
    pub(super) fn ask_about(
        &mut self,
        records: &[Located],
        uids: &[SessionUid],
    ) -> Result<(), StoreError> {
        self.asked.clear();
        let mut wanted = Vec::with_capacity(uids.len());
        for uid in uids {
            let session = self.open(uid)?;
            let is_asked = !session.complete && session.standing == Standing::Known;
            wanted.push(is_asked.then(Vec::new));
        }
        if wanted.iter().all(Option::is_none) {
            return Ok(());
        }
        for Located { record, .. } in records {
            let Record::Event(event) = record else { continue };
            if let Some(keys) = &mut wanted[event.session.index()] {
                keys.extend([Some(event.key), event.parent].into_iter().flatten());
            }
        }
        for (uid, keys) in uids.iter().zip(wanted) {
            let Some(mut keys) = keys else { continue };
            let vault = self.vault;
            let session = self.open(uid)?;
            keys.retain(|key| !session.keys.contains_key(&key.0));
            keys.sort_unstable();
            keys.dedup();
            let known = vault.known_events(session.id, &keys)?;
            let answers = keys.iter().map(|key| (key.0, known.get(key).copied())).collect();
            let id = session.id;
            self.asked.insert(id, answers);
        }
        Ok(())
    }

    /// Gives a new event its place.
    pub(crate) fn add(&mut self, uid: &SessionUid, key: EventKey) -> Result<u32, StoreError> {
        let session = self.open(uid)?;
        let seq = session.next_seq;
        session.next_seq += 1;
        session.keys.insert(key.0, seq);
        self.keys += 1;
        Ok(seq)
    }

    /// Remembers who stored a chain-opening event first.
    pub(crate) fn add_root(&mut self, key: EventKey, uid: &SessionUid) {
        self.roots.entry(key.0).or_insert_with(|| uid.clone());
    }

    /// Remembers that a session began as a copy of another.
    pub(crate) fn add_fork(&mut self, origin: &SessionUid, fork: &SessionUid) {
        self.forks.entry(origin.clone()).or_default().push(fork.clone());
    }

    fn note<T>(&mut self, result: Result<T, StoreError>) -> Option<T> {
        result.map_err(|error| self.failure.get_or_insert(error)).ok()
    }
}

fn unreachable_state() -> StoreError {
    StoreError::Io(std::io::Error::other("a session vanished from the book of the sweep"))
}

impl Ancestry for Book<'_> {
    fn owner_of_root(&mut self, key: EventKey) -> Option<SessionUid> {
        if let Some(owner) = self.roots.get(&key.0) {
            return Some(owner.clone());
        }
        if self.archive_was_empty {
            return None;
        }
        let found = self.vault.root_owner(key);
        self.note(found).flatten()
    }

    fn has_session(&mut self, session: &SessionUid) -> bool {
        if self.touched.contains(session) {
            return true;
        }
        if self.archive_was_empty {
            return false;
        }
        let found = self.vault.session_head(session);
        self.note(found).flatten().is_some()
    }

    fn has_event(&mut self, session: &SessionUid, key: EventKey) -> bool {
        if !self.has_session(session) {
            return false;
        }
        let found = self.known(session, key);
        self.note(found).flatten().is_some()
    }

    fn forks_of(&mut self, session: &SessionUid) -> Vec<SessionUid> {
        let mut forks = self.forks.get(session).cloned().unwrap_or_default();
        if !self.archive_was_empty {
            let stored = self.vault.forks_of(session);
            forks.extend(self.note(stored).into_iter().flatten());
        }
        forks
    }
}
