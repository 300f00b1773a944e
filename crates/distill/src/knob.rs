//! Something that can be tuned, and the names it goes by in an environment.
//!
//! What cannot be understood changes nothing: a hook must do its work whatever its environment holds.

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

/// The variables of an environment.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Knob {
    /// All its names; the first that is set to something understandable counts.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.alias)
    }

    /// What it is set to.
    pub fn text(self, variable: Variables<'_>) -> Option<String> {
        let said = |name| Some(variable(name)?.trim().to_owned()).filter(|text| !text.is_empty());
        self.names().find_map(said)
    }

    /// Whether it is on.
    pub fn switch(self, variable: Variables<'_>) -> Option<bool> {
        self.names().find_map(|name| match variable(name)?.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "on" | "yes" => Some(true),
            "0" | "false" | "off" | "no" => Some(false),
            _ => None,
        })
    }

    /// The number it is set to.
    pub fn number(self, variable: Variables<'_>) -> Option<u64> {
        self.names().find_map(|name| variable(name)?.trim().parse().ok())
    }

    /// The number it is set to, of something that is counted in memory.
    pub fn size(self, variable: Variables<'_>) -> Option<usize> {
        self.number(variable).map(|number| number.try_into().unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOB: Knob = Knob { name: "OURS", alias: Some("THEIRS"), meaning: "" };

    #[test]
    fn our_name_wins_where_it_says_something() {
        let of = |ours: &str, theirs: &str| {
            let (ours, theirs) = (ours.to_owned(), theirs.to_owned());
            move |name: &str| match name {
                "OURS" => Some(ours.clone()),
                _ => Some(theirs.clone()),
            }
        };
        assert_eq!(KNOB.number(&of(" 9 ", "3")), Some(9));
        assert_eq!(KNOB.number(&of("many", "3")), Some(3));
        assert_eq!(KNOB.number(&of("-1", "few")), None);
        assert_eq!(KNOB.switch(&of("Off", "1")), Some(false));
        assert_eq!(KNOB.switch(&of("perhaps", "YES")), Some(true));
        assert_eq!(KNOB.switch(&of("", "perhaps")), None);
        assert_eq!(KNOB.text(&of(" ", " gpt-5.5 ")).as_deref(), Some("gpt-5.5"));
        assert_eq!(KNOB.text(&|_| None), None);
    }
}
