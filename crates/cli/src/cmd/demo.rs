//! `backstory demo`: a made-up history, taken in and walked through.

use super::{Command, sessions, show};
use crate::cmd::Global;
use crate::context::Context;
use crate::demo;
use crate::env::{BACKSTORY_NOW, Env, HOME};
use crate::error::{Exit, Failure, Kind};
use crate::ui::{BOLD, CODE, DIM, Ui, paint};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Arguments of `demo`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Write the made-up history here and leave it there
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Kind::Archive, "the made-up history cannot be written").cause(&error)
    };
    // Dropping it removes the folder.
    let temporary = match &args.keep {
        Some(_) => None,
        None => Some(tempfile::Builder::new().prefix("backstory-demo-").tempdir().map_err(failed)?),
    };
    let dir = match (&args.keep, &temporary) {
        (Some(dir), _) => kept_dir(dir)?,
        (None, Some(temporary)) => temporary.path().to_owned(),
        (None, None) => return Err(Failure::usage("no folder for the demo")),
    };
    demo::write(&dir, context.now).map_err(failed)?;
    let inside = inside(&dir, context)?;
    walk(&dir, args.keep.is_some(), &inside, ui)
}

/// An empty folder, absolute.
fn kept_dir(dir: &Path) -> Result<PathBuf, Failure> {
    let dir = Env::absolute(dir);
    let is_used = fs_err::read_dir(&dir).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        return Err(Failure::usage(format!("{} is not empty", dir.display()))
            .hint("give --keep a new folder"));
    }
    Ok(dir)
}

/// The surroundings of a user whose home directory is the demo's.
fn inside(dir: &Path, context: &Context) -> Result<Context, Failure> {
    let env = Env::fixed([
        (HOME, dir.as_os_str().to_owned()),
        (BACKSTORY_NOW, OsString::from(context.now.to_string())),
    ]);
    let global = Global { home: Some(dir.join("archive")), store: None, ..context.global.clone() };
    Context::new(env, global)
}

fn walk(dir: &Path, is_kept: bool, inside: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    say(ui, "A made-up history: three agents, one small shop, a failing test and a leaked token.")?;
    say(ui, format_args!("It lies in {}; your own logs are not touched.", dir.display()))?;
    let show =
        |id: &str| Some(Command::Show(show::Args { id: id.into(), full: false, markdown: false }));
    let steps: [(&str, &str, Option<Command>); 6] = [
        ("Without a command, everything new is taken in.", "backstory", None),
        (
            "What was worked on? A sub-agent is folded into its parent (+1).",
            "backstory sessions",
            Some(Command::Sessions(sessions::Args::default())),
        ),
        (
            "One session as a story: the failing test, the fix, the green run.",
            "backstory show 5ca1ab1e",
            show("5ca1ab1e"),
        ),
        (
            "A fork of it: the copied beginning is not told, nor counted, twice.",
            "backstory show f0cacc1a",
            show("f0cacc1a"),
        ),
        ("Another agent carried on.", "backstory show last", show("last")),
        (
            "A token was pasted into a prompt. The archive never saw it; the log still has it.",
            "backstory doctor",
            Some(Command::Doctor),
        ),
    ];
    for (why, typed, command) in steps {
        say(ui, "")?;
        say(ui, paint(BOLD, why))?;
        say(ui, format_args!("{} {}", paint(DIM, "$"), paint(CODE, typed)))?;
        say(ui, "")?;
        super::run(command, inside, ui)?;
    }
    say(ui, "")?;
    if is_kept {
        let home = inside.global.home.as_deref().unwrap_or(dir);
        say(ui, format_args!("Look around: backstory --home {} sessions", home.display()))?;
    } else {
        say(ui, "That was made up. Your own: backstory")?;
    }
    Ok(Exit::Success)
}

/// The walk's own words: with `--json` they are not data.
fn say(ui: &mut Ui, line: impl std::fmt::Display) -> Result<(), Failure> {
    if ui.json {
        ui.status(line);
        return Ok(());
    }
    ui.line(line)
}
