//! The real agent CLIs, run against a scripted model: what they wrote is taken in, and every turn,
//! tool call, exit code and token is where it belongs.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use backstory_model::{EventKind, Flavor, Session, SessionEvent, SessionUid, Usage};
use backstory_store::Vault;
use backstory_testkit::agents::{Part, RecordedSession, Recording, record_all};
use std::path::Path;
use std::process::Command;

#[test]
fn real_agents_are_taken_in_exactly() {
    let dir = tempfile::tempdir().unwrap();
    let recordings = record_all(dir.path()).unwrap_or_else(|error| {
        panic!("the real agent CLIs could not be run, so nothing was tested: {error}")
    });
    assert_eq!(recordings.len(), Flavor::LOGGED.len());
    for recording in &recordings {
        let home = dir.path().join(format!("archive-{}", recording.flavor));
        sync(recording, &home);
        let vault = Vault::open(&backstory_store_sqlite::home(&home)).unwrap();
        check(recording, &vault);
        let before = vault.totals().unwrap();
        sync(recording, &home);
        assert_eq!(vault.totals().unwrap(), before, "{}: a second sync", recording.flavor);
        assert_eq!(vault.last_sweep().unwrap().unwrap().bytes_read, 0);
    }
}

fn sync(recording: &Recording, home: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_backstory"))
        .env_clear()
        .env("HOME", &recording.sandbox.home)
        .env("BACKSTORY_HOME", home)
        .args(["sync", "--agent", recording.flavor.name()])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}: {}",
        recording.flavor,
        String::from_utf8_lossy(&output.stderr)
    );
}

fn check(recording: &Recording, vault: &Vault) {
    let flavor = recording.flavor;
    let main = recording.sessions.iter().find(|session| session.part == Part::Main).unwrap();
    let main_uid = SessionUid::new(flavor, &main.id);
    for recorded in &recording.sessions {
        let uid = uid_of(flavor, &main.id, recorded);
        let name = format!("{flavor} {:?}", recorded.part);
        let session =
            vault.session(&uid).unwrap().unwrap_or_else(|| panic!("{name}: {uid} is missing"));
        let events = vault.events(&uid).unwrap();
        check_words(&name, recorded, &events, vault);
        check_tools(&name, recorded, &events);
        check_lineage(&name, recorded, &session, &main_uid);
        // Grok counts a sub-agent's tokens with its parent's.
        let with_child = flavor == Flavor::Grok && recorded.part == Part::Main;
        let expected = if with_child { recorded.stated } else { recorded.usage };
        assert_eq!(usage_of(&session), expected, "{name}: tokens");
        assert_eq!(
            session.cost_in_parent,
            flavor == Flavor::Grok && recorded.part == Part::SubAgent
        );
    }
    let totals = vault.totals().unwrap();
    assert_eq!(totals.len(), 1);
    let cost = totals[0].cost;
    let total = recording.usage();
    assert_eq!(
        (cost.input_tokens, cost.output_tokens, cost.cache_read_tokens),
        (total.input, total.output, total.cache_read),
        "{flavor}: totals"
    );
    assert_eq!((totals[0].unknown, totals[0].bad), (0, 0), "{flavor}: {:?}", vault.quarantine());
}

fn uid_of(flavor: Flavor, main: &str, recorded: &RecordedSession) -> SessionUid {
    if flavor == Flavor::Claude && recorded.part == Part::SubAgent {
        return SessionUid::new(flavor, &format!("{main}/{}", recorded.id));
    }
    SessionUid::new(flavor, &recorded.id)
}

fn usage_of(session: &Session) -> Usage {
    Usage {
        input: session.cost.input_tokens,
        output: session.cost.output_tokens,
        cache_read: session.cost.cache_read_tokens,
        cache_write_5m: session.cost.cache_write_5m_tokens,
        cache_write_1h: session.cost.cache_write_1h_tokens,
        reasoning: session.cost.reasoning_tokens,
    }
}

fn check_words(name: &str, recorded: &RecordedSession, events: &[SessionEvent], vault: &Vault) {
    let texts = |kind: EventKind| -> Vec<String> {
        let of_kind = events.iter().filter(|event| event.kind == kind);
        of_kind.map(|event| vault.payload(event).unwrap().trim().to_owned()).collect()
    };
    assert_eq!(texts(EventKind::UserMsg), recorded.prompts, "{name}: prompts");
    let answers = texts(EventKind::AssistantMsg);
    assert_eq!(answers, recorded.answers, "{name}: answers");
    let thoughts = texts(EventKind::Thinking);
    assert_eq!(thoughts, recorded.thoughts, "{name}: thoughts");
}

fn check_tools(name: &str, recorded: &RecordedSession, events: &[SessionEvent]) {
    let calls: Vec<&str> = events
        .iter()
        .filter(|event| event.kind.is_call())
        .filter_map(|event| event.call_id.as_deref())
        .collect();
    let expected: Vec<&str> = recorded.tools.iter().map(|tool| tool.call_id.as_str()).collect();
    assert_eq!(calls, expected, "{name}: tool calls");
    for tool in &recorded.tools {
        let result = events.iter().find(|event| {
            event.call_id.as_deref() == Some(&tool.call_id)
                && matches!(event.kind, EventKind::ToolResult | EventKind::Error)
        });
        let result = result.unwrap_or_else(|| panic!("{name}: {} has no result", tool.call_id));
        if tool.command.is_some() {
            assert_eq!(result.exit_code, tool.exit_code, "{name}: {:?}", tool.command);
        }
        let failed = tool.exit_code.is_some_and(|code| code != 0);
        assert_eq!(result.kind == EventKind::Error, failed, "{name}: {tool:?}");
    }
}

fn check_lineage(name: &str, recorded: &RecordedSession, session: &Session, main: &SessionUid) {
    let lineage = &session.lineage;
    let expected = match recorded.part {
        Part::Main => (None, None),
        Part::SubAgent => (Some(main), None),
        Part::Fork => (None, Some(main)),
    };
    let found = (lineage.parent_session_uid.as_ref(), lineage.forked_from_uid.as_ref());
    assert_eq!(found, expected, "{name}: lineage");
}
