//! Keeping the archive within its budget: the plan is made elsewhere, here it is carried out.

use crate::distil::{DistilReport, distil_pending};
use crate::index::{IndexReport, keep_in_step, tidy};
use crate::notices::{self, Event, Notice};
use crate::pushed::{self, PostedFile};
use crate::{Archive, SyncError};
use backstory_distill::retention::{Budget, Holding, Plan, Reason, plan};
use backstory_model::{SessionUid, Timestamp};
use backstory_store::{Home, Resident, StoreError, SweepLock, Tiers, Vault, Writer};
use std::collections::HashMap;

/// Sessions dropped per transaction.
const COMMIT_SESSIONS: usize = 100;
/// Room per session is estimated before and measured after; so often is the plan made again.
const MAX_ROUNDS: usize = 10;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A session that left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evicted {
    /// The session.
    pub uid: SessionUid,
    /// Why.
    pub reason: Reason,
    /// The room its raw events took.
    pub bytes: u64,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// Its last activity.
    pub active_at: Option<Timestamp>,
}

/// What an eviction did, or would do.
#[derive(Clone, Debug, Default)]
pub struct EvictReport {
    /// Who left, in this order.
    pub evicted: Vec<Evicted>,
    /// Files of posted messages that left: the archive has what was in them.
    pub posted: Vec<PostedFile>,
    /// Room taken before.
    pub before: Tiers,
    /// Room taken now; for a dry run what is expected.
    pub after: Tiers,
    /// Raw bytes over the hard cap held by pinned sessions alone.
    pub stuck_bytes: u64,
    /// Distilled bytes over their cap.
    pub distilled_over_bytes: u64,
    /// What had to be distilled first.
    pub distilled: DistilReport,
    /// The search index after they left.
    pub indexed: IndexReport,
}

impl EvictReport {
    pub(crate) fn add(&mut self, later: Self) {
        if self.before == Tiers::default() {
            self.before = later.before;
        }
        self.evicted.extend(later.evicted);
        self.posted.extend(later.posted);
        self.after = later.after;
        self.stuck_bytes = later.stuck_bytes;
        self.distilled_over_bytes = later.distilled_over_bytes;
        self.distilled.add(later.distilled);
        self.indexed.add(later.indexed);
    }

    /// Sessions that left without having been analysed.
    pub fn lost(&self) -> impl Iterator<Item = &Evicted> {
        self.evicted.iter().filter(|evicted| evicted.reason == Reason::LastResort)
    }
}

/// Brings the archive within its budget; a dry run only tells what would leave.
pub fn evict(
    archive: &Archive,
    budget: &Budget,
    dry_run: bool,
    now: Timestamp,
) -> Result<EvictReport, SyncError> {
    if dry_run {
        let vault = Vault::open(&archive.home)?;
        let (before, mut residents) = (archive.tiers(&vault)?, vault.residents()?);
        let posted = pushed::leaving(&archive.home, &vault, (before.raw(), budget), now)?;
        let rest = without(before, &posted);
        let mut made = make_plan(rest, &residents, budget, now);
        if made.analyze_first {
            // In earnest these would be analysed first, and nothing lost.
            for resident in &mut residents {
                resident.analyzed_at.get_or_insert(now);
            }
            made = make_plan(rest, &residents, budget, now);
        }
        let mut report = EvictReport { posted, before, ..EvictReport::default() };
        report.evicted = named(&made.leave, &residents, before);
        report.stuck_bytes = made.stuck_bytes;
        let after = made.usage_after.saturating_sub(rest.raw_posted);
        let mut beside = copies_of(&report.evicted, &vault, now)?;
        beside.retain(|file| !report.posted.contains(file));
        let rest = without(rest, &beside);
        report.posted.extend(beside);
        report.after = Tiers {
            raw_rows: after.min(before.raw_rows),
            raw_packs: after.saturating_sub(before.raw_rows).min(before.raw_packs),
            raw_index: after.saturating_sub(before.raw_rows + before.raw_packs),
            ..rest
        };
        report.distilled_over_bytes = before.distilled.saturating_sub(budget.distilled_cap_bytes);
        return Ok(report);
    }
    archive.home.expect_archive()?;
    let _lock = SweepLock::acquire(&archive.home)?;
    let mut writer = Writer::open(&archive.home)?;
    let report = keep_within(&mut writer, archive, budget, now)?;
    writer.reclaim()?;
    Ok(report)
}

/// The same for a caller that holds the lock and the writer.
pub(crate) fn keep_within(
    writer: &mut Writer,
    archive: &Archive,
    budget: &Budget,
    now: Timestamp,
) -> Result<EvictReport, SyncError> {
    writer.commit()?;
    let home = &archive.home;
    let vault = Vault::open(home)?;
    let mut report = EvictReport { before: archive.tiers(&vault)?, ..EvictReport::default() };
    // Before anything that is not kept twice.
    let copies = pushed::leaving(home, &vault, (report.before.raw(), budget), now)?;
    report.posted = pushed::remove_copies(copies).map_err(StoreError::from)?;
    report.after = without(report.before, &report.posted);
    let (mut analyzed, mut reclaimed) = (false, false);
    for _ in 0..MAX_ROUNDS {
        let residents = vault.residents()?;
        let made = make_plan(report.after, &residents, budget, now);
        report.stuck_bytes = made.stuck_bytes;
        if made.leave.is_empty() {
            break;
        }
        if made.analyze_first && !analyzed {
            analyzed = true;
            report.distilled.add(distil_pending(writer, home, false, now, None, &mut |_, _| ())?);
            report.after = archive.tiers(&vault)?;
            continue;
        }
        if !reclaimed {
            // What an eviction that was killed left behind is room already.
            reclaimed = true;
            report.indexed.add(tidy(writer, archive)?);
            writer.reclaim()?;
            report.after = archive.tiers(&vault)?;
            continue;
        }
        let leaving = named(&made.leave, &residents, report.after);
        // Told before it happens: a loss must never go unreported, whatever comes between.
        for lost in leaving.iter().filter(|leaving| leaving.reason == Reason::LastResort) {
            notices::record(home, &loss(lost, now)).map_err(StoreError::from)?;
        }
        let beside = copies_of(&leaving, &vault, now)?;
        report.posted.extend(pushed::remove_copies(beside).map_err(StoreError::from)?);
        for some in made.leave.chunks(COMMIT_SESSIONS) {
            let ids: Vec<i64> = some.iter().map(|(id, _)| *id).collect();
            writer.evict(&ids, now)?;
        }
        report.indexed.add(keep_in_step(writer, archive, &mut |_, _| ())?);
        writer.reclaim()?;
        report.evicted.extend(leaving);
        report.after = archive.tiers(&vault)?;
    }
    report.distilled_over_bytes = report.after.distilled.saturating_sub(budget.distilled_cap_bytes);
    if report.distilled_over_bytes > 0 {
        tell_over_cap(home, report.after.distilled, budget, now).map_err(StoreError::from)?;
    }
    Ok(report)
}

/// What was posted of sessions that leave, as far as it is a second copy.
fn copies_of(
    leaving: &[Evicted],
    vault: &Vault,
    now: Timestamp,
) -> Result<Vec<PostedFile>, StoreError> {
    let sessions = leaving.iter().map(|leaving| &leaving.uid).collect();
    pushed::leaving_with(&sessions, vault.home(), vault, now)
}

fn without(tiers: Tiers, posted: &[PostedFile]) -> Tiers {
    let gone: u64 = posted.iter().map(|file| file.bytes).sum();
    Tiers { raw_posted: tiers.raw_posted.saturating_sub(gone), ..tiers }
}

fn loss(lost: &Evicted, now: Timestamp) -> Notice {
    Notice {
        at: now,
        event: Event::DataLoss {
            session_uid: lost.uid.to_string(),
            started_at: lost.started_at,
            bytes: lost.bytes,
            reason: "over the hard cap and it could not be distilled".into(),
        },
    }
}

/// Once a day is enough to be told.
fn tell_over_cap(home: &Home, bytes: u64, budget: &Budget, now: Timestamp) -> std::io::Result<()> {
    let told = notices::read_recent(home, Timestamp(now.0 - DAY_MS))?
        .iter()
        .any(|notice| matches!(notice.event, Event::Tier2OverCap { .. }));
    if told {
        return Ok(());
    }
    let event = Event::Tier2OverCap { bytes, cap: budget.distilled_cap_bytes };
    notices::record(home, &Notice { at: now, event })
}

/// Rows of all sessions lie in the same file, and so does the index; each has its share by its number of events.
fn row_share(residents: &[Resident], tiers: Tiers) -> impl Fn(&Resident) -> u64 {
    let events: u64 = residents.iter().map(|resident| resident.events).sum();
    move |resident| {
        let shared = u128::from(tiers.raw_rows + tiers.raw_index) * u128::from(resident.events);
        resident.pack_bytes + (shared / u128::from(events.max(1))) as u64
    }
}

fn make_plan(tiers: Tiers, residents: &[Resident], budget: &Budget, now: Timestamp) -> Plan {
    let bytes = row_share(residents, tiers);
    let holdings: Vec<Holding> = residents
        .iter()
        .map(|resident| Holding {
            id: resident.id,
            bytes: bytes(resident),
            analyzed_at: resident.analyzed_at,
            // Without any time it counts as just seen.
            active_at: resident.active_at.or(resident.ingested_at).unwrap_or(now),
            taken_in_at: resident.ingested_at.unwrap_or(now),
            is_pinned: resident.is_pinned,
        })
        .collect();
    plan(tiers.raw(), &holdings, budget, now)
}

fn named(leave: &[(i64, Reason)], residents: &[Resident], tiers: Tiers) -> Vec<Evicted> {
    let bytes = row_share(residents, tiers);
    let by_id: HashMap<i64, &Resident> =
        residents.iter().map(|resident| (resident.id, resident)).collect();
    let name = |(id, reason): &(i64, Reason)| {
        by_id.get(id).map(|resident| Evicted {
            uid: resident.uid.clone(),
            reason: *reason,
            bytes: bytes(resident),
            started_at: resident.started_at,
            active_at: resident.active_at,
        })
    };
    leave.iter().filter_map(name).collect()
}
