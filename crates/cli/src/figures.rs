//! Numbers, sizes, durations and ages as people read them.

use backstory_model::{Cost, Timestamp};
use jiff::tz::TimeZone;

/// `12,345`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 session`, `2 sessions`.
pub(crate) fn plural(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", count(number))
}

/// `999`, `12.4k`, `3.7M`, `1.2G`: three digits tell enough.
pub(crate) fn tokens(number: u64) -> String {
    scaled(number, &["", "k", "M", "G", "T"])
}

/// `17 B`, `12.4 kB`, `3.7 MB`.
pub(crate) fn bytes(number: u64) -> String {
    scaled(number, &[" B", " kB", " MB", " GB", " TB"])
}

fn scaled(number: u64, units: &[&str]) -> String {
    let mut value = number as f64;
    let mut unit = 0;
    // 999.95 would be shown as 1000.0.
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && value < 99.95);
    format!("{value:.digits$}{}", units[unit])
}

/// `in 12.4k · out 3.7k · cache 1.2M read, 30.1k written`.
pub(crate) fn token_line(cost: &Cost) -> Option<String> {
    let written = cache_written(cost);
    let mut parts = Vec::new();
    if cost.input_tokens > 0 {
        parts.push(format!("in {}", tokens(cost.input_tokens)));
    }
    if cost.output_tokens > 0 {
        parts.push(format!("out {}", tokens(cost.output_tokens)));
    }
    match (cost.cache_read_tokens, written) {
        (0, 0) => {}
        (read, 0) => parts.push(format!("cache {} read", tokens(read))),
        (read, written) => {
            parts.push(format!("cache {} read, {} written", tokens(read), tokens(written)));
        }
    }
    if let Some(usd) = cost.usd {
        parts.push(format!("${usd:.2}"));
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Tokens written to any cache.
pub(crate) fn cache_written(cost: &Cost) -> u64 {
    cost.cache_write_5m_tokens + cost.cache_write_1h_tokens
}

/// Every token that went through the model.
pub(crate) fn all_tokens(cost: &Cost) -> u64 {
    cost.input_tokens + cost.output_tokens + cost.cache_read_tokens + cache_written(cost)
}

/// `350 ms`, `1.2s`, `14m 30s`, `2h 5m`, `3d 4h`.
pub(crate) fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{}.{}s", seconds, ms % 1000 / 100),
        60..3600 => format!("{}m {}s", seconds / 60, seconds % 60),
        3600..86400 => format!("{}h {}m", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{}d {}h", seconds / 86400, seconds % 86400 / 3600),
    }
}

/// How long ago: `now`, `5m`, `3h`, `2d`, `6w`, `3y`.
pub(crate) fn age(at: Timestamp, now: Timestamp) -> String {
    let minutes = now.0.saturating_sub(at.0) / 60_000;
    match minutes {
        ..1 => "now".into(),
        1..60 => format!("{minutes}m"),
        60..1440 => format!("{}h", minutes / 60),
        1440..20160 => format!("{}d", minutes / 1440),
        20160..525_600 => format!("{}w", minutes / 10080),
        _ => format!("{}y", minutes / 525_600),
    }
}

/// `2026-11-14 21:59`, local.
pub(crate) fn local_minute(at: Timestamp, zone: &TimeZone) -> String {
    local(at, zone, "%Y-%m-%d %H:%M")
}

/// `2026-11-14`, local.
pub(crate) fn local_day(at: Timestamp, zone: &TimeZone) -> String {
    local(at, zone, "%Y-%m-%d")
}

/// `21:59:30`, local.
pub(crate) fn local_clock(at: Timestamp, zone: &TimeZone) -> String {
    local(at, zone, "%H:%M:%S")
}

fn local(at: Timestamp, zone: &TimeZone, format: &str) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(at) => at.to_zoned(zone.clone()).strftime(format).to_string(),
        Err(_) => "?".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_scaled() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(tokens(999), "999");
        assert_eq!(tokens(1000), "1.0k");
        assert_eq!(tokens(12_449), "12.4k");
        assert_eq!(tokens(999_999), "1.0M");
        assert_eq!(tokens(137_000_000), "137M");
        assert_eq!(bytes(17), "17 B");
        assert_eq!(bytes(48_123_456), "48.1 MB");
        assert_eq!(tokens(u64::MAX), "18446744T");
        assert_eq!(plural(1, "file"), "1 file");
        assert_eq!(plural(2000, "file"), "2,000 files");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(duration(350), "350 ms");
        assert_eq!(duration(1_250), "1.2s");
        assert_eq!(duration(870_000), "14m 30s");
        assert_eq!(duration(7_500_000), "2h 5m");
        assert_eq!(duration(270_000_000), "3d 3h");
        let now = Timestamp::parse("2026-11-15T12:00:00Z").unwrap();
        let ago = |minutes: i64| age(Timestamp(now.0 - minutes * 60_000), now);
        assert_eq!([ago(-5), ago(0), ago(59), ago(61)].join(" "), "now now 59m 1h");
        assert_eq!([ago(1440), ago(30_000), ago(1_000_000)].join(" "), "1d 2w 1y");
        assert_eq!(local_minute(now, &TimeZone::fixed(jiff::tz::offset(2))), "2026-11-15 14:00");
    }
}
