//! `backstory sync`: take in what is new.

use crate::context::Context;
use crate::env::Env;
use crate::error::{Exit, Failure};
use crate::figures::{bytes, count, plural};
use crate::hub;
use crate::settings::Settings;
use crate::sweep;
use crate::table::{Cell, Column, Table};
use crate::ui::{BOLD, DIM, Ui, WARN, paint};
use crate::untrusted::one_line;
use backstory_api as api;
use backstory_engine::{Root, SyncReport};
use backstory_model::Flavor;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Arguments of `sync`.
#[derive(Clone, Debug, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Args {
    /// Only this agent; may be repeated
    #[arg(long = "agent", value_name = "AGENT", value_parser = agent_parser())]
    pub(crate) agents: Vec<Flavor>,
    /// Look for this agent's logs here instead of in its usual folders; may be repeated
    #[arg(long = "root", value_name = "AGENT=DIR", value_parser = parse_root)]
    pub(crate) roots: Vec<RootArg>,
    /// Read every file again from its beginning
    ///
    /// Nothing is stored twice. Use it after an upgrade that understands more record types, or when
    /// `backstory doctor` reports damaged packs.
    #[arg(long)]
    pub(crate) reparse: bool,
    /// Only list the files that would be read, and why
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Only take in: write no digests and let nothing leave
    #[arg(long)]
    pub(crate) no_distil: bool,
    /// Leave the search index as it is; `backstory index` brings it up to date
    #[arg(long)]
    pub(crate) no_index: bool,
}

/// A folder given for one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootArg {
    flavor: Flavor,
    dir: String,
}

/// Accepts the names of the agents whose logs are read.
fn agent_parser() -> impl TypedValueParser<Value = Flavor> {
    PossibleValuesParser::new(Flavor::LOGGED.map(Flavor::name))
        .try_map(|name| Flavor::logged_from_name(&name).ok_or("no such agent"))
}

fn parse_root(text: &str) -> Result<RootArg, String> {
    let names = || Flavor::LOGGED.map(Flavor::name).join(", ");
    let (name, dir) = text.split_once('=').ok_or("expected AGENT=DIR, e.g. claude=/mnt/logs")?;
    let flavor = Flavor::logged_from_name(name)
        .ok_or_else(|| format!("{name:?} is no known agent; known are {}", names()))?;
    if dir.is_empty() {
        return Err("the folder is missing behind `=`".into());
    }
    Ok(RootArg { flavor, dir: dir.to_owned() })
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let mut options = sweep::options(&settings, chosen_roots(args, &settings, context)?)?;
    options.reparse = args.reparse;
    options.dry_run = args.dry_run;
    if args.no_distil {
        options.budget = None;
    }
    options.index = !args.no_index;
    options.spool = args.agents.is_empty() && args.roots.is_empty();
    if !options.spool {
        options.seal = None;
    }
    let report = sweep::run(&options, context, ui)?;
    if args.dry_run {
        write_plan(&report, context, ui)?;
    } else if ui.json {
        ui.json_line(&sweep::shape(&options, &report))?;
    } else {
        write_report(&report, context, ui)?;
    }
    if !args.dry_run {
        hub::deliver(&settings, &options.archive.home, ui);
    }
    sweep::warn_of_versions(&options, &report, ui);
    Ok(sweep::exit(&report, ui))
}

/// Folders to sweep: `--root` replaces an agent's own, `--agent` leaves the others out.
fn chosen_roots(args: &Args, settings: &Settings, context: &Context) -> Result<Vec<Root>, Failure> {
    let wanted = |flavor: Flavor| args.agents.is_empty() || args.agents.contains(&flavor);
    let mut given = Vec::new();
    for root in &args.roots {
        if !wanted(root.flavor) {
            return Err(Failure::usage(format!(
                "--root names {}, which --agent leaves out",
                root.flavor
            )));
        }
        let dir = Env::absolute(&context.env.expand_tilde(&root.dir));
        if !dir.is_dir() {
            let reason = if dir.exists() { "is not a folder" } else { "does not exist" };
            return Err(Failure::usage(format!(
                "--root {}={}: {} {reason}",
                root.flavor,
                root.dir,
                dir.display()
            )));
        }
        given.push(Root { flavor: root.flavor, dir });
    }
    let replaced = |flavor: Flavor| given.iter().any(|root| root.flavor == flavor);
    let configured = sweep::configured_roots(settings)
        .into_iter()
        .filter(|root| wanted(root.flavor) && !replaced(root.flavor));
    Ok(configured.chain(given.iter().cloned()).collect())
}

fn write_report(report: &SyncReport, context: &Context, ui: &mut Ui) -> Result<(), Failure> {
    if !ui.is_quiet() {
        write_agents(report, ui)?;
        ui.line(sweep::gist(report))?;
        for line in [sweep::upkeep_line(report), sweep::interruption_line(report)] {
            line.map_or(Ok(()), |line| ui.line(line))?;
        }
        if report.secrets > 0 {
            let secrets = plural(report.secrets, "secret");
            ui.line(format!("{secrets} redacted; `backstory doctor` says where they stand"))?;
        }
    }
    sweep::write_problems(report, context, ui)
}

fn write_agents(report: &SyncReport, ui: &mut Ui) -> Result<(), Failure> {
    let read: Vec<_> = report.flavors.iter().filter(|agent| agent.files_read > 0).collect();
    if read.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&[
        Column::left("AGENT"),
        Column::right("READ"),
        Column::right("OF FILES"),
        Column::right("BYTES"),
        Column::right("NEW SESSIONS"),
        Column::right("NEW EVENTS"),
        Column::right("KNOWN"),
        Column::right("UNKNOWN"),
        Column::right("UNREADABLE"),
    ]);
    for agent in read {
        let alarm = |number: u64| {
            if number > 0 { Cell::styled(WARN, count(number)) } else { count(number).into() }
        };
        table.row(vec![
            Cell::styled(BOLD, sweep::label(agent.flavor)),
            count(agent.files_read).into(),
            count(agent.files).into(),
            bytes(agent.bytes_read).into(),
            count(agent.new_sessions).into(),
            count(agent.new_events).into(),
            count(agent.known_events).into(),
            alarm(agent.unknown),
            alarm(agent.bad),
        ]);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)?;
    ui.line("")
}

fn write_plan(report: &SyncReport, context: &Context, ui: &mut Ui) -> Result<(), Failure> {
    if ui.json {
        return report.planned.iter().try_for_each(|file| {
            ui.json_line(&api::PlannedFile {
                flavor: file.flavor.name(),
                path: file.path.display().to_string(),
                bytes: file.bytes,
                why: file.why,
            })
        });
    }
    let mut table = Table::new(&[
        Column::left("AGENT"),
        Column::left("WHY"),
        Column::right("BYTES"),
        Column::left("FILE"),
    ]);
    for file in &report.planned {
        table.row(vec![
            file.flavor.name().into(),
            file.why.into(),
            bytes(file.bytes).into(),
            one_line(&context.short_path(&file.path.display().to_string())).into(),
        ]);
    }
    if !report.planned.is_empty() {
        table.write(ui.out(), None).map_err(Failure::output)?;
    }
    let total: u64 = report.planned.iter().map(|file| file.bytes).sum();
    let files = plural(report.planned.len() as u64, "file");
    let unchanged = report.total(|agent| agent.files).saturating_sub(report.planned.len() as u64);
    ui.status(paint(
        DIM,
        format_args!("would read {files} ({}); {} unchanged", bytes(total), count(unchanged)),
    ));
    sweep::write_problems(report, context, ui)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_told_apart_from_nonsense() {
        let root = parse_root("grok=/a=b").unwrap();
        assert_eq!((root.flavor, root.dir.as_str()), (Flavor::Grok, "/a=b"));
        assert!(parse_root("/a").unwrap_err().contains("AGENT=DIR"));
        assert!(parse_root("gemini=/a").unwrap_err().contains("claude, codex, grok"));
        assert!(parse_root("codex=").is_err());
    }
}
