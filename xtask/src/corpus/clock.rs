//! Times as the agents write them. The corpus has its own clock: it never asks the machine's.

/// Milliseconds since 1970.
pub(crate) type Millis = u64;

/// 2025-06-02, when the oldest sessions of the corpus begin.
pub(crate) const FIRST: Millis = 1_748_822_400_000;
/// 2026-11-10, when the newest ones begin.
pub(crate) const LAST: Millis = 1_794_268_800_000;
/// Milliseconds of a day.
pub(crate) const DAY: Millis = 86_400_000;

/// Year, month, day, hour, minute, second, millisecond.
fn parts(at: Millis) -> [u64; 7] {
    // Days to civil date, for days after 1970 (Howard Hinnant's algorithm).
    let days = at / DAY + 719_468;
    let era = days / 146_097;
    let doe = days % 146_097;
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let shifted = (5 * doy + 2) / 153;
    let day = doy - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = yoe + era * 400 + u64::from(month <= 2);
    let ms = at % DAY;
    [year, month, day, ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60, ms % 1_000]
}

/// The beginning of a day; months and days count from 1.
pub(crate) const fn midnight(year: u64, month: u64, day: u64) -> Millis {
    let year = if month <= 2 { year - 1 } else { year };
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let doy = (153 * shifted + 2) / 5 + day - 1;
    let doe = year % 400 * 365 + year % 400 / 4 - year % 400 / 100 + doy;
    (year / 400 * 146_097 + doe - 719_468) * DAY
}

/// `2026-08-20T10:00:00.123Z`.
pub(crate) fn iso(at: Millis) -> String {
    let [y, mo, d, h, mi, s, ms] = parts(at);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    for (from, digits, value) in
        [(0, 4, y), (5, 2, mo), (8, 2, d), (11, 2, h), (14, 2, mi), (17, 2, s), (20, 3, ms)]
    {
        let mut value = value;
        for place in (from..from + digits).rev() {
            text[place] = b'0' + (value % 10) as u8;
            value /= 10;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// `2026/08/20`.
pub(crate) fn day_path(at: Millis) -> String {
    iso(at)[..10].replace('-', "/")
}

/// `2026-08-20T10-00-00`, as it stands in file names.
pub(crate) fn file_stamp(at: Millis) -> String {
    iso(at)[..19].replace(':', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(951_782_400_007), "2000-02-29T00:00:00.007Z");
        assert_eq!(iso(FIRST), "2025-06-02T00:00:00.000Z");
        assert_eq!(iso(LAST + 37_815_123), "2026-11-10T10:30:15.123Z");
        for (date, known) in [((1970, 1, 1), 0), ((2000, 2, 29), 951_782_400_000)] {
            assert_eq!(midnight(date.0, date.1, date.2), known);
        }
        assert_eq!((midnight(2025, 6, 2), midnight(2026, 11, 10)), (FIRST, LAST));
        assert_eq!(day_path(LAST), "2026/11/10");
        assert_eq!(file_stamp(LAST + 1_000), "2026-11-10T00-00-01");
    }
}
