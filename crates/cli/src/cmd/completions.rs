//! `backstory completions`: a completion script for a shell.

use crate::error::{Exit, Failure};
use crate::ui::Ui;
use clap::CommandFactory;
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "For example: backstory completions fish > ~/.config/fish/completions/backstory.fish"
)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Runs the command.
pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Failure> {
    // The generator panics when its writer fails, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "backstory", &mut script);
    ui.out().write_all(&script).map_err(Failure::output)?;
    Ok(Exit::Success)
}
