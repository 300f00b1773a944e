//! The list, the latest first.

use super::{Filters, shape};
use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{count, local_minute};
use crate::ids::ShortIds;
use crate::table::{Cell, Column, Table};
use crate::ui::{BAD, CODE, DIM, GOOD, Ui, WARN, paint};
use crate::untrusted::one_line;
use backstory_engine::ledger;
use backstory_model::DecisionState;
use backstory_store::{LedgerEntry, Vault};

/// Decisions listed on a terminal unless asked otherwise.
const TERMINAL_LIMIT: usize = 50;

/// Arguments of the list.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Listing {
    #[command(flatten)]
    filters: Filters,
    /// Only those nobody answered yet
    #[arg(long)]
    open: bool,
    /// List at most so many; 0 lists all [default: 50 on a terminal, else all]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
}

/// Lists.
pub(super) fn run(args: &Listing, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let limit = ui.limit(args.limit, TERMINAL_LIMIT);
    let mut filter = args.filters.resolve(context)?;
    filter.state = args.open.then_some(DecisionState::Open);
    // One more than is listed tells whether there are more.
    filter.limit = limit.map(|limit| limit.saturating_add(1));
    let mut found = vault.decisions(&filter)?;
    let has_more = limit.is_some_and(|limit| found.len() > limit);
    found.truncate(limit.unwrap_or(usize::MAX));
    if found.is_empty() {
        ui.status("no decision matches");
        return Ok(Exit::NothingFound);
    }
    if ui.json {
        found.iter().try_for_each(|entry| ui.json_line(&shape(entry)))?;
        return Ok(Exit::Success);
    }
    write_table(&found, &vault, context, ui)?;
    if has_more {
        let shown = count(found.len() as u64);
        let hint = format!("the latest {shown} are shown; --limit 0 lists all");
        ui.status(paint(DIM, hint));
    }
    Ok(Exit::Success)
}

fn write_table(
    found: &[LedgerEntry],
    vault: &Vault,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let ids = ShortIds::few(vault, found.iter().filter_map(|entry| entry.session_uid.as_ref()))?;
    let mut table = Table::new(&[
        Column::left("WHERE"),
        Column::left("WHEN"),
        Column::shrinking("REPO", 2),
        Column::shrinking("QUESTION", 1),
        Column::shrinking("ANSWER", 1),
        Column::left("ADVICE"),
        Column::shrinking("ID", 2),
    ]);
    for entry in found {
        let decision = &entry.decision;
        let (style, advice) = match decision.followed() {
            Some(true) => (GOOD, "✓"),
            Some(false) => (BAD, "✗"),
            None => (DIM, ""),
        };
        let answer = one_line(&ledger::answer(decision));
        let answer = match decision.state {
            DecisionState::Answered => Cell::from(answer),
            DecisionState::Open => Cell::styled(WARN, answer),
            DecisionState::Skipped | DecisionState::Interrupted => Cell::styled(DIM, answer),
        };
        table.row(vec![
            Cell::styled(CODE, place(entry, &ids)),
            Cell::styled(DIM, when(entry, context)),
            entry.repo.as_deref().map(one_line).unwrap_or_default().into(),
            one_line(&ledger::question(decision)).into(),
            answer,
            Cell::styled(style, advice),
            Cell::styled(DIM, one_line(&decision.question_id)),
        ]);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)
}

/// When it was asked.
pub(super) fn when(entry: &LedgerEntry, context: &Context) -> String {
    entry.at.map(|at| local_minute(at, context.zone())).unwrap_or_default()
}

/// Where it was asked, as `show` takes it.
pub(super) fn place(entry: &LedgerEntry, ids: &ShortIds) -> String {
    match &entry.session_uid {
        Some(uid) => format!("{}/{}", ids.get(uid), entry.decision.seq),
        None => format!("hub/{}", one_line(entry.origin.as_deref().unwrap_or_default())),
    }
}
