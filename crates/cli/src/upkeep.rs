//! Distilling and eviction in words and as JSON: a sync does both, and each has its own command.

use crate::figures::{bytes, count, plural};
use crate::ui::Ui;
use crate::untrusted::one_line;
use backstory_api as api;
use backstory_distill::retention::Reason;
use backstory_engine::live::{SealReport, Sealed};
use backstory_engine::{DistilReport, EvictReport, IndexReport};
use backstory_store::Tiers;

/// Failures named before the rest is only counted.
const SHOWN_FAILURES: usize = 8;

/// `12 sessions distilled`; nothing if there was nothing to do.
pub(crate) fn distilled_line(report: &DistilReport) -> Option<String> {
    (report.sessions > 0).then(|| format!("{} distilled", plural(report.sessions, "session")))
}

/// `3 sessions left (2 age, 1 budget), 12.3 MB freed`; nothing if nobody left.
pub(crate) fn evicted_line(report: &EvictReport) -> Option<String> {
    let with = |reason: Reason| {
        report.evicted.iter().filter(|evicted| evicted.reason == reason).count() as u64
    };
    let reasons = [Reason::Age, Reason::Budget, Reason::LastResort]
        .into_iter()
        .map(|reason| (with(reason), reason.name()))
        .filter(|(number, _)| *number > 0)
        .map(|(number, name)| format!("{} {name}", count(number)));
    let freed = report.before.raw().saturating_sub(report.after.raw());
    let (sessions, copies) = (report.evicted.len() as u64, report.posted.len() as u64);
    let sessions = (sessions > 0).then(|| {
        let reasons = reasons.collect::<Vec<_>>().join(", ");
        format!("{} left ({reasons})", plural(sessions, "session"))
    });
    let copies = (copies > 0).then(|| format!("{} left", plural(copies, "posted file")));
    let left: Vec<String> = [sessions, copies].into_iter().flatten().collect();
    (!left.is_empty()).then(|| format!("{}, {} freed", left.join(", "), bytes(freed)))
}

/// `codex:0198 sealed (ended): seal 2, to event 41`.
pub(crate) fn sealed_line(sealed: &Sealed) -> String {
    let Sealed { uid, number, last_seq, reason } = sealed;
    format!("{uid} sealed ({}): seal {number}, to event {last_seq}", reason.name())
}

/// `2 sessions sealed`; nothing if none was.
pub(crate) fn sealing_line(report: &SealReport) -> Option<String> {
    let number = report.sealed.len() as u64;
    (number > 0).then(|| format!("{} sealed", plural(number, "session")))
}

/// Names sessions that could not be sealed. True if there are any.
pub(crate) fn warn_of_unsealed(report: &SealReport, ui: &mut Ui) -> bool {
    for (uid, reason) in &report.failures {
        ui.warning(format_args!("{uid} could not be sealed: {}", one_line(reason)));
    }
    !report.failures.is_empty()
}

/// Sealing as `--json` shows it.
pub(crate) fn sealing_shape(report: &SealReport) -> api::Sealing {
    let stretch = |sealed: &Sealed| api::SealedStretch {
        session_uid: sealed.uid.to_string(),
        number: sealed.number,
        last_seq: sealed.last_seq,
        reason: sealed.reason.name(),
    };
    let failures = report
        .failures
        .iter()
        .map(|(uid, what)| api::SealFailure { session_uid: uid.to_string(), what: what.clone() });
    api::Sealing {
        sealed: report.sealed.iter().map(stretch).collect(),
        unchanged: report.unchanged,
        waiting: report.waiting,
        stand_ins: report.stand_ins,
        failures: failures.collect(),
    }
}

/// Names sessions that could not be distilled. True if there are any.
pub(crate) fn warn_of_failures(report: &DistilReport, ui: &mut Ui) -> bool {
    if report.failure_count == 0 {
        return false;
    }
    let sessions = plural(report.failure_count, "session");
    ui.warning(format_args!("{sessions} could not be distilled; their raw events stay"));
    let shown = if ui.is_verbose() { DistilReport::MAX_FAILURES } else { SHOWN_FAILURES };
    for (uid, reason) in report.failures.iter().take(shown) {
        ui.warning(format_args!("{uid}: {}", one_line(reason)));
    }
    true
}

/// Says why the search index is not up to date. True if it is not.
pub(crate) fn warn_of_index(report: &IndexReport, ui: &mut Ui) -> bool {
    if let Some(reason) = &report.failure {
        ui.warning(format_args!("what is new cannot be searched yet: {}", one_line(reason)));
    }
    report.failure.is_some()
}

/// Says what went wrong with the budget. True if data was lost.
pub(crate) fn warn_of_budget(report: &EvictReport, dry_run: bool, ui: &mut Ui) -> bool {
    let lost = report.lost().count() as u64;
    if lost > 0 {
        let sessions = plural(lost, "session");
        let would = if dry_run { "would leave" } else { "left" };
        ui.warning(format_args!(
            "data loss: {sessions} {would} without a digest, because raw_hard_cap_bytes was exceeded; \
             raise it, or see why distilling fails: `backstory distil`"
        ));
    }
    if report.stuck_bytes > 0 {
        ui.warning(format_args!(
            "pinned sessions hold {} over raw_hard_cap_bytes; `backstory pin --list` names them",
            bytes(report.stuck_bytes)
        ));
    }
    if report.distilled_over_bytes > 0 {
        ui.warning(format_args!(
            "distilled knowledge is {} over distilled_cap_bytes; it is never dropped: raise the cap, \
             or forget sessions with `backstory forget`",
            bytes(report.distilled_over_bytes)
        ));
    }
    lost > 0
}

/// As `--json` shows it.
pub(crate) fn distilled_shape(report: &DistilReport) -> api::Distilled {
    api::Distilled {
        sessions: report.sessions,
        failure_count: report.failure_count,
        failures: report
            .failures
            .iter()
            .map(|(uid, what)| api::DistilFailure {
                session_uid: uid.as_str().to_owned(),
                what: what.clone(),
            })
            .collect(),
    }
}

/// As `--json` shows it.
pub(crate) fn eviction_shape(report: &EvictReport) -> api::Eviction {
    api::Eviction {
        evicted: report
            .evicted
            .iter()
            .map(|evicted| api::EvictedSession {
                session_uid: evicted.uid.as_str().to_owned(),
                reason: evicted.reason.name(),
                bytes: evicted.bytes,
                active_at: evicted.active_at.map(|at| at.to_string()),
            })
            .collect(),
        lost_count: report.lost().count() as u64,
        posted_copies: report.posted.len() as u64,
        before: tiers_shape(report.before),
        after: tiers_shape(report.after),
        stuck_bytes: report.stuck_bytes,
        distilled_over_bytes: report.distilled_over_bytes,
    }
}

fn tiers_shape(tiers: Tiers) -> api::Tiers {
    api::Tiers {
        raw_rows_bytes: tiers.raw_rows,
        raw_packs_bytes: tiers.raw_packs,
        raw_index_bytes: tiers.raw_index,
        raw_posted_bytes: tiers.raw_posted,
        raw_bytes: tiers.raw(),
        distilled_bytes: tiers.distilled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_engine::Evicted;
    use backstory_model::SessionUid;

    #[test]
    fn a_line_says_who_left_and_why() {
        let evicted = |reason| Evicted {
            uid: SessionUid::from_stored("claude:a".into()),
            reason,
            bytes: 1,
            started_at: None,
            active_at: None,
        };
        let report = EvictReport {
            evicted: [Reason::Age, Reason::Budget, Reason::Age].map(evicted).to_vec(),
            before: Tiers { raw_rows: 3_000_000, ..Tiers::default() },
            after: Tiers { raw_rows: 1_000_000, raw_packs: 500_000, ..Tiers::default() },
            ..EvictReport::default()
        };
        let line = evicted_line(&report).unwrap();
        assert_eq!(line, "3 sessions left (2 age, 1 budget), 1.5 MB freed");
        assert_eq!(evicted_line(&EvictReport::default()), None);
    }
}
