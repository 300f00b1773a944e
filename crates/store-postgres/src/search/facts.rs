//! What filters ask of passages, and where these are: some dozens of passages in a row of the table.

use super::bytes::{Bytes, put, put_signed};
use backstory_index::{Facts, Place};
use backstory_model::{EventKind, Timestamp};

/// Passages of a row: the best of a query are far apart, and each costs its row.
pub(super) const PER_ROW: u32 = 32;

/// A passage without its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fact {
    pub(super) place: Place,
    pub(super) facts: Facts,
}

/// Passages as a row has them.
pub(super) fn written(facts: &[Fact]) -> Vec<u8> {
    let mut out = Vec::with_capacity(facts.len() * 12);
    let (mut place, mut at) = (0_i64, 0_i64);
    for fact in facts {
        let Facts { ts, kind, exit, tool } = fact.facts;
        put_signed(&mut out, (fact.place.0 as i64).wrapping_sub(place));
        put_signed(&mut out, ts.0.wrapping_sub(at));
        out.push(kind.map_or(0, |kind| kind.code() + 1));
        put_signed(&mut out, exit.map_or(0, |exit| i64::from(exit) + i64::from(exit >= 0)));
        put(&mut out, tool);
        (place, at) = (fact.place.0 as i64, ts.0);
    }
    out
}

/// The passages of a row.
pub(super) fn read(bytes: &[u8]) -> Vec<Fact> {
    let mut bytes = Bytes(bytes);
    let (mut place, mut at) = (0_i64, 0_i64);
    let mut next = || {
        place = place.wrapping_add(bytes.signed()?);
        at = at.wrapping_add(bytes.signed()?);
        let kind = bytes.byte()?.checked_sub(1).and_then(EventKind::from_code);
        let exit = match bytes.signed()? {
            0 => None,
            exit => Some(i32::try_from(exit - i64::from(exit > 0)).ok()?),
        };
        let facts = Facts { ts: Timestamp(at), kind, exit, tool: bytes.number()? };
        Some(Fact { place: Place(place as u64), facts })
    };
    std::iter::from_fn(&mut next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_as_they_were_written() {
        let fact = |place, ts, kind, exit, tool| Fact {
            place,
            facts: Facts { ts: Timestamp(ts), kind, exit, tool },
        };
        let all = [
            fact(Place::event(7, 3), 1_700_000_000_000, Some(EventKind::UserMsg), None, 0),
            fact(Place::event(7, 4), -5, Some(EventKind::ToolResult), Some(0), 77),
            fact(Place::event(9, 0), 0, Some(EventKind::ToolResult), Some(-1), u64::MAX >> 32),
            fact(Place::session_card(2), i64::MAX, None, Some(i32::MIN), 0),
            fact(Place::event(2, 0), i64::MIN, None, Some(i32::MAX), 1),
        ];
        let bytes = written(&all);
        assert_eq!(read(&bytes), all);
        assert_eq!(read(&bytes[..bytes.len() - 1]), all[..4]);
    }
}
