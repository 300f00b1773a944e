//! Which sessions are found, and in which order.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, chunk, session};
use backstory_model::{Digest, Flavor, Judgement, Lineage, Outcome, Timestamp};
use backstory_store::{Account, PendingSession, SessionDelta, SessionFilter, SessionScope};
use std::collections::HashSet;

on_every_engine!(
    every_filter_holds,
    the_order_is_that_of_bytes,
    ids_are_found_by_prefix,
    scopes,
    the_latest_of_a_project
);

/// Six sessions: two of Claude with a sub-agent each (one of them an orphan), one of Codex, one of
/// Grok, and one without any event.
fn tell(archive: &Archive) {
    let at = |from: i64, to: i64| (Some(Timestamp(from)), Some(Timestamp(to)));
    let mut deltas: Vec<SessionDelta> =
        (1..).zip(["aa", "aa/agent-b", "bb/agent-x", "cc"]).map(|(id, n)| session(id, n)).collect();
    for (id, flavor) in [(5, "codex"), (6, "grok")] {
        deltas.push(SessionDelta { uid: format!("{flavor}:aab"), flavor, ..session(id, "aab") });
    }
    let [aa, child, orphan, cc, codex, grok] = &mut deltas[..] else { panic!() };
    (aa.started_at, aa.ended_at) = at(100, 200);
    (aa.repo, aa.git_branch) = (Some("Shop".into()), Some("main".into()));
    aa.models = vec!["claude-opus-4".into(), "gpt-5".into()];
    child.lineage.parent_session_uid = Some(uid("claude:aa"));
    (child.started_at, child.ended_at) = at(150, 160);
    orphan.lineage = Lineage { parent_session_uid: Some(uid("claude:bb")), ..Lineage::default() };
    (orphan.started_at, orphan.ended_at) = at(300, 400);
    (cc.started_at, cc.ended_at) = at(100, 400);
    (cc.repo, cc.git_branch) = (Some("shop".into()), Some("Main".into()));
    codex.models = vec!["gpt-5-codex".into()];
    grok.started_at = Some(Timestamp(250));
    let mut chunks: Vec<_> =
        deltas.into_iter().map(|delta| chunk(delta, &[Event::new(0)])).collect();
    chunks.push(chunk(session(7, "empty"), &[]));
    archive.store(&chunks);
    let mut writer = archive.writer();
    for (id, outcome) in [(1, Outcome::Success), (4, Outcome::Fail)] {
        let session = PendingSession { id, uid: uid("claude:any"), from_seq: 0, next_seq: 1 };
        let judgement = Judgement { outcome, ..Judgement::default() };
        let digest = Digest { judgement, ..Digest::default() };
        writer.put_account(&session, &Account { digest, ..Account::default() }, NOW).unwrap();
    }
    writer.pin(&uid("claude:cc"), Some(NOW)).unwrap();
    writer.commit().unwrap();
}

fn every_filter_holds(archive: &Archive) {
    tell(archive);
    let vault = archive.vault();
    let found = |filter: SessionFilter| -> Vec<String> {
        let sessions = vault.sessions(&filter).unwrap();
        sessions.into_iter().map(|session| session.session_uid.to_string()).collect()
    };
    let any = SessionFilter::default;
    let folded = ["claude:bb/agent-x", "claude:cc", "grok:aab", "claude:aa", "codex:aab"];
    assert_eq!(found(any()), folded);
    assert_eq!(found(SessionFilter { limit: Some(2), ..any() }), folded[..2]);
    assert!(found(SessionFilter { limit: Some(0), ..any() }).is_empty());
    assert_eq!(found(SessionFilter { with_subagents: true, ..any() }).len(), 6);
    assert_eq!(found(SessionFilter { flavor: Some(Flavor::Codex), ..any() }), ["codex:aab"]);
    assert_eq!(found(SessionFilter { repo: Some("Shop".into()), ..any() }), ["claude:aa"]);
    assert_eq!(found(SessionFilter { branch: Some("Main".into()), ..any() }), ["claude:cc"]);
    let since = SessionFilter { since: Some(Timestamp(400)), ..any() };
    assert_eq!(found(since), folded[..2]);
    let until = SessionFilter { until: Some(Timestamp(250)), ..any() };
    assert_eq!(found(until), ["claude:cc", "claude:aa"]);
    assert_eq!(found(SessionFilter { outcome: Some(Outcome::Fail), ..any() }), ["claude:cc"]);
    let unknown = SessionFilter { outcome: Some(Outcome::Unknown), ..any() };
    assert_eq!(found(unknown), ["claude:bb/agent-x", "grok:aab", "codex:aab"]);
    assert_eq!(found(SessionFilter { pinned: true, ..any() }), ["claude:cc"]);
    let parent = SessionFilter { parent: Some(uid("claude:aa")), ..any() };
    assert_eq!(found(parent), ["claude:aa/agent-b"]);
    let all_at_once = SessionFilter {
        flavor: Some(Flavor::Claude),
        repo: Some("Shop".into()),
        branch: Some("main".into()),
        since: Some(Timestamp(200)),
        until: Some(Timestamp(101)),
        outcome: Some(Outcome::Success),
        with_subagents: true,
        limit: Some(9),
        ..any()
    };
    assert_eq!(found(all_at_once), ["claude:aa"]);
}

/// People sort `a B c`; the archive sorts `B a c`, as every engine and every machine can.
fn the_order_is_that_of_bytes(archive: &Archive) {
    let natives = ["é", "a-b", "ab", "B", "a", "A", "a_b", "_", "1", "a b", "z", "ß", "Ä"];
    let chunks: Vec<_> = (1..)
        .zip(natives)
        .map(|(id, native)| chunk(session(id, native), &[Event::new(0)]))
        .collect();
    archive.store(&chunks);
    let sessions = archive.vault().sessions(&SessionFilter::default()).unwrap();
    let mut sorted = natives.map(|native| format!("claude:{native}"));
    sorted.sort();
    let found: Vec<String> =
        sessions.into_iter().map(|session| session.session_uid.to_string()).collect();
    assert_eq!(found, sorted);
}

fn ids_are_found_by_prefix(archive: &Archive) {
    tell(archive);
    let vault = archive.vault();
    let found = |prefix: &str, limit: usize| -> Vec<String> {
        let uids = vault.find_sessions(prefix, limit).unwrap();
        uids.into_iter().map(|uid| uid.to_string()).collect()
    };
    assert_eq!(found("claude:aa", 9), ["claude:aa", "claude:aa/agent-b"]);
    assert_eq!(found("aa", 9)[0], "claude:aa");
    let mut all = found("aa", 9);
    all.sort();
    assert_eq!(all, ["claude:aa", "claude:aa/agent-b", "codex:aab", "grok:aab"]);
    assert_eq!(found("aa", 1), ["claude:aa"]);
    assert_eq!(found("agent-b", 9), ["claude:aa/agent-b"]);
    assert_eq!(found("empty", 9), [""; 0]);
    assert_eq!(found("A", 9), [""; 0]);
    assert_eq!(found("%", 9), [""; 0]);
    assert_eq!(found("_a", 9), [""; 0]);
    assert_eq!(found("", 9).len(), 6);
}

/// Seven sessions of one project: a sub-agent, one without any event, one that is forgotten, and four
/// of which two ended at the same time; and one of another project.
fn the_latest_of_a_project(archive: &Archive) {
    let mut deltas: Vec<SessionDelta> = (1..)
        .zip(["sub", "empty", "forgotten", "b", "a", "running", "old", "other"])
        .map(|(id, name)| SessionDelta { project_key: Some("P".into()), ..session(id, name) })
        .collect();
    let [sub, empty, forgotten, b, a, running, old, other] = &mut deltas[..] else { panic!() };
    sub.lineage.parent_session_uid = Some(uid("claude:a"));
    for (delta, ended) in [(sub, 900), (empty, 800), (forgotten, 700), (b, 500), (a, 500), (old, 9)]
    {
        delta.ended_at = Some(Timestamp(ended));
    }
    (running.started_at, running.ended_at) = (Some(Timestamp(600)), None);
    other.project_key = Some("p".into());
    let events = |delta: &SessionDelta| usize::from(delta.uid != "claude:empty");
    let chunks: Vec<_> = deltas
        .into_iter()
        .map(|delta| {
            let many = events(&delta);
            chunk(delta, &[Event::new(0)][..many])
        })
        .collect();
    archive.store(&chunks);
    let mut writer = archive.writer();
    writer.forget(3, NOW).unwrap();
    writer.commit().unwrap();
    let vault = archive.vault();
    let latest = |limit: usize| -> Vec<(i64, String)> {
        let found = vault.latest_of_project("P", limit).unwrap();
        found.into_iter().map(|(id, session)| (id, session.session_uid.to_string())).collect()
    };
    let all = [(6, "running"), (5, "a"), (4, "b"), (7, "old")];
    let all = all.map(|(id, name)| (id, format!("claude:{name}")));
    assert_eq!(latest(9), all);
    assert_eq!(latest(2), all[..2]);
    assert!(latest(0).is_empty());
    assert!(vault.latest_of_project("nowhere", 9).unwrap().is_empty());
}

fn scopes(archive: &Archive) {
    tell(archive);
    let vault = archive.vault();
    let none = SessionScope::default;
    assert_eq!(vault.ids_in(&none()).unwrap(), None);
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    for (scope, expected) in [
        (SessionScope { flavors: vec![Flavor::Codex, Flavor::Grok], ..none() }, vec![5, 6]),
        (SessionScope { repos: texts(&["SHOP"]), ..none() }, vec![1, 4]),
        (SessionScope { branches: texts(&["main", "none"]), ..none() }, vec![1]),
        (SessionScope { outcomes: vec![Outcome::Success, Outcome::Fail], ..none() }, vec![1, 4]),
        (SessionScope { sessions: texts(&["aab", "claude:c"]), ..none() }, vec![4, 5, 6]),
        (SessionScope { models: texts(&["GPT"]), ..none() }, vec![1, 5]),
        (
            SessionScope {
                flavors: vec![Flavor::Claude],
                repos: texts(&["shop"]),
                sessions: texts(&["a"]),
                models: texts(&["opus", "%"]),
                ..none()
            },
            vec![1],
        ),
    ] {
        let expected: HashSet<i64> = expected.into_iter().collect();
        assert_eq!(vault.ids_in(&scope).unwrap(), Some(expected), "{scope:?}");
    }
}
