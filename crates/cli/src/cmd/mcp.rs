//! `backstory mcp`: what agents ask by themselves, over stdin and stdout.

use crate::context::Context;
use crate::env::Env;
use crate::error::{Exit, Failure, Kind};
use crate::settings::Settings;
use crate::ui::Ui;
use crate::{open, sweep, upkeep, when};
use backstory_engine::live::{Knobs, SealChoice, SealOptions};
use backstory_engine::{SyncOptions, project_key};
use backstory_server::mcp::{Clock, Commit, Desk, Handing, run_stdio};
use std::path::Path;
use std::sync::Arc;

/// Runs the command. Stdout carries the protocol and nothing else.
pub(crate) fn run(context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    run_stdio(desk(&settings, context)?).map_err(|error| {
        Failure::new(Kind::Problems, "the conversation with the agent broke off").cause(&error)
    })?;
    Ok(Exit::Success)
}

/// What the tools work with.
pub(crate) fn desk(settings: &Settings, context: &Context) -> Result<Desk, Failure> {
    let (env, started, zone) = (context.env.clone(), context.now, context.zone().clone());
    let clock: Clock = Arc::new(move || env.now().unwrap_or(started));
    let options = sweep::options(settings, sweep::configured_roots(settings))?;
    Ok(Desk {
        archive: open::archive(settings)?,
        read_moment: Arc::new(move |text, end, now| when::parse(text, end, now, &zone)),
        project: project_key(&Env::absolute(Path::new(""))),
        handing: Handing::Paths,
        commit: Some(commit(options, settings.live, Arc::clone(&clock))),
        clock,
    })
}

/// Takes in what is new and seals what waits.
fn commit(options: SyncOptions, knobs: Knobs, clock: Clock) -> Commit {
    Arc::new(move || {
        let seal = SealOptions { knobs, choice: SealChoice::Pending };
        let report = backstory_engine::commit(&options, &seal, clock(), &mut |_| {});
        let report = report.map_err(|error| error.to_string())?;
        let sealed = report.seals.sealed.iter().map(upkeep::sealed_line);
        let lines: Vec<String> = std::iter::once(sweep::gist(&report.sync)).chain(sealed).collect();
        Ok(lines.join("\n"))
    })
}
