//! `backstory export`: sessions as lines another archive takes in, or as Markdown to read.

use super::sessions;
use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::plural;
use crate::ids;
use crate::timeline::{self, MarkdownTeller, Scope};
use crate::ui::Ui;
use backstory_api as api;
use backstory_model::{DecisionForm, Seal, Session, SessionEvent};
use backstory_store::{DecisionFilter, LedgerEntry, Spending, Vault};
use serde::Serialize;
use std::fs::Permissions;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Arguments of `export`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// These sessions: ids or their beginnings, or `last`; without any, all that fit the filters
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) filters: sessions::Filters,
    /// Write to this file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Markdown to read, instead of lines for `backstory import`
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let sessions = chosen(args, &vault, context)?;
    let recorded = hub_decisions(args, &vault, context)?;
    if sessions.is_empty() && recorded.is_empty() {
        ui.status("no session matches");
        return Ok(Exit::NothingFound);
    }
    match &args.out {
        None => write((&sessions, recorded), args.markdown, &vault, context, ui.out())?,
        Some(path) => {
            let failed = |error: std::io::Error| {
                Failure::usage(format!("{} cannot be written", path.display())).cause(&error)
            };
            let mut file = private_temporary(path).map_err(failed)?;
            let mut out = BufWriter::new(file.as_file_mut());
            write((&sessions, recorded), args.markdown, &vault, context, &mut out)?;
            out.flush().map_err(failed)?;
            drop(out);
            file.persist(path).map_err(|error| failed(error.error))?;
        }
    }
    ui.status(format!("exported {}", plural(sessions.len() as u64, "session")));
    Ok(Exit::Success)
}

/// What is exported is as private as the archive; a half-written file never bears the name.
fn private_temporary(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let private: Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    tempfile::Builder::new().permissions(private).tempfile_in(dir)
}

fn chosen(args: &Args, vault: &Vault, context: &Context) -> Result<Vec<Session>, Failure> {
    let mut filter = args.filters.resolve(context)?;
    filter.with_subagents = true;
    let mut sessions = vault.sessions(&filter)?;
    if !args.ids.is_empty() {
        let mut wanted = Vec::new();
        for id in &args.ids {
            wanted.push(ids::resolve(vault, id)?.uid);
        }
        sessions.retain(|session| {
            let parent = session.lineage.parent_session_uid.as_ref();
            wanted.contains(&session.session_uid)
                || parent.is_some_and(|parent| wanted.contains(parent))
        });
    }
    // Oldest first: an import meets origins before their forks.
    sessions.reverse();
    Ok(sessions)
}

fn write(
    (sessions, recorded): (&[Session], Vec<LedgerEntry>),
    markdown: bool,
    vault: &Vault,
    context: &Context,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if !markdown {
        line(out, &api::ExportLine::Backstory { format: api::EXPORT_FORMAT })?;
    }
    for session in sessions {
        if markdown {
            let background = timeline::background(vault, &session.session_uid)?;
            let mut teller = MarkdownTeller::new(context, &background);
            let scope = Scope { full: true, around: None };
            timeline::tell(vault, session, scope, &mut teller, out)?;
        } else {
            write_session(session, vault, out)?;
        }
    }
    for entry in recorded {
        let exported = exported_hub_decision(entry);
        line(out, &api::ExportLine::HubDecision(Box::new(exported)))?;
    }
    Ok(())
}

/// What hubs recorded is of no session: it goes along unless sessions are chosen by what it has not.
fn hub_decisions(
    args: &Args,
    vault: &Vault,
    context: &Context,
) -> Result<Vec<LedgerEntry>, Failure> {
    let filters = args.filters.resolve(context)?;
    let by_session = filters.flavor.is_some() || filters.branch.is_some();
    if args.markdown || !args.ids.is_empty() || by_session || filters.outcome.is_some() {
        return Ok(Vec::new());
    }
    let mut found = vault.decisions(&DecisionFilter {
        form: Some(DecisionForm::Hub),
        repo: filters.repo,
        since: filters.since,
        until: filters.until,
        ..DecisionFilter::default()
    })?;
    found.reverse();
    Ok(found)
}

fn exported_hub_decision(entry: LedgerEntry) -> api::ExportedHubDecision {
    api::ExportedHubDecision {
        origin: entry.origin.unwrap_or_default(),
        project: entry.project,
        repo: entry.repo,
        session: entry.hub_session,
        rationale: entry.rationale,
        decision: entry.decision,
    }
}

fn line(out: &mut dyn Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(|error| Failure::output(error.into()))?;
    out.write_all(b"\n").map_err(Failure::output)
}

fn write_session(session: &Session, vault: &Vault, out: &mut dyn Write) -> Result<(), Failure> {
    let uid = &session.session_uid;
    let passport = vault.passport(uid)?.unwrap_or_default();
    let lineage = &session.lineage;
    let other = |uid: &Option<backstory_model::SessionUid>| uid.as_ref().map(ToString::to_string);
    line(
        out,
        &api::ExportLine::Session(Box::new(api::ExportedSession {
            session_uid: uid.to_string(),
            parent_session_uid: other(&lineage.parent_session_uid),
            forked_from_uid: other(&lineage.forked_from_uid),
            continues_uid: other(&lineage.continues_uid),
            parent_call_id: lineage.parent_call_id.clone(),
            agent_name: lineage.agent_name.clone(),
            repo: session.repo.clone(),
            project_key: session.project_key.clone(),
            domain: session.domain.clone(),
            cwd: session.cwd.clone(),
            git_branch: session.git_branch.clone(),
            models: session.models.clone(),
            cli_version: session.cli_version.clone(),
            title: session.title.clone(),
            title_rank: passport.title_rank,
            started_at: session.started_at,
            ended_at: session.ended_at,
            outcome: session.outcome,
            cost_in_parent: session.cost_in_parent,
            task_ref: session.task_ref.clone(),
            source_path: session.source_path.clone(),
            evicted_at: session.watermarks.evicted_at,
            next_seq: passport.next_seq,
            roots: passport.roots.iter().map(|key| format!("{:016x}", key.0)).collect(),
            departed: api::to_hex(&passport.departed),
        })),
    )?;
    vault.for_each_keyed_event(uid, |key, event| {
        let payload = match &event.payload_ref {
            Some(_) => Some(vault.payload(&event)?),
            None => None,
        };
        line(out, &api::ExportLine::Event(Box::new(exported_event(key.0, event, payload))))
    })?;
    for spending in vault.spending(uid)? {
        line(out, &api::ExportLine::Usage(exported_usage(spending)))?;
    }
    for seal in vault.seals_of(uid)? {
        line(out, &api::ExportLine::Seal(exported_seal(seal)))?;
    }
    let Some(account) = vault.account(uid)? else { return Ok(()) };
    for decision in account.decisions {
        line(out, &api::ExportLine::Decision(Box::new(decision)))?;
    }
    for signal in account.signals {
        let fix = signal.fix;
        line(
            out,
            &api::ExportLine::Signal(api::ExportedSignal {
                kind: signal.kind.name().to_owned(),
                fingerprint: format!("{:016x}", signal.fingerprint),
                seq: signal.seq,
                last_seq: signal.last_seq,
                ts: signal.ts,
                count: signal.count,
                what: signal.what,
                fix_seq: fix.as_ref().map(|fix| fix.seq),
                fix: fix.as_ref().map(|fix| fix.what.clone()),
                tried: fix.map(|fix| fix.tried),
            }),
        )?;
    }
    line(
        out,
        &api::ExportLine::Digest {
            analyzed_seq: passport.analyzed_seq,
            digest: Box::new(account.digest),
            state: String::from_utf8_lossy(&account.state).into_owned(),
        },
    )
}

fn exported_event(key: u64, event: SessionEvent, payload: Option<String>) -> api::ExportedEvent {
    api::ExportedEvent {
        key: format!("{key:016x}"),
        seq: event.seq,
        parent_seq: event.parent_seq,
        native_id: event.native_id,
        ts: event.ts,
        kind: event.kind.name().to_owned(),
        role: event.role.name().to_owned(),
        tool: event.tool,
        call_id: event.call_id,
        summary: event.summary,
        tokens: event.tokens,
        is_sidechain: event.is_sidechain,
        exit_code: event.exit_code,
        duration_ms: event.duration_ms,
        files: event.files,
        payload,
    }
}

fn exported_seal(seal: Seal) -> api::ExportedSeal {
    api::ExportedSeal {
        number: seal.number,
        last_seq: seal.last_seq,
        sealed_at: seal.sealed_at,
        reason: seal.reason.name().to_owned(),
        abstract_text: seal.abstract_text,
        overview: seal.overview,
    }
}

fn exported_usage(spending: Spending) -> api::ExportedUsage {
    let usage = spending.usage;
    api::ExportedUsage {
        key: format!("{:016x}", spending.key.0),
        ts: spending.ts,
        model: spending.model,
        input_tokens: usage.input,
        output_tokens: usage.output,
        cache_read_tokens: usage.cache_read,
        cache_write_5m_tokens: usage.cache_write_5m,
        cache_write_1h_tokens: usage.cache_write_1h,
        reasoning_tokens: usage.reasoning,
        usd: spending.usd,
    }
}
