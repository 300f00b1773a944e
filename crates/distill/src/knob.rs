//! Something that can be tuned, and the names it goes by in an environment.

/// A knob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knob {
    /// Our name for it.
    pub name: &'static str,
    /// What the OpenViking plugins call it, if they know it.
    pub alias: Option<&'static str>,
    /// What it does.
    pub meaning: &'static str,
}

impl Knob {
    /// All its names; the first that is set counts.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.alias)
    }
}
