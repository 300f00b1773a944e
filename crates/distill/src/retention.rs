//! Which sessions' raw events leave, and why: the plan alone, from figures to decisions.
//!
//! The one invariant: no session leaves before it was analysed, except as the reported last resort
//! above the hard cap.

use backstory_model::Timestamp;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The knobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Above this, analysed sessions leave, the oldest first.
    pub raw_soft_cap_bytes: u64,
    /// Above this, as a last resort, sessions leave that were never analysed.
    pub raw_hard_cap_bytes: u64,
    /// Analysed sessions older than this leave whatever the room. Age counts from the last activity
    /// or from when it was taken in, whichever is later: a first sync of old logs is not undone
    /// at once.
    pub raw_max_age_days: u64,
    /// Above this, distilled knowledge calls for a human; it is never dropped.
    pub distilled_cap_bytes: u64,
}

impl Budget {
    /// Nothing ever leaves.
    pub const UNLIMITED: Self = Self {
        raw_soft_cap_bytes: u64::MAX,
        raw_hard_cap_bytes: u64::MAX,
        raw_max_age_days: u64::MAX,
        distilled_cap_bytes: u64::MAX,
    };
}

/// A session with raw events, as the plan sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Its row.
    pub id: i64,
    /// The room its raw events take.
    pub bytes: u64,
    /// When it was analysed, if the analysis covers all of it.
    pub analyzed_at: Option<Timestamp>,
    /// Last activity.
    pub active_at: Timestamp,
    /// Since when its raw events are here.
    pub taken_in_at: Timestamp,
    /// Kept by the human's word.
    pub is_pinned: bool,
}

/// Why a session leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Older than the limit.
    Age,
    /// Over the soft cap.
    Budget,
    /// Over the hard cap and never analysed: data is lost.
    LastResort,
}

impl Reason {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::Budget => "budget",
            Self::LastResort => "last_resort",
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Sessions that leave, in this order.
    pub leave: Vec<(i64, Reason)>,
    /// True if only what was never analysed stands between usage and the hard cap: analyse, then
    /// plan again. What [`Reason::LastResort`] names may leave only if that did not help.
    pub analyze_first: bool,
    /// Raw bytes in use afterwards.
    pub usage_after: u64,
    /// Bytes over the hard cap that only unpinning would free.
    pub stuck_bytes: u64,
}

/// Plans one eviction. `usage` is what raw events take on disk now; `holdings` is in any order.
pub fn plan(usage: u64, holdings: &[Holding], budget: &Budget, now: Timestamp) -> Plan {
    let mut plan = Plan { usage_after: usage, ..Plan::default() };
    let mut free: Vec<&Holding> = holdings.iter().filter(|held| !held.is_pinned).collect();
    free.sort_by_key(|held| {
        (held.analyzed_at.is_none(), held.analyzed_at, held.active_at, held.id)
    });
    let analyzed = free.partition_point(|held| held.analyzed_at.is_some());
    let (analyzed, raw) = free.split_at(analyzed);

    let oldest = now.0.saturating_sub(
        DAY_MS.saturating_mul(i64::try_from(budget.raw_max_age_days).unwrap_or(i64::MAX)),
    );
    let (aged, kept): (Vec<&Holding>, Vec<&Holding>) =
        analyzed.iter().copied().partition(|held| held.active_at.max(held.taken_in_at).0 < oldest);
    for held in aged {
        plan.drop(held, Reason::Age);
    }
    for held in kept {
        if plan.usage_after <= budget.raw_soft_cap_bytes {
            return plan;
        }
        plan.drop(held, Reason::Budget);
    }
    let hard = budget.raw_hard_cap_bytes.max(budget.raw_soft_cap_bytes);
    plan.analyze_first = plan.usage_after > hard && !raw.is_empty();
    for held in raw {
        if plan.usage_after <= hard {
            break;
        }
        plan.drop(held, Reason::LastResort);
    }
    let pinned = holdings.iter().filter(|held| held.is_pinned).map(|held| held.bytes).sum();
    // The rest is what an empty archive takes: no session holds it.
    plan.stuck_bytes = plan.usage_after.saturating_sub(hard).min(pinned);
    plan
}

impl Plan {
    fn drop(&mut self, held: &Holding, reason: Reason) {
        self.usage_after = self.usage_after.saturating_sub(held.bytes);
        self.leave.push((held.id, reason));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp(1_000 * DAY_MS);
    const BUDGET: Budget = Budget {
        raw_soft_cap_bytes: 1_000,
        raw_hard_cap_bytes: 1_500,
        raw_max_age_days: 45,
        distilled_cap_bytes: 100,
    };

    fn holding(id: i64, bytes: u64, analyzed_day: Option<i64>, active_day: i64) -> Holding {
        Holding {
            id,
            bytes,
            analyzed_at: analyzed_day.map(|day| Timestamp(day * DAY_MS)),
            active_at: Timestamp(active_day * DAY_MS),
            taken_in_at: Timestamp(active_day * DAY_MS),
            is_pinned: false,
        }
    }

    fn usage(holdings: &[Holding]) -> u64 {
        holdings.iter().map(|held| held.bytes).sum()
    }

    #[test]
    fn old_ones_leave_although_there_is_room() {
        let held = [holding(1, 10, Some(999), 900), holding(2, 10, Some(1), 990)];
        assert_eq!(plan(20, &held, &BUDGET, NOW).leave, [(1, Reason::Age)]);
    }

    #[test]
    fn old_logs_taken_in_lately_stay() {
        let held = Holding { taken_in_at: Timestamp(990 * DAY_MS), ..holding(1, 10, Some(990), 3) };
        assert_eq!(plan(10, &[held], &BUDGET, NOW).leave, []);
    }

    #[test]
    fn the_oldest_analysed_leave_until_the_soft_cap_is_kept() {
        let held = [
            holding(1, 400, Some(998), 999),
            holding(2, 400, Some(997), 999),
            holding(3, 400, Some(999), 999),
            holding(4, 400, None, 970),
        ];
        let plan = plan(usage(&held), &held, &BUDGET, NOW);
        assert_eq!(plan.leave, [(2, Reason::Budget), (1, Reason::Budget)]);
        assert_eq!((plan.usage_after, plan.analyze_first), (800, false));
    }

    #[test]
    fn what_was_never_analysed_stays_below_the_hard_cap() {
        let held = [holding(1, 700, None, 999), holding(2, 700, None, 998)];
        assert_eq!(plan(1_400, &held, &BUDGET, NOW).leave, []);
    }

    #[test]
    fn above_the_hard_cap_analysis_comes_first_and_loss_last() {
        let held = [
            holding(1, 900, None, 999),
            holding(2, 900, None, 998),
            holding(3, 300, Some(990), 999),
        ];
        let plan = plan(2_100, &held, &BUDGET, NOW);
        assert!(plan.analyze_first);
        assert_eq!(plan.leave, [(3, Reason::Budget), (2, Reason::LastResort)]);
        assert_eq!(plan.usage_after, 900);
    }

    #[test]
    fn pinned_ones_stay_whatever_happens() {
        let mut held = [holding(1, 4_000, Some(1), 1), holding(2, 100, None, 1)];
        held[0].is_pinned = true;
        let plan = plan(4_100, &held, &BUDGET, NOW);
        assert_eq!(plan.leave, [(2, Reason::LastResort)]);
        assert_eq!(plan.stuck_bytes, 2_500);
    }

    fn history() -> impl Strategy<Value = Vec<Holding>> {
        let one = (
            0_u64..600,
            prop::option::of(900_i64..1_000),
            900_i64..1_000,
            prop::bool::weighted(0.1),
        );
        prop::collection::vec(one, 0..40).prop_map(|sessions| {
            let held = |(id, (bytes, analyzed, active, is_pinned)): (
                usize,
                (u64, Option<i64>, i64, bool),
            )| {
                Holding { is_pinned, ..holding(id as i64, bytes, analyzed, active) }
            };
            sessions.into_iter().enumerate().map(held).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn the_invariants_hold(held in history(), overhead in 0_u64..200) {
            let usage = usage(&held) + overhead;
            let made = plan(usage, &held, &BUDGET, NOW);
            let of = |id: i64| held.iter().find(|held| held.id == id).unwrap();
            let left: Vec<&Holding> = made.leave.iter().map(|(id, _)| of(*id)).collect();

            // Nobody leaves twice, no pinned one at all.
            let mut ids: Vec<i64> = left.iter().map(|held| held.id).collect();
            ids.sort_unstable();
            ids.dedup();
            prop_assert_eq!(ids.len(), made.leave.len());
            prop_assert!(left.iter().all(|held| !held.is_pinned));

            // What was never analysed leaves only above the hard cap, after all that was.
            let loses = made.leave.iter().any(|(_, reason)| *reason == Reason::LastResort);
            for (id, reason) in &made.leave {
                prop_assert_eq!(of(*id).analyzed_at.is_none(), *reason == Reason::LastResort);
            }
            if loses {
                prop_assert!(made.analyze_first);
                let stays = |held: &&Holding| !ids.contains(&held.id) && !held.is_pinned;
                prop_assert!(held.iter().filter(stays).all(|held| held.analyzed_at.is_none()));
                let before_loss: u64 = made.leave.iter()
                    .filter(|(_, reason)| *reason != Reason::LastResort)
                    .map(|(id, _)| of(*id).bytes).sum();
                prop_assert!(usage - before_loss > BUDGET.raw_hard_cap_bytes);
            }

            // The oldest analysed first, and no one more than needed.
            let budget: Vec<&Holding> = made.leave.iter()
                .filter(|(_, reason)| *reason == Reason::Budget).map(|(id, _)| of(*id)).collect();
            prop_assert!(budget.is_sorted_by_key(|held| held.analyzed_at));
            if let Some((last, Reason::Budget)) = made.leave.last() {
                prop_assert!(made.usage_after + of(*last).bytes > BUDGET.raw_soft_cap_bytes);
            }

            // Carried out, the same plan has nothing left to do.
            let rest: Vec<Holding> = held.iter().filter(|held| !ids.contains(&held.id)).copied().collect();
            let again = plan(made.usage_after, &rest, &BUDGET, NOW);
            prop_assert_eq!(again.leave, []);
        }
    }
}
