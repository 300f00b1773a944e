//! `backstory show`: one session as a timeline.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::ids;
use crate::timeline::{self, JsonTeller, MarkdownTeller, Scope, TerminalTeller};
use crate::ui::Ui;

/// Arguments of `show`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// The session: its id or the beginning of it, `last`, or a backstory:// address
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Cut nothing and show the agent's bookkeeping too; with --json include payloads
    #[arg(long)]
    pub(crate) full: bool,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let target = ids::resolve(&vault, &args.id)?;
    let missing = || Failure::not_found(format!("{} is not stored", target.uid));
    let session = vault.session(&target.uid)?.ok_or_else(missing)?;
    let mut scope = Scope { full: args.full, around: target.seq };
    let family = timeline::family(&vault, &session.session_uid)?;
    let columns = ui.columns();
    let told = if ui.json {
        // Programs get every event; `--full` adds the payloads.
        scope.full = true;
        let mut teller = JsonTeller { with_payload: args.full };
        timeline::tell(&vault, &session, scope, &mut teller, ui.out())?
    } else if args.markdown {
        let mut teller = MarkdownTeller::new(context, &family);
        timeline::tell(&vault, &session, scope, &mut teller, ui.out())?
    } else {
        let mut teller = TerminalTeller::new(context, &family, columns);
        timeline::tell(&vault, &session, scope, &mut teller, ui.out())?
    };
    match (told, target.seq) {
        (0, Some(seq)) => {
            Err(Failure::not_found(format!("{} has no event {seq}", session.session_uid)))
        }
        _ => Ok(Exit::Success),
    }
}
