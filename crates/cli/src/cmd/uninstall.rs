//! `backstory uninstall`: take out of agents' settings what `install` put in.

use super::install::{Choice, chosen, tell};
use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::install::{Action, Plan};
use crate::ui::Ui;

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
    tell(&agents, &plan, args.dry_run, &|_, _| Vec::new(), context, ui)?;
    let changed = plan.changes.iter().any(|(_, change)| change.action != Action::Unchanged);
    if !ui.json && !changed {
        ui.status("Nothing of Backstory was in these settings.");
    }
    Ok(Exit::Success)
}
