//! Sources: how far each is read, and what was found in it.

use crate::archive::Archive;
use crate::chunks::{Event, NOW, ODD, chunk, session};
use backstory_model::Timestamp;
use backstory_store::{
    Chunk, Cursor, QuarantineCount, QuarantineRow, SecretCount, SecretRow, SourceProblem,
    SourceStat, SweepRecord,
};

on_every_engine!(
    cursors_come_back_whole,
    a_source_that_grew_adds_its_bytes,
    what_nobody_understood_is_counted,
    secrets_are_listed_by_file,
    a_source_read_from_its_start_replaces_its_findings,
    sources_that_make_trouble_are_named,
    the_last_sweep_is_remembered,
);

fn cursors_come_back_whole(archive: &Archive) {
    let mut one = chunk(session(1, "one"), &[Event::new(0)]);
    one.cursor = Cursor {
        id: 4,
        path_key: i64::MIN,
        path: ODD.into(),
        flavor: "codex",
        role: "history".into(),
        is_transcript: false,
        stat: SourceStat { size: 1 << 40, mtime_ns: -7, inode: u64::MAX, dev: 1 << 63 },
        offset: 1 << 39,
        lines: 12,
        head_print: i64::MIN,
        tail_print: i64::MAX,
        state: vec![0, 255, 0, 39, 92],
        session_id: Some(1),
        messages: 5,
        bad: 6,
        unknown: 7,
        problem: Some(ODD.into()),
        read_at: None,
    };
    let expected = Cursor { read_at: Some(NOW), ..one.cursor.clone() };
    archive.store(&[one]);
    let vault = archive.vault();
    let cursor = vault.cursor(i64::MIN).unwrap().unwrap();
    assert_eq!(format!("{cursor:?}"), format!("{expected:?}"));
    assert!(vault.cursor(0).unwrap().is_none());
    let stats = vault.source_stats().unwrap();
    assert_eq!(stats.len(), 1);
    assert_eq!(stats[&i64::MIN], (expected.stat, backstory_model::SCHEMA_VERSION));
    // The same source under another path, and no longer of any session in particular.
    let mut moved = chunk(session(1, "one"), &[]);
    moved.cursor = Cursor { path_key: 3, session_id: None, state: Vec::new(), ..expected };
    archive.store(&[moved]);
    assert!(archive.vault().cursor(i64::MIN).unwrap().is_none());
    let cursor = archive.vault().cursor(3).unwrap().unwrap();
    assert_eq!((cursor.id, cursor.session_id, cursor.state), (4, Some(1), Vec::new()));
    assert_eq!(archive.vault().last_ids().unwrap(), (1, 4));
}

fn a_source_that_grew_adds_its_bytes(archive: &Archive) {
    for (grown_bytes, expected) in [(100, 100), (20, 120), (-50, 70)] {
        let mut one = chunk(session(1, "one"), &[]);
        // Only the session a source belongs to grows with it.
        one.sessions.push(session(2, "two"));
        one.grown_bytes = grown_bytes;
        archive.store(&[one]);
        let vault = archive.vault();
        let bytes =
            |name: &str| vault.session(&crate::archive::uid(name)).unwrap().unwrap().source_bytes;
        assert_eq!((bytes("claude:one"), bytes("claude:two")), (expected, 0));
    }
}

fn puzzle(chunk: &mut Chunk, line: u64, type_name: &str, version: Option<&str>) {
    let raw = chunk.text(&format!("{ODD}{line}"));
    chunk.quarantine.push(QuarantineRow {
        line,
        cli_version: version.map(str::to_owned),
        type_name: type_name.into(),
        reason: (type_name == "unreadable").then(|| format!("reason {line}")),
        raw,
    });
}

fn counted(line: u64, count: u64, type_name: &str, version: Option<&str>) -> QuarantineCount {
    QuarantineCount {
        flavor: "claude".into(),
        cli_version: version.map(str::to_owned),
        type_name: type_name.into(),
        count,
        example_path: "/logs/1.jsonl".into(),
        example_line: line,
        reason: None,
    }
}

fn what_nobody_understood_is_counted(archive: &Archive) {
    let mut one = chunk(session(1, "one"), &[]);
    puzzle(&mut one, 5, "new", Some("1"));
    puzzle(&mut one, 5, "new", Some("1"));
    puzzle(&mut one, 9, "new", None);
    puzzle(&mut one, 9, "unreadable", None);
    let mut two = chunk(session(2, "two"), &[]);
    puzzle(&mut two, 3, "new", Some("1"));
    puzzle(&mut two, 1, "unreadable", None);
    puzzle(&mut two, 2, "Zebra", None);
    puzzle(&mut two, 2, "apple", None);
    archive.store(&[one, two]);
    let second = |count| QuarantineCount { example_path: "/logs/2.jsonl".into(), ..count };
    let expected = [
        second(counted(3, 3, "new", Some("1"))),
        QuarantineCount {
            reason: Some("reason 9".into()),
            ..second(counted(1, 2, "unreadable", None))
        },
        second(counted(2, 1, "Zebra", None)),
        second(counted(2, 1, "apple", None)),
        counted(9, 1, "new", None),
    ];
    assert_eq!(archive.vault().quarantine().unwrap(), expected);
}

fn secret(line: u64, kind: &'static str, fingerprint: &str) -> SecretRow {
    SecretRow { line, kind, fingerprint: fingerprint.into() }
}

fn secrets_are_listed_by_file(archive: &Archive) {
    let mut one = chunk(session(1, "one"), &[]);
    one.secrets = vec![
        secret(9, "token", "b"),
        secret(3, "token", "b"),
        secret(3, "token", "b"),
        secret(4, "token", "B"),
        secret(4, "key", "b"),
    ];
    let mut two = chunk(session(2, "two"), &[]);
    two.cursor.path = "/Logs/2.jsonl".into();
    two.secrets = vec![secret(1, "token", "b")];
    archive.store(&[one, two]);
    let found = |path: &str, kind: &str, fingerprint: &str, lines: &[u64]| SecretCount {
        path: path.into(),
        kind: kind.into(),
        fingerprint: fingerprint.into(),
        lines: lines.to_vec(),
    };
    let expected = [
        found("/Logs/2.jsonl", "token", "b", &[1]),
        found("/logs/1.jsonl", "key", "b", &[4]),
        found("/logs/1.jsonl", "token", "B", &[4]),
        found("/logs/1.jsonl", "token", "b", &[3, 9]),
    ];
    assert_eq!(archive.vault().secrets().unwrap(), expected);
}

fn a_source_read_from_its_start_replaces_its_findings(archive: &Archive) {
    let found = |restarts: bool, line: u64| {
        let mut chunk = chunk(session(1, "one"), &[]);
        puzzle(&mut chunk, line, "new", None);
        chunk.secrets.push(secret(line, "token", "b"));
        chunk.restarts = restarts;
        chunk
    };
    let lines = || {
        let vault = archive.vault();
        (vault.quarantine().unwrap()[0].count, vault.secrets().unwrap()[0].lines.clone())
    };
    archive.store(&[found(true, 1), found(false, 2)]);
    assert_eq!(lines(), (2, vec![1, 2]));
    archive.store(&[found(false, 2)]);
    assert_eq!(lines(), (2, vec![1, 2]));
    archive.store(&[found(true, 3)]);
    assert_eq!(lines(), (1, vec![3]));
}

fn sources_that_make_trouble_are_named(archive: &Archive) {
    let mut chunks: Vec<Chunk> =
        (1..6).map(|id| chunk(session(id, &format!("s{id}")), &[])).collect();
    chunks[0].cursor.problem = Some("cannot be opened".into());
    chunks[1].cursor.messages = 0;
    (chunks[2].cursor.messages, chunks[2].cursor.stat.size) = (0, 0);
    (chunks[3].cursor.messages, chunks[3].cursor.is_transcript) = (0, false);
    archive.store(&chunks);
    let problem = |path: &str, problem: &str| SourceProblem {
        flavor: "claude".into(),
        path: path.into(),
        problem: problem.into(),
    };
    let silent = "not empty (100 bytes), yet no message was found in it";
    let expected = [problem("/logs/1.jsonl", "cannot be opened"), problem("/logs/2.jsonl", silent)];
    assert_eq!(archive.vault().source_problems().unwrap(), expected);
}

fn the_last_sweep_is_remembered(archive: &Archive) {
    drop(archive.writer());
    assert_eq!(archive.vault().last_sweep().unwrap(), None);
    for files_read in [3, 0] {
        let sweep = SweepRecord {
            started_at: Timestamp(1),
            finished_at: Timestamp(2),
            files: 1 << 40,
            files_read,
            bytes_read: 1 << 50,
            new_events: 5,
            problems: 6,
        };
        archive.writer().finish(&sweep).unwrap();
        assert_eq!(archive.vault().last_sweep().unwrap(), Some(sweep));
    }
}
