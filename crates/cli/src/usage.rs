//! Both tiers against their caps, how many sessions are in which, and how long the room lasts.

use crate::error::Failure;
use crate::figures::{bytes, count, plural};
use crate::settings::{Retention, size};
use backstory_api as api;
use backstory_distill::forecast::{daily_bytes, lasts_days};
use backstory_engine::Archive;
use backstory_model::Timestamp;
use backstory_store::{Census, Recent, Tiers, Vault};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// The rate is that of so many days.
const RATE_DAYS: i64 = 30;
/// Nobody plans further ahead.
const LONG_DAYS: u64 = 3650;

/// What is taken, and of how much.
pub(crate) struct Usage<'a> {
    retention: &'a Retention,
    tiers: Tiers,
    census: Census,
    pub(crate) forecast: api::Forecast,
}

impl<'a> Usage<'a> {
    /// Measures an archive.
    pub(crate) fn of(
        (archive, vault): (&Archive, &Vault),
        retention: &'a Retention,
        now: Timestamp,
    ) -> Result<Self, Failure> {
        let tiers = archive.tiers(vault)?;
        let since = Timestamp(now.0 - RATE_DAYS * DAY_MS);
        let daily = rate(vault.recent(since)?, tiers.raw(), since, now);
        let soft_cap = retention.raw_soft_cap_bytes.value;
        Ok(Self {
            retention,
            tiers,
            census: vault.census()?,
            forecast: api::Forecast {
                daily_bytes: daily,
                lasts_days: daily.and_then(|daily| lasts_days(soft_cap, daily)),
            },
        })
    }

    /// What a person is told.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let (tiers, census) = (self.tiers, self.census);
        let [soft, hard] = [&self.retention.raw_soft_cap_bytes, &self.retention.raw_hard_cap_bytes]
            .map(|cap| cap.value);
        let distilled = self.retention.distilled_cap_bytes.value;
        let posted = match tiers.raw_posted {
            0 => String::new(),
            posted => format!(", posted {}", bytes(posted)),
        };
        let raw = format!(
            "{} raw (rows {}, packs {}, index {}{posted}): {} of the soft cap {}, {} of the hard cap {}",
            bytes(tiers.raw()),
            bytes(tiers.raw_rows),
            bytes(tiers.raw_packs),
            bytes(tiers.raw_index),
            share(tiers.raw(), soft),
            size::format(soft),
            share(tiers.raw(), hard),
            size::format(hard),
        );
        let kept = format!(
            "{} distilled: {} of its cap {}",
            bytes(tiers.distilled),
            share(tiers.distilled, distilled),
            size::format(distilled)
        );
        let sessions = format!(
            "{} with raw events · {} evicted · {} not distilled · {} pinned",
            count(census.resident),
            count(census.evicted),
            count(census.unanalyzed),
            count(census.pinned)
        );
        let forecast = forecast_line(self.forecast, soft);
        vec![("tier 1", raw), ("tier 2", kept), ("sessions", sessions), ("forecast", forecast)]
    }

    pub(crate) fn raw_shape(&self) -> api::RawTier {
        api::RawTier {
            rows_bytes: self.tiers.raw_rows,
            packs_bytes: self.tiers.raw_packs,
            index_bytes: self.tiers.raw_index,
            posted_bytes: self.tiers.raw_posted,
            bytes: self.tiers.raw(),
            soft_cap_bytes: self.retention.raw_soft_cap_bytes.value,
            hard_cap_bytes: self.retention.raw_hard_cap_bytes.value,
            max_age_days: self.retention.raw_max_age_days.value,
        }
    }

    pub(crate) fn distilled_shape(&self) -> api::DistilledTier {
        api::DistilledTier {
            bytes: self.tiers.distilled,
            cap_bytes: self.retention.distilled_cap_bytes.value,
        }
    }

    pub(crate) fn sessions_shape(&self) -> api::SessionCounts {
        api::SessionCounts {
            resident: self.census.resident,
            evicted: self.census.evicted,
            unanalyzed: self.census.unanalyzed,
            pinned: self.census.pinned,
        }
    }
}

/// Raw bytes a day. Logs are known also of sessions that left; what a byte of log takes is known
/// from those that are here.
fn rate(recent: Recent, raw: u64, since: Timestamp, now: Timestamp) -> Option<u64> {
    let first = recent.first?.max(since);
    if recent.resident_source_bytes == 0 {
        return None;
    }
    let taken = u128::from(recent.source_bytes) * u128::from(raw);
    daily_bytes((taken / u128::from(recent.resident_source_bytes)) as u64, first, now)
}

fn share(used: u64, cap: u64) -> String {
    match (u128::from(used) * 100).checked_div(u128::from(cap)) {
        Some(0) if used > 0 => "under 1 %".into(),
        Some(percent) => format!("{percent} %"),
        None => "all".into(),
    }
}

fn forecast_line(forecast: api::Forecast, cap: u64) -> String {
    match (forecast.daily_bytes, forecast.lasts_days) {
        (None, _) => "not enough history".into(),
        (Some(_), None) => "nothing has been added lately".into(),
        (Some(daily), Some(days)) => {
            let lasts = match days {
                LONG_DAYS.. => "more than ten years".into(),
                days => plural(days, "day"),
            };
            format!("at this rate ({} a day) {} lasts {lasts}", bytes(daily), size::format(cap))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000 * DAY_MS);
    const SINCE: Timestamp = Timestamp(NOW.0 - RATE_DAYS * DAY_MS);

    fn recent(days: i64, source: u64, resident: u64) -> Recent {
        Recent {
            source_bytes: source,
            first: Some(Timestamp(NOW.0 - days * DAY_MS)),
            resident_source_bytes: resident,
        }
    }

    #[test]
    fn the_rate_knows_of_sessions_that_left() {
        // 60 MB of logs in the period, a byte of log takes a fifth.
        let rate = |days| rate(recent(days, 60_000_000, 10_000_000), 2_000_000, SINCE, NOW);
        assert_eq!(rate(10), Some(1_200_000));
        assert_eq!(rate(400), Some(400_000), "what began before counts from the period's begin");
        assert_eq!(rate(2), None);
        assert_eq!(super::rate(recent(10, 60, 0), 0, SINCE, NOW), None);
        assert_eq!(super::rate(Recent::default(), 9, SINCE, NOW), None);
    }

    #[test]
    fn the_forecast_is_a_sentence() {
        let line = |daily_bytes, lasts_days| {
            forecast_line(api::Forecast { daily_bytes, lasts_days }, 4 << 30)
        };
        let rate = "at this rate (60.0 MB a day) 4GiB lasts";
        assert_eq!(line(Some(60_000_000), Some(71)), format!("{rate} 71 days"));
        assert_eq!(line(Some(60_000_000), Some(9999)), format!("{rate} more than ten years"));
        assert_eq!(line(None, None), "not enough history");
        assert_eq!(line(Some(0), None), "nothing has been added lately");
    }

    #[test]
    fn shares_are_whole_percents() {
        assert_eq!(share(0, 100), "0 %");
        assert_eq!(share(1, 1000), "under 1 %");
        assert_eq!(share(150, 100), "150 %");
        assert_eq!(share(5, 0), "all");
    }
}
