//! Questions put by tools, and permissions, as each agent writes them.

use crate::script::Script;
use backstory_model::{
    Decision, DecisionForm, DecisionKind, DecisionState, EventKind, Role, SessionUid,
};

const ASK: &str = r#"{"questions":[{"id":"db","header":"DB","question":"Which database?","options":[{"label":"Postgres (Recommended)","description":"there"},{"label":"SQLite"}],"multiSelect":false}]}"#;
const TWO: &str = r#"{"questions":[{"id":"a","question":"Which language?","options":[{"label":"Go"},{"label":"Rust"}]},{"id":"b","question":"What else?","options":[{"label":"Docker, slim"},{"label":"Helm"},{"label":"Docs"}],"multiSelect":true}]}"#;

const ALIKE: &str = r#"{"questions":[{"question":"Which one?\nFor reading.","options":["Go","Rust"]},{"question":"Which one?\nFor writing.","options":["Go","Rust"]}]}"#;
const WITHIN: &str = r#"{"questions":[{"question":"Which database","options":["Go","Rust"]},{"question":"Which database, and why?","options":["Go","Rust"]}]}"#;

/// Rows on one line each: question, chosen or state, free text.
pub(super) fn told(rows: &[Decision]) -> Vec<String> {
    rows.iter()
        .map(|row| {
            let chosen = row.choice().collect::<Vec<_>>().join("+");
            let free =
                row.free_text.as_deref().map_or(String::new(), |words| format!(" [{words}]"));
            let state = match row.state {
                DecisionState::Answered => chosen,
                state => state.name().to_owned(),
            };
            format!("{}: {state}{free}", row.question)
        })
        .collect()
}

pub(super) fn asked(agent: &str, tool: &str, input: &str, answer: &str) -> Vec<Decision> {
    let mut script = Script::new();
    script.agent(agent);
    script.calls(EventKind::Decision, tool, input);
    script.answers(EventKind::Decision, Role::Tool, answer);
    script.distill().decisions
}

/// Agent, tool, input, what comes back, and the rows.
type Told = (&'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

const CLAUDE: &[Told] = &[
    (
        "claude",
        "AskUserQuestion",
        ASK,
        r#"User has answered your questions: "Which database?"="on paper". Read the answers carefully, and follow what they say."#,
        &["Which database?:  [on paper]"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ASK,
        r#"User has answered your questions: "Which database?"="SQLite". You can now continue with the user's answers in mind."#,
        &["Which database?: SQLite"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ASK,
        r#"Your questions have been answered: "Which database?"="Postgres (Recommended)". You can now continue with these answers in mind."#,
        &["Which database?: Postgres"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ASK,
        r#"Your questions have been answered: "Which database?"="SQLite" selected preview:
x = "y". You can now continue with these answers in mind."#,
        &["Which database?: SQLite"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ASK,
        r#"User has answered your questions: "Which database?"="use DuckDB, it's "fast"". You can now continue with the user's answers in mind."#,
        &["Which database?:  [use DuckDB, it's \"fast\"]"],
    ),
    (
        "claude",
        "AskUserQuestion",
        TWO,
        r#"User has answered your questions: "Which language?"="Rust", "What else?"="Docker, slim, Docs". You can now continue with the user's answers in mind."#,
        &["Which language?: Rust", "What else?: Docker, slim+Docs"],
    ),
    (
        "claude",
        "AskUserQuestion",
        TWO,
        r#"User has answered your questions: "Which language?"="Rust", "What else?"="Docker, slim, a changelog". You can now continue with the user's answers in mind."#,
        &["Which language?: Rust", "What else?: Docker, slim [a changelog]"],
    ),
    (
        "claude",
        "AskUserQuestion",
        TWO,
        r#"User has answered your questions: "Which language?"="call them "foo", "bar" and "baz"", "What else?"="say "x", "y"". You can now continue with the user's answers in mind."#,
        &[
            r#"Which language?:  [call them "foo", "bar" and "baz"]"#,
            r#"What else?:  [say "x", "y"]"#,
        ],
    ),
    (
        "claude",
        "AskUserQuestion",
        ALIKE,
        r#"User has answered your questions: "Which one?
For reading."="Go", "Which one?
For writing."="Rust". You can now continue with the user's answers in mind."#,
        &["Which one?\nFor reading.: Go", "Which one?\nFor writing.: Rust"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ALIKE,
        r#"User has answered your questions: "Which one?
For writing."="Rust". You can now continue with the user's answers in mind."#,
        &["Which one?\nFor reading.: skipped", "Which one?\nFor writing.: Rust"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ALIKE,
        r#"{"answers":{"Which one?\nFor writing.":"Rust"}}"#,
        &["Which one?\nFor reading.: skipped", "Which one?\nFor writing.: Rust"],
    ),
    (
        "claude",
        "AskUserQuestion",
        WITHIN,
        r#"{"answers":{"Which database, and why?":"Go","Which database":"Rust"}}"#,
        &["Which database: Rust", "Which database, and why?: Go"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ASK,
        r#"{"answers":{"Which database?":"Postgres"},"annotations":{"Which database?":{"notes":"but 17"}}}"#,
        &["Which database?: Postgres [but 17]"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ASK,
        r#"{"answers":{"Which database?":"SQLite"}}"#,
        &["Which database?: SQLite"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ASK,
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.",
        &["Which database?: skipped"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ASK,
        "[Request interrupted by user for tool use]",
        &["Which database?: interrupted"],
    ),
    (
        "claude",
        "AskUserQuestion",
        ASK,
        "<tool_use_error>InputValidationError: too many</tool_use_error>",
        &[],
    ),
    ("claude", "AskUserQuestion", ASK, "Error: No such tool available: AskUserQuestion", &[]),
];

const CODEX: &[Told] = &[
    (
        "codex",
        "request_user_input",
        ASK,
        r#"{"answers":{"db":{"answers":["SQLite"]}}}"#,
        &["Which database?: SQLite"],
    ),
    (
        "codex",
        "request_user_input",
        ASK,
        r#"{"answers":{"db":{"answers":["None of the above","user_note: DuckDB"]}}}"#,
        &["Which database?:  [DuckDB]"],
    ),
    (
        "codex",
        "request_user_input",
        ASK,
        r#"{"answers":{"db":{"answers":["Postgres (Recommended)","user_note: but 17"]}}}"#,
        &["Which database?: Postgres [but 17]"],
    ),
    (
        "codex",
        "request_user_input",
        TWO,
        r#"{"answers":{"a":{"answers":["Go"]},"b":{"answers":[]}}}"#,
        &["Which language?: Go", "What else?: skipped"],
    ),
    (
        "codex",
        "request_user_input",
        ASK,
        r#"{"answers":{"db":{"answers":[]}},"interrupted":true}"#,
        &["Which database?: interrupted"],
    ),
    (
        "codex",
        "request_user_input",
        ASK,
        "request_user_input was cancelled before receiving a response",
        &["Which database?: interrupted"],
    ),
    (
        "codex",
        "request_user_input",
        ASK,
        "aborted by user after 12.4s",
        &["Which database?: interrupted"],
    ),
    ("codex", "request_user_input", ASK, "request_user_input is unavailable in Default mode", &[]),
];

const GROK: &[Told] = &[
    (
        "grok",
        "ask_user_question",
        ASK,
        r#"User has answered your questions: "Which database?"="Other" user notes: DuckDB, please. You can now continue with the user's answers in mind."#,
        &["Which database?:  [DuckDB, please]"],
    ),
    (
        "grok",
        "ask_user_question",
        TWO,
        r#"User has answered your questions: "What else?"="Helm, Docs". You can now continue with the user's answers in mind."#,
        &["Which language?: skipped", "What else?: Helm+Docs"],
    ),
    (
        "grok",
        "ask_user_question",
        ASK,
        "User declined to answer the questions. Continue with the task using your best judgment, or ask different questions.",
        &["Which database?: skipped"],
    ),
    (
        "grok",
        "ask_user_question",
        TWO,
        "The user wants to clarify these questions.\n\nQuestions asked:\n- \"Which language?\"\n  Answer: Go\n- \"What else?\"\n  (No answer provided)",
        &["Which language?: Go", "What else?: skipped"],
    ),
];

#[test]
fn tool_answers_are_read_in_the_words_of_each_agent() {
    for (agent, tool, input, answer, expected) in CLAUDE.iter().chain(CODEX).chain(GROK) {
        assert_eq!(told(&asked(agent, tool, input, answer)), *expected, "{answer}");
    }
}

#[test]
fn a_tools_row_has_all_of_it() {
    let rows =
        asked("codex", "request_user_input", ASK, r#"{"answers":{"db":{"answers":["SQLite"]}}}"#);
    let row = &rows[0];
    assert_eq!(
        (row.form, row.kind, row.header.as_str()),
        (DecisionForm::Tool, DecisionKind::Question, "DB")
    );
    assert_eq!(
        (row.recommended, row.chosen.as_slice(), row.followed()),
        (Some(0), &[1][..], Some(false))
    );
    assert_eq!(
        (row.options[0].label.as_str(), row.options[0].description.as_str()),
        ("Postgres", "there")
    );
    assert_eq!((row.seq, row.answer_seq, row.latency_ms()), (0, Some(1), Some(1000)));
    assert!(row.question_id.starts_with("hook-") && row.confidence == 100);
}

#[test]
fn a_marker_names_a_tools_question() {
    let input = ASK.replace("Which database?", "D1 — Which database? <gstack-qid:db-choice>");
    let answer = r#"User has answered your questions: "D1 — Which database? <gstack-qid:db-choice>"="SQLite". You can now continue with the user's answers in mind."#;
    let rows = asked("claude", "AskUserQuestion", &input, answer);
    assert_eq!(told(&rows), ["D1 — Which database?: SQLite"]);
    assert_eq!((rows[0].question_id.as_str(), rows[0].form), ("db-choice", DecisionForm::Tool));
}

#[test]
fn questions_nobody_answers_stay_open_or_are_passed_over() {
    let mut script = Script::new();
    script.calls(EventKind::Decision, "AskUserQuestion", ASK);
    assert_eq!(told(&script.distill().decisions), ["Which database?: open"]);
    script.interrupt();
    assert_eq!(told(&script.distill().decisions), ["Which database?: interrupted"]);
    let mut script = Script::new();
    script.calls(EventKind::Decision, "AskUserQuestion", ASK).user("do something else");
    assert_eq!(told(&script.distill().decisions), ["Which database?: skipped"]);
    let mut script = Script::new();
    script.calls(EventKind::Decision, "AskUserQuestion", ASK);
    script.answers(
        EventKind::HumanIntervention,
        Role::Tool,
        "[Request interrupted by user for tool use]",
    );
    script.interrupt().user("sqlite is fine");
    assert_eq!(told(&script.distill().decisions), ["Which database?: SQLite"]);
}

#[test]
fn secrets_are_not_kept() {
    let input = r#"{"questions":[{"id":"k","question":"Which key?","isSecret":true,"options":[{"label":"None"}]}]}"#;
    let answer = r#"{"answers":{"k":{"answers":["user_note: hunter2"]}}}"#;
    let rows = asked("codex", "request_user_input", input, answer);
    assert_eq!((rows[0].state, &rows[0].free_text), (DecisionState::Answered, &None));
}

#[test]
fn permissions_are_told_by_refusals_and_by_records() {
    let mut script = Script::new();
    script.bash("git push -f").denied();
    script.bash("rm -rf x");
    script.answers(EventKind::HumanIntervention, Role::Tool, "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nmove it");
    script
        .bash("npm publish")
        .works("ok")
        .note_of_call("permission_resolved", "permission_resolved accept user_temporary");
    script
        .bash("ls")
        .works("ok")
        .note_of_call("permission_resolved", "permission_resolved accept config");
    script.bash("cargo test").fails(1, "The user doesn't want to proceed is what the test prints");
    assert_eq!(
        told(&script.distill().decisions),
        ["git push -f: Deny", "rm -rf x: Deny [move it]", "npm publish: Allow"]
    );
    assert_eq!(script.distill().digest.decisions, 0);
}

#[test]
fn codex_gives_the_reason_of_a_no_afterwards() {
    let mut script = Script::new();
    script
        .agent("codex")
        .bash("git clean -fdx")
        .fails(1, "exec_command failed: Rejected(\"rejected by user\")");
    script.interrupt().user("my env file is untracked");
    assert_eq!(
        told(&script.distill().decisions),
        ["git clean -fdx: Deny [my env file is untracked]"]
    );
    let mut script = Script::new();
    script
        .agent("codex")
        .bash("touch /x")
        .fails(1, "writing outside of the project; rejected by user approval settings");
    assert_eq!(told(&script.distill().decisions), [""; 0]);
}

#[test]
fn grok_tells_permissions_by_tool_and_time() {
    let mut script = Script::new();
    script.agent("grok").calls(
        EventKind::ToolCall,
        "run_terminal_command",
        r#"{"command":"dropdb staging"}"#,
    );
    script
        .note("permission_resolved", "permission_resolved run_terminal_command allow")
        .waited(4000);
    script.works("ok");
    script.calls(EventKind::ToolCall, "run_terminal_command", r#"{"command":"ls"}"#);
    script.note("permission_resolved", "permission_resolved run_terminal_command allow").waited(2);
    script.works("ok");
    script.calls(EventKind::ToolCall, "run_terminal_command", r#"{"command":"rm x"}"#);
    script.fails(1, "The user did not run this command and said: move it");
    script
        .note_of_call("tool_completed", "tool_completed run_terminal_command permission_rejected");
    assert_eq!(
        told(&script.distill().decisions),
        ["dropdb staging: Allow", "rm x: Deny [move it]"]
    );
}

#[test]
fn whom_a_sub_agent_asks_is_no_human() {
    let mut script = Script::new();
    script.says("D1 — Which?\nA) x1\nB) y1").user("A");
    assert_eq!(script.distill().decisions.len(), 1);
    script.session.lineage.parent_session_uid =
        Some(SessionUid::from_stored("claude:parent".into()));
    assert!(script.distill().decisions.is_empty());
}

#[test]
fn words_are_for_what_was_asked_last() {
    let brief = |number: u8| {
        format!("D{number} — Which {number}?\nRecommendation: A\nA) red{number}\nB) green{number}")
    };
    let mut script = Script::new();
    script.says(&brief(1)).user("what does that cost?").says("Nothing.").user("ok B then");
    script.says(&brief(2)).user("let me think about it").says(&brief(3)).user("A");
    script.says("Red it is.").user("D2: B");
    script.says(&brief(4)).interrupt().user("wrong repository, sorry");
    script.says(&brief(5)).interrupt().user("B, as before");
    script.says(&brief(6)).compaction().interjects("A");
    assert_eq!(
        told(&script.distill().decisions),
        [
            "Which 1?: green1",
            "Which 2?: green2",
            "Which 3?: red3",
            "Which 4?: interrupted",
            "Which 5?: green5",
            "Which 6?: red6"
        ]
    );
}

#[test]
fn the_digest_tells_the_latest_decisions() {
    let mut script = Script::new();
    script.calls(EventKind::Decision, "AskUserQuestion", ASK);
    script.answers(EventKind::Decision, Role::Tool, r#"{"answers":{"Which database?":"SQLite"}}"#);
    let digest = script.distill().digest;
    let snippet = digest.snippets.iter().find(|snippet| snippet.why == "decision").unwrap();
    assert_eq!(
        (snippet.text.as_str(), snippet.seq, digest.decisions),
        ("Which database? → SQLite", 1, 1)
    );
}

#[test]
fn what_a_call_asks_is_bounded_while_it_is_read() {
    let long = "word ".repeat(1000);
    let options: Vec<_> =
        (0..200).map(|_| serde_json::json!({"label": long, "description": long})).collect();
    let asked = |question: &str| {
        serde_json::json!({"questions": [{"question": question, "options": options}]}).to_string()
    };
    assert!(asked("").len() > 1 << 20, "as much is not read at all");
    assert!(super::tool::read(&asked("Which?"), "qid").is_empty());
    let few = serde_json::json!({"question": long.repeat(10), "options": options[..80]});
    let read = super::tool::read(&few.to_string(), "qid");
    let row = &read[0].row;
    assert_eq!(row.options.len(), 26);
    assert!(row.question.len() <= 8000);
    for option in &row.options {
        assert!(option.label.len() <= 210 && option.description.len() <= 510);
    }
}
