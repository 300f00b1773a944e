//! Feeds arbitrary bytes to the hooks as an agent's input, and their answer back as a text of the
//! conversation.

use backstory_adapters::hooks::{Answer, answer, read};
use backstory_adapters::hygiene::{own_words, pushed, without_memories};
use backstory_model::{Flavor, Role};
use std::ffi::OsString;

/// Reads an input: the first byte picks the agent and the environment, the rest is what it sends.
///
/// # Panics
/// Where reading or answering panics, or what was injected is found among the words.
pub fn hear(input: &[u8]) {
    let [pick, stdin @ ..] = input else { return };
    let agent = Flavor::LOGGED.get(usize::from(pick % 4)).copied();
    let has_env = pick & 0x10 != 0;
    let env = |_: &str| has_env.then(|| OsString::from("s"));
    if let Ok(call) = read(agent, "PostToolUse", stdin, &env) {
        assert!(agent.is_none_or(|agent| agent == call.agent), "another agent was heard");
        assert!(!call.session_id.is_empty(), "a session without id");
        let told = Answer { context: call.prompt.clone(), message: call.last_message };
        let output = answer(call.agent, &call.event, &call.event_name, &told);
        assert!(output.starts_with('{') && output.ends_with('}'), "the answer is no object");
        if let Some(tool) = call.tool {
            clean(&tool.output);
        }
        clean(&call.prompt.unwrap_or_default());
    }
    clean(&String::from_utf8_lossy(stdin));
}

fn clean(text: &str) {
    let once = without_memories(text);
    let again = without_memories(&once.words);
    assert!(again.injected.is_empty(), "a second look found more");
    assert!(own_words(text).words.len() <= text.len(), "words were added");
    pushed(Role::User, text, 100);
    let block = "<backstory-context source=\"recall\">\n\u{1}planted\u{1}\n</backstory-context>";
    let with_ours = format!("{text}\n{block}\n");
    let left = without_memories(&with_ours).words;
    assert!(!left.contains("\u{1}planted\u{1}"), "what we inject was taken for words");
}
