//! `backstory migrate-store`: everything of one store into another, compared row by row.

use crate::context::Context;
use crate::env::Env;
use crate::error::{Exit, Failure};
use crate::figures::{bytes, plural};
use crate::open;
use crate::progress::SweepBar;
use crate::settings::{Settings, Store};
use crate::ui::Ui;
use crate::upkeep;
use backstory_api as api;
use backstory_engine::{Archive, migrate};
use backstory_store::Moved;

/// Arguments of `migrate-store`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "A store is `local` (the archive in the home directory), the folder of another
local archive, or postgres://user:password@host:port/database.

Nothing is removed from the store that is moved from. Every session and every log is compared with
what arrived, by count and hash, payloads included. A move that was cut short is run again: what
has arrived is left alone."
)]
pub(crate) struct Args {
    /// The store to move from
    #[arg(long, value_name = "STORE")]
    from: String,
    /// The store to move to
    #[arg(long, value_name = "STORE")]
    to: String,
    /// Where its packs are, if not where that store has them by itself
    #[arg(long, value_name = "PLACE")]
    from_packs: Option<String>,
    /// Where its packs are to be, if not where that store has them by itself
    #[arg(long, value_name = "PLACE")]
    to_packs: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let from = archive(&args.from, "--from", args.from_packs.as_deref(), &settings, context)?;
    let to = archive(&args.to, "--to", args.to_packs.as_deref(), &settings, context)?;
    let (from_name, to_name) = (from.home.engine().name(), to.home.engine().name());
    if from_name == to_name {
        return Err(Failure::usage(format!("{from_name} cannot be moved into itself")));
    }
    let mut bar = SweepBar::new(ui.may_draw());
    let done = migrate(&from, &to, &mut |done, total| bar.sessions("Moving", done, total));
    bar.finish();
    let (moved, indexed) = done?;
    if ui.json {
        ui.json_line(&shape(&from_name, &to_name, &moved))?;
    } else if !ui.is_quiet() {
        lines(&moved, &to_name).into_iter().try_for_each(|line| ui.line(line))?;
    }
    Ok(if upkeep::warn_of_index(&indexed, ui) { Exit::Problems } else { Exit::Success })
}

/// The archive a store means.
fn archive(
    place: &str,
    flag: &'static str,
    packs: Option<&str>,
    settings: &Settings,
    context: &Context,
) -> Result<Archive, Failure> {
    let is_named = place.contains("://") || place == Store::LOCAL;
    let dir = if is_named {
        settings.home.value.clone()
    } else {
        Env::absolute(&context.env.expand_tilde(place))
    };
    let place = if is_named { place } else { Store::LOCAL };
    open::archive_at(&dir, &settings.store.elsewhere(place, flag, packs, &context.env)?)
}

fn lines(moved: &Moved, to: &str) -> Vec<String> {
    let there = moved.sessions_there + moved.sources_there;
    let mut lines = vec![
        format!(
            "{to} holds {} with {}, {}",
            plural(moved.sessions, "session"),
            plural(moved.print.events, "event"),
            plural(moved.sources, "log"),
        ),
        format!(
            "compared: {}, {} of payloads, hash {:016x} on both sides",
            plural(moved.print.rows, "row"),
            bytes(moved.print.payload_bytes),
            moved.print.hash
        ),
    ];
    if there > 0 {
        lines.push(format!(
            "{} and {} were there already",
            plural(moved.sessions_there, "session"),
            plural(moved.sources_there, "log")
        ));
    }
    lines
}

fn shape(from: &str, to: &str, moved: &Moved) -> api::Migrated {
    api::Migrated {
        from: from.to_owned(),
        to: to.to_owned(),
        sessions: moved.sessions,
        sessions_there: moved.sessions_there,
        sources: moved.sources,
        sources_there: moved.sources_there,
        events: moved.print.events,
        rows: moved.print.rows,
        payload_bytes: moved.print.payload_bytes,
        hash: format!("{:016x}", moved.print.hash),
    }
}
