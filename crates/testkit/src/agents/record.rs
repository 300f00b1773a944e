//! A known history in every agent's own format, with what a reader has to find in it.

use std::path::{Path, PathBuf};
use std::thread;

use backstory_model::{Flavor, Usage};

use super::{Agent, AgentError, Clis, InstallError, PACKAGES, Transcript, cache, install};
use crate::mock::{Answer, Mock};
use crate::sandbox::Sandbox;

/// The scripted commands and how they end.
const COMMANDS: [(&str, i32); 4] = [
    ("echo first-command-ran", 0),
    ("echo second-command-failed >&2; exit 3", 3),
    ("echo child-command-ran", 0),
    ("echo fork-command-ran; exit 4", 4),
];

/// Why there is no recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The CLIs are not there.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// A turn went wrong.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The scripted model could not be started or the cache not be found.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A turn went well and is not what was scripted.
    #[error("{flavor}: {what}")]
    Unexpected {
        /// Whose.
        flavor: Flavor,
        /// What is different.
        what: String,
    },
}

/// The part a session plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Started, resumed twice; its last turn delegates to the sub-agent.
    Main,
    /// Started by the main session's last turn.
    SubAgent,
    /// Begun as a copy of the whole main session, with one turn of its own.
    Fork,
}

/// A tool call and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRun {
    /// The id that ties call and result.
    pub call_id: String,
    /// The tool as the agent names it, without a namespace.
    pub name: String,
    /// The shell command, if it was one.
    pub command: Option<String>,
    /// How the command ended. Claude Code states it only when it is not 0.
    pub exit_code: Option<i32>,
}

/// One session and what is new in it: what a fork copied from its origin is not repeated here.
#[derive(Clone, Debug)]
pub struct RecordedSession {
    /// Its part.
    pub part: Part,
    /// The agent's own id. A Claude Code sub-agent has an id within its parent's session.
    pub id: String,
    /// Claude Code: the JSONL file. Codex: the rollout. Grok: `updates.jsonl` in the session's
    /// directory.
    pub file: PathBuf,
    /// What the human (for a sub-agent: the parent) asked, word for word.
    pub prompts: Vec<String>,
    /// Tool calls in order.
    pub tools: Vec<ToolRun>,
    /// The final text of each turn.
    pub answers: Vec<String>,
    /// The thoughts.
    pub thoughts: Vec<String>,
    /// What the answers to its own prompts cost. Over all sessions every answer is in once.
    pub usage: Usage,
    /// What its files state when they are read without regard to lineage. Beside its own tokens:
    ///
    /// | | Claude Code | Codex | Grok |
    /// |---|---|---|---|
    /// | main | – | – | the sub-agent's |
    /// | sub-agent | – | – | – |
    /// | fork | the main session's | the main session's | the main session's and the sub-agent's |
    ///
    /// Claude Code repeats the copied messages under their old message ids, several records per
    /// message. Codex only carries the running total over (`total_token_usage` of the last
    /// `token_count`; its `token_usage_record` lines are its own). Grok copies the former turns into
    /// `usage.json` and the `turn_completed` updates under their old prompt ids.
    pub stated: Usage,
}

/// The history of one agent.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Whose.
    pub flavor: Flavor,
    /// The version that wrote it.
    pub cli_version: &'static str,
    /// Its home, project and scratch directories.
    pub sandbox: Sandbox,
    /// Main session, sub-agent, fork.
    pub sessions: [RecordedSession; 3],
    /// Every answer of the model, those to the client's own questions included.
    pub ledger: Vec<Answer>,
    /// Every request to the model, as `METHOD /path`.
    pub requests: Vec<String>,
}

impl Recording {
    /// Tokens of all sessions, each answer once.
    pub fn usage(&self) -> Usage {
        total(self.sessions.iter().map(|session| session.usage))
    }
}

/// Installs the CLIs and records every agent, each in its own sandbox `directory/<name>`.
///
/// The directory must hold none of them yet, and its path should be short: the agents put sockets
/// below it, whose names end at a hundred characters.
pub fn record_all(directory: &Path) -> Result<Vec<Recording>, RecordError> {
    let clis = install(&cache()?)?;
    thread::scope(|scope| {
        let clis = &clis;
        let running = Flavor::LOGGED.map(|flavor| {
            scope.spawn(move || record(flavor, clis, &directory.join(flavor.name())))
        });
        running.into_iter().map(|thread| thread.join().unwrap_or_else(resume_panic)).collect()
    })
}

fn resume_panic<T>(panic: Box<dyn std::any::Any + Send>) -> T {
    std::panic::resume_unwind(panic)
}

/// Records one agent below `root`.
pub fn record(flavor: Flavor, clis: &Clis, root: &Path) -> Result<Recording, RecordError> {
    let mock = Mock::start()?;
    let agent = Agent::prepare(flavor, clis, root, &mock)?;
    let unexpected = |what: String| RecordError::Unexpected { flavor, what };

    let prompts = Prompts::of(&agent);
    let main = agent.run(&prompts.main[0])?.session;
    for prompt in &prompts.main[1..] {
        let resumed = agent.resume(prompt)?.session;
        if resumed != main {
            return Err(unexpected(format!("resumed {resumed}, not {main}")));
        }
    }
    let fork = agent.fork(&main, &prompts.fork)?.session;
    let [child] = agent.children(&main).try_into().map_err(|children| {
        unexpected(format!("one sub-agent of {main} was expected, not {children:?}"))
    })?;
    let file = |session: &str| {
        let missing = || unexpected(format!("session {session} left no file"));
        agent.transcript(session).ok_or_else(missing)
    };

    let ledger = mock.ledger();
    let main_file = Transcript { file: file(&main)?, id: main };
    let fork_file = Transcript { file: file(&fork)?, id: fork };
    let mut sessions = [
        session(Part::Main, main_file, prompts.main, &ledger),
        session(Part::SubAgent, child, vec![prompts.child], &ledger),
        session(Part::Fork, fork_file, vec![prompts.fork], &ledger),
    ];
    add_inherited(flavor, &mut sessions);
    let cli_version =
        PACKAGES.iter().find(|p| p.flavor == flavor).map_or("", |package| package.version);
    let sandbox = agent.sandbox().clone();
    Ok(Recording { flavor, cli_version, sandbox, sessions, ledger, requests: mock.requests() })
}

struct Prompts {
    main: Vec<String>,
    child: String,
    fork: String,
}

impl Prompts {
    fn of(agent: &Agent<'_>) -> Self {
        let [works, fails, in_child, in_fork] = COMMANDS.map(|(command, _)| command);
        let child = format!("The child task. @@sh {in_child}@@ @@say The child answer.@@");
        let main = vec![
            format!(
                "The first prompt. @@think A first thought.@@ @@sh {works}@@ @@say The first answer.@@"
            ),
            format!("The second prompt. @@sh {fails}@@ @@say The second answer.@@"),
            format!("The third prompt. {} @@say The third answer.@@", agent.delegate(&child)),
        ];
        let fork = format!("The forked prompt. @@sh {in_fork}@@ @@say The forked answer.@@");
        Self { main, child, fork }
    }
}

/// What the files of one session state of the others' tokens.
fn add_inherited(flavor: Flavor, [main, child, fork]: &mut [RecordedSession; 3]) {
    if flavor == Flavor::Grok {
        main.stated = total([main.stated, child.usage]);
    }
    fork.stated = total([fork.stated, main.stated]);
}

fn session(
    part: Part,
    Transcript { id, file }: Transcript,
    prompts: Vec<String>,
    ledger: &[Answer],
) -> RecordedSession {
    let own: Vec<&Answer> = ledger
        .iter()
        .filter(|answer| !answer.aside && prompts.iter().any(|p| answer.prompt.contains(p)))
        .collect();
    let usage = total(own.iter().map(|answer| answer.usage));
    RecordedSession {
        part,
        id,
        file,
        tools: own.iter().filter_map(|answer| tool_run(answer)).collect(),
        answers: own.iter().filter_map(|answer| answer.final_text.clone()).collect(),
        thoughts: own.iter().filter_map(|answer| answer.thought.clone()).collect(),
        usage,
        stated: usage,
        prompts,
    }
}

fn tool_run(answer: &Answer) -> Option<ToolRun> {
    let tool = answer.tool.as_ref()?;
    let name = tool.name.rsplit('/').next().unwrap_or_default().to_owned();
    let command = tool.arguments["cmd"].as_str().or_else(|| tool.arguments["command"].as_str());
    let ending = COMMANDS.iter().find(|(known, _)| Some(*known) == command);
    Some(ToolRun {
        call_id: tool.call_id.clone(),
        name,
        command: command.map(str::to_owned),
        exit_code: ending.map(|(_, code)| *code),
    })
}

/// Tokens of several answers or sessions together.
pub fn total(usages: impl IntoIterator<Item = Usage>) -> Usage {
    usages.into_iter().fold(Usage::default(), |a, b| Usage {
        input: a.input + b.input,
        output: a.output + b.output,
        cache_read: a.cache_read + b.cache_read,
        cache_write_5m: a.cache_write_5m + b.cache_write_5m,
        cache_write_1h: a.cache_write_1h + b.cache_write_1h,
        reasoning: a.reasoning + b.reasoning,
    })
}
