//! `backstory` without a command: take in what is new, tell what there is.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{bytes, cache_written, count, local_day, plural, tokens};
use crate::hub;
use crate::sweep;
use crate::table::{Cell, Column, Table};
use crate::ui::{BOLD, CODE, DIM, Ui, paint};
use backstory_engine::{Root, SyncOptions, SyncReport};
use backstory_store::{FlavorTotals, StoreError, Vault};

/// Runs the command.
pub(crate) fn run(context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let options = sweep::options(&settings, sweep::configured_roots(&settings))?;
    let report = sweep::run(&options, context, ui)?;
    if ui.json {
        ui.json_line(&sweep::shape(&options, &report))?;
    } else {
        tell(&options, &report, context, ui)?;
    }
    hub::deliver(&settings, &options.archive.home, ui);
    sweep::warn_of_versions(&options, &report, ui);
    Ok(sweep::exit(&report, ui))
}

fn tell(
    options: &SyncOptions,
    report: &SyncReport,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let vault = match Vault::open(&options.archive.home) {
        Ok(vault) => Some(vault),
        Err(StoreError::Missing(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let totals = vault.as_ref().map(Vault::totals).transpose()?.unwrap_or_default();
    if totals.iter().all(|agent| agent.events == 0) {
        write_nothing(&options.roots, report, context, ui)?;
    } else if !ui.is_quiet() {
        write_totals(&totals, context, ui)?;
        write_gist(report, &totals, vault.as_ref(), context, ui)?;
    }
    sweep::write_problems(report, context, ui)?;
    if !ui.is_quiet() && totals.iter().any(|agent| agent.events > 0) {
        write_next(report, ui)?;
    }
    Ok(())
}

fn write_totals(totals: &[FlavorTotals], context: &Context, ui: &mut Ui) -> Result<(), Failure> {
    let mut table = Table::new(&[
        Column::left(""),
        Column::right("SESSIONS"),
        Column::right("SUB-AGENTS"),
        Column::right("EVENTS"),
        Column::right("TOKENS IN"),
        Column::right("OUT"),
        Column::right("CACHE READ"),
        Column::right("WRITTEN"),
        Column::left("FROM"),
        Column::left("TO"),
    ]);
    for agent in totals {
        table.row(totals_row(agent, sweep::label(agent.flavor), context));
    }
    if let Some(all) = sum(totals).filter(|_| totals.len() > 1) {
        let row = totals_row(&all, "all", context);
        table.row(row);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)?;
    ui.line("")
}

fn totals_row(agent: &FlavorTotals, label: &str, context: &Context) -> Vec<Cell> {
    let day = |at: Option<_>| at.map(|at| local_day(at, context.zone())).unwrap_or_default();
    let or_none = |number: u64, text: String| {
        if number == 0 { Cell::styled(DIM, "–") } else { Cell::from(text) }
    };
    let cost = &agent.cost;
    let token = |number: u64| or_none(number, tokens(number));
    vec![
        Cell::styled(BOLD, label),
        count(agent.sessions).into(),
        or_none(agent.subagents, count(agent.subagents)),
        count(agent.events).into(),
        token(cost.input_tokens),
        token(cost.output_tokens),
        token(cost.cache_read_tokens),
        token(cache_written(cost)),
        day(agent.first).into(),
        day(agent.last).into(),
    ]
}

fn sum(totals: &[FlavorTotals]) -> Option<FlavorTotals> {
    let (first, others) = totals.split_first()?;
    let mut all = first.clone();
    for agent in others {
        all.sessions += agent.sessions;
        all.subagents += agent.subagents;
        all.events += agent.events;
        all.source_bytes += agent.source_bytes;
        all.cost.input_tokens += agent.cost.input_tokens;
        all.cost.output_tokens += agent.cost.output_tokens;
        all.cost.cache_read_tokens += agent.cost.cache_read_tokens;
        all.cost.cache_write_5m_tokens += agent.cost.cache_write_5m_tokens;
        all.cost.cache_write_1h_tokens += agent.cost.cache_write_1h_tokens;
        all.first = [all.first, agent.first].into_iter().flatten().min();
        all.last = all.last.max(agent.last);
    }
    Some(all)
}

fn write_gist(
    report: &SyncReport,
    totals: &[FlavorTotals],
    vault: Option<&Vault>,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let mut facts = vec![("this time", sweep::gist(report))];
    if let Some(vault) = vault {
        let sizes = vault.sizes()?;
        let source: u64 = totals.iter().map(|agent| agent.source_bytes).sum();
        let home = context.short_path(&vault.home().dir().display().to_string());
        facts.push((
            "stored",
            format!("{} for {} of logs, in {home}", bytes(sizes.rows + sizes.packs), bytes(source)),
        ));
    }
    facts.extend(sweep::upkeep_line(report).map(|line| ("upkeep", line)));
    facts.extend(sweep::interruption_line(report).map(|line| ("interrupted", line)));
    if report.secrets > 0 {
        let found = plural(report.secrets, "secret");
        facts.push(("redacted", format!("{found} before anything was stored")));
    }
    let odd: u64 = totals.iter().map(|agent| agent.unknown).sum();
    if odd > 0 {
        let records = plural(odd, "record");
        facts.push((
            "unknown",
            format!("{records} of types this version does not know, kept aside"),
        ));
    }
    for (name, text) in facts {
        ui.line(format!("{}{text}", paint(DIM, format_args!("{name:<11}"))))?;
    }
    Ok(())
}

fn write_next(report: &SyncReport, ui: &mut Ui) -> Result<(), Failure> {
    let mut next = vec![
        ("backstory sessions", "what was worked on, the latest first"),
        ("backstory show last", "the latest session as a timeline"),
    ];
    if report.problem_count > 0 || report.secrets > 0 {
        next.push(("backstory doctor", "what is odd, and which logs hold secrets"));
    }
    ui.line("")?;
    for (at, (command, what)) in next.into_iter().enumerate() {
        let name = if at == 0 { "next" } else { "" };
        let command = paint(CODE, format_args!("{command:<21}"));
        ui.line(format!("{}{command}{what}", paint(DIM, format_args!("{name:<11}"))))?;
    }
    Ok(())
}

/// A fresh machine: where was looked, and what can be done.
fn write_nothing(
    roots: &[Root],
    report: &SyncReport,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let files = report.total(|agent| agent.files);
    ui.line(if files == 0 {
        "No agent has left any logs where Backstory looks:\n".to_owned()
    } else {
        format!("{} seen, but no session in them. Backstory looked in:\n", plural(files, "file"))
    })?;
    let mut table = Table::new(&[Column::left(""), Column::left(""), Column::left("")]).indented(2);
    let mut last = None;
    for root in roots {
        let label = if last == Some(root.flavor) { "" } else { sweep::label(root.flavor) };
        last = Some(root.flavor);
        let found = if root.dir.is_dir() { "no session in it" } else { "no such folder" };
        table.row(vec![
            Cell::styled(BOLD, label),
            context.short_path(&root.dir.display().to_string()).into(),
            Cell::styled(DIM, found),
        ]);
    }
    table.write(ui.out(), None).map_err(Failure::output)?;
    ui.line("")?;
    for (command, what) in [
        ("backstory demo", "walks through a made-up history"),
        ("backstory sync --root claude=DIR", "reads logs kept elsewhere"),
    ] {
        ui.line(format!("{}  {what}", paint(CODE, format_args!("{command:<32}"))))?;
    }
    Ok(())
}
