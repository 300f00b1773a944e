//! `backstory mute`: keep something from being told to agents.

use crate::context::Context;
use crate::env::Env;
use crate::error::{Exit, Failure, Kind};
use crate::figures::local_minute;
use crate::table::{Cell, Column, Table};
use crate::ui::{CODE, DIM, Ui};
use crate::untrusted::one_line;
use crate::{ids, open};
use backstory_api as api;
use backstory_engine::project_key;
use backstory_engine::recall::{Muted, Target, mute, unmute};
use backstory_model::address;
use backstory_store::{Home, Vault};
use std::path::Path;

/// Arguments of `mute`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// An address, a session's id or the beginning of it, or a project's folder such as `.`; without it,
    /// what is muted is listed
    #[arg(value_name = "WHAT", required_if_eq("undo", "true"))]
    pub(crate) what: Option<String>,
    /// Let it be told again
    #[arg(long)]
    pub(crate) undo: bool,
    /// List what is muted
    #[arg(long, conflicts_with_all = ["what", "undo"])]
    pub(crate) list: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let home = open::archive(&context.settings(ui)?)?.home;
    let Some(what) = &args.what else { return list(&home, context, ui) };
    let failed =
        |error| Failure::new(Kind::Archive, "what is muted could not be changed").cause(&error);
    let target = target(&home, what)?;
    let has_changed = if args.undo {
        unmute(&home, &target).map_err(failed)?
    } else {
        mute(&home, &target, context.now).map_err(failed)?
    };
    if ui.json {
        let at = (!args.undo).then_some(context.now);
        ui.json_line(&api::Muted::new(target.kind(), target.name(), at))?;
        return Ok(Exit::Success);
    }
    let done = match (args.undo, has_changed) {
        (false, true) => "is muted: agents are not told of it",
        (false, false) => "was muted already",
        (true, true) => "may be told again",
        (true, false) => "was not muted",
    };
    if !ui.is_quiet() {
        ui.line(format!("{} {} {done}", target.kind(), one_line(target.name())))?;
    }
    Ok(Exit::Success)
}

/// What is meant. An address and what is muted are taken as they are, so that they can be undone when the
/// session is gone; a folder is a project; anything else is a session.
fn target(home: &Home, what: &str) -> Result<Target, Failure> {
    let muted = read(home)?;
    if let Some(known) = muted.muted.iter().find(|mute| mute.target.name() == what) {
        return Ok(known.target.clone());
    }
    if let Some(below) = what.strip_prefix("backstory://")
        && (below.starts_with("memories/") || !home.engine().exists()?)
    {
        return Ok(Target::Address(what.to_owned()));
    }
    let is_path = what.starts_with(['.', '/', '~']) || Path::new(what).is_dir();
    if is_path {
        let no_project = || Failure::usage(format!("{what} is no project"));
        let key = project_key(&Env::absolute(Path::new(what))).ok_or_else(no_project)?;
        return Ok(Target::Project(key));
    }
    let found = ids::resolve(&Vault::open(home)?, what)?;
    Ok(match found.seq {
        Some(seq) => Target::Address(address(&found.uid, seq)),
        None => Target::Session(found.uid.as_str().to_owned()),
    })
}

fn read(home: &Home) -> Result<Muted, Failure> {
    let failed =
        |error| Failure::new(Kind::Archive, "what is muted could not be read").cause(&error);
    Muted::read(home).map_err(failed)
}

fn list(home: &Home, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let muted = read(home)?.muted;
    if muted.is_empty() {
        ui.nothing("nothing is muted")?;
        return Ok(Exit::NothingFound);
    }
    if ui.json {
        for mute in &muted {
            let target = &mute.target;
            ui.json_line(&api::Muted::new(target.kind(), target.name(), Some(mute.at)))?;
        }
        return Ok(Exit::Success);
    }
    let mut table =
        Table::new(&[Column::left("KIND"), Column::left("MUTED"), Column::shrinking("WHAT", 1)]);
    for mute in &muted {
        table.row(vec![
            mute.target.kind().into(),
            Cell::styled(DIM, local_minute(mute.at, context.zone())),
            Cell::styled(CODE, one_line(mute.target.name())),
        ]);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)?;
    Ok(Exit::Success)
}
