//! What the three agents really send, and what nobody would send.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

fn call(agent: Option<Flavor>, event: &str, stdin: &str) -> Result<HookCall, Declined> {
    read(agent, event, stdin.as_bytes(), &|_| None)
}

fn claude(stdin: &str) -> HookCall {
    call(Some(Flavor::Claude), "", stdin).unwrap()
}

#[test]
fn claude_tells_how_a_session_begins_and_ends() {
    let start = claude(
        r#"{"session_id":"c1","transcript_path":"/h/.claude/projects/-w/c1.jsonl","cwd":"/w",
            "hook_event_name":"SessionStart","source":"fork","model":"m","context_tokens":12}"#,
    );
    assert_eq!((start.event, start.beginning), (HookEvent::SessionStart, Some(Beginning::Fork)));
    assert_eq!(
        start.transcript_path.as_deref(),
        Some(Path::new("/h/.claude/projects/-w/c1.jsonl"))
    );
    assert_eq!((start.session_id.as_str(), start.cwd.as_deref()), ("c1", Some(Path::new("/w"))));

    let stop = claude(
        r#"{"session_id":"c1","transcript_path":"","hook_event_name":"Stop","stop_hook_active":false,
            "last_assistant_message":"Done.\nAll \"tests\" pass.","background_tasks":[]}"#,
    );
    assert_eq!(stop.last_message.as_deref(), Some("Done.\nAll \"tests\" pass."));
    assert_eq!((stop.transcript_path, stop.beginning), (None, None));

    let end = claude(r#"{"session_id":"c1","hook_event_name":"SessionEnd","reason":"clear"}"#);
    assert_eq!((end.event, end.reason.as_deref()), (HookEvent::SessionEnd, Some("clear")));

    let compact = claude(
        r#"{"session_id":"c1","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":""}"#,
    );
    assert_eq!((compact.trigger.as_deref(), compact.prompt), (Some("auto"), None));

    let prompt = claude(
        r#"{"session_id":"c1","hook_event_name":"UserPromptSubmit","prompt_id":"p","prompt":"fix \u00e4"}"#,
    );
    assert_eq!(prompt.prompt.as_deref(), Some("fix ä"));
}

#[test]
fn a_failed_tool_of_claude_is_told_by_its_own_event() {
    let failure = claude(
        r#"{"session_id":"c1","hook_event_name":"PostToolUseFailure","tool_name":"Bash",
            "tool_input":{"command":"cargo build"},"tool_use_id":"toolu_1",
            "error":"Exit code 101\nerror[E0432]: unresolved import","is_interrupt":false}"#,
    );
    let tool = failure.tool.unwrap();
    assert_eq!((tool.name.as_str(), tool.failed, tool.is_told), ("Bash", true, true));
    assert_eq!(tool.input, r#"{"command":"cargo build"}"#);
    assert!(tool.output.ends_with("unresolved import"));
    assert_eq!(tool.call_id.as_deref(), Some("toolu_1"));

    let stopped = claude(
        r#"{"session_id":"c1","hook_event_name":"PostToolUseFailure","tool_name":"Bash",
            "error":"[Request interrupted by user for tool use]","is_interrupt":true}"#,
    );
    assert!(!stopped.tool.unwrap().may_have_failed());

    let success = claude(
        r#"{"session_id":"c1","hook_event_name":"PostToolUse","tool_name":"Bash",
            "tool_input":{},"tool_response":{"stdout":"error: none","stderr":""}}"#,
    );
    assert!(!success.tool.unwrap().may_have_failed());
}

#[test]
fn codex_tells_of_tools_by_what_they_print() {
    let stdin = |response: &str| {
        format!(
            r#"{{"session_id":"x1","turn_id":"t","transcript_path":"/h/.codex/sessions/2026/08/22/rollout-2026-08-22T10-00-00-x1.jsonl",
                "cwd":"/w","hook_event_name":"PostToolUse","model":"m","permission_mode":"default",
                "tool_name":"Bash","tool_input":{{"command":"make"}},"tool_response":{response},"tool_use_id":"call_1"}}"#
        )
    };
    let tool = |response: &str| {
        call(Some(Flavor::Codex), "PostToolUse", &stdin(response)).unwrap().tool.unwrap()
    };
    let bare = tool(r#""make: *** [all] Error 2\n""#);
    assert_eq!((bare.failed, bare.is_told, bare.may_have_failed()), (false, false, true));
    let coded = tool(r#""Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno""#);
    assert!(coded.failed && coded.is_told);
    let good = tool(r#"{"exit_code":0,"output":"built"}"#);
    assert!(!good.may_have_failed());
    assert_eq!(good.output, "built");
    assert_eq!(call(None, "", &stdin("null")).unwrap().agent, Flavor::Codex);
}

#[test]
fn what_a_memory_server_tells_is_no_failure() {
    let failed = |agent, name: &str, input: &str| {
        let stdin = format!(
            r#"{{"session_id":"x1","hook_event_name":"PostToolUse","tool_name":"{name}",
                "tool_input":{input},"tool_response":"fix: make: *** [all] Error 2"}}"#
        );
        call(Some(agent), "PostToolUse", &stdin).unwrap().tool.unwrap().may_have_failed()
    };
    assert!(failed(Flavor::Codex, "mcp__docs__find", "{}"));
    assert!(!failed(Flavor::Codex, "mcp__backstory__errors", "{}"));
    assert!(!failed(Flavor::Grok, "backstory__errors", "{}"));
    let wrapped = r#"{"tool_name":"backstory__errors","tool_input":{"query":"make"}}"#;
    assert!(!failed(Flavor::Grok, "use_tool", wrapped));
    assert!(failed(Flavor::Grok, "use_tool", &wrapped.replace("backstory", "docs")));
}

#[test]
fn sub_agents_are_told_apart() {
    let stdin = r#"{"session_id":"root","turn_id":"t","agent_id":"child","agent_type":"explorer",
        "transcript_path":"/s/rollout-root.jsonl","agent_transcript_path":"/s/rollout-child.jsonl",
        "hook_event_name":"SubagentStop","last_assistant_message":"found it","stop_hook_active":false}"#;
    let stop = call(Some(Flavor::Codex), "SubagentStop", stdin).unwrap();
    let child = stop.subagent.unwrap();
    assert_eq!((child.id.as_str(), child.kind.as_str()), ("child", "explorer"));
    assert_eq!(child.transcript_path.as_deref(), Some(Path::new("/s/rollout-child.jsonl")));
    assert_eq!(stop.last_message.as_deref(), Some("found it"));

    let internal =
        r#"{"session_id":"c1","hook_event_name":"SubagentStop","agent_id":"a","agent_type":""}"#;
    assert_eq!(call(Some(Flavor::Claude), "", internal), Err(Declined::Internal));
    assert!(call(Some(Flavor::Codex), "", internal).is_ok());
}

const GROK_START: &str = r#"{"hookEventName":"session_start","hook_event_name":"SessionStart",
    "sessionId":"g1","session_id":"g1","cwd":"/w","workspaceRoot":"/w","source":"new",
    "timestamp":"2026-11-15T00:00:00Z"}"#;

#[test]
fn grok_is_read_in_either_spelling() {
    let start = call(Some(Flavor::Grok), "SessionStart", GROK_START).unwrap();
    assert_eq!(
        (start.beginning, start.event_name.as_str()),
        (Some(Beginning::Startup), "SessionStart")
    );
    assert_eq!(start.transcript_path, None);

    let camel_only = r#"{"hookEventName":"stop","sessionId":"g1","workspaceRoot":"/w","reason":"end_turn",
        "stopHookActive":false,"lastAssistantMessage":"done","backgroundTasks":[]}"#;
    let stop = call(Some(Flavor::Grok), "Stop", camel_only).unwrap();
    assert_eq!((stop.event, stop.last_message.as_deref()), (HookEvent::Stop, Some("done")));
    assert_eq!(stop.cwd.as_deref(), Some(Path::new("/w")));
    let again = camel_only.replace("end_turn", "shutdown");
    assert_eq!(call(Some(Flavor::Grok), "Stop", &again), Err(Declined::AfterEnd));

    let compact = r#"{"hookEventName":"pre_compact","sessionId":"g1","source":"manual"}"#;
    let compact = call(Some(Flavor::Grok), "PreCompact", compact).unwrap();
    assert_eq!((compact.trigger.as_deref(), compact.beginning), (Some("manual"), None));

    let tool = r#"{"hookEventName":"post_tool_use","sessionId":"g1","toolName":"run_terminal_command",
        "toolInput":{"command":"make"},"toolUseId":"c1","toolResultTruncated":false,
        "toolResult":{"type":"Bash","output":[110,111],"output_for_prompt":"no","exit_code":2}}"#;
    let tool = call(Some(Flavor::Grok), "PostToolUse", tool).unwrap().tool.unwrap();
    assert_eq!((tool.output.as_str(), tool.failed), ("no", true));
}

#[test]
fn a_hook_of_another_agent_is_left_to_that_agents_own() {
    let run_by = |installed_for, runner| Err(Declined::RunBy { installed_for, runner });
    for installed in [Flavor::Claude, Flavor::Codex] {
        let told = call(Some(installed), "SessionStart", GROK_START);
        assert_eq!(told, run_by(installed, Flavor::Grok));
    }
    let rollout =
        r#"{"session_id":"x","hook_event_name":"Stop","transcript_path":"/s/rollout-1.jsonl"}"#;
    let told = call(Some(Flavor::Claude), "Stop", rollout);
    assert_eq!(told, run_by(Flavor::Claude, Flavor::Codex));

    // Claude started by a tool of Grok's inherits Grok's variable, with another session in it.
    let stdin = br#"{"session_id":"c1","hook_event_name":"Stop"}"#;
    let under = |id: &'static str| {
        read(Some(Flavor::Claude), "Stop", stdin, &|name| {
            (name == "GROK_SESSION_ID").then(|| OsString::from(id))
        })
    };
    assert!(under("g1").is_ok());
    assert_eq!(under("c1"), run_by(Flavor::Claude, Flavor::Grok));
}

#[test]
fn an_installation_for_several_agents_finds_out_who_calls() {
    let told = |stdin: &str, variables: &[(&str, &str)]| {
        let variables: HashMap<_, _> = variables.iter().copied().collect();
        let env = |name: &str| variables.get(name).map(OsString::from);
        read(None, "Stop", stdin.as_bytes(), &env).map(|call| call.agent)
    };
    let bare = r#"{"session_id":"s1"}"#;
    assert_eq!(told(bare, &[]), Err(Declined::UnknownAgent));
    assert_eq!(told(bare, &[("CLAUDECODE", "1")]), Ok(Flavor::Claude));
    assert_eq!(told(bare, &[("CLAUDECODE", "1"), ("PLUGIN_ROOT", "/p")]), Ok(Flavor::Codex));
    assert_eq!(
        told(bare, &[("CLAUDE_CODE_SESSION_ID", "s1"), ("PLUGIN_ROOT", "/p")]),
        Ok(Flavor::Claude)
    );
    assert_eq!(told(bare, &[("GROK_SESSION_ID", "s1")]), Ok(Flavor::Grok));
    let turn = r#"{"session_id":"s1","turn_id":"t"}"#;
    assert_eq!(told(turn, &[("CLAUDECODE", "1")]), Ok(Flavor::Codex));
}

#[test]
fn what_is_unknown_is_accepted_and_what_is_nothing_declined() {
    let odd = r#"{"session_id":42,"hook_event_name":"TeammateIdle","cwd":["x"],"tool_name":{},"new":{"a":[]}}"#;
    let odd = call(Some(Flavor::Claude), "TeammateIdle", odd).unwrap();
    assert_eq!((odd.event, odd.event_name.as_str()), (HookEvent::Other, "TeammateIdle"));
    assert_eq!((odd.session_id.as_str(), odd.cwd, odd.tool), ("42", None, None));
    // The name it was installed for stands in for one nobody knows.
    let renamed = r#"{"session_id":"s","hook_event_name":"TurnEnd"}"#;
    assert_eq!(call(Some(Flavor::Codex), "Stop", renamed).unwrap().event, HookEvent::Stop);

    for bad in ["", "null", "[]", "no", "{\"session_id\":"] {
        assert_eq!(call(Some(Flavor::Codex), "Stop", bad), Err(Declined::NotJson), "{bad}");
    }
    let long = format!(r#"{{"session_id":"{}"}}"#, "x".repeat(300));
    for bad in ["{}", r#"{"session_id":""}"#, r#"{"session_id":null}"#, &*long] {
        assert_eq!(call(Some(Flavor::Codex), "Stop", bad), Err(Declined::NoSession), "{bad}");
    }
}

/// JSON objects with the names hooks are given and values of any kind.
fn inputs() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "session_id",
        "sessionId",
        "hook_event_name",
        "hookEventName",
        "transcript_path",
        "source",
        "prompt",
        "tool_name",
        "toolName",
        "tool_input",
        "tool_response",
        "toolResult",
        "error",
        "agent_id",
        "agent_type",
        "last_assistant_message",
        "reason",
        "trigger",
        "turn_id",
        "cwd",
        "x",
    ]);
    let value = prop::sample::select(vec![
        "null",
        "1",
        "-2.5e9",
        "true",
        "\"s\"",
        "\"Stop\"",
        "\"PostToolUse\"",
        "\"\\ud800\"",
        "[]",
        "{}",
        "[1,{\"text\":\"t\"}]",
        "{\"exit_code\":1,\"output\":{\"text\":[[\"x\"]]}}",
        "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":\"h\"}}}}}}}",
        "\"new\"",
        "\"shutdown\"",
        "\"/s/rollout-1.jsonl\"",
        "\"Exit code 2\\nno\"",
    ]);
    prop::collection::vec((name, value), 0..12).prop_map(|members| {
        let members: Vec<_> =
            members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

proptest! {
    #[test]
    fn any_object_is_read_or_declined(
        stdin in inputs(),
        agent in prop::sample::select(vec![None, Some(Flavor::Claude), Some(Flavor::Codex), Some(Flavor::Grok)]),
    ) {
        if let Ok(call) = call(agent, "PostToolUse", &stdin) {
            prop_assert!(!call.session_id.is_empty());
            prop_assert!(agent.is_none_or(|agent| agent == call.agent));
            let output = answer(call.agent, &call.event, &call.event_name, &Answer {
                context: Some(stdin.clone()),
                message: Some(stdin),
            });
            let output: serde_json::Value = serde_json::from_str(&output).unwrap();
            prop_assert!(output.is_object());
        }
    }

    #[test]
    fn any_bytes_are_read_or_declined(stdin in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(Some(Flavor::Claude), "Stop", &stdin, &|_| None);
    }
}
