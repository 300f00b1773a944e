//! Feeds arbitrary bytes to an agent's readers, as a sweep would: claim, begin, record by record, with
//! a save and restore in the middle.

use backstory_adapters::{Ancestry, Batch, Form, HEAD_BYTES, Reader};
use backstory_model::{EventKey, Flavor, SessionUid};
use std::path::Path;

/// The files of an agent, one for every role a reader can have.
fn files(flavor: Flavor) -> &'static [&'static str] {
    match flavor {
        Flavor::Claude => &[
            "-home-me-app/01990000-0000-4000-8000-00000000000a.jsonl",
            "-home-me-app/agent-0123abcd.jsonl",
            "-home-me-app/01990000-0000-4000-8000-00000000000a/subagents/agent-a0123.jsonl",
            "-home-me-app/01990000-0000-4000-8000-00000000000a/subagents/agent-a0123.meta.json",
            "-home-me-app/01990000-0000-4000-8000-00000000000a/tool-results/toolu_1.txt",
        ],
        Flavor::Codex => &[
            "2026/09/01/rollout-2026-09-01T10-00-00-01990000-0000-7000-8000-00000000000a.jsonl",
            "rollout-2025-08-01-01990000-0000-4000-8000-00000000000a.json",
            "session_index.jsonl",
            "any.jsonl",
        ],
        Flavor::Grok => &[
            "%2Fhome%2Fme%2Fapp/01990000-0000-7000-8000-00000000000a/updates.jsonl",
            "%2Fhome%2Fme%2Fapp/01990000-0000-7000-8000-00000000000a/events.jsonl",
            "%2Fhome%2Fme%2Fapp/01990000-0000-7000-8000-00000000000a/chat_history.jsonl",
            "%2Fhome%2Fme%2Fapp/01990000-0000-7000-8000-00000000000a/summary.json",
            "%2Fhome%2Fme%2Fapp/01990000-0000-7000-8000-00000000000a/usage.json",
            "%2Fhome%2Fme%2Fapp/01990000-0000-7000-8000-00000000000a/signals.json",
            "%2Fhome%2Fme%2Fapp/01990000-0000-7000-8000-00000000000a/subagents/c1/meta.json",
            "exports/any.jsonl",
        ],
        Flavor::Pushed => &["4a/oc-1.jsonl", "4a/cx-01990000.jsonl", "4a/cc-77__subagent-a1.jsonl"],
    }
}

/// Answers every question about stored sessions from the question itself, so that readers take all
/// their ways and always the same one for the same input.
struct Oracle;

impl Ancestry for Oracle {
    fn owner_of_root(&mut self, key: EventKey) -> Option<SessionUid> {
        key.0.is_multiple_of(3).then(|| SessionUid::from_stored("other:session".to_owned()))
    }

    fn has_session(&mut self, session: &SessionUid) -> bool {
        session.as_str().len().is_multiple_of(2)
    }

    fn has_event(&mut self, _session: &SessionUid, key: EventKey) -> bool {
        key.0.is_multiple_of(2)
    }
}

/// Reads an input: the first byte picks the file, the second where the reading is interrupted, the
/// rest is the file.
///
/// # Panics
/// Where a reader panics, refuses the state it saved, or yields something else when interrupted.
pub fn read(flavor: Flavor, input: &[u8]) {
    let [pick, cut, content @ ..] = input else { return };
    let files = files(flavor);
    let path = Path::new(files[usize::from(*pick) % files.len()]);
    let Some(adapter) = backstory_adapters::of(flavor) else { return };
    let Some(claim) = adapter.claim(path) else { return };
    let records: Vec<&[u8]> = match claim.form {
        Form::Document => vec![content],
        Form::Lines | Form::ZstdLines => content.split(|byte| *byte == b'\n').collect(),
    };
    let middle = usize::from(*cut).min(records.len());
    let open = || adapter.reader(path, &claim);
    let head = &content[..content.len().min(HEAD_BYTES)];

    let mut whole = Batch::default();
    let mut reader = open();
    reader.begin(head);
    feed(&mut *reader, &records, &mut whole);

    let mut pieces = Batch::default();
    let mut first = open();
    first.begin(head);
    feed(&mut *first, &records[..middle], &mut pieces);
    let mut second = open();
    assert!(second.restore(&first.save()), "a reader refused the state it saved");
    feed(&mut *second, &records[middle..], &mut pieces);
    assert_eq!(whole.records().len(), pieces.records().len(), "interrupting changed the yield");
    assert_eq!(whole.text_len(), pieces.text_len(), "interrupting changed the text");

    // A state from anywhere else may be refused, but must do no harm.
    if second.restore(content) {
        feed(&mut *second, &records, &mut pieces);
    }
}

fn feed(reader: &mut dyn Reader, records: &[&[u8]], out: &mut Batch) {
    for record in records {
        reader.record(record, &mut Oracle, out);
    }
}
