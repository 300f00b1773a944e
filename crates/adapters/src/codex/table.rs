//! Every record type known, and what becomes of it. What is not here is kept as unknown.
//!
//! The rule the readers keep: every line yields at least one record, except
//! - a **mirror** that repeats what a spine record says (same text in the same turn, same call id,
//!   same compaction); when that spine record is missing the mirror yields the events itself, and
//!   when it comes first (agents' words often do) the spine record is the silent one;
//! - a **counter** that says nothing new (an unchanged total, a total inherited from a parent);
//! - a **mark** that carries no content;
//! - a line **copied** from another thread that is stored under that thread already.

/// Where a type name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// `type` of a line.
    Line,
    /// `payload.type` of a `response_item`, or `type` of a bare item.
    Response,
    /// `payload.type` of an `event_msg`.
    Event,
    /// `payload.item.type` of an `item_completed`.
    Item,
}

impl Scope {
    /// The prefix of the type's full name.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Line => "",
            Self::Response => "response_item/",
            Self::Event => "event_msg/",
            Self::Item => "event_msg/item_completed/",
        }
    }
}

/// What a record is to the rule above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duty {
    /// Yields, unless its mirror came first and said it all.
    Spine,
    /// Yields unless the named spine record said it.
    Mirror(&'static str),
    /// Yields usage when the count moved.
    Counter,
    /// Never yields.
    Mark,
}

/// What a record says, independent of the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Meta,
    TurnContext,
    Compacted,
    WorldState,
    Mail,
    TokenRecord,
    StateMark,
    Message,
    Reasoning,
    FunctionCall,
    CustomCall,
    ShellCall,
    CallOutput,
    WebSearchCall,
    ImageCall,
    AgentMail,
    UserMessage,
    AgentMessage,
    AgentReasoning,
    TokenCount,
    TaskStarted,
    TaskComplete,
    TurnAborted,
    RolledBack,
    Settings,
    Goal,
    ThreadName,
    ReviewEntered,
    ReviewExited,
    CommandEnd,
    PatchEnd,
    McpEnd,
    ToolEnd,
    WebSearchEnd,
    ImageEnd,
    SpawnEnd,
    Activity,
    ItemCompleted,
    Error,
    UserItem,
    AgentItem,
    ReasoningItem,
    HookPrompt,
    Plan,
    Extension,
    /// Bookkeeping kept with its own name and nothing else.
    Note,
}

/// One row: scope, type, meaning, duty.
pub(super) type Row = (Scope, &'static str, Says, Duty);

const MESSAGE: Duty = Duty::Mirror("response_item/message");
const REASONING: Duty = Duty::Mirror("response_item/reasoning");
const CALL: Duty = Duty::Mirror("response_item/*_call + *_output");
const SEARCH: Duty = Duty::Mirror("response_item/web_search_call");
const COMPACTION: Duty = Duty::Mirror("compacted");

/// All rows; frequent types first, because the table is searched in order.
pub(super) const TABLE: &[Row] = {
    use Duty::{Counter, Mark, Spine};
    use Scope::{Event, Item, Line, Response};
    &[
        (Response, "function_call", Says::FunctionCall, Spine),
        (Response, "function_call_output", Says::CallOutput, Spine),
        (Response, "reasoning", Says::Reasoning, Spine),
        (Response, "message", Says::Message, Spine),
        (Response, "custom_tool_call", Says::CustomCall, Spine),
        (Response, "custom_tool_call_output", Says::CallOutput, Spine),
        (Response, "web_search_call", Says::WebSearchCall, Spine),
        (Response, "local_shell_call", Says::ShellCall, Spine),
        (Response, "tool_search_call", Says::FunctionCall, Spine),
        (Response, "tool_search_output", Says::CallOutput, Spine),
        (Response, "image_generation_call", Says::ImageCall, Spine),
        (Response, "agent_message", Says::AgentMail, Spine),
        (Response, "compaction", Says::Compacted, COMPACTION),
        (Response, "compaction_summary", Says::Compacted, COMPACTION),
        (Response, "context_compaction", Says::Compacted, COMPACTION),
        (Response, "ghost_snapshot", Says::Note, Spine),
        (Response, "additional_tools", Says::Note, Spine),
        (Response, "compaction_trigger", Says::Note, Spine),
        (Response, "tool_call", Says::FunctionCall, Spine),
        (Response, "tool_result", Says::CallOutput, Spine),
        (Response, "function_result", Says::CallOutput, Spine),
        (Event, "token_count", Says::TokenCount, Counter),
        (Event, "item_completed", Says::ItemCompleted, Spine),
        (Event, "agent_message", Says::AgentMessage, MESSAGE),
        (Event, "agent_reasoning", Says::AgentReasoning, REASONING),
        (Event, "agent_reasoning_raw_content", Says::AgentReasoning, REASONING),
        (Event, "exec_command_end", Says::CommandEnd, CALL),
        (Event, "user_message", Says::UserMessage, MESSAGE),
        (Event, "task_started", Says::TaskStarted, Spine),
        (Event, "turn_started", Says::TaskStarted, Spine),
        (Event, "task_complete", Says::TaskComplete, Spine),
        (Event, "turn_complete", Says::TaskComplete, Spine),
        (Event, "patch_apply_end", Says::PatchEnd, CALL),
        (Event, "web_search_end", Says::WebSearchEnd, SEARCH),
        (Event, "mcp_tool_call_end", Says::McpEnd, CALL),
        (Event, "turn_aborted", Says::TurnAborted, Spine),
        (Event, "thread_rolled_back", Says::RolledBack, Spine),
        (Event, "thread_settings_applied", Says::Settings, Spine),
        (Event, "thread_goal_updated", Says::Goal, Spine),
        (Event, "thread_name_updated", Says::ThreadName, Spine),
        (Event, "context_compacted", Says::Compacted, COMPACTION),
        (Event, "entered_review_mode", Says::ReviewEntered, Spine),
        (Event, "exited_review_mode", Says::ReviewExited, Spine),
        (Event, "image_generation_end", Says::ImageEnd, CALL),
        (Event, "sub_agent_activity", Says::Activity, Spine),
        (Event, "view_image_tool_call", Says::ToolEnd, CALL),
        (Event, "dynamic_tool_call_request", Says::ToolEnd, CALL),
        (Event, "dynamic_tool_call_response", Says::ToolEnd, CALL),
        (Event, "collab_agent_spawn_end", Says::SpawnEnd, CALL),
        (Event, "collab_agent_interaction_end", Says::ToolEnd, CALL),
        (Event, "collab_waiting_end", Says::ToolEnd, CALL),
        (Event, "collab_close_end", Says::ToolEnd, CALL),
        (Event, "collab_resume_end", Says::ToolEnd, CALL),
        (Event, "token_usage_record", Says::TokenRecord, Counter),
        (Event, "error", Says::Error, Spine),
        (Event, "stream_error", Says::Error, Spine),
        (Event, "warning", Says::Note, Spine),
        (Event, "guardian_assessment", Says::Note, Spine),
        (Event, "undo_completed", Says::Note, Spine),
        (Event, "plan_update", Says::Note, Spine),
        (Item, "CommandExecution", Says::CommandEnd, CALL),
        (Item, "AgentMessage", Says::AgentItem, MESSAGE),
        (Item, "Reasoning", Says::ReasoningItem, REASONING),
        (Item, "UserMessage", Says::UserItem, MESSAGE),
        (Item, "FileChange", Says::PatchEnd, CALL),
        (Item, "McpToolCall", Says::McpEnd, CALL),
        (Item, "DynamicToolCall", Says::ToolEnd, CALL),
        (Item, "CollabAgentToolCall", Says::SpawnEnd, CALL),
        (Item, "ImageView", Says::ToolEnd, CALL),
        (Item, "ImageGeneration", Says::ImageEnd, CALL),
        (Item, "WebSearch", Says::WebSearchEnd, SEARCH),
        (Item, "Extension", Says::Extension, SEARCH),
        (Item, "HookPrompt", Says::HookPrompt, MESSAGE),
        (Item, "Plan", Says::Plan, Spine),
        (Item, "SubAgentActivity", Says::Activity, Spine),
        (Item, "EnteredReviewMode", Says::ReviewEntered, Spine),
        (Item, "ExitedReviewMode", Says::ReviewExited, Spine),
        (Item, "ContextCompaction", Says::Compacted, COMPACTION),
        (Line, "turn_context", Says::TurnContext, Spine),
        (Line, "world_state", Says::WorldState, Spine),
        (Line, "token_usage_record", Says::TokenRecord, Counter),
        (Line, "session_meta", Says::Meta, Spine),
        (Line, "compacted", Says::Compacted, Spine),
        (Line, "inter_agent_communication", Says::Mail, Spine),
        (Line, "inter_agent_communication_metadata", Says::Note, Spine),
        (Line, "security_risk_score", Says::Note, Spine),
        (Line, "state", Says::StateMark, Mark),
    ]
};

/// The row of a type.
pub(super) fn find(scope: Scope, kind: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.0 == scope && row.1 == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codex::reader::RolloutReader;
    use crate::{Batch, Form, NoAncestry, Reader, Record};

    /// A payload with something to say for every type.
    fn payload(kind: &str) -> String {
        let counts = r#"{"input_tokens":1,"output_tokens":1,"total_tokens":2}"#;
        format!(
            r#"{{"type":"{kind}","id":"x","message":"t","text":"t","role":"assistant","kind":"web.search",
            "content":[{{"type":"text","text":"t"}}],"summary":[{{"text":"t"}}],"summary_text":["t"],
            "fragments":[{{"text":"t"}}],"response_id":"r","usage":{counts},
            "info":{{"total_token_usage":{counts},"last_token_usage":{counts}}}}}"#
        )
        .replace('\n', " ")
    }

    fn line(scope: Scope, kind: &str) -> String {
        let wrap = |kind: &str, payload: &str| {
            format!(r#"{{"timestamp":"2026-08-20T10:00:00Z","type":"{kind}","payload":{payload}}}"#)
        };
        match scope {
            Scope::Line if kind == "state" => r#"{"record_type":"state"}"#.to_owned(),
            Scope::Line => wrap(kind, &payload("")),
            // An item takes `message` for another name of its content.
            Scope::Response => {
                wrap("response_item", &payload(kind).replace(r#""message":"t","#, ""))
            }
            Scope::Event => wrap("event_msg", &payload(kind)),
            Scope::Item => {
                let item = format!(r#"{{"type":"item_completed","item":{}}}"#, payload(kind));
                wrap("event_msg", &item)
            }
        }
    }

    #[test]
    fn every_row_is_reachable_and_yields_as_its_duty_says() {
        for (scope, kind, _, duty) in TABLE {
            if *kind == "item_completed" {
                continue;
            }
            let mut reader = RolloutReader::new("t".to_owned(), Form::Lines);
            let mut batch = Batch::default();
            reader.record(line(*scope, kind).as_bytes(), &mut NoAncestry, &mut batch);
            let name = format!("{}{kind}", scope.prefix());
            let unknown =
                |record: &Record| matches!(record, Record::Unknown { .. } | Record::Bad { .. });
            assert!(!batch.records().iter().any(|located| unknown(&located.record)), "{name}");
            assert_eq!(batch.is_empty(), *duty == Duty::Mark, "{name}");
        }
    }

    #[test]
    fn no_type_stands_twice_and_mirrors_name_a_spine() {
        for (at, row) in TABLE.iter().enumerate() {
            let twice = TABLE[..at].iter().any(|other| other.0 == row.0 && other.1 == row.1);
            assert!(!twice, "{row:?}");
            if let Duty::Mirror(spine) = row.3 {
                let known = TABLE.iter().any(|other| {
                    other.3 == Duty::Spine && format!("{}{}", other.0.prefix(), other.1) == spine
                });
                assert!(known || spine.contains('*'), "{row:?}");
            }
        }
    }
}
