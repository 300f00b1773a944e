//! What can be tuned about hooks and about what plugins post, and the names it goes by in an environment.

use crate::knob::Knob;

/// What can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// Hooks do anything at all.
    pub hooks: bool,
    /// Hooks note what happens.
    pub notes: bool,
    /// Hooks write down what they do.
    pub debug: bool,
    /// The longest posted tool text that is kept whole, in characters, if somebody says so.
    pub tool_chars: Option<usize>,
    /// The longest posted text of another kind that is kept whole, if somebody says so.
    pub text_chars: Option<usize>,
}

impl Default for Knobs {
    fn default() -> Self {
        Self { hooks: true, notes: true, debug: false, tool_chars: None, text_chars: None }
    }
}

/// Every knob; the first keeps the hooks of an agent that we run ourselves from answering us.
pub const KNOBS: [Knob; 5] = [
    Knob {
        name: "BACKSTORY_HOOKS",
        alias: Some("OPENVIKING_MEMORY_ENABLED"),
        meaning: "0: hooks do nothing at all [1]",
    },
    Knob {
        name: "BACKSTORY_AUTO_CAPTURE",
        alias: Some("OPENVIKING_AUTO_CAPTURE"),
        meaning: "0: hooks note nothing; syncs still read the logs [1]",
    },
    Knob {
        name: "BACKSTORY_DEBUG",
        alias: Some("OPENVIKING_DEBUG"),
        meaning: "1: hooks write what they do to hooks.log [0]",
    },
    Knob {
        name: "BACKSTORY_CAPTURE_TOOL_MAX_CHARS",
        alias: Some("OPENVIKING_CAPTURE_TOOL_MAX_CHARS"),
        meaning: "characters of a tool text posted to `serve` that are kept at most [20000]",
    },
    Knob {
        name: "BACKSTORY_CAPTURE_MAX_LENGTH",
        alias: Some("OPENVIKING_CAPTURE_MAX_LENGTH"),
        meaning: "characters of any other text posted to `serve` that are kept at most [24000]",
    },
];

impl Knobs {
    /// From variables; ours win over their aliases.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let (default, [hooks, notes, debug, tool, text]) = (Self::default(), KNOBS);
        Self {
            hooks: hooks.switch(&variable).unwrap_or(default.hooks),
            notes: notes.switch(&variable).unwrap_or(default.notes),
            debug: debug.switch(&variable).unwrap_or(default.debug),
            tool_chars: tool.size(&variable),
            text_chars: text.size(&variable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_turns_its_own_screw() {
        let of = |name: &str, value: &str| {
            Knobs::from_variables(|asked| (asked == name).then(|| value.to_owned()))
        };
        let default = Knobs::default();
        for (name, value, expected) in [
            ("BACKSTORY_HOOKS", "0", Knobs { hooks: false, ..default }),
            ("OPENVIKING_MEMORY_ENABLED", "off", Knobs { hooks: false, ..default }),
            ("OPENVIKING_AUTO_CAPTURE", "0", Knobs { notes: false, ..default }),
            ("OPENVIKING_DEBUG", "1", Knobs { debug: true, ..default }),
            (
                "BACKSTORY_CAPTURE_TOOL_MAX_CHARS",
                "2000",
                Knobs { tool_chars: Some(2_000), ..default },
            ),
            ("OPENVIKING_CAPTURE_MAX_LENGTH", "99", Knobs { text_chars: Some(99), ..default }),
            ("BACKSTORY_CAPTURE_TOOL_MAX_CHARS", "lots", default),
        ] {
            assert_eq!(of(name, value), expected, "{name}={value}");
        }
    }
}
