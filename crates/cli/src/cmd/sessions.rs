//! `backstory sessions`: what was worked on.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{age, all_tokens, count, local_minute, tokens};
use crate::ids::ShortIds;
use crate::label;
use crate::table::{Cell, Column, Table};
use crate::ui::{BOLD, CODE, DIM, Ui, paint};
use crate::when::End;
use anstyle::Style;
use backstory_api as api;
use backstory_model::{Flavor, Outcome, SealReason, Session, SessionUid, Timestamp};
use backstory_store::{SessionFilter, Vault};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::collections::HashMap;

/// Sessions listed on a terminal unless asked otherwise.
const TERMINAL_LIMIT: usize = 50;
/// Sub-agents of sub-agents are counted this deep.
const MAX_DEPTH: usize = 8;

/// Arguments of `sessions`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_help = "A moment is 2026-11-01, 2026-11-01T10:00:00Z, 7d, 3h, today or yesterday.
Before a title, ⚑ marks a pinned session, ◌ one whose raw events have left, and ▪ a sealed one.")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// List at most so many; 0 lists all [default: 50 on a terminal, else all]
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// List sub-agents too, instead of counting them at their parent
    #[arg(long)]
    pub(crate) all: bool,
}

/// Which sessions.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Filters {
    /// Only this agent
    #[arg(long, value_name = "AGENT", value_parser = agent_parser())]
    pub(crate) agent: Option<Flavor>,
    /// Only this repository, by its name
    #[arg(long, value_name = "NAME")]
    pub(crate) repo: Option<String>,
    /// Only this branch
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// Only sessions active at or after this moment
    #[arg(long, value_name = "MOMENT")]
    pub(crate) since: Option<String>,
    /// Only sessions begun before this moment; a day is included
    #[arg(long, value_name = "MOMENT")]
    pub(crate) until: Option<String>,
    /// Only sessions that ended like this
    #[arg(long, value_name = "OUTCOME", value_parser = outcome_parser())]
    pub(crate) outcome: Option<Outcome>,
}

/// Accepts the names of the agents; `pushed` stands for those known by their plugins alone.
fn agent_parser() -> impl TypedValueParser<Value = Flavor> {
    PossibleValuesParser::new(Flavor::ALL.map(Flavor::name))
        .try_map(|name| Flavor::from_name(&name).ok_or("no such agent"))
}

fn outcome_parser() -> impl TypedValueParser<Value = Outcome> {
    PossibleValuesParser::new(Outcome::ALL.map(Outcome::name))
        .try_map(|name| Outcome::from_name(&name).ok_or("no such outcome"))
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let limit = ui.limit(args.limit, TERMINAL_LIMIT);
    let mut filter = args.filters.resolve(context)?;
    filter.with_subagents = args.all;
    // One more than is listed tells whether there are more.
    filter.limit = limit.map(|limit| limit.saturating_add(1));
    let mut sessions = vault.sessions(&filter)?;
    let has_more = limit.is_some_and(|limit| sessions.len() > limit);
    sessions.truncate(limit.unwrap_or(usize::MAX));
    if sessions.is_empty() {
        ui.status("no session matches");
        return Ok(Exit::NothingFound);
    }
    let sealed = vault.sealed()?;
    if ui.json {
        for session in &sessions {
            let seal = sealed.get(&session.session_uid).copied();
            ui.json_line(&api::Session::from(session).sealed(seal))?;
        }
        return Ok(Exit::Success);
    }
    write_table(&sessions, args.all, (&vault, &sealed), context, ui)?;
    if has_more {
        let shown = count(sessions.len() as u64);
        let hint = format!("the latest {shown} are shown; --limit 0 lists all");
        ui.status(paint(DIM, hint));
    }
    Ok(Exit::Success)
}

impl Filters {
    /// With moments understood.
    pub(crate) fn resolve(&self, context: &Context) -> Result<SessionFilter, Failure> {
        Ok(SessionFilter {
            flavor: self.agent,
            repo: self.repo.clone(),
            branch: self.branch.clone(),
            since: context.moment(self.since.as_deref(), End::Since)?,
            until: context.moment(self.until.as_deref(), End::Until)?,
            outcome: self.outcome,
            ..SessionFilter::default()
        })
    }
}

fn write_table(
    sessions: &[Session],
    all: bool,
    (vault, sealed): (&Vault, &HashMap<SessionUid, (Timestamp, SealReason)>),
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let ids = ShortIds::new(vault)?;
    let mut table = Table::new(&[
        Column::left("ID"),
        Column::left("AGENT"),
        Column::left("WHEN"),
        Column::right("AGE"),
        Column::shrinking("REPO", 2),
        Column::shrinking("TITLE", 1),
        Column::right("TURNS"),
        Column::right("TOKENS"),
        Column::left("OUTCOME"),
    ]);
    for session in sessions {
        let subagents =
            if all { 0 } else { count_subagents(vault, &session.session_uid, MAX_DEPTH)? };
        let is_sealed = sealed.contains_key(&session.session_uid);
        let id = ids.get(&session.session_uid);
        table.row(row(session, id, (subagents, is_sealed), context));
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)
}

fn row(
    session: &Session,
    id: &str,
    (subagents, is_sealed): (usize, bool),
    context: &Context,
) -> Vec<Cell> {
    let seal = if is_sealed { "▪ " } else { "" };
    let active = session.ended_at.or(session.started_at);
    let when = active.map(|at| local_minute(at, context.zone())).unwrap_or_default();
    let age = active.map(|at| age(at, context.now)).unwrap_or_default();
    let is_subagent = session.lineage.parent_session_uid.is_some();
    let indent = if is_subagent { "↳ " } else { "" };
    let folded = if subagents > 0 { format!(" +{subagents}") } else { String::new() };
    let (outcome_style, outcome) = label::outcome(session.outcome);
    vec![
        Cell::styled(CODE, id),
        format!("{}{folded}", session.flavor).into(),
        Cell::styled(DIM, when),
        age.into(),
        label::place(session).into(),
        Cell::styled(
            if is_subagent { Style::new() } else { BOLD },
            format!("{indent}{}{seal}{}", label::mark(session), label::title(session)),
        ),
        count(u64::from(session.cost.turns)).into(),
        tokens(all_tokens(&session.cost)).into(),
        Cell::styled(outcome_style, outcome),
    ]
}

fn count_subagents(vault: &Vault, uid: &SessionUid, depth: usize) -> Result<usize, Failure> {
    if depth == 0 {
        return Ok(0);
    }
    let filter = SessionFilter { parent: Some(uid.clone()), ..SessionFilter::default() };
    let children = vault.sessions(&filter)?;
    let mut found = children.len();
    for child in &children {
        found += count_subagents(vault, &child.session_uid, depth - 1)?;
    }
    Ok(found)
}
