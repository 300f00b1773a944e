//! What objects are called, and which position is in which.

use object_store::path::Path;
use std::ops::Range;

/// Bits of a position that tell where in its part a block begins. The others are the number of the
/// part, which is a length of the pack: up to 512 GiB.
const PART_SHIFT: u32 = 24;
/// A part this long takes no further block. A block may be as long as it likes: only where it begins
/// has to fit a position.
pub(crate) const FULL_PART: usize = 8 << 20;
/// Numbers that keep a position positive in an `i64`.
const NUMBERS: Range<u64> = 0..1 << (63 - PART_SHIFT);
/// Digits of the largest number, so that names are in the order of numbers.
const DIGITS: usize = 10;

/// Names of one tenant's objects.
#[derive(Debug)]
pub(crate) struct Names {
    root: Path,
    /// What stands before a name to make it one that people can use.
    label: String,
}

impl Names {
    pub(crate) fn new(prefix: &Path, tenant: &str, label: String) -> Self {
        Self { root: prefix.clone().join(tenant), label }
    }

    /// The folder of all there is.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The object that says that this is where packs are.
    pub(crate) fn marker(&self) -> Path {
        self.root.clone().join("backstory-packs")
    }

    /// The folder a session shares with others.
    pub(crate) fn folder(&self, session_id: i64) -> Path {
        self.root.clone().join(format!("{:02x}", session_id & 0xff))
    }

    /// The folder of a session's parts.
    pub(crate) fn session(&self, session_id: i64) -> Path {
        self.folder(session_id).join(format!("{session_id:08x}"))
    }

    /// One part.
    pub(crate) fn part(&self, session_id: i64, number: u64) -> Path {
        self.session(session_id).join(format!("{number:0DIGITS$x}"))
    }

    /// Session and number of a part.
    pub(crate) fn parse(&self, object: &Path) -> Option<(i64, u64)> {
        let mut parts = object.prefix_match(&self.root)?.skip(1);
        let session_id = i64::from_str_radix(parts.next()?.as_ref(), 16).ok()?;
        let number = u64::from_str_radix(parts.next()?.as_ref(), 16).ok()?;
        (self.part(session_id, number) == *object).then_some((session_id, number))
    }

    /// A name as people can use it.
    pub(crate) fn label(&self, object: &Path) -> String {
        format!("{}{object}", self.label)
    }
}

/// The position of a block, unless the pack is longer than positions can tell.
pub(crate) fn position(number: u64, offset: usize) -> Option<u64> {
    NUMBERS.contains(&number).then_some(number << PART_SHIFT | offset as u64)
}

/// Number of the part and offset in it.
pub(crate) fn parse_position(position: u64) -> (u64, u64) {
    (position >> PART_SHIFT, position & ((1 << PART_SHIFT) - 1))
}

/// Where the blocks of a part begin.
pub(crate) fn positions_of(number: u64) -> Range<u64> {
    number << PART_SHIFT..(number + 1) << PART_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_or_refused() {
        let names = Names::new(&Path::from("some/prefix"), "team", "s3://bucket/".into());
        let part = names.part(0x1ff, 0xabc);
        assert_eq!(part.as_ref(), "some/prefix/team/ff/000001ff/0000000abc");
        assert_eq!(names.parse(&part), Some((0x1ff, 0xabc)));
        for other in ["ff/000001ff/abc", "fe/000001ff/0000000abc", "ff/notes/0000000abc", "ff", ""]
        {
            assert_eq!(names.parse(&Path::from(format!("some/prefix/team/{other}"))), None);
        }
        assert_eq!(names.parse(&Path::from("some/prefix/other/ff/000001ff/0000000abc")), None);
    }

    #[test]
    fn a_tenant_cannot_leave_its_folder() {
        let names = Names::new(&Path::from("p"), "../other/x", String::new());
        assert_eq!(names.root().parts().count(), 2);
    }

    #[test]
    fn positions_fit_an_i64_and_come_back() {
        let last = NUMBERS.end - 1;
        let at = position(last, FULL_PART - 1).unwrap();
        assert!(i64::try_from(at).is_ok());
        assert_eq!(parse_position(at), (last, FULL_PART as u64 - 1));
        assert!(positions_of(last).contains(&at));
        assert_eq!(position(NUMBERS.end, 0), None);
    }
}
