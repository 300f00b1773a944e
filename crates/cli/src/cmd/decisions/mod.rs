//! `backstory decisions`: what agents asked the human, and what the human answered.

mod export;
mod import;
mod list;
mod show;
mod stats;
mod suggested;

use crate::context::Context;
use crate::env::Env;
use crate::error::{Exit, Failure};
use crate::ui::Ui;
use crate::when::End;
use backstory_api as api;
use backstory_engine::{ledger, project};
use backstory_model::{DecisionKind, SessionUid, address};
use backstory_store::{DecisionFilter, LedgerEntry, Vault};
use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::Path;

/// Arguments of `decisions`.
#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "A moment is 2026-11-01, 2026-11-01T10:00:00Z, 7d, 3h, today or yesterday.
Under ADVICE, ✓ is an answer that was recommended and ✗ another one.")]
pub(crate) struct Args {
    #[command(flatten)]
    list: list::Listing,
    #[command(subcommand)]
    action: Option<Action>,
}

/// What to do with the ledger.
#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Tell one question with its options and every answer to it
    Show(show::Args),
    /// Tell how often recommendations are followed, and what is asked over and over
    Stats(stats::Args),
    /// List preferences: questions that are always answered alike
    Suggested,
    /// Make a suggested preference known to agents
    Accept(suggested::Args),
    /// Never suggest a preference again
    Reject(suggested::Args),
    /// Take back what was said to a suggested preference
    Reset(suggested::Args),
    /// Write decisions as lines of a question log
    Export(export::Args),
    /// Take in decisions that were made elsewhere, as a hub recorded them
    Import(import::Args),
}

/// Which decisions.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Filters {
    /// Only of this project: a repository's name, or a folder such as `.`
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// Only asked at or after this moment
    #[arg(long, value_name = "MOMENT")]
    since: Option<String>,
    /// Only asked before this moment; a day is included
    #[arg(long, value_name = "MOMENT")]
    until: Option<String>,
    /// Only this kind; may be repeated [default: all but permission]
    #[arg(long = "kind", value_name = "KIND", value_parser = kind_parser())]
    kinds: Vec<DecisionKind>,
    /// Permissions too
    #[arg(long, conflicts_with = "kinds")]
    all: bool,
}

fn kind_parser() -> impl TypedValueParser<Value = DecisionKind> {
    PossibleValuesParser::new(DecisionKind::ALL.iter().map(|kind| kind.name()))
        .try_map(|name| DecisionKind::from_name(&name).ok_or("no such kind"))
}

impl Filters {
    /// With moments and folders understood.
    fn resolve(&self, context: &Context) -> Result<DecisionFilter, Failure> {
        let mut filter = DecisionFilter {
            since: context.moment(self.since.as_deref(), End::Since)?,
            until: context.moment(self.until.as_deref(), End::Until)?,
            kinds: self.kinds.clone(),
            ..DecisionFilter::default()
        };
        if filter.kinds.is_empty() && !self.all {
            filter.kinds = vec![DecisionKind::Question, DecisionKind::Plan];
        }
        match self.project.as_deref() {
            // What hubs record may know no more of a project than its name.
            Some(folder) if folder == "." || folder.contains('/') => {
                let known = project(&Env::absolute(Path::new(folder)))
                    .ok_or_else(|| Failure::usage(format!("{folder:?} is no folder")))?;
                filter.projects = vec![known.key, known.repo];
            }
            name => filter.repo = name.map(str::to_owned),
        }
        Ok(filter)
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    match &args.action {
        None => list::run(&args.list, context, ui),
        Some(Action::Show(args)) => show::run(args, context, ui),
        Some(Action::Stats(args)) => stats::run(args, context, ui),
        Some(Action::Suggested) => suggested::list(context, ui),
        Some(Action::Accept(args)) => suggested::accept(args, context, ui),
        Some(Action::Reject(args)) => suggested::reject(args, context, ui),
        Some(Action::Reset(args)) => suggested::reset(args, context, ui),
        Some(Action::Export(args)) => export::run(args, context, ui),
        Some(Action::Import(args)) => import::run(args, context, ui),
    }
}

/// What was asked in a session, in the order of the session.
pub(crate) fn of_session(vault: &Vault, uid: &SessionUid) -> Result<Vec<LedgerEntry>, Failure> {
    let filter = DecisionFilter { session: Some(uid.clone()), ..DecisionFilter::default() };
    let mut found = vault.decisions(&filter)?;
    found.sort_by_key(|entry| (entry.decision.seq, entry.decision.part));
    Ok(found)
}

/// A row as JSON.
pub(crate) fn shape(entry: &LedgerEntry) -> api::Decision {
    let (decision, uid) = (&entry.decision, entry.session_uid.as_ref());
    api::Decision {
        asked: ledger::question(decision),
        answer: ledger::answer(decision),
        session_uid: uid.map(ToString::to_string),
        address: entry.address(),
        answer_address: uid.zip(decision.answer_seq).map(|(uid, seq)| address(uid, seq)),
        project: entry.project.clone(),
        repo: entry.repo.clone(),
        cwd: entry.cwd.clone(),
        origin: entry.origin.clone(),
        rationale: entry.rationale.clone(),
        ..api::Decision::new(decision, entry.flavor(), entry.at)
    }
}
