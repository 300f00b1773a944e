//! The reply to a hook, in the agent's own schema.

use super::HookEvent;
use backstory_model::Flavor;
use serde::Serialize;

/// What a hook wants to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// For the model.
    pub context: Option<String>,
    /// For the human.
    pub message: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'a str,
    additional_context: &'a str,
}

/// Whether the model sees the context an agent is given at an event. Elsewhere it is an error to the
/// agent (Codex), or goes nowhere (Grok, before a tool was called).
pub fn takes_context(agent: Flavor, event: HookEvent) -> bool {
    matches!(
        (agent, event),
        (
            Flavor::Claude | Flavor::Codex,
            HookEvent::SessionStart
                | HookEvent::UserPromptSubmit
                | HookEvent::SubagentStart
                | HookEvent::PreToolUse,
        ) | (Flavor::Claude, HookEvent::PostToolUseFailure)
            | (_, HookEvent::PostToolUse)
    )
}

/// Whether an agent shows a message to the human at an event. What is said as a session ends is not
/// read by anyone.
fn takes_message(event: HookEvent) -> bool {
    !matches!(event, HookEvent::SessionEnd | HookEvent::Interrupt | HookEvent::Other)
}

/// Writes a reply; what the agent would not take at this event is left out, and nothing at all is
/// `{}`. `event_name` is the agent's own spelling.
pub fn answer(agent: Flavor, event: &HookEvent, event_name: &str, answer: &Answer) -> String {
    let present = |text: &'_ &str| !text.trim().is_empty();
    let context = answer.context.as_deref().filter(present);
    let message = answer.message.as_deref().filter(present);
    let name = match HookEvent::from_name(event_name) {
        named if named == *event => event_name,
        _ => event.name(),
    };
    let output = Output {
        system_message: message.filter(|_| takes_message(*event)),
        hook_specific_output: context
            .filter(|_| takes_context(agent, *event))
            .map(|additional_context| Specific { hook_event_name: name, additional_context }),
    };
    sonic_rs::to_string(&output).unwrap_or_else(|_| "{}".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn told(agent: Flavor, event: HookEvent) -> Value {
        let both = Answer { context: Some("c\"\n".into()), message: Some("m".into()) };
        serde_json::from_str(&answer(agent, &event, event.name(), &both)).unwrap()
    }

    #[test]
    fn context_stands_where_the_agent_wants_it() {
        let wanted = json!({"systemMessage": "m", "hookSpecificOutput":
            {"hookEventName": "UserPromptSubmit", "additionalContext": "c\"\n"}});
        assert_eq!(told(Flavor::Claude, HookEvent::UserPromptSubmit), wanted);
        assert_eq!(told(Flavor::Codex, HookEvent::UserPromptSubmit), wanted);
        assert_eq!(told(Flavor::Grok, HookEvent::UserPromptSubmit), json!({"systemMessage": "m"}));
        assert!(told(Flavor::Grok, HookEvent::PostToolUse)["hookSpecificOutput"].is_object());
    }

    #[test]
    fn no_agent_is_told_what_it_would_reject() {
        for agent in Flavor::LOGGED {
            for event in HookEvent::NAMED.into_iter().chain([HookEvent::Other]) {
                let output = told(agent, event);
                let names: Vec<&String> = output.as_object().unwrap().keys().collect();
                let is_common_only = matches!(
                    event,
                    HookEvent::Stop
                        | HookEvent::SubagentStop
                        | HookEvent::PreCompact
                        | HookEvent::PostCompact
                );
                if is_common_only {
                    assert_eq!(names, ["systemMessage"], "{agent} {event:?}");
                }
                if matches!(event, HookEvent::SessionEnd | HookEvent::Interrupt | HookEvent::Other)
                {
                    assert_eq!(output, json!({}), "{agent} {event:?}");
                }
                assert_eq!(
                    output["hookSpecificOutput"].is_object(),
                    takes_context(agent, event),
                    "{agent} {event:?}"
                );
            }
        }
    }

    #[test]
    fn nothing_to_tell_is_an_empty_object() {
        let blank = Answer { context: Some(" \n".into()), message: Some(String::new()) };
        for nothing in [Answer::default(), blank] {
            for event in HookEvent::NAMED {
                assert_eq!(answer(Flavor::Claude, &event, event.name(), &nothing), "{}");
            }
        }
    }

    #[test]
    fn the_name_is_never_another_events() {
        let context = Answer { context: Some("c".into()), message: None };
        let output = answer(Flavor::Codex, &HookEvent::SessionStart, "start", &context);
        assert!(output.contains("\"SessionStart\""));
    }
}
