//! `backstory status`: what is stored, how large, how current.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{age, bytes, count, local_minute, plural};
use crate::open;
use crate::sweep;
use crate::table::{Cell, Column, Table};
use crate::ui::{BOLD, DIM, Ui, WARN, paint};
use crate::untrusted::one_line;
use crate::usage::Usage;
use backstory_api as api;
use backstory_engine::live;
use backstory_engine::notices::{self, Event, Notice};
use backstory_engine::pushed;
use backstory_model::Timestamp;
use backstory_store::{FlavorTotals, Home, Sizes, SweepRecord, Vault};

/// Below this the ratio of archive to logs tells nothing.
const MIN_TELLING_BYTES: u64 = 1_000_000;
/// A loss is told for so long.
const LOSS_SHOWN_DAYS: i64 = 30;
/// Losses told one by one.
const SHOWN_LOSSES: usize = 5;

/// Runs the command.
pub(crate) fn run(context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let archive = open::archive(&settings)?;
    let vault = Vault::open(&archive.home)?;
    let totals = vault.totals()?;
    let sizes = vault.sizes()?;
    let last_sweep = vault.last_sweep()?;
    let losses = recent_losses(vault.home(), context.now, ui);
    let usage = Usage::of((&archive, &vault), &settings.retention, context.now)?;
    let live = api::LiveSessions {
        sessions: live::live(vault.home()).len() as u64,
        waiting: live::pending(vault.home(), context.now, &settings.live).len() as u64,
    };
    let posted = posted(&vault)?;
    if ui.json {
        let stored = stored_shape(&totals, sizes);
        let told = shape(&vault, stored, &totals, last_sweep, (losses, &usage));
        ui.json_line(&api::Status { live, posted, ..told })?;
        return Ok(Exit::Success);
    }
    let mut facts =
        vec![("archive", context.short_path(&vault.home().dir().display().to_string()))];
    facts.push(("stored", stored(&totals, sizes)));
    facts.extend(usage.facts());
    if live.sessions > 0 {
        let sessions = plural(live.sessions, "session");
        let waiting = count(live.waiting);
        facts.push(("live", format!("{sessions} may still run, {waiting} to be sealed")));
    }
    if posted.sessions > 0 {
        let sessions = plural(posted.sessions, "session");
        let waiting = count(posted.waiting);
        let size = bytes(posted.bytes);
        facts.push(("posted", format!("{sessions} ({size}), {waiting} to be taken in")));
    }
    facts.push((
        "last sync",
        last_sweep.map_or_else(|| "never finished".into(), |sweep| last(sweep, context)),
    ));
    for (name, text) in facts {
        ui.line(format!("{}{text}", paint(DIM, format_args!("{name:<11}"))))?;
    }
    ui.line("")?;
    write_coverage(&totals, context, ui)?;
    warn_of(&losses, ui);
    Ok(Exit::Success)
}

/// What plugins posted.
fn posted(vault: &Vault) -> Result<api::PostedFiles, Failure> {
    let files = pushed::posted(vault.home(), vault)?;
    Ok(api::PostedFiles {
        sessions: files.len() as u64,
        bytes: files.iter().map(|file| file.bytes).sum(),
        waiting: files.iter().filter(|file| !file.is_taken_in).count() as u64,
    })
}

/// Sessions lost lately. A log that cannot be read is no reason to tell nothing else.
fn recent_losses(home: &Home, now: Timestamp, ui: &mut Ui) -> Vec<api::DataLoss> {
    let since = Timestamp(now.0 - LOSS_SHOWN_DAYS * 24 * 3_600_000);
    let recent = notices::read_recent(home, since).unwrap_or_else(|error| {
        ui.warning(error);
        Vec::new()
    });
    let loss = |notice: Notice| match notice.event {
        Event::DataLoss { session_uid, started_at, bytes, reason } => Some(api::DataLoss {
            at: notice.at.to_string(),
            session_uid,
            started_at: started_at.map(|at| at.to_string()),
            bytes,
            reason,
        }),
        Event::Tier2OverCap { .. } => None,
    };
    recent.into_iter().filter_map(loss).collect()
}

fn warn_of(losses: &[api::DataLoss], ui: &mut Ui) {
    let shown = if ui.is_verbose() { losses.len() } else { SHOWN_LOSSES };
    for loss in losses.iter().rev().take(shown) {
        let (day, size) = (loss.at.get(..10).unwrap_or(&loss.at), bytes(loss.bytes));
        ui.warning(one_line(&format!(
            "{} ({size}) was lost on {day} before it was analysed: {}",
            loss.session_uid, loss.reason
        )));
    }
    if let Some(rest) = losses.len().checked_sub(shown).filter(|rest| *rest > 0) {
        let sessions = plural(rest as u64, "more session");
        ui.warning(format!(
            "{sessions} lost in the last {LOSS_SHOWN_DAYS} days; --verbose lists them"
        ));
    }
}

fn ratio(totals: &[FlavorTotals], sizes: Sizes) -> (u64, Option<f64>) {
    let source: u64 = totals.iter().map(|agent| agent.source_bytes).sum();
    let stored = (sizes.rows + sizes.packs) as f64;
    (source, (source > 0).then(|| stored / source as f64))
}

fn stored(totals: &[FlavorTotals], sizes: Sizes) -> String {
    let (source, ratio) = ratio(totals, sizes);
    // Next to a handful of small logs an empty database looks huge; that says nothing.
    let telling = ratio.filter(|_| source >= MIN_TELLING_BYTES);
    let share = telling.map_or_else(String::new, |ratio| {
        format!(", {:.0} % of {} of logs", ratio * 100.0, bytes(source))
    });
    format!(
        "{} (rows {}, packs {}){share}",
        bytes(sizes.rows + sizes.packs),
        bytes(sizes.rows),
        bytes(sizes.packs)
    )
}

fn last(sweep: SweepRecord, context: &Context) -> String {
    let age = match age(sweep.finished_at, context.now) {
        now if now == "now" => "just now".into(),
        age => format!("{age} ago"),
    };
    format!(
        "{} ({age}): {} seen, {} read ({}), {}, {}",
        local_minute(sweep.finished_at, context.zone()),
        plural(sweep.files, "file"),
        count(sweep.files_read),
        bytes(sweep.bytes_read),
        plural(sweep.new_events, "new event"),
        plural(sweep.problems, "problem"),
    )
}

fn write_coverage(totals: &[FlavorTotals], context: &Context, ui: &mut Ui) -> Result<(), Failure> {
    let mut table = Table::new(&[
        Column::left(""),
        Column::right("FILES"),
        Column::right("LOGS"),
        Column::right("SESSIONS"),
        Column::right("SUB-AGENTS"),
        Column::right("EVENTS"),
        Column::right("UNKNOWN"),
        Column::right("UNREADABLE"),
        Column::right("SILENT FILES"),
        Column::left("LAST ACTIVE"),
    ]);
    let alarm =
        |number: u64| if number > 0 { Cell::styled(WARN, count(number)) } else { "0".into() };
    for agent in totals {
        table.row(vec![
            Cell::styled(BOLD, sweep::label(agent.flavor)),
            count(agent.files).into(),
            bytes(agent.source_bytes).into(),
            count(agent.sessions).into(),
            count(agent.subagents).into(),
            count(agent.events).into(),
            alarm(agent.unknown),
            alarm(agent.bad),
            alarm(agent.silent_files),
            agent.last.map(|at| local_minute(at, context.zone())).unwrap_or_default().into(),
        ]);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)
}

fn stored_shape(totals: &[FlavorTotals], sizes: Sizes) -> api::Stored {
    let (source_bytes, ratio) = ratio(totals, sizes);
    api::Stored {
        rows_bytes: sizes.rows,
        packs_bytes: sizes.packs,
        total_bytes: sizes.rows + sizes.packs,
        source_bytes,
        ratio,
    }
}

fn shape(
    vault: &Vault,
    stored: api::Stored,
    totals: &[FlavorTotals],
    last_sweep: Option<SweepRecord>,
    (data_loss, usage): (Vec<api::DataLoss>, &Usage<'_>),
) -> api::Status {
    api::Status {
        home: vault.home().dir().display().to_string(),
        stored,
        data_loss,
        raw: usage.raw_shape(),
        distilled: usage.distilled_shape(),
        sessions: usage.sessions_shape(),
        live: api::LiveSessions::default(),
        posted: api::PostedFiles::default(),
        forecast: usage.forecast,
        last_sweep: last_sweep.map(|sweep| api::Sweep {
            started_at: sweep.started_at.to_string(),
            finished_at: sweep.finished_at.to_string(),
            files: sweep.files,
            files_read: sweep.files_read,
            bytes_read: sweep.bytes_read,
            new_events: sweep.new_events,
            problems: sweep.problems,
        }),
        agents: totals.iter().map(agent_shape).collect(),
    }
}

fn agent_shape(agent: &FlavorTotals) -> api::AgentStatus {
    api::AgentStatus {
        flavor: agent.flavor.name(),
        sessions: agent.sessions,
        subagents: agent.subagents,
        events: agent.events,
        cost: api::Cost { wall_clock_s: None, ..api::Cost::from(&agent.cost) },
        span: api::Span::new(agent.first, agent.last),
        files: agent.files,
        source_bytes: agent.source_bytes,
        unknown: agent.unknown,
        bad: agent.bad,
        silent_files: agent.silent_files,
    }
}
