//! The sweep: discover → read what changed → redact → store.

mod book;
mod conclude;
mod discover;
mod draft;
mod forgotten;
mod intake;
mod interruption;
mod lines;
mod pipeline;
mod plan;
mod posted;
mod prepare;
mod report;
mod spooled;
mod stand_in;
mod stop;

pub(crate) use discover::stat_of;
pub use report::{FlavorProgress, PlannedFile, Problem, Progress, SyncReport};

use crate::Archive;
use crate::distil::{distil_and_index, distil_pending};
use crate::evict::keep_within;
use crate::live::{SealOptions, StandIns};
use crate::project::Projects;
use crate::task_ref::TaskRefs;
use crate::{documents, recall};
use backstory_distill::Redactor;
use backstory_distill::retention::Budget;
use backstory_index::IndexError;
use backstory_model::{Flavor, Timestamp};
use backstory_store::{StoreError, SweepLock, SweepRecord, Vault, Writer};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// A folder that holds one agent's logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The agent.
    pub flavor: Flavor,
    /// The folder; it need not exist.
    pub dir: PathBuf,
}

/// What to sweep, and how.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct SyncOptions {
    /// Where the archive lies.
    pub archive: Archive,
    /// Folders to sweep.
    pub roots: Vec<Root>,
    /// Read every file again from its beginning.
    pub reparse: bool,
    /// Only tell what would be read.
    pub dry_run: bool,
    /// Hear what hooks left. A sweep over chosen folders only must not: it does not look where they
    /// point to.
    pub spool: bool,
    /// Repository name → domain.
    pub domains: BTreeMap<String, String>,
    /// Patterns of work-item references in branches and prompts; the first capture group, or the
    /// whole match, is the reference.
    pub task_ref_patterns: Vec<String>,
    /// Distil what was read and keep the archive within this budget; without it, only take in.
    pub budget: Option<Budget>,
    /// Keep the search index in step.
    pub index: bool,
    /// Seal sessions that are due. As with the spool, only a sweep that looks everywhere may; and it
    /// takes digests, so without a budget nothing is sealed.
    pub seal: Option<SealOptions>,
}

impl SyncOptions {
    /// Takes everything in and distils it; nothing leaves, nothing is sealed, and neither index nor
    /// spool is looked at.
    pub fn new(archive: Archive, roots: Vec<Root>) -> Self {
        Self {
            archive,
            roots,
            reparse: false,
            dry_run: false,
            spool: false,
            domains: BTreeMap::new(),
            task_ref_patterns: Vec::new(),
            budget: Some(Budget::UNLIMITED),
            index: false,
            seal: None,
        }
    }
}

/// Why a sweep could not be done at all. Bad files and records never stop it; they are in the
/// report.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The archive cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A configured pattern is not a regular expression.
    #[error("task_ref pattern {pattern:?} is not a regular expression: {reason}")]
    TaskRefPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Something left the archive and is still in the search index.
    #[error(
        "removed from the archive, but not yet from the search index: {0}; run the command \
             again, or `backstory index --rebuild`"
    )]
    StillIndexed(String),
    /// Nothing has been indexed.
    #[error("there is no search index yet; run `backstory index`")]
    NoIndex,
    /// The search index cannot be used.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A worker thread died.
    #[error("a worker of the sweep stopped unexpectedly; run the command again")]
    Worker,
}

/// Takes in everything new below the roots. `on_progress` is called often, from this thread.
pub fn sync(
    options: &SyncOptions,
    now: Timestamp,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<SyncReport, SyncError> {
    if options.dry_run {
        return plan_only(options, now);
    }
    let began = Instant::now();
    interruption::outlast(
        || SweepLock::acquire(&options.archive.home).map_err(SyncError::from),
        |_lock| sync_locked(options, now, began, on_progress),
    )
    .map(|(report, interruptions)| SyncReport { interruptions, ..report })
}

/// What would be read.
fn plan_only(options: &SyncOptions, now: Timestamp) -> Result<SyncReport, SyncError> {
    let mut report = empty_report(options);
    let vault = if options.archive.home.engine().exists()? {
        Some(Vault::open(&options.archive.home)?)
    } else {
        None
    };
    let found = discover::discover(options, now, &mut report);
    let tasks = plan::plan(found, vault.as_ref(), options.reparse)?;
    report.planned = tasks.iter().map(plan::Task::planned).collect();
    Ok(report)
}

/// One sweep, under the lock.
fn sync_locked(
    options: &SyncOptions,
    now: Timestamp,
    began: Instant,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<SyncReport, SyncError> {
    let mut report = empty_report(options);
    let mut spooled = spooled::hear(options, now, &mut report);
    let awaited = conclude::Awaited::of(options, now)?;
    if options.reparse && options.archive.home.engine().exists()? {
        Vault::mark_lost_payloads(&options.archive.home)?;
    }
    let found = discover::discover(options, now, &mut report);
    let mut writer = Writer::open(&options.archive.home)?;
    let vault = Vault::open(&options.archive.home)?;
    let tasks = plan::plan(found, Some(&vault), options.reparse)?;
    let mut progress = Progress {
        files_total: tasks.len() as u64,
        bytes_total: tasks.iter().map(plan::Task::bytes).sum(),
        ..Progress::default()
    };
    for leg in legs(tasks, options.budget.as_ref()) {
        (report, writer) =
            sweep(options, leg, report, (writer, &vault), now, (&mut progress, on_progress))?;
        if let Some(budget) = &options.budget {
            settle(&mut writer, options, budget, &mut report, now, (&mut progress, on_progress))?;
        }
    }
    conclude::conclude(
        options,
        (&mut writer, &vault),
        (&awaited, &mut spooled),
        &mut report,
        now,
        (&mut progress, on_progress),
    )?;
    let record = SweepRecord {
        started_at: now,
        finished_at: Timestamp(now.0 + began.elapsed().as_millis() as i64),
        files: report.total(|flavor| flavor.files),
        files_read: report.total(|flavor| flavor.files_read),
        bytes_read: report.total(|flavor| flavor.bytes_read),
        new_events: report.total(|flavor| flavor.new_events),
        problems: report.problem_count,
    };
    writer.finish(&record)?;
    spooled::forget(spooled, &mut report);
    // What cannot go now goes with a later sweep.
    let _ = recall::expire(&options.archive.home, now);
    // Which could not be copied stands beside each watch.
    let _ = documents::refresh(&options.archive.home, now);
    Ok(report)
}

fn empty_report(options: &SyncOptions) -> SyncReport {
    let flavors = Flavor::LOGGED
        .into_iter()
        .filter(|flavor| options.roots.iter().any(|root| root.flavor == *flavor))
        .map(FlavorProgress::new)
        .collect();
    SyncReport { flavors, ..SyncReport::default() }
}

/// Source bytes a leg of the sweep may have at the least.
const LEG_BYTES: u64 = 64 << 20;

/// What is stored takes less than a third of its source: a leg of three times the room between the
/// caps never leads over the hard one, however much there is to read. There is always one leg: a
/// sweep that was killed may have left something to distil.
fn legs(tasks: Vec<plan::Task>, budget: Option<&Budget>) -> Vec<Vec<plan::Task>> {
    let limit = budget.map_or(u64::MAX, |budget| {
        let room = budget.raw_hard_cap_bytes.saturating_sub(budget.raw_soft_cap_bytes);
        room.saturating_mul(3).max(LEG_BYTES)
    });
    let (mut legs, mut bytes) = (vec![Vec::new()], 0_u64);
    for task in tasks {
        bytes = bytes.saturating_add(task.bytes());
        if bytes > limit {
            legs.push(Vec::new());
            bytes = task.bytes();
        }
        if let Some(leg) = legs.last_mut() {
            leg.push(task);
        }
    }
    legs
}

/// Distils what a leg took in, then makes room.
fn settle(
    writer: &mut Writer,
    options: &SyncOptions,
    budget: &Budget,
    report: &mut SyncReport,
    now: Timestamp,
    (progress, on_progress): (&mut Progress, &mut dyn FnMut(Progress)),
) -> Result<(), SyncError> {
    let mut tell = |done, total| {
        (progress.sessions_done, progress.sessions_total) = (done, total);
        on_progress(*progress);
    };
    let archive = &options.archive;
    if options.index {
        let (distilled, indexed) = distil_and_index(writer, archive, false, now, &mut tell)?;
        report.distilled.add(distilled);
        report.indexed.add(indexed);
    } else {
        report.distilled.add(distil_pending(writer, &archive.home, false, now, None, &mut tell)?);
    }
    report.evictions.add(keep_within(writer, archive, budget, now)?);
    Ok(())
}

/// Reads the planned files; workers and the writer run beside it.
fn sweep(
    options: &SyncOptions,
    tasks: Vec<plan::Task>,
    report: SyncReport,
    (writer, vault): (Writer, &Vault),
    now: Timestamp,
    (progress, on_progress): (&mut Progress, &mut dyn FnMut(Progress)),
) -> Result<(SyncReport, Writer), SyncError> {
    if tasks.is_empty() {
        return Ok((report, writer));
    }
    let task_refs = TaskRefs::new(&options.task_ref_patterns)
        .map_err(|(pattern, reason)| SyncError::TaskRefPattern { pattern, reason })?;
    let preparer = prepare::Preparer { redactor: Redactor::new(), task_refs };
    std::thread::scope(|scope| {
        let (pipeline, written) = pipeline::start(scope, writer, &preparer, now);
        let mut intake = intake::Intake {
            options,
            book: book::Book::new(vault, &pipeline)?,
            posted: posted::Posted::new(vault)?,
            pipeline: &pipeline,
            projects: Projects::remembering(vault),
            report,
            progress: *progress,
            on_progress,
            next_source_id: vault.last_ids()?.1 + 1,
            buffer: Vec::new(),
            stand_ins: StandIns::load(&options.archive.home),
        };
        let read = tasks.into_iter().try_for_each(|task| intake.take(task));
        let read = read.and_then(|()| pipeline.flush());
        *progress = intake.progress;
        let mut report = intake.report;
        // Ends the workers; the writer's own failure says more than the reader's.
        drop(pipeline);
        let (writer, secrets) = written.join().map_err(|_| SyncError::Worker)??;
        read?;
        report.secrets += secrets;
        Ok((report, writer))
    })
}
