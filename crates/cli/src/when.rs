//! Moments as people type them: `2026-11-01`, RFC 3339, `7d`, `3h`, `today`, `yesterday`.

pub(crate) use backstory_distill::query::End;
use backstory_model::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan};

/// Reads a moment; `None` when it cannot be understood.
pub(crate) fn parse(text: &str, end: End, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    let now = jiff::Timestamp::from_millisecond(now.0).ok()?;
    let today = now.to_zoned(zone.clone()).date();
    let day = match text {
        "now" => return Some(Timestamp(now.as_millisecond())),
        "today" => Some(today),
        "yesterday" => today.checked_sub(1.day()).ok(),
        _ => text.parse::<Date>().ok().filter(|_| !text.contains(['T', ' ', ':'])),
    };
    if let Some(day) = day {
        return edge_of(day, end, zone);
    }
    if let Some(back) = ago(text) {
        return now.checked_sub(back).ok().map(|at| Timestamp(at.as_millisecond()));
    }
    if let Some(at) = Timestamp::parse(text) {
        return Some(at);
    }
    let local = text.parse::<jiff::civil::DateTime>().ok()?.to_zoned(zone.clone()).ok()?;
    Some(Timestamp(local.timestamp().as_millisecond()))
}

fn edge_of(day: Date, end: End, zone: &TimeZone) -> Option<Timestamp> {
    let day = match end {
        End::Since => day,
        End::Until => day.checked_add(1.day()).ok()?,
    };
    let midnight = day.to_zoned(zone.clone()).ok()?;
    Some(Timestamp(midnight.timestamp().as_millisecond()))
}

fn ago(text: &str) -> Option<SignedDuration> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit_at);
    let number: i64 = number.parse().ok()?;
    let seconds = match unit.trim_start() {
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86400,
        "w" => 7 * 86400,
        _ => return None,
    };
    Some(SignedDuration::from_secs(number.checked_mul(seconds)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, end: End) -> Option<String> {
        let now = Timestamp::parse("2026-11-15T12:30:00Z").unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        parse(text, end, now, &zone).map(|at| at.to_string())
    }

    #[test]
    fn days_are_local_and_until_includes_them() {
        let since = |text| at(text, End::Since).unwrap();
        assert_eq!(since("2026-11-01"), "2026-10-31T22:00:00.000Z");
        assert_eq!(at("2026-11-01", End::Until).unwrap(), "2026-11-01T22:00:00.000Z");
        assert_eq!(since("today"), "2026-11-14T22:00:00.000Z");
        assert_eq!(since("yesterday"), "2026-11-13T22:00:00.000Z");
    }

    #[test]
    fn spans_and_moments() {
        let since = |text| at(text, End::Since).unwrap();
        assert_eq!(since("7d"), "2026-11-08T12:30:00.000Z");
        assert_eq!(since("3h"), "2026-11-15T09:30:00.000Z");
        assert_eq!(since("2w"), "2026-11-01T12:30:00.000Z");
        assert_eq!(since("2026-11-01T10:00:00+01:00"), "2026-11-01T09:00:00.000Z");
        assert_eq!(since("2026-11-01 10:00"), "2026-11-01T08:00:00.000Z");
        assert_eq!(since("now"), "2026-11-15T12:30:00.000Z");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "soon", "7", "7y", "2026-13-01", "-3d", "99999999999999999999d"] {
            assert_eq!(at(text, End::Since), None, "{text}");
        }
    }
}
