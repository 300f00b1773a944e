//! History copied from other threads. A legacy fork or sub-agent file begins with its own
//! `session_meta`, then the parent's lines, stamped with the time of the copy. Those lines belong
//! to the parent; where a parent was itself a fork, its parent's come first.

use super::paths::is_dated;
use backstory_model::{Flavor, SessionUid};
use serde::{Deserialize, Serialize};

/// A thread whose copied lines a file holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Owner {
    /// Its thread id.
    pub(super) id: String,
    /// Whether it is stored: then its lines are recognised by their keys.
    pub(super) known: bool,
}

impl Owner {
    /// Its session.
    pub(super) fn uid(&self) -> SessionUid {
        SessionUid::new(Flavor::Codex, &self.id)
    }
}

/// Where a line stands, as far as the copied region is concerned.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place<'a> {
    /// Turn the line belongs to.
    pub(super) turn_id: &'a str,
    /// Its ordinal.
    pub(super) ordinal: Option<u64>,
    /// When it was written.
    pub(super) ms: Option<i64>,
    /// True for `thread_settings_applied`, which a fork writes right after the copy.
    pub(super) settings: bool,
}

/// The copied region at the beginning of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Lineage {
    /// Threads whose lines are to come, the one whose lines come first being last.
    owners: Vec<Owner>,
    /// First ordinal of the thread's own lines, where the file says so.
    own_from: Option<u64>,
    /// True while no conversation was met under the innermost head: another head may follow.
    at_head: bool,
    /// True once turn ids told the time of copied lines: then weaker signs are not needed.
    dated: bool,
    /// True once a line was copied.
    copied: bool,
    last_ms: Option<i64>,
}

impl Lineage {
    /// A pause between two lines this long ends a copy, which is written in one go.
    const PAUSE_MS: i64 = 200;
    /// Forks of forks that are followed.
    const DEPTH: usize = 16;

    /// Starts a file at its own head.
    pub(super) fn begin(&mut self, own_from: Option<u64>) {
        self.own_from = own_from;
        self.at_head = true;
    }

    /// True while lines may be another thread's.
    pub(super) fn is_copying(&self) -> bool {
        !self.owners.is_empty()
    }

    /// The thread whose lines are expected now.
    pub(super) fn owner(&self) -> Option<&Owner> {
        self.owners.last()
    }

    /// All threads whose lines may follow.
    pub(super) fn owners(&self) -> &[Owner] {
        &self.owners
    }

    /// Whether the head of another thread may begin its copied lines here.
    pub(super) fn accepts(&self, id: &str) -> bool {
        self.at_head
            && self.owners.len() < Self::DEPTH
            && !self.owners.iter().any(|owner| owner.id == id)
    }

    /// Enters the copied lines of a thread.
    pub(super) fn enter(&mut self, owner: Owner) {
        self.owners.push(owner);
    }

    /// Leaves the innermost thread's lines.
    pub(super) fn leave(&mut self) {
        self.owners.pop();
        self.at_head = false;
    }

    /// Notes that conversation was met.
    pub(super) fn talked(&mut self) {
        self.at_head = false;
        self.copied |= self.is_copying();
    }

    /// True when the file itself says that the line is a copy.
    pub(super) fn is_surely_copied(&self, ordinal: Option<u64>) -> bool {
        matches!((self.own_from, ordinal), (Some(from), Some(at)) if at < from)
    }

    /// True when turn ids tell where the copy ends.
    pub(super) fn is_dated(&self) -> bool {
        self.dated
    }

    /// How many threads' lines are over when this line comes.
    pub(super) fn left_by(&mut self, own: &str, place: Place<'_>) -> usize {
        let all = self.owners.len();
        let pause = matches!((self.last_ms, place.ms), (Some(last), Some(now)) if now - last > Self::PAUSE_MS);
        self.last_ms = place.ms.or(self.last_ms);
        if all == 0 {
            return 0;
        }
        if let (Some(from), Some(at)) = (self.own_from, place.ordinal) {
            return if at >= from { all } else { 0 };
        }
        if is_dated(place.turn_id) && is_dated(own) {
            self.dated = true;
            return self.newer_than(own, place.turn_id);
        }
        let unknown = self.owner().is_some_and(|owner| !owner.known);
        let sign = pause || place.settings;
        if unknown && !self.dated && self.copied && sign { all } else { 0 }
    }

    /// A turn begun after a thread was created is not copied into it: ids tell the time.
    fn newer_than(&self, own: &str, turn_id: &str) -> usize {
        let below = |at: usize| if at == 0 { own } else { self.owners[at - 1].id.as_str() };
        (0..self.owners.len())
            .rev()
            .take_while(|at| is_dated(below(*at)) && turn_id > below(*at))
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u32) -> String {
        format!("0198{n:04x}-0000-7000-8000-000000000000")
    }

    fn nested() -> Lineage {
        let mut lineage = Lineage::default();
        lineage.begin(None);
        lineage.enter(Owner { id: id(20), known: false });
        lineage.enter(Owner { id: id(10), known: false });
        lineage
    }

    fn left(lineage: &mut Lineage, turn: u32) -> usize {
        let turn_id = id(turn);
        lineage.left_by(&id(30), Place { turn_id: &turn_id, ..Place::default() })
    }

    #[test]
    fn turn_ids_tell_whose_line_it_is() {
        let mut lineage = nested();
        assert_eq!(left(&mut lineage, 11), 0);
        assert_eq!(left(&mut lineage, 21), 1);
        assert_eq!(left(&mut lineage, 31), 2);
    }

    #[test]
    fn without_dated_ids_a_pause_or_the_settings_end_the_copy() {
        let mut lineage = nested();
        let at = |ms, settings| Place { ms: Some(ms), settings, ..Place::default() };
        assert_eq!(lineage.left_by("x", at(0, false)), 0);
        lineage.talked();
        assert_eq!(lineage.left_by("x", at(5, false)), 0);
        assert_eq!(lineage.clone().left_by("x", at(6, true)), 2);
        assert_eq!(lineage.left_by("x", at(900, false)), 2);
    }

    #[test]
    fn a_stated_first_ordinal_decides() {
        let mut lineage = nested();
        lineage.begin(Some(9));
        let at = |ordinal| Place { ordinal: Some(ordinal), ..Place::default() };
        assert_eq!(lineage.left_by("x", at(8)), 0);
        assert_eq!(lineage.left_by("x", at(9)), 2);
        assert!(lineage.is_surely_copied(Some(8)) && !lineage.is_surely_copied(Some(9)));
    }
}
