//! `backstory forget`: remove sessions for good.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{bytes, count, local_minute, plural};
use crate::ids::{self, ShortIds};
use crate::open;
use crate::table::{Cell, Column, Table};
use crate::ui::{CODE, DIM, Ui, paint};
use crate::untrusted::one_line;
use crate::when::End;
use backstory_api as api;
use backstory_engine::{ForgetChoice, ForgottenSession};
use backstory_model::Session;
use backstory_store::Vault;

/// Sessions listed before the question.
const LISTED: usize = 30;

/// Arguments of `forget`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_help = "A moment is 2026-11-01, 2026-11-01T10:00:00Z, 7d, 3h, today or yesterday.")]
pub(crate) struct Args {
    /// Sessions: their ids or the beginnings of them
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Only sessions of this repository, by its name
    #[arg(long, value_name = "NAME")]
    pub(crate) repo: Option<String>,
    /// Only sessions active at or after this moment
    #[arg(long, value_name = "MOMENT")]
    pub(crate) since: Option<String>,
    /// Only sessions in which this text stands, in upper or lower case
    #[arg(long = "match", value_name = "TEXT")]
    pub(crate) matching: Option<String>,
    /// Only tell what would be forgotten
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let archive = open::archive(&settings)?;
    let vault = Vault::open(&archive.home)?;
    let choice = choice(args, &vault, context)?;
    let sessions = backstory_engine::find_to_forget(&archive.home, &choice)?;
    if sessions.is_empty() {
        ui.status("no session matches");
        return Ok(Exit::NothingFound);
    }
    if args.dry_run || !args.yes {
        if !ui.json {
            write_table(&sessions, &vault, context, ui)?;
        }
        if args.dry_run {
            let mut would_go = Vec::with_capacity(sessions.len());
            for session in sessions {
                let gone = vault.to_forget(&session.session_uid)?;
                would_go.push(ForgottenSession { session, gone });
            }
            write_receipt(&receipt(&would_go, true), ui)?;
            return Ok(Exit::Success);
        }
        let many = plural(sessions.len() as u64, "session");
        match ui.confirm(&format!("Forget {many} for good?")) {
            Some(true) => {}
            Some(false) => {
                ui.status("nothing was forgotten");
                return Ok(Exit::Success);
            }
            None => {
                return Err(Failure::usage(format!("nobody is here to confirm forgetting {many}"))
                    .hint("--yes forgets without asking, --dry-run only tells"));
            }
        }
    }
    // The writer must not wait for a reader.
    drop(vault);
    let gone = backstory_engine::forget(&archive, &sessions, context.now)?;
    write_receipt(&receipt(&gone, false), ui)?;
    Ok(Exit::Success)
}

fn choice(args: &Args, vault: &Vault, context: &Context) -> Result<ForgetChoice, Failure> {
    let says_nothing = args.ids.is_empty() && args.repo.is_none() && args.since.is_none();
    if says_nothing && args.matching.is_none() {
        return Err(Failure::usage("what to forget is not said")
            .hint("give ids, --repo, --since or --match; several must all fit"));
    }
    if args.matching.as_deref().is_some_and(|text| text.trim().is_empty()) {
        return Err(Failure::usage("--match needs a text"));
    }
    let mut sessions = Vec::with_capacity(args.ids.len());
    for id in &args.ids {
        let target = ids::resolve(vault, id)?;
        if target.seq.is_some() {
            return Err(Failure::usage(format!(
                "{id} names an event; sessions are forgotten whole"
            )));
        }
        sessions.push(target.uid);
    }
    Ok(ForgetChoice {
        sessions,
        repo: args.repo.clone(),
        since: context.moment(args.since.as_deref(), End::Since)?,
        matching: args.matching.clone(),
    })
}

fn write_table(
    sessions: &[Session],
    vault: &Vault,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let ids = ShortIds::new(vault)?;
    let mut table = Table::new(&[
        Column::left("ID"),
        Column::left("AGENT"),
        Column::left("LAST ACTIVE"),
        Column::shrinking("REPO", 2),
        Column::right("EVENTS"),
        Column::shrinking("TITLE", 1),
    ]);
    let limit = if ui.is_verbose() { usize::MAX } else { LISTED };
    for session in sessions.iter().take(limit) {
        let active = session.ended_at.or(session.started_at);
        table.row(vec![
            Cell::styled(CODE, ids.get(&session.session_uid)),
            session.flavor.name().into(),
            Cell::styled(
                DIM,
                active.map(|at| local_minute(at, context.zone())).unwrap_or_default(),
            ),
            session.repo.as_deref().map(one_line).unwrap_or_default().into(),
            count(u64::from(session.events)).into(),
            session.title.as_deref().map(one_line).unwrap_or_default().into(),
        ]);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)?;
    if sessions.len() > limit {
        let more = count((sessions.len() - limit) as u64);
        ui.line(paint(DIM, format_args!("and {more} more; --verbose lists them")))?;
    }
    ui.line("")
}

fn receipt(gone: &[ForgottenSession], dry_run: bool) -> api::Receipt {
    let sum = |of: fn(&api::ForgottenSession) -> u64, sessions: &[api::ForgottenSession]| {
        sessions.iter().map(of).sum()
    };
    let sessions: Vec<api::ForgottenSession> = gone
        .iter()
        .map(|gone| api::ForgottenSession {
            session_uid: gone.session.session_uid.as_str().to_owned(),
            events: gone.gone.events,
            pack_bytes: gone.gone.pack_bytes,
            digests: gone.gone.digests,
            signals: gone.gone.signals,
            decisions: gone.gone.decisions,
        })
        .collect();
    api::Receipt {
        dry_run,
        events: sum(|session| session.events, &sessions),
        pack_bytes: sum(|session| session.pack_bytes, &sessions),
        digests: sum(|session| session.digests, &sessions),
        signals: sum(|session| session.signals, &sessions),
        decisions: sum(|session| session.decisions, &sessions),
        sessions,
    }
}

fn write_receipt(receipt: &api::Receipt, ui: &mut Ui) -> Result<(), Failure> {
    if ui.json {
        return ui.json_line(receipt);
    }
    let what = format!(
        "{}: {}, {} of payloads, {}, {}, {}",
        plural(receipt.sessions.len() as u64, "session"),
        plural(receipt.events, "event"),
        bytes(receipt.pack_bytes),
        plural(receipt.digests, "digest"),
        plural(receipt.signals, "signal"),
        plural(receipt.decisions, "decision"),
    );
    if receipt.dry_run {
        ui.line(format!("would forget {what}"))?;
        return Ok(());
    }
    let facts = [
        ("forgotten", what.as_str()),
        ("kept", "how many tokens they took, without a word of what was said"),
        ("for good", "a later sync does not bring them back, also with --reparse"),
        ("not touched", "the agents' own logs; delete those yourself"),
    ];
    for (name, text) in facts {
        ui.line(format!("{}{text}", paint(DIM, format_args!("{name:<13}"))))?;
    }
    Ok(())
}
