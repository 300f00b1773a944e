//! `backstory search`: find any moment of any session.

use super::sessions::Filters;
use crate::context::Context;
use crate::env::Env;
use crate::error::{Exit, Failure};
use crate::figures::count;
use crate::ids::{self, ShortIds};
use crate::ui::{CODE, DIM, GOOD, Ui, paint};
use crate::{found, open, typed, when};
use backstory_api as api;
use backstory_distill::query::{End, FilterName, Filters as QueryFilters, Query};
use backstory_engine::project_key;
use backstory_engine::search::{
    FoundSession, Mode, Scope, SearchAnswer, SearchOptions, Sort, search,
};
use backstory_model::SessionEvent;
use backstory_store::Vault;
use clap::ValueEnum;
use std::path::Path;

/// Sessions told unless asked otherwise.
const DEFAULT_LIMIT: u16 = 10;
/// Moments told of one session.
const MOMENTS: usize = 3;
/// Moments looked at where only their files or commands are told.
const GATHERED_MOMENTS: usize = 50;
/// A longer question has no better answer.
const MAX_INPUT: u64 = 64 * 1024;

const HELP: &str = "\
Words are ranked: the more of them a moment has, the better. The rest must hold:
  \"busy timeout\"     these words in a row (in a shell: '\"busy timeout\"')
  -sqlite            not with this word; -\"two words\" works too
  rusqlite OR sqlx   either counts
  time*              any word that begins like this
  name:value         a filter, nothing between name, colon and value; name:a,b lets either through:
    agent:codex  repo:app  branch:main  model:opus  session:1f2e  outcome:fail
    since:7d  until:yesterday  tool:Bash  file:main.rs  exit:0, exit:!0, exit:fail
    kind:prompt, answer, message, thought, tool, command, output, error, edit, test, decision,
         or any kind of `backstory show --json`
What cannot be understood is taken as words, and a hint says so.

In front of a moment: ❯ prompt  ● answer  ∴ thought  $ command  ▸ tool  └ output  ✗ error
  ✎ edit  ↻ retry  ‼ intervention  ? decision  ◇ title or digest
`backstory show` takes the place of a moment, such as 1f2e3d4c/12.

Examples:
  backstory search sqlite busy timeout
  backstory search 'error[E0308]' kind:error since:30d
  backstory search migrate --commands exit:0
  backstory search '\"session expiry\" -cart file:session.rs' --context 2
  pbpaste | backstory search -";

/// Arguments of `search`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// What to look for; `-` reads it from stdin
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,
    /// Tell at most so many sessions
    #[arg(long, short = 'n', value_name = "N", default_value_t = DEFAULT_LIMIT)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Tell so many neighbours on either side of every moment
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=50))]
    pub(crate) context: u8,
    /// What comes first
    #[arg(long, value_name = "ORDER", value_enum, default_value_t)]
    pub(crate) sort: SortBy,
    /// Tell only the files that matching moments touched
    #[arg(long, conflicts_with = "commands")]
    pub(crate) files: bool,
    /// Tell only commands that ran, and how they ended
    #[arg(long)]
    pub(crate) commands: bool,
    /// What to go by
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub(crate) mode: By,
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// Only this kind of event, or these, separated by commas
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Only calls and answers of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
}

/// What comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortBy {
    /// The best match
    #[default]
    Score,
    /// The latest
    Time,
}

/// What to go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// Words and meaning together
    #[default]
    Fused,
    /// Words only
    Lexical,
    /// Meaning only
    Semantic,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let archive = open::archive(&context.settings(ui)?)?;
    let vault = Vault::open(&archive.home)?;
    let text = match args.query.as_slice() {
        [only] if only == "-" => typed::from_stdin(MAX_INPUT)?,
        words => words.join(" "),
    };
    let query = understand(&text, args, &vault, context)?;
    for hint in &query.hints {
        ui.status(format!("{} {hint}", paint(GOOD, "hint:")));
    }
    if query.is_empty() {
        return Err(Failure::usage("there is nothing to look for")
            .hint("name a word, a \"phrase\" or a filter; `backstory search --help` shows how"));
    }
    let options = options(args, query);
    let answer = search(&vault, &*archive.index, &options, context.now)?;
    for note in &answer.paths.notes {
        ui.status(paint(DIM, note));
    }
    let view = View::new(args, options.sort, &answer, &vault);
    if ui.json {
        ui.json_line(&found::head(&text, &options.query.hints, &answer))?;
    }
    if view.is_empty() {
        nothing(&options, &view, &answer, ui);
        return Ok(Exit::NothingFound);
    }
    if ui.json {
        view.write_json(ui)?;
        return Ok(Exit::Success);
    }
    view.write(&vault, context, ui)?;
    if answer.more {
        let shown = count(options.limit as u64);
        let which = if options.sort == Sort::Time { "latest" } else { "best" };
        let hint = match options.limit {
            1 => format!("the {which} session is shown; --limit tells more"),
            _ => format!("the {which} {shown} sessions are shown; --limit tells more"),
        };
        ui.status(paint(DIM, hint));
    }
    Ok(Exit::Success)
}

/// The query with what flags add to it.
fn understand(text: &str, args: &Args, vault: &Vault, context: &Context) -> Result<Query, Failure> {
    let read_moment = |text: &str, end: End| when::parse(text, end, context.now, context.zone());
    let mut query = Query::parse(text, &read_moment);
    let asked = &args.filters;
    let flags = [
        (FilterName::Agent, asked.agent.map(|agent| agent.name().to_owned())),
        (FilterName::Repo, asked.repo.clone()),
        (FilterName::Branch, asked.branch.clone()),
        (FilterName::Since, asked.since.clone()),
        (FilterName::Until, asked.until.clone()),
        (FilterName::Outcome, asked.outcome.map(|outcome| outcome.name().to_owned())),
        (FilterName::Tool, args.tool.clone()),
    ];
    let kinds = args.kind.iter().map(|kind| (FilterName::Kind, Some(kind.clone())));
    for (name, value) in flags.into_iter().chain(kinds) {
        let Some(value) = value else { continue };
        let added = query.narrow(name, &value, &read_moment);
        added.map_err(|why| Failure::usage(format!("--{}: {why}", name.name())))?;
    }
    for session in query.filters.sessions.iter_mut().filter(|session| *session == "last") {
        ids::resolve(vault, "last")?.uid.as_str().clone_into(session);
    }
    Ok(query)
}

fn options(args: &Args, query: Query) -> SearchOptions {
    SearchOptions {
        query,
        limit: usize::from(args.limit),
        moments: if args.files || args.commands { GATHERED_MOMENTS } else { MOMENTS },
        context: usize::from(args.context),
        sort: match args.sort {
            SortBy::Score => Sort::Score,
            SortBy::Time => Sort::Time,
        },
        mode: match args.mode {
            By::Fused => Mode::Fused,
            By::Lexical => Mode::Lexical,
            By::Semantic => Mode::Semantic,
        },
        scope: if args.commands { Scope::Commands } else { Scope::Everything },
        project: project_key(&Env::absolute(Path::new(""))),
    }
}

/// What is told of an answer.
enum View<'a> {
    Sessions(&'a [FoundSession]),
    Files(Vec<api::FoundFile>),
    Commands(Vec<found::Ran<'a>>),
}

impl<'a> View<'a> {
    fn new(args: &Args, sort: Sort, answer: &'a SearchAnswer, vault: &Vault) -> Self {
        let content =
            |event: &SessionEvent| vault.payload(event).unwrap_or_else(|_| event.summary.clone());
        if args.files {
            Self::Files(found::files(answer))
        } else if args.commands {
            Self::Commands(found::commands(answer, sort, &content))
        } else {
            Self::Sessions(&answer.sessions)
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Sessions(sessions) => sessions.is_empty(),
            Self::Files(files) => files.is_empty(),
            Self::Commands(commands) => commands.is_empty(),
        }
    }

    fn write_json(&self, ui: &mut Ui) -> Result<(), Failure> {
        match self {
            Self::Sessions(sessions) => {
                sessions.iter().try_for_each(|found| ui.json_line(&found::session(found)))
            }
            Self::Files(files) => files.iter().try_for_each(|file| ui.json_line(file)),
            Self::Commands(commands) => {
                commands.iter().try_for_each(|ran| ui.json_line(&found::command(ran)))
            }
        }
    }

    fn write(&self, vault: &Vault, context: &Context, ui: &mut Ui) -> Result<(), Failure> {
        let columns = ui.columns();
        match self {
            Self::Sessions(sessions) => {
                let uids = sessions.iter().map(|found| &found.session.session_uid);
                let ids = ShortIds::few(vault, uids)?;
                found::write_sessions(sessions, &ids, context, columns, ui.out())
            }
            Self::Files(files) => found::write_files(files, context, ui.out()),
            Self::Commands(commands) => {
                let uids = commands.iter().map(|ran| &ran.event.session_uid);
                let ids = ShortIds::few(vault, uids)?;
                found::write_commands(commands, &ids, context, ui.out())
            }
        }
    }
}

/// Says that there is nothing, and what may help.
fn nothing(options: &SearchOptions, view: &View<'_>, answer: &SearchAnswer, ui: &mut Ui) {
    let query = &options.query;
    ui.status(match view {
        View::Files(_) if !answer.sessions.is_empty() => "what matches touched no files",
        View::Commands(_) => "no command matches",
        _ => "nothing matches",
    });
    let mut ways = Vec::new();
    if query.filters != QueryFilters::default() {
        ways.push("look further, without the filters".to_owned());
    }
    if !query.without.is_empty() {
        ways.push("leave nothing out: drop the words with a dash".to_owned());
    }
    if !query.phrases.is_empty() {
        ways.push("ask for the words without quotes: a phrase must stand there exactly".to_owned());
    }
    if options.mode == Mode::Lexical {
        ways.push(format!("ask by meaning too: drop {}", paint(CODE, "--mode lexical")));
    }
    if let [word] = query.words.as_slice()
        && !word.is_prefix
    {
        let start = crate::untrusted::one_line(&word.text);
        ways.push(format!("look for a beginning: {}", paint(CODE, format_args!("{start}*"))));
    }
    ways.push(format!("take in what is new: {}", paint(CODE, "backstory sync")));
    for way in ways {
        ui.status(format!("  {way}"));
    }
}
