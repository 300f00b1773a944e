//! Lines that would break a careless parser: every reader survives them and says what they are.

use backstory_adapters::{Batch, NoAncestry, all};
use std::path::Path;

const PATHS: [&str; 4] = ["a.jsonl", "rollout-1.jsonl", "s/updates.jsonl", "s/chat_history.jsonl"];

fn read_everywhere(bytes: &[u8]) {
    for adapter in all() {
        for path in PATHS {
            let Some(claim) = adapter.claim(Path::new(path)) else { continue };
            let mut reader = adapter.reader(Path::new(path), &claim);
            let mut batch = Batch::default();
            reader.begin(bytes);
            for line in bytes.split(|byte| *byte == b'\n') {
                reader.record(line, &mut NoAncestry, &mut batch);
            }
            assert!(!batch.is_empty(), "{} {path}", adapter.spec().label);
            assert!(reader.restore(&reader.save()));
        }
    }
    backstory_adapters::is_complete(bytes);
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    for opening in ["[", "{\"a\":"] {
        read_everywhere(opening.repeat(200_000).as_bytes());
    }
    let deep = "[".repeat(200_000);
    let arguments = serde_json::to_string(&format!("{{\"cmd\":{deep}")).unwrap();
    let call = format!(
        "{{\"timestamp\":\"2026-09-01T10:00:00.000Z\",\"type\":\"response_item\",\"payload\":\
         {{\"type\":\"function_call\",\"name\":\"shell\",\"call_id\":\"c\",\"arguments\":{arguments}}}}}"
    );
    read_everywhere(call.as_bytes());
    let chat = format!(
        "{{\"type\":\"assistant\",\"content\":\"x\",\"tool_calls\":[{{\"id\":\"c\",\"name\":\"write\",\
         \"arguments\":{arguments}}}]}}"
    );
    read_everywhere(chat.as_bytes());
}

#[test]
fn bytes_that_are_no_text_are_never_taken_for_it() {
    for key in ["cwd", "id", "type", "sessionId", "timestamp"] {
        let mut line = format!(
            "{{\"timestamp\":\"2026-09-01T10:00:00.000Z\",\"type\":\"session_meta\",\
             \"payload\":{{\"{key}??\":\"/a\",\"id\":\"??\"}}}}"
        )
        .into_bytes();
        line.iter_mut().filter(|byte| **byte == b'?').for_each(|byte| *byte = 0xff);
        read_everywhere(&line);
    }
}
