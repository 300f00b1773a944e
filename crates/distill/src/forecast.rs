//! How long a budget lasts at the rate of late.

use backstory_model::Timestamp;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// A rate taken from fewer days than this is a guess.
const MIN_DAYS: i64 = 3;

/// Bytes a day, from what gathered since a moment; nothing if that was too short a time ago.
pub fn daily_bytes(bytes: u64, since: Timestamp, now: Timestamp) -> Option<u64> {
    let span = now.0.saturating_sub(since.0);
    if span < MIN_DAYS * DAY_MS {
        return None;
    }
    Some((u128::from(bytes) * DAY_MS as u128 / span as u128) as u64)
}

/// Whole days until so many bytes have gathered; nothing if none gather.
pub fn lasts_days(cap: u64, daily_bytes: u64) -> Option<u64> {
    cap.checked_div(daily_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000 * DAY_MS);

    fn days_ago(days: i64) -> Timestamp {
        Timestamp(NOW.0 - days * DAY_MS)
    }

    #[test]
    fn the_rate_is_that_of_the_days_that_were_worked() {
        assert_eq!(daily_bytes(3_000, days_ago(30), NOW), Some(100));
        assert_eq!(daily_bytes(3_000, days_ago(3), NOW), Some(1_000));
        assert_eq!(daily_bytes(u64::MAX, days_ago(3), NOW), Some(u64::MAX / 3));
    }

    #[test]
    fn too_little_history_makes_no_rate() {
        assert_eq!(daily_bytes(3_000, days_ago(2), NOW), None);
        assert_eq!(daily_bytes(3_000, Timestamp(NOW.0 + 1), NOW), None);
    }

    #[test]
    fn a_cap_lasts_as_long_as_the_rate_lets_it() {
        assert_eq!(lasts_days(4 << 30, 60_000_000), Some(71));
        assert_eq!(lasts_days(10, 100), Some(0));
        assert_eq!(lasts_days(4 << 30, 0), None);
    }
}
