//! `backstory uninstall`: take out of agents' settings what `install` put in.

use super::install::{Choice, chosen, tell};
use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::install::{Action, Plan};
use crate::ui::Ui;
use backstory_model::Flavor;
use std::path::Path;

/// Arguments of `uninstall`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Whose settings
    #[arg(value_name = "AGENT", value_enum, required = true)]
    agents: Vec<Choice>,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let agents = chosen(&args.agents, context, ui)?;
    let mut plan = Plan::uninstall(&agents, &settings.home.value)?;
    if !args.dry_run {
        plan.carry_out(context.now)?;
    }
    let notes = |flavor: Flavor, _| {
        let note = |path: &Path| {
            let path = context.short_path(&path.display().to_string());
            format!("{path} still runs Backstory: in a command that does more, which is yours")
        };
        plan.left(flavor).map(note).collect()
    };
    tell(&agents, &plan, args.dry_run, &notes, context, ui)?;
    let changed = plan.changes.iter().any(|(_, change)| change.action != Action::Unchanged);
    if !ui.json && !changed {
        ui.status("Nothing of Backstory was in these settings.");
    }
    Ok(Exit::Success)
}
