//! A file was edited back and forth.

use super::{Detector, Signals};
use crate::beat::Beat;
use crate::call::base;
use crate::facts::Facts;
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

const REMEMBERED: usize = 10;

/// The latest edits, each as half a hash of file, text before and text after.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Thrash(Vec<u32>);

impl Detector for Thrash {
    const KIND: SignalKind = SignalKind::Thrash;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        for change in &beat.changes {
            let (Some(before), Some(after)) = (change.before, change.after) else { continue };
            let edit = |before: u64, after: u64| {
                xxh3_64(format!("{before:x} {after:x} {}", change.path).as_bytes()) as u32
            };
            if before != after && self.0.contains(&edit(after, before)) {
                let name = base(&change.path);
                let what = format!("{name} was changed and changed back");
                out.note(Self::KIND, xxh3_64(name.as_bytes()), beat, &what);
            }
            if self.0.len() == REMEMBERED {
                self.0.remove(0);
            }
            self.0.push(edit(before, after));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::Thrash;

    #[test]
    fn an_edit_taken_back_is_thrash() {
        let mut script = Script::new();
        script.edit("/p/a.rs", "one", "two").works("ok");
        script.edit("/p/b.rs", "two", "one").works("ok");
        assert!(script.signals(Thrash).is_empty());
        script.edit("/p/a.rs", "two", "one").works("ok");
        script.edit("/p/a.rs", "one", "two").works("ok");
        let found = script.signals(Thrash);
        assert_eq!(
            (found[0].what.as_str(), found[0].count),
            ("a.rs was changed and changed back", 2)
        );
    }
}
