//! `backstory pin`: keep a session's raw events, whatever the budget.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::local_minute;
use crate::ids::{self, ShortIds};
use crate::table::{Cell, Column, Table};
use crate::ui::{CODE, DIM, Ui};
use crate::untrusted::one_line;
use backstory_api as api;
use backstory_model::Session;
use backstory_store::{SessionFilter, Vault};

/// Arguments of `pin`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The session: its id or the beginning of it, or `last`
    #[arg(value_name = "ID", required_unless_present = "list")]
    pub(crate) id: Option<String>,
    /// Let it leave again
    #[arg(long)]
    pub(crate) remove: bool,
    /// List what is pinned
    #[arg(long, conflicts_with_all = ["id", "remove"])]
    pub(crate) list: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let Some(id) = &args.id else { return list(&vault, context, ui) };
    let uid = ids::resolve(&vault, id)?.uid;
    let at = (!args.remove).then_some(context.now);
    backstory_engine::pin(vault.home(), &uid, at)?;
    let missing = || Failure::not_found(format!("{uid} is not stored"));
    let session = vault.session(&uid)?.ok_or_else(missing)?;
    if ui.json {
        ui.json_line(&api::Session::from(&session))?;
    } else if !ui.is_quiet() {
        let done = if args.remove { "is no longer pinned" } else { "is pinned" };
        ui.line(format!("{uid} {done}"))?;
    }
    if !args.remove && session.watermarks.evicted_at.is_some() {
        ui.warning("raw events of it have left already; only what is here or still comes is kept");
    }
    Ok(Exit::Success)
}

fn list(vault: &Vault, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let pinned = vault.sessions(&SessionFilter {
        pinned: true,
        with_subagents: true,
        ..SessionFilter::default()
    })?;
    if pinned.is_empty() {
        ui.status("nothing is pinned");
        return Ok(Exit::NothingFound);
    }
    if ui.json {
        pinned.iter().try_for_each(|session| ui.json_line(&api::Session::from(session)))?;
        return Ok(Exit::Success);
    }
    let ids = ShortIds::new(vault)?;
    let mut table = Table::new(&[
        Column::left("ID"),
        Column::left("AGENT"),
        Column::left("PINNED"),
        Column::shrinking("REPO", 2),
        Column::shrinking("TITLE", 1),
    ]);
    for session in &pinned {
        table.row(row(session, &ids, context));
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)?;
    Ok(Exit::Success)
}

fn row(session: &Session, ids: &ShortIds, context: &Context) -> Vec<Cell> {
    let pinned = session.watermarks.pinned_at.map(|at| local_minute(at, context.zone()));
    vec![
        Cell::styled(CODE, ids.get(&session.session_uid)),
        session.flavor.name().into(),
        Cell::styled(DIM, pinned.unwrap_or_default()),
        session.repo.as_deref().map(one_line).unwrap_or_default().into(),
        session.title.as_deref().map(one_line).unwrap_or_default().into(),
    ]
}
