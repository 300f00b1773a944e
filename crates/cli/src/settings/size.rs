//! Sizes in bytes: `4GiB`, `500 MB`, `1048576`.

const UNITS: [(&str, u64); 9] = [
    ("b", 1),
    ("kb", 1000),
    ("mb", 1000 * 1000),
    ("gb", 1000 * 1000 * 1000),
    ("tb", 1000 * 1000 * 1000 * 1000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

/// Reads a size; `None` when it is none.
pub(super) fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let unit = match unit.trim().to_ascii_lowercase().as_str() {
        "" => 1,
        unit => UNITS.iter().find(|(name, _)| *name == unit)?.1,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(unit);
    }
    let bytes = number.parse::<f64>().ok()? * unit as f64;
    (bytes.is_finite() && bytes < u64::MAX as f64).then_some(bytes as u64)
}

/// The size in the largest unit that divides it.
pub(crate) fn format(bytes: u64) -> String {
    for (name, unit) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] {
        if bytes > 0 && bytes.is_multiple_of(unit) {
            return format!("{}{name}", bytes / unit);
        }
    }
    format!("{bytes}B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        assert_eq!(parse("4GiB"), Some(4 << 30));
        assert_eq!(parse(" 1.5 mib "), Some(3 << 19));
        assert_eq!(parse("500 MB"), Some(500_000_000));
        assert_eq!(parse("42"), Some(42));
        for wrong in ["", "GiB", "4 parsecs", "-1", "99999999TiB", "1.2.3"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        for text in ["4GiB", "1536MiB", "3KiB", "17B", "0B"] {
            assert_eq!(format(parse(text).unwrap()), text);
        }
    }
}
