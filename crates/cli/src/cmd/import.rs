//! `backstory import`: take in what another archive exported.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{count, plural};
use crate::open;
use crate::ui::Ui;
use backstory_api as api;
use backstory_engine::{Archive, Importer};
use backstory_model::{
    Cost, Decision, EventKey, EventKind, Fix, Flavor, Lineage, Role, SCHEMA_VERSION, Seal,
    SealReason, Session, SessionEvent, SessionUid, Signal, SignalKind, Usage, Watermarks,
};
use backstory_store::{Account, HubDecision, Passport, Spending};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Arguments of `import`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// What `backstory export` wrote; `-` reads stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let archive = open::archive(&settings)?;
    let file = args.file.as_path();
    let report = if file == Path::new("-") {
        read(&archive, Path::new("stdin"), &mut std::io::stdin().lock(), context)?
    } else {
        let opened = fs_err::File::open(file)
            .map_err(|error| Failure::usage("the export cannot be read").cause(&error))?;
        let path = crate::env::Env::absolute(file);
        read(&archive, &path, &mut BufReader::new(opened), context)?
    };
    if ui.json {
        ui.json_line(&api::Import {
            new_sessions: report.new_sessions,
            known_sessions: report.known_sessions,
            forgotten_sessions: report.forgotten_sessions,
            new_events: report.new_events,
            known_events: report.known_events,
        })?;
        return Ok(Exit::Success);
    }
    let mut text = format!(
        "{}, {} · {} known, {} known events passed over",
        plural(report.new_sessions, "new session"),
        plural(report.new_events, "new event"),
        plural(report.known_sessions, "session"),
        count(report.known_events),
    );
    if report.forgotten_sessions > 0 {
        let forgotten = plural(report.forgotten_sessions, "session");
        text = format!("{text} · {forgotten} left out: forgotten here");
    }
    ui.line(text)?;
    Ok(Exit::Success)
}

fn read(
    archive: &Archive,
    path: &Path,
    input: &mut dyn BufRead,
    context: &Context,
) -> Result<backstory_engine::ImportReport, Failure> {
    let mut importer = None;
    let mut reading = Reading::default();
    let mut text = String::new();
    for number in 1.. {
        text.clear();
        let wrong = |what: String| {
            Failure::usage(format!("{}:{number}: {what}", path.display()))
                .hint("only what `backstory export` wrote can be imported")
        };
        if input.read_line(&mut text).map_err(|error| wrong(error.to_string()))? == 0 {
            break;
        }
        let line = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let importer = match (&mut importer, &line) {
            (Some(importer), _) => importer,
            (None, api::ExportLine::Backstory { format }) if *format <= api::EXPORT_FORMAT => {
                importer.insert(Importer::begin(archive, path, context.now)?)
            }
            (None, api::ExportLine::Backstory { format }) => {
                return Err(wrong(format!("format {format} is newer than this program")));
            }
            (None, _) => return Err(wrong("this is no export".into())),
        };
        reading.take(line, importer).map_err(|stop| match stop {
            Stop::Line(what) => wrong(what),
            Stop::Archive(failure) => failure,
        })?;
    }
    match importer {
        Some(mut importer) => {
            reading.hand_account(&mut importer);
            Ok(importer.finish()?)
        }
        None => Err(Failure::usage(format!("{} is empty", path.display()))),
    }
}

enum Stop {
    Line(String),
    Archive(Failure),
}

impl From<backstory_engine::SyncError> for Stop {
    fn from(error: backstory_engine::SyncError) -> Self {
        Self::Archive(error.into())
    }
}

/// What is held back until the session is complete.
#[derive(Default)]
struct Reading {
    uid: Option<SessionUid>,
    signals: Vec<Signal>,
    decisions: Vec<Decision>,
    account: Option<(Account, u32)>,
}

impl Reading {
    fn take(&mut self, line: api::ExportLine, importer: &mut Importer) -> Result<(), Stop> {
        match line {
            api::ExportLine::Backstory { .. } => {}
            api::ExportLine::Session(exported) => {
                self.hand_account(importer);
                let (session, passport) = session(&exported).map_err(Stop::Line)?;
                importer.session(&session, &passport)?;
                self.uid = Some(session.session_uid);
            }
            api::ExportLine::Event(exported) => {
                let uid = self.uid.clone();
                let uid = uid.ok_or_else(|| Stop::Line("an event without a session".into()))?;
                let key = hex(&exported.key).map_err(Stop::Line)?;
                let payload = exported.payload.clone();
                let event = event(*exported, uid).map_err(Stop::Line)?;
                let payload = payload.as_deref().unwrap_or(&event.summary);
                importer.event(EventKey(key), &event, payload)?;
            }
            api::ExportLine::Usage(exported) => {
                importer.spending(&spending(exported).map_err(Stop::Line)?);
            }
            api::ExportLine::Signal(exported) => {
                self.signals.push(signal(exported).map_err(Stop::Line)?);
            }
            api::ExportLine::Seal(exported) => importer.seal(seal(exported)),
            api::ExportLine::Decision(decision) => self.decisions.push(*decision),
            api::ExportLine::HubDecision(exported) => {
                self.hand_account(importer);
                importer.hub_decision(hub_decision(*exported))?;
            }
            api::ExportLine::Digest { analyzed_seq, digest, state } => {
                let account =
                    Account { digest: *digest, state: state.into_bytes(), ..Account::default() };
                self.account = Some((account, analyzed_seq));
            }
        }
        Ok(())
    }

    fn hand_account(&mut self, importer: &mut Importer) {
        let signals = std::mem::take(&mut self.signals);
        let decisions = std::mem::take(&mut self.decisions);
        if let Some((mut account, seq)) = self.account.take() {
            (account.signals, account.decisions) = (signals, decisions);
            importer.account(account, seq);
        }
    }
}

fn hex(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text, 16).map_err(|_| format!("{text:?} is no identity"))
}

fn session(exported: &api::ExportedSession) -> Result<(Session, Passport), String> {
    let uid = SessionUid::from_stored(exported.session_uid.clone());
    let flavor: Flavor =
        uid.flavor().ok_or_else(|| format!("{uid} names no agent this program knows"))?;
    let other = |uid: &Option<String>| uid.clone().map(SessionUid::from_stored);
    let passport = Passport {
        next_seq: exported.next_seq,
        title_rank: exported.title_rank,
        analyzed_seq: exported.next_seq,
        roots: exported.roots.iter().map(|key| hex(key).map(EventKey)).collect::<Result<_, _>>()?,
        departed: api::from_hex(&exported.departed).ok_or("departed is no hexadecimal")?,
    };
    let session = Session {
        native_session_id: uid.native().to_owned(),
        session_uid: uid,
        flavor,
        lineage: Lineage {
            parent_session_uid: other(&exported.parent_session_uid),
            forked_from_uid: other(&exported.forked_from_uid),
            continues_uid: other(&exported.continues_uid),
            parent_call_id: exported.parent_call_id.clone(),
            agent_name: exported.agent_name.clone(),
        },
        repo: exported.repo.clone(),
        project_key: exported.project_key.clone(),
        domain: exported.domain.clone(),
        cwd: exported.cwd.clone(),
        git_branch: exported.git_branch.clone(),
        model: exported.models.last().cloned(),
        models: exported.models.clone(),
        cli_version: exported.cli_version.clone(),
        title: exported.title.clone(),
        started_at: exported.started_at,
        ended_at: exported.ended_at,
        outcome: exported.outcome,
        outcome_reason: None,
        cost: Cost::default(),
        cost_in_parent: exported.cost_in_parent,
        task_ref: exported.task_ref.clone(),
        source_path: exported.source_path.clone(),
        source_bytes: 0,
        events: 0,
        schema_version: SCHEMA_VERSION,
        watermarks: Watermarks { evicted_at: exported.evicted_at, ..Watermarks::default() },
    };
    Ok((session, passport))
}

fn event(exported: api::ExportedEvent, session_uid: SessionUid) -> Result<SessionEvent, String> {
    let kind = EventKind::from_name(&exported.kind)
        .ok_or_else(|| format!("{:?} is no kind of event", exported.kind))?;
    let role = Role::ALL
        .into_iter()
        .find(|role| role.name() == exported.role)
        .ok_or_else(|| format!("{:?} is no role", exported.role))?;
    Ok(SessionEvent {
        session_uid,
        seq: exported.seq,
        parent_seq: exported.parent_seq,
        native_id: exported.native_id,
        ts: exported.ts,
        kind,
        role,
        tool: exported.tool,
        call_id: exported.call_id,
        summary: exported.summary,
        payload_ref: None,
        tokens: exported.tokens,
        is_sidechain: exported.is_sidechain,
        exit_code: exported.exit_code,
        duration_ms: exported.duration_ms,
        files: exported.files,
    })
}

fn spending(exported: api::ExportedUsage) -> Result<Spending, String> {
    Ok(Spending {
        key: EventKey(hex(&exported.key)?),
        ts: exported.ts,
        model: exported.model,
        usage: Usage {
            input: exported.input_tokens,
            output: exported.output_tokens,
            cache_read: exported.cache_read_tokens,
            cache_write_5m: exported.cache_write_5m_tokens,
            cache_write_1h: exported.cache_write_1h_tokens,
            reasoning: exported.reasoning_tokens,
        },
        usd: exported.usd,
    })
}

fn hub_decision(exported: api::ExportedHubDecision) -> HubDecision {
    HubDecision {
        origin: exported.origin,
        project: exported.project,
        repo: exported.repo,
        session: exported.session,
        rationale: exported.rationale,
        decision: exported.decision,
    }
}

fn seal(exported: api::ExportedSeal) -> Seal {
    Seal {
        number: exported.number,
        last_seq: exported.last_seq,
        sealed_at: exported.sealed_at,
        // A later version may know more of them.
        reason: SealReason::from_name(&exported.reason).unwrap_or(SealReason::Asked),
        abstract_text: exported.abstract_text,
        overview: exported.overview,
    }
}

fn signal(exported: api::ExportedSignal) -> Result<Signal, String> {
    let kind = SignalKind::from_name(&exported.kind)
        .ok_or_else(|| format!("{:?} is no kind of signal", exported.kind))?;
    let fix = exported.fix_seq.map(|seq| Fix {
        seq,
        what: exported.fix.unwrap_or_default(),
        tried: exported.tried.unwrap_or_default(),
    });
    Ok(Signal {
        kind,
        fingerprint: hex(&exported.fingerprint)?,
        seq: exported.seq,
        last_seq: exported.last_seq,
        ts: exported.ts,
        count: exported.count,
        what: exported.what,
        fix,
    })
}
