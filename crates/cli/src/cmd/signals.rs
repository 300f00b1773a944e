//! `backstory signals`: what was noticed in sessions.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{count, local_minute};
use crate::ids::{self, ShortIds};
use crate::table::{Cell, Column, Table};
use crate::ui::{CODE, DIM, GOOD, Ui, paint};
use crate::untrusted::one_line;
use crate::when::End;
use backstory_api as api;
use backstory_model::{Sighting, SignalKind};
use backstory_store::SignalFilter;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Signals listed on a terminal unless asked otherwise.
const TERMINAL_LIMIT: usize = 50;

/// Arguments of `signals`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_help = "A moment is 2026-11-01, 2026-11-01T10:00:00Z, 7d, 3h, today or yesterday.")]
pub(crate) struct Args {
    /// Only this kind; may be repeated
    #[arg(long = "kind", value_name = "KIND", value_parser = kind_parser())]
    pub(crate) kinds: Vec<SignalKind>,
    /// Only this repository, by its name
    #[arg(long, value_name = "NAME")]
    pub(crate) repo: Option<String>,
    /// Only at or after this moment
    #[arg(long, value_name = "MOMENT")]
    pub(crate) since: Option<String>,
    /// Only of this session: its id or the beginning of it, or `last`
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// List at most so many; 0 lists all [default: 50 on a terminal, else all]
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Accepts the names of the kinds.
pub(super) fn kind_parser() -> impl TypedValueParser<Value = SignalKind> {
    PossibleValuesParser::new(SignalKind::ALL.map(SignalKind::name))
        .try_map(|name| SignalKind::from_name(&name).ok_or("no such kind"))
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let limit = ui.limit(args.limit, TERMINAL_LIMIT);
    let session = args.session.as_deref().map(|id| ids::resolve(&vault, id)).transpose()?;
    let mut found = vault.signals(&SignalFilter {
        kinds: args.kinds.clone(),
        session: session.map(|target| target.uid),
        repo: args.repo.clone(),
        since: context.moment(args.since.as_deref(), End::Since)?,
        // One more than is listed tells whether there are more.
        limit: limit.map(|limit| limit.saturating_add(1)),
        ..SignalFilter::default()
    })?;
    let has_more = limit.is_some_and(|limit| found.len() > limit);
    found.truncate(limit.unwrap_or(usize::MAX));
    if found.is_empty() {
        ui.status("no signal matches");
        return Ok(Exit::NothingFound);
    }
    if ui.json {
        for sighting in &found {
            ui.json_line(&api::Signal::new(&sighting.session_uid, &sighting.signal))?;
        }
        return Ok(Exit::Success);
    }
    let ids = ShortIds::new(&vault)?;
    write_table(&found, &ids, context, ui)?;
    if has_more {
        let shown = count(found.len() as u64);
        let hint = format!("the latest {shown} are shown; --limit 0 lists all");
        ui.status(paint(DIM, hint));
    }
    Ok(Exit::Success)
}

fn write_table(
    found: &[Sighting],
    ids: &ShortIds,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let mut table = Table::new(&[
        Column::left("SESSION"),
        Column::right("EVENT"),
        Column::left("WHEN"),
        Column::left("KIND"),
        Column::right("TIMES"),
        Column::shrinking("REPO", 2),
        Column::shrinking("WHAT", 1),
        Column::shrinking("FIXED BY", 1),
    ]);
    for sighting in found {
        let signal = &sighting.signal;
        let when = signal.ts.map(|at| local_minute(at, context.zone())).unwrap_or_default();
        let fix = signal.fix.as_ref().map(|fix| one_line(&fix.what)).unwrap_or_default();
        table.row(vec![
            Cell::styled(CODE, ids.get(&sighting.session_uid)),
            signal.seq.to_string().into(),
            Cell::styled(DIM, when),
            signal.kind.name().into(),
            count(u64::from(signal.count)).into(),
            sighting.repo.as_deref().map(one_line).unwrap_or_default().into(),
            one_line(&signal.what).into(),
            Cell::styled(GOOD, fix),
        ]);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)
}
