//! `backstory schedule`: let the system run a sync every day or week.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::local_minute;
use crate::schedule::{Cadence, Installed, Job, Mechanism, Timers};
use crate::ui::{CODE, DIM, Ui, WARN, paint};
use backstory_api as api;
use clap::Subcommand;

/// Arguments of `schedule`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

/// What to do with the schedule.
#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Install it, or change it
    Install(Install),
    /// Remove every trace of it
    Remove,
    /// Tell what is installed and when it runs
    Show,
}

/// Arguments of `schedule install`.
#[derive(Clone, Debug, clap::Args)]
struct Install {
    /// How often [default: `cadence` in config.toml, else daily]
    #[arg(long, value_enum)]
    cadence: Option<Cadence>,
    /// Use this instead of what fits best
    #[arg(long, value_enum)]
    with: Option<Mechanism>,
}

type Found = Option<(Mechanism, Installed)>;

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let timers = Timers::new(context)?;
    match &args.action {
        Action::Install(args) => install(args, &timers, context, ui),
        Action::Remove => {
            let text = match timers.remove()?.as_slice() {
                [] => "no schedule was installed".to_owned(),
                removed => format!("removed the {}", labels(removed)),
            };
            tell("removed", &text, None, context, ui)?;
            Ok(Exit::Success)
        }
        Action::Show => {
            let found = timers.installed()?;
            let text = "no schedule is installed; `backstory schedule install` adds one";
            let exit = if found.is_some() { Exit::Success } else { Exit::NothingFound };
            tell("shown", text, found, context, ui)?;
            Ok(exit)
        }
    }
}

fn install(
    args: &Install,
    timers: &Timers,
    context: &Context,
    ui: &mut Ui,
) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let configured = || Cadence::from_name(&settings.retention.cadence.value);
    let cadence = args.cadence.or_else(configured).unwrap_or(Cadence::Daily);
    if cadence == Cadence::OnHook {
        let removed = timers.remove()?;
        let text = match removed.as_slice() {
            [] => "no timer is needed: hooks ask for a sync".to_owned(),
            removed => format!("removed the {}: hooks ask for a sync", labels(removed)),
        };
        let action = if removed.is_empty() { "unchanged" } else { "removed" };
        tell(action, &text, None, context, ui)?;
        return Ok(Exit::Success);
    }
    let unseen: Vec<String> = settings.store.decisive().map(ToString::to_string).collect();
    if !unseen.is_empty() {
        let unseen = unseen.join(", ");
        return Err(Failure::usage(format!("{unseen} would not reach a sync run by a timer"))
            .hint(format!("say the same in [store] of {}", settings.file.display())));
    }
    let mechanism = args.with.map_or_else(Timers::best, Ok)?;
    let job = Job::new(cadence, context, &settings)?;
    let changed = timers.install(mechanism, &job)?;
    let found = timers.installed()?;
    tell(if changed { "installed" } else { "unchanged" }, "", found, context, ui)?;
    if let [keys @ .., last] = settings.store.keys() {
        ui.warning(format!(
            "packs are in a bucket: a sync run by the timer needs {} and {last} in its own environment",
            keys.join(", ")
        ));
    }
    Ok(Exit::Success)
}

fn labels(mechanisms: &[Mechanism]) -> String {
    mechanisms.iter().map(|mechanism| mechanism.label()).collect::<Vec<_>>().join(" and the ")
}

/// Tells what is installed now, or the text if nothing is.
fn tell(
    action: &'static str,
    without: &str,
    found: Found,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    if ui.json {
        return ui.json_line(&shape(action, found));
    }
    let Some((mechanism, installed)) = found else {
        return ui.line(without);
    };
    let cadence = installed.cadence.map_or("at unknown times", Cadence::name);
    let note = match action {
        "installed" => "installed: ",
        "unchanged" => "already installed: ",
        _ => "",
    };
    ui.line(format!("{note}{} runs `backstory sync` {cadence}", mechanism.label()))?;
    let minute = |at: Option<_>| at.map(|at| local_minute(at, context.zone()));
    let fact = |name: &str, text: String| format!("{}{text}", paint(DIM, format!("{name:<11}")));
    for (name, at) in [("next", minute(installed.next_run)), ("last", minute(installed.last_run))] {
        if let Some(at) = at {
            ui.line(fact(name, at))?;
        }
    }
    for (at, file) in installed.files.iter().enumerate() {
        let name = if at == 0 { "files" } else { "" };
        ui.line(fact(name, context.short_path(&file.display().to_string())))?;
    }
    if !installed.active {
        ui.line(format!(
            "{} {} starts it again",
            paint(WARN, "it does not run:"),
            paint(CODE, "backstory schedule install")
        ))?;
    }
    Ok(())
}

fn shape(action: &'static str, found: Found) -> api::Schedule {
    let (mechanism, installed) = match found {
        Some((mechanism, installed)) => (Some(mechanism.name()), installed),
        None => (None, Installed::default()),
    };
    api::Schedule {
        action,
        mechanism,
        cadence: installed.cadence.map(Cadence::name),
        active: installed.active,
        files: installed.files.iter().map(|file| file.display().to_string()).collect(),
        next_run: installed.next_run.map(|at| at.to_string()),
        last_run: installed.last_run.map(|at| at.to_string()),
    }
}
