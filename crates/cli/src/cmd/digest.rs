//! `backstory digest`: what is kept of one session.

use super::decisions;
use crate::context::Context;
use crate::digest;
use crate::error::{Exit, Failure};
use crate::figures::plural;
use crate::ids;
use crate::timeline::{self, Background, header};
use crate::ui::{DIM, Ui, paint};
use backstory_api as api;

/// Arguments of `digest`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// The session: its id or the beginning of it, `last`, or a backstory:// address
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let uid = ids::resolve(&vault, &args.id)?.uid;
    let missing = |what: &str| Failure::not_found(format!("{uid} {what}"));
    let session = vault.session(&uid)?.ok_or_else(|| missing("is not stored"))?;
    let account = vault.account(&uid)?.ok_or_else(|| {
        missing("has no digest yet").hint("`backstory distil` brings digests up to date")
    })?;
    if session.watermarks.analyzed_at.is_none() {
        ui.warning(
            "the session went on after this digest; `backstory distil` brings it up to date",
        );
    }
    if ui.json {
        let asked = decisions::of_session(&vault, &uid)?;
        ui.json_line(&api::DigestedSession {
            session: api::Session::from(&session),
            digest: api::Digest::new(&uid, &account.digest),
            signals: account.signals.iter().map(|known| api::Signal::new(&uid, known)).collect(),
            decisions: asked.iter().map(decisions::shape).collect(),
        })?;
        return Ok(Exit::Success);
    }
    // Its gist would stand above the whole.
    let background = Background { digest: None, ..timeline::background(&vault, &uid)? };
    let sections = digest::sections(&uid, &account.digest, &account.decisions);
    if args.markdown {
        header::write_markdown(&session, &background, context, ui.out())?;
        digest::write_markdown(&sections, ui.out())?;
        return Ok(Exit::Success);
    }
    let columns = ui.columns();
    header::write_terminal(&session, &background, context, columns, ui.out())?;
    digest::write_terminal(&sections, columns, ui.out())?;
    if sections.is_empty() {
        ui.line(paint(DIM, "Nothing worth keeping happened in it."))?;
    }
    if !account.signals.is_empty() {
        let signals = plural(account.signals.len() as u64, "signal");
        let id = background.ids.get(&uid);
        ui.status(paint(DIM, format_args!("{signals}: backstory signals --session {id}")));
    }
    Ok(Exit::Success)
}
