//! Everything an archive answers, as text: two archives with the same history say the same.

use backstory_model::{EventKey, EventKind, Flavor, Outcome, Session, SessionEvent, Timestamp};
use backstory_store::{
    DecisionFilter, SessionFilter, SessionScope, SignalFilter, StoreError, Stretch, Vault,
};
use std::collections::HashMap;
use std::fmt::{Debug, Write};

/// What is asked about.
pub(crate) struct Asked<'a> {
    /// Row ids of sessions.
    pub(crate) ids: &'a [i64],
    /// Identities of events.
    pub(crate) keys: &'a [u64],
    /// Keys of sources.
    pub(crate) paths: &'a [i64],
}

/// Lines of answers.
struct Answers(String);

impl Answers {
    fn add(&mut self, question: &str, answer: impl Debug) {
        writeln!(self.0, "{question}: {answer:?}").unwrap();
    }
}

/// All answers of an archive.
pub(crate) fn answers(vault: &Vault, asked: &Asked<'_>) -> String {
    let mut out = Answers(String::new());
    of_all(vault, &mut out);
    of_lists(vault, &mut out);
    for path in asked.paths {
        out.add("cursor", vault.cursor(*path).unwrap());
    }
    let mut uids = Vec::new();
    vault.for_each_uid(|uid| uids.push(crate::archive::uid(uid))).unwrap();
    uids.sort();
    for uid in &uids {
        of_session(vault, uid, &mut out);
    }
    of_many(vault, asked, &mut out);
    for id in asked.ids {
        out.add("forgotten", vault.is_forgotten(*id).unwrap());
        out.add("debt", vault.index_debt(*id).unwrap());
        for key in asked.keys {
            out.add("known", vault.known_event(*id, EventKey(*key)).unwrap());
        }
    }
    for key in asked.keys {
        out.add("root", vault.root_owner(EventKey(*key)).unwrap());
    }
    out.0
}

/// Questions about many at once, with their answers in one order.
fn of_many(vault: &Vault, asked: &Asked<'_>, out: &mut Answers) {
    fn sorted<K: Ord, V>(found: HashMap<K, V>) -> Vec<(K, V)> {
        let mut found: Vec<(K, V)> = found.into_iter().collect();
        found.sort_by(|left, right| left.0.cmp(&right.0));
        found
    }
    let sessions = sorted(vault.sessions_by_id(asked.ids).unwrap());
    out.add("standings", sorted(vault.standings(asked.ids).unwrap()));
    out.add("digests", sorted(vault.digests(asked.ids, &[]).unwrap()));
    let stretch = |(first, last)| {
        let of = move |(id, session): &'_ (i64, Session)| {
            (*id, session.session_uid.clone(), first, last)
        };
        sessions.iter().map(of)
    };
    let places: Vec<_> = [(0, 0), (1, 3), (2, 1), (3, 3)].into_iter().flat_map(stretch).collect();
    let stretches: Vec<Stretch<'_>> = places
        .iter()
        .map(|(session, uid, first, last)| Stretch {
            session: *session,
            uid,
            first: *first,
            last: *last,
        })
        .collect();
    out.add("stretches", vault.stretches(&stretches).unwrap());
    let keys: Vec<EventKey> = asked.keys.iter().copied().map(EventKey).collect();
    for id in asked.ids {
        out.add("known of many", sorted(vault.known_events(*id, &keys).unwrap()));
    }
    out.add("by id", sessions);
}

fn of_all(vault: &Vault, out: &mut Answers) {
    out.add("last ids", vault.last_ids().unwrap());
    let mut stats: Vec<_> = vault.source_stats().unwrap().into_iter().collect();
    stats.sort_by_key(|(key, _)| *key);
    out.add("sources", stats);
    out.add("totals", vault.totals().unwrap());
    out.add("quarantine", vault.quarantine().unwrap());
    out.add("versions", vault.cli_versions().unwrap());
    out.add("secrets", vault.secrets().unwrap());
    out.add("problems", vault.source_problems().unwrap());
    out.add("last sweep", vault.last_sweep().unwrap());
    out.add("census", vault.census().unwrap());
    out.add("recent", vault.recent(Timestamp(50)).unwrap());
    let mut residents = vault.residents().unwrap();
    residents.sort_by_key(|resident| resident.id);
    out.add("residents", residents);
    let tiers = vault.tiers(0).unwrap();
    out.add("packs", (tiers.raw_packs, tiers.raw_index, vault.sizes().unwrap().packs));
    out.add("debts", vault.index_debts(0, 100).unwrap());
    out.add("debt count", vault.index_debt_count().unwrap());
    out.add("index", vault.index_state().unwrap());
    out.add("damage", vault.verify().unwrap());
    let orphans = vault.orphan_packs().unwrap();
    let names: Vec<_> = orphans.iter().filter_map(|path| path.rsplit('/').next()).collect();
    out.add("orphans", names);
    out.add("without digest", vault.evicted_without_digest().unwrap());
    out.add("unreadable", vault.unreadable_digests().unwrap());
}

fn of_lists(vault: &Vault, out: &mut Answers) {
    let any = SessionFilter::default;
    for filter in [
        any(),
        SessionFilter { with_subagents: true, ..any() },
        SessionFilter { flavor: Some(Flavor::Grok), with_subagents: true, ..any() },
        SessionFilter { repo: Some("shop".into()), limit: Some(2), ..any() },
        SessionFilter { branch: Some("main".into()), ..any() },
        SessionFilter { since: Some(Timestamp(60)), ..any() },
        SessionFilter { until: Some(Timestamp(60)), ..any() },
        SessionFilter { outcome: Some(Outcome::Success), ..any() },
        SessionFilter { pinned: true, ..any() },
    ] {
        out.add("sessions", vault.sessions(&filter).unwrap());
    }
    out.add("latest of a project", vault.latest_of_project("shop", 3).unwrap());
    for kinds in [Vec::new(), vec![backstory_model::SignalKind::Error]] {
        out.add("signals", vault.signals(&SignalFilter { kinds, ..Default::default() }).unwrap());
    }
    for text in [None, Some("O".to_owned())] {
        let filter = DecisionFilter { text, ..DecisionFilter::default() };
        out.add("decisions", vault.decisions(&filter).unwrap());
    }
    out.add("places", vault.places().unwrap());
    out.add("projects called shop", vault.projects_called("shop").unwrap());
    let scope = SessionScope { models: vec!["O".into()], ..SessionScope::default() };
    let mut ids: Vec<i64> = vault.ids_in(&scope).unwrap().into_iter().flatten().collect();
    ids.sort_unstable();
    out.add("in scope", ids);
    let mut found = vault.find_sessions("s", 100).unwrap();
    found.sort();
    out.add("found", found);
    for all in [false, true] {
        let pending = vault.pending(all).unwrap();
        for session in &pending {
            let mut moments = Vec::new();
            let each = |event: SessionEvent, text: &str| moments.push((event.seq, text.to_owned()));
            vault.for_each_moment(session, |kind| kind != EventKind::Lifecycle, each).unwrap();
            out.add("moments", moments);
        }
        out.add("pending", pending);
    }
}

fn of_session(vault: &Vault, uid: &backstory_model::SessionUid, out: &mut Answers) {
    out.add("session", vault.session(uid).unwrap());
    out.add("head", vault.session_head(uid).unwrap());
    let each = |key: EventKey, event: SessionEvent| -> Result<(), StoreError> {
        let payload = vault.payload(&event).ok();
        out.add("event", (key, event, payload));
        Ok(())
    };
    vault.for_each_keyed_event(uid, each).unwrap();
    out.add("spending", vault.spending(uid).unwrap());
    out.add("passport", vault.passport(uid).unwrap());
    out.add("account", vault.account(uid).unwrap());
    out.add("seals", (vault.seals_of(uid).unwrap(), vault.latest_seal(uid).unwrap()));
    out.add("sealed", vault.sealed().unwrap().get(uid).copied());
    out.add("to forget", vault.to_forget(uid).unwrap());
    out.add("forks", vault.forks_of(uid).unwrap());
    let parent = SessionFilter { parent: Some(uid.clone()), ..SessionFilter::default() };
    out.add("children", vault.sessions(&parent).unwrap().len());
}
