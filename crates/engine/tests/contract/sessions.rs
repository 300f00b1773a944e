//! Sessions: what is known of one, and how it grows.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, ODD, chunk, session};
use backstory_model::{Cost, Flavor, Lineage, Outcome, Session, Timestamp, Watermarks};
use backstory_store::{SessionDelta, SessionHead, Standing};
use std::collections::HashMap;

on_every_engine!(
    every_column_comes_back,
    many_are_found_by_their_ids,
    what_is_known_is_not_forgotten,
    what_is_new_replaces_what_was,
    titles_are_kept_by_rank,
    models_are_listed_once,
    times_only_widen,
    a_subagent_of_a_forgotten_session_leaves_only_its_name,
    relations_are_found,
);

fn full() -> SessionDelta {
    SessionDelta {
        lineage: Lineage {
            parent_session_uid: Some(uid("claude:parent")),
            forked_from_uid: Some(uid("claude:fork")),
            continues_uid: Some(uid("claude:before")),
            parent_call_id: Some("call".into()),
            agent_name: Some("explorer".into()),
        },
        repo: Some("teashop".into()),
        project_key: Some("key".into()),
        domain: Some("domain".into()),
        cwd: Some("/src".into()),
        git_branch: Some("main".into()),
        models: vec!["opus".into(), "haiku".into()],
        cli_version: Some("1.0".into()),
        title: Some((2, "A title".into())),
        task_ref: Some("#12".into()),
        started_at: Some(Timestamp(1_000)),
        ended_at: Some(Timestamp(61_500)),
        turns: 3,
        retries: 2,
        next_seq: 9,
        cost_in_parent: true,
        ..session(7, "one")
    }
}

fn stored() -> Session {
    let delta = full();
    Session {
        session_uid: uid("claude:one"),
        flavor: Flavor::Claude,
        native_session_id: "one".into(),
        lineage: delta.lineage,
        repo: delta.repo,
        project_key: delta.project_key,
        domain: delta.domain,
        cwd: delta.cwd,
        git_branch: delta.git_branch,
        model: Some("haiku".into()),
        models: delta.models,
        cli_version: delta.cli_version,
        title: Some("A title".into()),
        started_at: delta.started_at,
        ended_at: delta.ended_at,
        outcome: Outcome::Unknown,
        outcome_reason: None,
        cost: Cost { wall_clock_s: 60, turns: 3, retries: 2, ..Cost::default() },
        cost_in_parent: true,
        task_ref: delta.task_ref,
        source_path: "/logs/one.jsonl".into(),
        source_bytes: 40,
        events: 1,
        schema_version: backstory_model::SCHEMA_VERSION,
        watermarks: Watermarks {
            discovered_at: Some(NOW),
            ingested_at: Some(NOW),
            ..Watermarks::default()
        },
    }
}

/// Stores a session and then more of it, and reads it back.
fn grown(archive: &Archive, first: SessionDelta, second: SessionDelta) -> Session {
    archive.store(&[chunk(first, &[Event::new(0)])]);
    archive.store(&[chunk(second, &[Event::new(1)])]);
    archive.vault().session(&uid("claude:one")).unwrap().unwrap()
}

fn every_column_comes_back(archive: &Archive) {
    let mut whole = chunk(full(), &[Event::new(0)]);
    whole.grown_bytes = 40;
    let mut odd = session(8, ODD);
    odd.title = Some((1, ODD.into()));
    odd.cwd = Some(ODD.into());
    odd.source_path = ODD.into();
    odd.models = vec!["\u{0}".into(), "é".into()];
    archive.store(&[whole, chunk(odd, &[Event::new(0)])]);
    let vault = archive.vault();
    assert_eq!(vault.session(&uid("claude:one")).unwrap().unwrap(), stored());
    let mut by_id = vault.sessions_by_id(&[9, 7, 8, 7]).unwrap();
    assert_eq!(by_id.len(), 2);
    assert_eq!(by_id[&7], stored());
    let odd = by_id.remove(&8).unwrap();
    assert_eq!(odd.session_uid.native(), ODD);
    assert_eq!([odd.title.unwrap(), odd.cwd.unwrap(), odd.source_path], [ODD; 3]);
    assert_eq!(odd.models, ["\u{0}", "é"]);
    assert_eq!(vault.session(&uid(&format!("claude:{ODD}"))).unwrap().unwrap().events, 1);
    assert_eq!(vault.session(&uid("claude:none")).unwrap(), None);
    let head = SessionHead { id: 7, next_seq: 9, has_cwd: true, is_forgotten: false };
    assert_eq!(vault.session_head(&uid("claude:one")).unwrap(), Some(head));
    let standing = Standing { active_at: Some(Timestamp(61_500)), project_key: Some("key".into()) };
    let expected = HashMap::from([(7, standing), (8, Standing::default())]);
    assert_eq!(vault.standings(&[7, 8, 9]).unwrap(), expected);
    assert!(vault.standings(&[]).unwrap().is_empty());
    assert_eq!(vault.last_ids().unwrap(), (8, 8));
}

/// More than are asked for at once, with gaps.
fn many_are_found_by_their_ids(archive: &Archive) {
    let delta = |id: i64| SessionDelta {
        started_at: Some(Timestamp(id)),
        ..session(id, &format!("s{id}"))
    };
    let chunks: Vec<_> = (1..=150).map(|id| chunk(delta(id), &[Event::new(0)])).collect();
    archive.store(&chunks);
    let vault = archive.vault();
    let ids: Vec<i64> = (1..=300).map(|at| at * 2).collect();
    let (sessions, standings) =
        (vault.sessions_by_id(&ids).unwrap(), vault.standings(&ids).unwrap());
    assert_eq!((sessions.len(), standings.len()), (75, 75));
    for id in ids.into_iter().filter(|id| *id <= 150) {
        assert_eq!(sessions[&id].session_uid, uid(&format!("claude:s{id}")));
        assert_eq!(standings[&id].active_at, Some(Timestamp(id)));
    }
}

fn what_is_known_is_not_forgotten(archive: &Archive) {
    let grown = grown(archive, full(), session(7, "one"));
    let expected = Session { events: 2, source_bytes: 0, ..stored() };
    assert_eq!(grown, expected);
}

fn what_is_new_replaces_what_was(archive: &Archive) {
    let other = |text: &str| Some(format!("{text} 2"));
    let second = SessionDelta {
        lineage: Lineage {
            parent_session_uid: Some(uid("claude:other")),
            forked_from_uid: Some(uid("claude:other")),
            continues_uid: Some(uid("claude:other")),
            parent_call_id: other("call"),
            agent_name: other("agent"),
        },
        repo: other("repo"),
        project_key: other("key"),
        domain: other("domain"),
        cwd: other("cwd"),
        git_branch: other("branch"),
        cli_version: other("version"),
        task_ref: other("task"),
        source_path: "/other".into(),
        turns: 1,
        retries: 1,
        ..session(7, "one")
    };
    let grown = grown(archive, full(), second);
    let before = stored();
    let expected = Session {
        lineage: Lineage { forked_from_uid: Some(uid("claude:other")), ..before.lineage.clone() },
        git_branch: other("branch"),
        cli_version: other("version"),
        cost: Cost { turns: 4, retries: 3, ..before.cost },
        events: 2,
        source_bytes: 0,
        ..before
    };
    assert_eq!(grown, expected);
}

fn titles_are_kept_by_rank(archive: &Archive) {
    let titled = |rank, title: &str| {
        chunk(SessionDelta { title: Some((rank, title.into())), ..session(1, "one") }, &[])
    };
    let untitled = || chunk(session(1, "one"), &[]);
    for (chunk, expected) in [
        (untitled(), None),
        (titled(1, "first"), Some("first")),
        (titled(1, "among equals the last"), Some("among equals the last")),
        (titled(0, "worse"), Some("among equals the last")),
        (untitled(), Some("among equals the last")),
        (titled(3, "best"), Some("best")),
        (titled(2, "late"), Some("best")),
    ] {
        archive.store(&[chunk]);
        let session = archive.vault().session(&uid("claude:one")).unwrap().unwrap();
        assert_eq!(session.title.as_deref(), expected);
    }
}

fn models_are_listed_once(archive: &Archive) {
    let with = |models: &[&str]| SessionDelta {
        models: models.iter().map(|&model| model.to_owned()).collect(),
        ..session(1, "one")
    };
    let first = with(&["b", "a", "b"]);
    let grown = grown(archive, first, with(&["c", "a"]));
    assert_eq!(grown.models, ["b", "a", "c"]);
    assert_eq!(grown.model.as_deref(), Some("a"));
    archive.store(&[chunk(with(&[]), &[])]);
    let session = archive.vault().session(&uid("claude:one")).unwrap().unwrap();
    assert_eq!((session.model.as_deref(), session.models.len()), (Some("a"), 3));
}

fn times_only_widen(archive: &Archive) {
    let between = |from: Option<i64>, to: Option<i64>| SessionDelta {
        started_at: from.map(Timestamp),
        ended_at: to.map(Timestamp),
        ..session(1, "one")
    };
    for (from, to, expected) in [
        (None, None, (None, None)),
        (Some(50), None, (Some(50), None)),
        (None, Some(60), (Some(50), Some(60))),
        (Some(55), Some(58), (Some(50), Some(60))),
        (Some(-5), Some(70), (Some(-5), Some(70))),
        (None, None, (Some(-5), Some(70))),
    ] {
        archive.store(&[chunk(between(from, to), &[])]);
        let session = archive.vault().session(&uid("claude:one")).unwrap().unwrap();
        let times = (session.started_at.map(|at| at.0), session.ended_at.map(|at| at.0));
        assert_eq!(times, expected);
    }
}

fn a_subagent_of_a_forgotten_session_leaves_only_its_name(archive: &Archive) {
    let forgotten = SessionDelta { is_forgotten: true, ..session(1, "one") };
    archive.store(&[chunk(forgotten, &[])]);
    archive.store(&[chunk(full_of(1), &[])]);
    let vault = archive.vault();
    assert!(vault.is_forgotten(1).unwrap());
    assert!(!vault.is_forgotten(2).unwrap());
    assert!(vault.session_head(&uid("claude:one")).unwrap().unwrap().is_forgotten);
    assert!(vault.sessions_by_id(&[1]).unwrap().is_empty());
    let session = vault.session(&uid("claude:one")).unwrap().unwrap();
    assert_eq!((session.title, session.cwd, session.events), (None, None, 0));
}

fn full_of(id: i64) -> SessionDelta {
    SessionDelta { id, ..full() }
}

fn relations_are_found(archive: &Archive) {
    let fork = |id: i64, native: &str, of: &str| {
        let lineage = Lineage { forked_from_uid: Some(uid(of)), ..Lineage::default() };
        chunk(SessionDelta { lineage, ..session(id, native) }, &[Event::new(0)])
    };
    archive.store(&[
        chunk(session(5, "origin"), &[Event::new(0)]),
        fork(4, "second", "claude:origin"),
        fork(3, "first", "claude:origin"),
        fork(2, "other", "claude:unknown"),
    ]);
    let vault = archive.vault();
    let forks = vault.forks_of(&uid("claude:origin")).unwrap();
    assert_eq!(forks, [uid("claude:first"), uid("claude:second")]);
    assert!(vault.forks_of(&uid("claude:first")).unwrap().is_empty());
    let mut uids = Vec::new();
    vault.for_each_uid(|uid| uids.push(uid.to_owned())).unwrap();
    uids.sort();
    assert_eq!(uids, ["claude:first", "claude:origin", "claude:other", "claude:second"]);
}
