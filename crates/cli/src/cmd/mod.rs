//! The command line: one variant, one file per command.

mod commit;
mod completions;
mod config;
mod decisions;
mod demo;
mod digest;
mod distil;
mod doctor;
mod errors;
mod evict;
mod export;
mod forget;
mod hook;
mod import;
mod index;
mod install;
mod man;
mod mcp;
mod migrate_store;
mod mute;
mod overview;
mod patterns;
mod pin;
mod recall;
mod schedule;
mod search;
mod serve;
mod sessions;
mod show;
mod signals;
mod status;
mod sync;
mod uninstall;
mod watch;
mod why;

use crate::context::Context;
use crate::error::{EXIT_CODES, Exit, Failure};
use crate::settings::Settings;
use crate::ui::Ui;
use crate::{behind, dashes, env, open};
use backstory_engine::is_any_due;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;

/// The memory of every coding-agent session on this machine.
///
/// Backstory reads the logs that Claude Code, Codex CLI and Grok CLI already write, into one local
/// archive: normalised, compressed, secrets redacted. The logs themselves are never changed, and
/// nothing leaves the machine unless you name a hub or switch a model on.
///
/// Without a command it takes in what is new and tells what there is.
#[derive(Debug, Parser)]
#[command(name = "backstory", version, after_long_help = more_help())]
#[command(infer_subcommands = true, disable_help_subcommand = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// `hook` and nothing else. Agents wait for it at every call of a tool, and describing all the other
/// commands to the parser takes longer than what a hook does.
#[derive(Debug, Parser)]
struct HookLine {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    args: hook::Args,
}

impl Cli {
    /// Reads the words of a command line, the name of the program first.
    pub(crate) fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        if let Some(at) = hook_at(words) {
            let rest = words[..at].iter().chain(&words[at + 1..]);
            if let Ok(HookLine { global, args }) = HookLine::try_parse_from(rest) {
                return Ok(Self { global, command: Some(Command::Hook(args)) });
            }
        }
        // Help and errors speak of the whole.
        Self::try_parse_from(dashes::behind(words.iter().cloned()))
    }
}

/// True for what an agent runs.
pub(crate) fn is_hook(words: &[OsString]) -> bool {
    hook_at(words).is_some()
}

/// Global flags may stand before it.
fn hook_at(words: &[OsString]) -> Option<usize> {
    dashes::command_at(words).filter(|at| words[*at] == "hook")
}

/// Flags every command takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Keep archive and configuration in this folder
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) home: Option<PathBuf>,
    /// Keep the archive there: local, or postgres://user:password@host:port/database
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) store: Option<String>,
    /// Print JSON, one object per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    pub(crate) color: ColorWhen,
    /// Print nothing but data, warnings and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more detail
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Take in what is new
    Sync(sync::Args),
    /// Take in what is new the moment it is written
    Watch(watch::Args),
    /// Find moments of any session by words, by meaning, by names
    Search(search::Args),
    /// List sessions, the most recently active first
    Sessions(sessions::Args),
    /// Tell one session as a timeline
    Show(show::Args),
    /// Tell what is kept of one session: goal, outcome, work, trouble, open ends
    Digest(digest::Args),
    /// List what was noticed in sessions, the latest first
    Signals(signals::Args),
    /// List what happens again and again, the most widespread first
    Patterns(patterns::Args),
    /// Tell whether an error was seen before, and what helped
    Errors(errors::Args),
    /// List what agents asked, and what was answered, the latest first
    Decisions(decisions::Args),
    /// Show what an agent would be told at a prompt
    Recall(recall::Args),
    /// Explain what an agent was told, and why
    Why(why::Args),
    /// Keep something from being told to agents
    Mute(mute::Args),
    /// Add hooks and the MCP server to agents' settings, so that they remember
    Install(install::Args),
    /// Take them out of agents' settings again
    Uninstall(uninstall::Args),
    /// Note what happens in an agent, and hand it what helps: what installed hooks run
    Hook(hook::Args),
    /// Let agents ask by themselves: the Model Context Protocol over stdin and stdout
    Mcp,
    /// Serve agents and their plugins over HTTP
    Serve(serve::Args),
    /// Seal running sessions: write down what each came to so far
    Commit(commit::Args),
    /// Bring digests up to date
    Distil(distil::Args),
    /// Bring the search index up to date
    Index(index::Args),
    /// Let raw events leave until the archive keeps its budget
    Evict(evict::Args),
    /// Keep the raw events of a session, whatever the budget
    Pin(pin::Args),
    /// Remove sessions for good
    Forget(forget::Args),
    /// Write sessions out, for another archive or to read
    Export(export::Args),
    /// Take in what another archive exported
    Import(import::Args),
    /// Move everything into an archive on another store, and compare
    MigrateStore(migrate_store::Args),
    /// Tell what is stored, how large it is and how current
    Status,
    /// Check that everything is read, private and whole
    Doctor,
    /// Show every setting in force and where it came from
    Config,
    /// Let the system run a sync every day or week
    Schedule(schedule::Args),
    /// Walk through a made-up history, without touching yours
    Demo(demo::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Print the manual page
    Man,
}

impl Command {
    /// It tells of the archive and changes nothing.
    fn only_tells(&self) -> bool {
        matches!(
            self,
            Self::Search(_)
                | Self::Sessions(_)
                | Self::Show(_)
                | Self::Digest(_)
                | Self::Signals(_)
                | Self::Patterns(_)
                | Self::Errors(_)
                | Self::Recall(_)
                | Self::Why(_)
                | Self::Status
                | Self::Doctor
        )
    }
}

/// Runs a command.
pub(crate) fn run(
    command: Option<Command>,
    context: &Context,
    ui: &mut Ui,
) -> Result<Exit, Failure> {
    let only_tells = command.as_ref().is_some_and(Command::only_tells);
    let done = run_one(command, context, ui);
    if only_tells {
        seal_what_waits(context);
    }
    done
}

/// Sessions that fell silent are sealed by whoever comes by, but nobody waits for it.
fn seal_what_waits(context: &Context) {
    let (home, store) = (context.global.home.as_deref(), context.global.store.as_deref());
    let Ok(settings) = Settings::load(&context.env, home, store) else { return };
    let Ok(archive) = open::archive(&settings) else { return };
    if is_any_due(&archive.home, context.now, &settings.live) {
        // If it cannot be started, the next one does it.
        let _ = behind::start(home, store, &behind::SEAL);
    }
}

fn run_one(command: Option<Command>, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    match command {
        None => overview::run(context, ui),
        Some(Command::Sync(args)) => sync::run(&args, context, ui),
        Some(Command::Watch(args)) => watch::run(&args, context, ui),
        Some(Command::Search(args)) => search::run(&args, context, ui),
        Some(Command::Sessions(args)) => sessions::run(&args, context, ui),
        Some(Command::Show(args)) => show::run(&args, context, ui),
        Some(Command::Digest(args)) => digest::run(&args, context, ui),
        Some(Command::Signals(args)) => signals::run(&args, context, ui),
        Some(Command::Patterns(args)) => patterns::run(&args, context, ui),
        Some(Command::Errors(args)) => errors::run(&args, context, ui),
        Some(Command::Decisions(args)) => decisions::run(&args, context, ui),
        Some(Command::Recall(args)) => recall::run(&args, context, ui),
        Some(Command::Why(args)) => why::run(&args, context, ui),
        Some(Command::Mute(args)) => mute::run(&args, context, ui),
        Some(Command::Commit(args)) => commit::run(&args, context, ui),
        Some(Command::Mcp) => mcp::run(context, ui),
        Some(Command::Hook(args)) => Ok(hook::run(&args, context, ui)),
        Some(Command::Distil(args)) => distil::run(&args, context, ui),
        Some(Command::Index(args)) => index::run(&args, context, ui),
        Some(Command::Serve(args)) => serve::run(&args, context, ui),
        Some(Command::Evict(args)) => evict::run(&args, context, ui),
        Some(Command::Pin(args)) => pin::run(&args, context, ui),
        Some(Command::Forget(args)) => forget::run(&args, context, ui),
        Some(Command::Status) => status::run(context, ui),
        Some(Command::Doctor) => doctor::run(context, ui),
        Some(Command::Config) => config::run(context, ui),
        Some(Command::Export(args)) => export::run(&args, context, ui),
        Some(Command::Import(args)) => import::run(&args, context, ui),
        Some(Command::MigrateStore(args)) => migrate_store::run(&args, context, ui),
        Some(Command::Install(args)) => install::run(&args, context, ui),
        Some(Command::Uninstall(args)) => uninstall::run(&args, context, ui),
        Some(Command::Schedule(args)) => schedule::run(&args, context, ui),
        Some(Command::Demo(args)) => demo::run(&args, context, ui),
        Some(Command::Completions(args)) => completions::run(&args, ui),
        Some(Command::Man) => man::run(ui),
    }
}

/// Longer names of variables stick out of their column: it is for the eye, and most are short.
const NAME_COLUMN: usize = 28;

/// Examples, exit codes and variables, below the long help.
fn more_help() -> String {
    let mut text = String::from(
        "Examples:
  backstory                          take in everything, tell what there is
  backstory search sqlite busy timeout repo:app
                                     where that was talked about, tried or fixed
  backstory sessions --since 7d      what was worked on this week
  backstory schedule install         take in what is new every day
  backstory show last                the latest session as a timeline
  backstory show 17092961 --markdown > session.md
  backstory digest last              what came of it, in short
  cargo test 2>&1 | backstory errors -
  backstory sessions --json | jq -r 'select(.outcome == \"fail\") | .title'

Exit codes:
",
    );
    for (code, meaning) in EXIT_CODES {
        let _ = writeln!(text, "  {code}  {meaning}");
    }
    text.push_str("\nEnvironment:\n");
    let variables = env::documented();
    let lengths = variables.iter().map(|(name, _)| name.len());
    let widest = lengths.filter(|length| *length <= NAME_COLUMN).max().unwrap_or(0);
    for (name, meaning) in variables {
        let _ = writeln!(text, "  {name:<widest$}  {meaning}");
    }
    text.pop();
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
        HookLine::command().debug_assert();
    }

    #[test]
    fn a_hook_by_itself_is_read_as_it_is_among_all_commands() {
        for line in [
            "b hook claude Stop",
            "b hook codex session_start --home x",
            "b hook --store local grok --json -q",
            "b hook claude --behind compress",
            "b hook other What-Ever --color=never",
            "b hook",
            "b hook claude Stop more",
            "b hook claude Stop --behind compress",
            "b hook claude --unknown",
            "b hook --help",
            "b --home x hook claude Stop",
            "b --home=x -q --color never hook codex Stop --store local",
            "b --home x hook claude Stop --unknown",
            "b --home x hook claude Stop --home y",
            "b --quiet hook",
            "b --help hook",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let told = |read: Result<Cli, clap::Error>| match read {
                Ok(cli) => format!("{cli:?}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(told(Cli::read(&words)), told(Cli::try_parse_from(&words)), "{line}");
            assert!(is_hook(&words), "{line}");
        }
    }

    #[test]
    fn what_only_looks_like_a_hook_is_none() {
        for line in ["b", "b --home hook", "b search hook", "b --home hook status", "b hooked x"] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert!(!is_hook(&words), "{line}");
        }
    }
}
