//! `backstory evict`: keep the archive within its budget.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{bytes, count, local_minute};
use crate::ids::ShortIds;
use crate::open;
use crate::table::{Cell, Column, Table};
use crate::ui::{BAD, BOLD, CODE, DIM, Ui, paint};
use crate::untrusted::one_line;
use crate::upkeep;
use backstory_api as api;
use backstory_distill::retention::Reason;
use backstory_engine::{EvictReport, Evicted};
use backstory_store::{Tiers, Vault};

/// Sessions listed on a terminal unless `--verbose` is given.
const TERMINAL_LIMIT: usize = 30;

/// What plugins posted, among the sizes.
const POSTED: &str = "posted by plugins";

/// Arguments of `evict`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Only tell what would leave, and why
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let archive = open::archive(&settings)?;
    let budget = settings.retention.budget();
    let report = backstory_engine::evict(&archive, &budget, args.dry_run, context.now)?;
    if ui.json {
        ui.json_line(&api::Evict {
            dry_run: args.dry_run,
            eviction: upkeep::eviction_shape(&report),
            distilled: upkeep::distilled_shape(&report.distilled),
        })?;
    } else if !ui.is_quiet() {
        write_report(&report, args.dry_run, &Vault::open(&archive.home)?, context, ui)?;
    }
    let failed = upkeep::warn_of_failures(&report.distilled, ui);
    let lost = upkeep::warn_of_budget(&report, args.dry_run, ui);
    Ok(if failed || lost { Exit::Problems } else { Exit::Success })
}

fn write_report(
    report: &EvictReport,
    dry_run: bool,
    vault: &Vault,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    if report.evicted.is_empty() && report.posted.is_empty() {
        ui.line(if dry_run { "nothing would leave" } else { "nothing had to leave" })?;
        return write_sizes(report.before, None, ui);
    }
    if !report.evicted.is_empty() {
        write_evicted(report, vault, context, ui)?;
    }
    write_sizes(report.before, Some(report.after), ui)?;
    if let Some(line) = upkeep::evicted_line(report).filter(|_| !dry_run) {
        ui.line(line)?;
    }
    if dry_run {
        ui.status(paint(DIM, "nothing was done; without --dry-run these leave"));
    }
    Ok(())
}

fn write_evicted(
    report: &EvictReport,
    vault: &Vault,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let limit = if ui.out_is_terminal() && !ui.is_verbose() { TERMINAL_LIMIT } else { usize::MAX };
    let ids = ShortIds::new(vault)?;
    let mut table = Table::new(&[
        Column::left("ID"),
        Column::left("WHY"),
        Column::left("LAST ACTIVE"),
        Column::right("ROOM"),
        Column::shrinking("TITLE", 1),
    ]);
    for evicted in report.evicted.iter().take(limit) {
        table.row(row(evicted, vault, &ids, context)?);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)?;
    let more = report.evicted.len().saturating_sub(limit) as u64;
    if more > 0 {
        ui.status(paint(DIM, format_args!("and {} more; --verbose lists them", count(more))));
    }
    ui.line("")
}

fn row(
    evicted: &Evicted,
    vault: &Vault,
    ids: &ShortIds,
    context: &Context,
) -> Result<Vec<Cell>, Failure> {
    let title = vault.session(&evicted.uid)?.and_then(|session| session.title);
    let active = evicted.active_at.map(|at| local_minute(at, context.zone()));
    let why = evicted.reason.name();
    Ok(vec![
        Cell::styled(CODE, ids.get(&evicted.uid)),
        if evicted.reason == Reason::LastResort { Cell::styled(BAD, why) } else { why.into() },
        Cell::styled(DIM, active.unwrap_or_default()),
        bytes(evicted.bytes).into(),
        title.as_deref().map(one_line).unwrap_or_default().into(),
    ])
}

fn write_sizes(before: Tiers, after: Option<Tiers>, ui: &mut Ui) -> Result<(), Failure> {
    let mut columns = vec![Column::left(""), Column::right("BEFORE")];
    columns.extend(after.map(|_| Column::right("AFTER")));
    let mut table = Table::new(&columns);
    let parts = |tiers: Tiers| {
        [
            tiers.raw_rows,
            tiers.raw_packs,
            tiers.raw_index,
            tiers.raw_posted,
            tiers.raw(),
            tiers.distilled,
        ]
    };
    let names = [
        "rows of raw events",
        "packs of raw events",
        "search index",
        POSTED,
        "tier 1, raw",
        "tier 2, distilled",
    ];
    for (at, name) in names.into_iter().enumerate() {
        // Most people have no plugin that posts.
        if name == POSTED && before.raw_posted == 0 {
            continue;
        }
        let mut cells = vec![Cell::styled(BOLD, name), bytes(parts(before)[at]).into()];
        cells.extend(after.map(|after| Cell::from(bytes(parts(after)[at]))));
        table.row(cells);
    }
    table.write(ui.out(), None).map_err(Failure::output)
}
