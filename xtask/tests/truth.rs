//! A generated history is taken in, and every token, record and planted secret is accounted for.
#![expect(clippy::disallowed_methods, reason = "the test looks at the archive from outside")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use backstory_engine::{Root, SyncOptions, sync};
use backstory_model::{EventKind, Flavor, SessionUid, Timestamp};
use backstory_store::{SessionFilter, Vault};
use std::path::Path;
use xtask::corpus::{Options, Tokens, Truth, run};

/// A needle shorter than this would be found by chance.
const SHORTEST_NEEDLE: usize = 10;

fn take_in(dir: &Path, size: u64, seed: u64) -> (Truth, Vault) {
    let out = dir.join("corpus");
    let options = Options { size, many: None, single: None, seed, threads: 0, out: out.clone() };
    let truth = run(&options).unwrap();
    let roots = [
        (Flavor::Claude, ".claude/projects"),
        (Flavor::Codex, ".codex/sessions"),
        (Flavor::Codex, ".codex/archived_sessions"),
        (Flavor::Grok, ".grok/sessions"),
    ];
    let options = SyncOptions::new(
        backstory_engine::Archive::indexed_at_home(backstory_store_sqlite::home(
            dir.join("archive"),
        )),
        roots.map(|(flavor, below)| Root { flavor, dir: out.join("home").join(below) }).to_vec(),
    );
    let report = sync(&options, Timestamp(1_790_000_000_000), &mut |_| {}).unwrap();
    assert_eq!(report.problems, []);
    let vault = Vault::open(&options.archive.home).unwrap();
    assert_eq!(vault.quarantine().unwrap(), []);
    (truth, vault)
}

#[test]
fn tokens_and_records_equal_the_truth() {
    let dir = tempfile::tempdir().unwrap();
    let (truth, vault) = take_in(dir.path(), 30_000_000, 11);
    let mut wrong = Vec::new();
    for expected in &truth.sessions {
        let uid = SessionUid::from_stored(expected.uid.clone());
        let Some(session) = vault.session(&uid).unwrap() else {
            wrong.push(format!("{} ({}) is missing", expected.uid, expected.dialect));
            continue;
        };
        let cost = session.cost;
        let tokens = Tokens {
            input: cost.input_tokens,
            output: cost.output_tokens,
            cache_read: cost.cache_read_tokens,
            cache_write_5m: cost.cache_write_5m_tokens,
            cache_write_1h: cost.cache_write_1h_tokens,
            reasoning: cost.reasoning_tokens,
        };
        if tokens != expected.tokens {
            wrong.push(format!(
                "{} ({}): {tokens:?}, expected {:?}",
                expected.uid, expected.dialect, expected.tokens
            ));
        }
        let parent = session.lineage.parent_session_uid.map(|uid| uid.to_string());
        if parent != expected.parent || session.cost_in_parent != expected.in_parent {
            wrong.push(format!(
                "{}: parent {parent:?}, expected {:?}",
                expected.uid, expected.parent
            ));
        }
        let origin = session.lineage.forked_from_uid.map(|uid| uid.to_string());
        if origin != expected.fork_of {
            wrong.push(format!(
                "{} ({}): fork of {origin:?}, expected {:?}",
                expected.uid, expected.dialect, expected.fork_of
            ));
        }
        wrong.extend(wrong_records(&vault, &uid, expected));
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(30)].join("\n")
    );
    for total in vault.totals().unwrap() {
        let expected = truth.agents[total.flavor.name()].tokens;
        assert_eq!(total.cost.input_tokens, expected.input, "{}", total.flavor);
        assert_eq!(total.cost.output_tokens, expected.output, "{}", total.flavor);
        assert_eq!(total.cost.cache_read_tokens, expected.cache_read, "{}", total.flavor);
    }
}

fn wrong_records(
    vault: &Vault,
    uid: &SessionUid,
    expected: &xtask::corpus::Session,
) -> Option<String> {
    let events = vault.events(uid).unwrap();
    let count = |wanted: &dyn Fn(EventKind) -> bool| {
        events.iter().filter(|event| wanted(event.kind)).count() as u64
    };
    let records = expected.records;
    let found = [
        ("assistant texts", count(&|kind| kind == EventKind::AssistantMsg)),
        ("thoughts", count(&|kind| kind == EventKind::Thinking)),
        ("tool calls", count(&|kind| kind.is_call())),
        (
            "prompts",
            count(&|kind| kind == EventKind::UserMsg)
                + events
                    .iter()
                    .filter(|event| {
                        event.kind == EventKind::HumanIntervention
                            && event.tool.as_deref() == Some("queued_command")
                    })
                    .count() as u64,
        ),
    ];
    let wanted = [
        records.assistant_texts,
        records.thinking + records.opaque_thinking,
        records.tool_calls,
        records.user_prompts + records.subagent_prompts,
    ];
    let differs = found.iter().zip(wanted).any(|((_, found), wanted)| *found != wanted);
    differs.then(|| format!("{uid} ({}): {found:?}, expected {wanted:?}", expected.dialect))
}

#[test]
fn no_planted_secret_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let (truth, vault) = take_in(dir.path(), 30_000_000, 12);
    let kinds: std::collections::BTreeSet<&str> =
        truth.secrets.iter().map(|secret| secret.kind.as_str()).collect();
    assert!(truth.secrets.len() >= 200 && kinds.len() >= 25, "{}, {kinds:?}", truth.secrets.len());

    let mut stored = fs_err::read(vault.home().dir().join("archive.db")).unwrap();
    let filter = SessionFilter { with_subagents: true, ..SessionFilter::default() };
    for session in vault.sessions(&filter).unwrap() {
        for event in vault.events(&session.session_uid).unwrap() {
            stored.extend_from_slice(vault.payload(&event).unwrap().as_bytes());
        }
    }
    let connection = rusqlite::Connection::open(vault.home().dir().join("archive.db")).unwrap();
    let mut kept = connection.prepare("SELECT raw FROM quarantine").unwrap();
    for raw in kept.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap() {
        stored.extend(zstd::decode_all(raw.unwrap().as_slice()).unwrap());
    }
    let mut leaked = Vec::new();
    for secret in &truth.secrets {
        for part in secret.secret.lines().filter(|part| part.len() >= SHORTEST_NEEDLE) {
            if !part.starts_with("-----")
                && memchr::memmem::find(&stored, part.as_bytes()).is_some()
            {
                leaked.push(format!(
                    "{} in {} of {}: {part}",
                    secret.kind, secret.position, secret.file
                ));
            }
        }
    }
    assert!(
        leaked.is_empty(),
        "{} of {} leaked:\n{}",
        leaked.len(),
        truth.secrets.len(),
        leaked.join("\n")
    );
}

#[test]
fn an_independent_count_finds_nothing_lost() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("corpus");
    let options = Options {
        size: 10_000_000,
        many: None,
        single: None,
        seed: 13,
        threads: 0,
        out: out.clone(),
    };
    run(&options).unwrap();
    let home = out.join("home");
    let roots = ["claude=.claude/projects", "codex=.codex", "grok=.grok/sessions"];
    let roots = roots
        .map(|root| root.split_once('=').unwrap())
        .map(|(agent, below)| format!("{agent}={}", home.join(below).display()));
    let audit = xtask::audit::run(&xtask::audit::Options { roots: roots.to_vec() }).unwrap();
    assert_eq!(audit.lost, Vec::<String>::new());
    assert_eq!(audit.made_up, Vec::<String>::new());
    assert!(audit.unknown.is_empty() && audit.bad == 0, "{:?}", audit.unknown);
    assert_eq!(audit.uncounted, 0);
    assert_eq!(audit.found.prompts, audit.counted.prompts);
    assert!(audit.counted.answers > 200 && audit.counted.calls > 500, "{:?}", audit.counted);
    assert!(audit.counted.prompts > 100, "{:?}", audit.counted);
}
