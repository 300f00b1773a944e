//! Moments in time, at the millisecond the agents write.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Milliseconds since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Parses an RFC 3339 text; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|at| Self(at.as_millisecond()))
    }

    /// From whole seconds since the epoch.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with milliseconds, as JSON shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => write!(f, "{at:.3}"),
            Err(_) => f.write_str("1970-01-01T00:00:00.000Z"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_milliseconds() {
        let at = Timestamp::parse("2026-08-20T10:00:00.123Z").unwrap();
        assert_eq!(at.to_string(), "2026-08-20T10:00:00.123Z");
        assert_eq!(Timestamp::parse("yesterday"), None);
    }
}
