//! What a tool says: one text, never longer than a model should have to read at once.

use backstory_engine::SyncError;
use backstory_engine::tree::TreeError;
use backstory_store::StoreError;

/// The longest text a tool answers with, in characters.
pub(super) const MAX_CHARS: usize = 20_000;
/// Room for the words about what was left out.
const NOTE_CHARS: usize = 300;

/// Why a tool could not do what it was asked, for the model to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) String);

/// What a tool comes to.
pub(super) type Answer = Result<String, Refusal>;

/// What to do while nothing has been taken in.
pub(super) const NOTHING_YET: &str = "Nothing has been taken in yet, so there is nothing to recall. \
    Ask the user to run `backstory sync` in a terminal once; memories can be written and read already.";

impl Refusal {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Missing(_) => Self::new(NOTHING_YET),
            error => Self(error.to_string()),
        }
    }
}

impl From<TreeError> for Refusal {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Store(error) => error.into(),
            TreeError::NotFound(address) => Self(format!(
                "Nothing is at {address}. Use list or glob to see what is there, or search to find it."
            )),
            error => Self(error.to_string()),
        }
    }
}

impl From<SyncError> for Refusal {
    fn from(error: SyncError) -> Self {
        match error {
            SyncError::Store(error) => error.into(),
            SyncError::NoIndex => Self::new(
                "There is no search index yet. Ask the user to run `backstory index`; grep, list and \
                 read work without it.",
            ),
            error => Self(error.to_string()),
        }
    }
}

/// Entries that fit into one answer.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    chars: usize,
    told: usize,
    /// Told, but not counted by offsets.
    beside: usize,
    is_cut: bool,
}

impl Lines {
    /// Adds a whole entry, or leaves it and all that follow out.
    pub(super) fn add(&mut self, entry: &str) {
        let chars = entry.chars().count() + 1;
        if self.is_cut || self.chars + chars > MAX_CHARS - NOTE_CHARS {
            self.is_cut = true;
            return;
        }
        self.chars += chars;
        self.told += 1;
        self.text.push_str(entry);
        self.text.push('\n');
    }

    /// Adds an entry that offsets do not count.
    pub(super) fn add_beside(&mut self, entry: &str) {
        let told = self.told;
        self.add(entry);
        self.beside += self.told - told;
    }

    /// How many entries there are.
    pub(super) fn told(&self) -> usize {
        self.told
    }

    /// The text alone.
    pub(super) fn whole(self) -> String {
        self.text
    }

    /// The text with how to go on, behind so many entries that were passed over.
    pub(super) fn paged(self, offset: usize, has_more: bool) -> String {
        let next = offset + self.told - self.beside;
        if has_more || self.is_cut {
            return format!("{}(more: ask again with offset={next})\n", self.text);
        }
        self.text
    }
}

/// The last guard: whatever a tool says is bounded.
pub(super) fn bounded(text: String) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        None => text,
        Some((end, _)) => {
            let kept = text[..end].char_indices().nth(MAX_CHARS - NOTE_CHARS);
            let kept = kept.map_or(end, |(at, _)| at);
            format!("{}\n(cut: ask for less at once, with limit and offset)", &text[..kept])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_answer_is_longer_than_the_bound() {
        for text in ["ü".repeat(MAX_CHARS), "ü".repeat(MAX_CHARS + 1), "x".repeat(900_000)] {
            let answer = bounded(text.clone());
            assert!(answer.chars().count() <= MAX_CHARS);
            assert_eq!(answer == text, text.chars().count() <= MAX_CHARS);
        }
    }

    #[test]
    fn entries_are_told_whole_and_the_rest_can_be_asked_for() {
        let mut lines = Lines::default();
        for _ in 0..30 {
            lines.add(&"x".repeat(999));
        }
        assert_eq!(lines.told(), 19);
        let text = lines.paged(100, false);
        assert!(text.chars().count() <= MAX_CHARS);
        assert!(text.ends_with("(more: ask again with offset=119)\n"), "{text}");
    }
}
