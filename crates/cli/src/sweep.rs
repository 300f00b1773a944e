//! A sweep as commands run it: options from settings, a bar while it works, its report in words.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{bytes, count, plural};
use crate::open;
use crate::progress::SweepBar;
use crate::settings::Settings;
use crate::ui::{BAD, BOLD, DIM, Ui, paint};
use crate::untrusted::one_line;
use crate::upkeep;
use backstory_adapters::versions;
use backstory_api as api;
use backstory_engine::live::{SealChoice, SealOptions};
use backstory_engine::{Problem, Root, SyncOptions, SyncReport, not_warned_of, unknown_versions};
use backstory_model::Flavor;
use backstory_store::Vault;
use std::fmt::Write;

/// Problems shown before the rest is only counted.
const SHOWN_PROBLEMS: usize = 8;
/// Versions named in one warning.
const SHOWN_VERSIONS: usize = 8;

/// Options of a plain sweep over the given roots.
pub(crate) fn options(settings: &Settings, roots: Vec<Root>) -> Result<SyncOptions, Failure> {
    Ok(SyncOptions {
        spool: true,
        domains: settings.domains.value.clone(),
        task_ref_patterns: settings.task_ref_patterns.value.clone(),
        budget: Some(settings.retention.budget()),
        index: true,
        seal: Some(SealOptions { knobs: settings.live, choice: SealChoice::Pending }),
        ..SyncOptions::new(open::archive(settings)?, roots)
    })
}

/// Every agent's configured folders.
pub(crate) fn configured_roots(settings: &Settings) -> Vec<Root> {
    let of = |flavor: Flavor| {
        settings.sources_of(flavor).iter().map(move |dir| Root { flavor, dir: dir.clone() })
    };
    Flavor::LOGGED.into_iter().flat_map(of).collect()
}

/// Sweeps, with a progress bar where somebody watches.
pub(crate) fn run(
    options: &SyncOptions,
    context: &Context,
    ui: &Ui,
) -> Result<SyncReport, Failure> {
    let mut bar = SweepBar::new(ui.may_draw());
    let report = backstory_engine::sync(options, context.now, &mut |progress| bar.update(progress));
    bar.finish();
    Ok(report?)
}

/// The agent's name as people write it.
pub(crate) fn label(flavor: Flavor) -> &'static str {
    backstory_adapters::of(flavor).map_or(flavor.name(), |adapter| adapter.spec().label)
}

/// `3 new sessions, 214 new events · read 4 files (1.2 MB), 653 unchanged`.
pub(crate) fn gist(report: &SyncReport) -> String {
    let read = report.total(|agent| agent.files_read);
    let unchanged = report.total(|agent| agent.files).saturating_sub(read);
    if read + unchanged == 0 {
        return "no logs found".into();
    }
    if read == 0 {
        return format!("nothing new · {} unchanged", plural(unchanged, "file"));
    }
    let new = |number: u64, noun: &str| match number {
        0 => format!("no new {noun}s"),
        _ => plural(number, &format!("new {noun}")),
    };
    let mut text = format!(
        "{}, {} · read {} ({})",
        new(report.total(|agent| agent.new_sessions), "session"),
        new(report.total(|agent| agent.new_events), "event"),
        plural(read, "file"),
        bytes(report.total(|agent| agent.bytes_read)),
    );
    if unchanged > 0 {
        let _ = write!(text, ", {} unchanged", count(unchanged));
    }
    text
}

/// What a sweep did to keep the archive in order, on one line; nothing if that was nothing.
pub(crate) fn upkeep_line(report: &SyncReport) -> Option<String> {
    let done = [
        upkeep::distilled_line(&report.distilled),
        upkeep::sealing_line(&report.sealed),
        upkeep::evicted_line(&report.evictions),
    ];
    let done: Vec<String> = done.into_iter().flatten().collect();
    (!done.is_empty()).then(|| done.join(" · "))
}

/// That the archive was out of reach for a while; nothing if it never was.
pub(crate) fn interruption_line(report: &SyncReport) -> Option<String> {
    (report.interruptions > 0).then(|| {
        let times = plural(report.interruptions.into(), "time");
        format!("the archive was out of reach {times}; went on from what was stored")
    })
}

/// How a sweep ended; trouble with digests and the budget is told.
pub(crate) fn exit(report: &SyncReport, ui: &mut Ui) -> Exit {
    let failed = upkeep::warn_of_failures(&report.distilled, ui);
    let lost = upkeep::warn_of_budget(&report.evictions, false, ui);
    let unsealed = upkeep::warn_of_unsealed(&report.sealed, ui);
    let unindexed = upkeep::warn_of_index(&report.indexed, ui)
        || upkeep::warn_of_index(&report.evictions.indexed, ui);
    if failed || lost || unsealed || unindexed || report.problem_count > 0 {
        Exit::Problems
    } else {
        Exit::Success
    }
}

/// Warns once of every version of an agent that nobody checked; its logs are read all the same. A quiet run
/// is nobody's to read, so that it neither warns nor counts as a warning.
pub(crate) fn warn_of_versions(options: &SyncOptions, report: &SyncReport, ui: &mut Ui) {
    let home = &options.archive.home;
    if options.dry_run || ui.is_quiet() || report.total(|agent| agent.files_read) == 0 {
        return;
    }
    // Who cannot be warned now is warned by the next sync.
    let Ok(vault) = Vault::open(home) else { return };
    let Ok(met) = unknown_versions(&vault, versions::is_known) else { return };
    let Ok(new) = not_warned_of(home, met) else { return };
    for flavor in Flavor::LOGGED {
        let met: Vec<String> = new
            .iter()
            .filter(|met| met.flavor == flavor)
            .map(|met| one_line(&met.version))
            .collect();
        let shown = met.iter().take(SHOWN_VERSIONS).cloned().collect::<Vec<_>>().join(", ");
        let more = met.len().saturating_sub(SHOWN_VERSIONS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if !met.is_empty() {
            ui.warning(format!(
                "{} {shown}{more} was not checked with this program; its logs are read all the same",
                label(flavor)
            ));
        }
    }
}

/// Lists what made trouble, with file and line.
pub(crate) fn write_problems(
    report: &SyncReport,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    if report.problem_count == 0 {
        return Ok(());
    }
    if !ui.is_quiet() {
        ui.line("")?;
    }
    ui.line(paint(BAD.bold(), plural(report.problem_count, "problem")))?;
    let shown = if ui.is_verbose() { SyncReport::MAX_PROBLEMS } else { SHOWN_PROBLEMS };
    for problem in report.problems.iter().take(shown) {
        ui.line(format!("  {}", paint(BOLD, place(problem, context))))?;
        ui.line(format!("    {}", one_line(&problem.what)))?;
    }
    let rest = report.problem_count.saturating_sub(report.problems.len().min(shown) as u64);
    if rest > 0 {
        let way = if ui.is_verbose() { "" } else { "; --verbose lists more" };
        ui.line(paint(DIM, format_args!("  and {} more{way}", count(rest))))?;
    }
    Ok(())
}

fn place(problem: &Problem, context: &Context) -> String {
    let path = one_line(&context.short_path(&problem.path));
    match problem.line {
        Some(line) => format!("{path}:{line}"),
        None => path,
    }
}

/// The report as `--json` shows it.
pub(crate) fn shape(options: &SyncOptions, report: &SyncReport) -> api::Sync {
    api::Sync {
        home: options.archive.home.dir().display().to_string(),
        roots: options
            .roots
            .iter()
            .map(|root| api::SearchedRoot {
                flavor: root.flavor.name(),
                path: root.dir.display().to_string(),
                exists: root.dir.is_dir(),
            })
            .collect(),
        agents: report
            .flavors
            .iter()
            .map(|agent| api::AgentSync {
                flavor: agent.flavor.name(),
                files: agent.files,
                files_read: agent.files_read,
                bytes_read: agent.bytes_read,
                new_sessions: agent.new_sessions,
                new_events: agent.new_events,
                known_events: agent.known_events,
                unknown: agent.unknown,
                bad: agent.bad,
            })
            .collect(),
        secrets: report.secrets,
        spooled: report.spooled,
        distilled: upkeep::distilled_shape(&report.distilled),
        eviction: options.budget.map(|_| upkeep::eviction_shape(&report.evictions)),
        sealing: options
            .seal
            .as_ref()
            .filter(|_| options.budget.is_some())
            .map(|_| upkeep::sealing_shape(&report.sealed)),
        interruptions: report.interruptions,
        problem_count: report.problem_count,
        problems: report.problems.iter().map(problem_shape).collect(),
    }
}

/// A problem as `--json` shows it.
pub(crate) fn problem_shape(problem: &Problem) -> api::Problem {
    api::Problem {
        flavor: problem.flavor.map(Flavor::name),
        path: problem.path.clone(),
        line: problem.line,
        what: problem.what.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_engine::FlavorProgress;

    fn report(files: u64, read: u64, sessions: u64, events: u64) -> SyncReport {
        let mut agent = FlavorProgress::new(Flavor::Codex);
        (agent.files, agent.files_read, agent.bytes_read) = (files, read, read * 1500);
        (agent.new_sessions, agent.new_events) = (sessions, events);
        SyncReport { flavors: vec![agent], ..SyncReport::default() }
    }

    #[test]
    fn the_gist_says_what_happened() {
        assert_eq!(gist(&report(9, 0, 0, 0)), "nothing new · 9 files unchanged");
        assert_eq!(
            gist(&report(5, 5, 1, 2000)),
            "1 new session, 2,000 new events · read 5 files (7.5 kB)"
        );
        assert_eq!(
            gist(&report(5, 1, 0, 1)),
            "no new sessions, 1 new event · read 1 file (1.5 kB), 4 unchanged"
        );
    }
}
