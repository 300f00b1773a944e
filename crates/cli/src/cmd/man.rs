//! `backstory man`: the manual page.

use crate::error::{Exit, Failure};
use crate::ui::Ui;
use clap::CommandFactory;

/// Runs the command.
pub(crate) fn run(ui: &mut Ui) -> Result<Exit, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(super::Cli::command()).render(&mut page).map_err(Failure::output)?;
    ui.out().write_all(&page).map_err(Failure::output)?;
    Ok(Exit::Success)
}
