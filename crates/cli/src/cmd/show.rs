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
    let background = timeline::background(&vault, &session.session_uid)?;
    let columns = ui.columns();
    let told = if ui.json {
        // Programs get every event; `--full` adds the payloads.
        scope.full = true;
        let mut teller = JsonTeller { with_payload: args.full, background: &background };
        timeline::tell(&vault, &session, scope, &mut teller, ui.out())?
    } else if args.markdown {
        let mut teller = MarkdownTeller::new(context, &background);
        timeline::tell(&vault, &session, scope, &mut teller, ui.out())?
    } else {
        let mut teller = TerminalTeller::new(context, &background, columns);
        timeline::tell(&vault, &session, scope, &mut teller, ui.out())?
    };
    match (told, target.seq) {
        (0, Some(seq)) if session.watermarks.evicted_at.is_some() => Err(Failure::not_found(
            format!("event {seq} of {} is not here any more", session.session_uid),
        )
        .hint("its digest above is what is kept; `backstory pin` keeps a session's raw events")),
        (0, Some(seq)) => {
            Err(Failure::not_found(format!("{} has no event {seq}", session.session_uid)))
        }
        _ => Ok(Exit::Success),
    }
}
