//! What can be tuned about recall, and the names it goes by in an environment.

use super::{DEFAULT_ITEMS, MAX_BYTES, OVERVIEW_CHARS};
use crate::knob::Knob;

/// What can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Knobs {
    /// Sessions that begin are told what holds in their project and what was done there last.
    pub at_start: bool,
    /// Agents are told what is relevant at each prompt.
    pub at_prompts: bool,
    /// Agents are told the fix of an error met before.
    pub at_errors: bool,
    /// Sessions that go on are told their state.
    pub at_resume: bool,
    /// Of every project, not only the one the agent works in.
    pub everywhere: bool,
    /// At most so many things.
    pub limit: usize,
    /// In at most so many bytes.
    pub max_bytes: usize,
    /// A state has at most so many characters.
    pub resume_chars: usize,
    /// An agent waits so many milliseconds at most.
    pub timeout_ms: u64,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            at_start: true,
            at_prompts: true,
            at_errors: true,
            at_resume: true,
            everywhere: false,
            limit: DEFAULT_ITEMS,
            max_bytes: MAX_BYTES,
            resume_chars: OVERVIEW_CHARS,
            timeout_ms: 2_000,
        }
    }
}

/// Every knob.
pub const KNOBS: [Knob; 9] = [
    Knob {
        name: "BACKSTORY_START_INJECT",
        alias: None,
        meaning: "0: sessions that begin are not told of their project [1]",
    },
    Knob {
        name: "BACKSTORY_AUTO_RECALL",
        alias: Some("OPENVIKING_AUTO_RECALL"),
        meaning: "0: agents are told nothing at prompts [1]",
    },
    Knob {
        name: "BACKSTORY_ERROR_RECALL",
        alias: None,
        meaning: "0: agents are not told the fixes of errors met before [1]",
    },
    Knob {
        name: "BACKSTORY_RESUME_INJECT",
        alias: Some("OPENVIKING_RESUME_ARCHIVE_INJECT"),
        meaning: "0: sessions that go on are not told their state [1]",
    },
    Knob {
        name: "BACKSTORY_RECALL_EVERYWHERE",
        alias: None,
        meaning: "1: agents are told of other projects too [0]",
    },
    Knob {
        name: "BACKSTORY_RECALL_LIMIT",
        alias: Some("OPENVIKING_RECALL_LIMIT"),
        meaning: "things told at a prompt at most [6]",
    },
    Knob {
        name: "BACKSTORY_RECALL_MAX_BYTES",
        alias: None,
        meaning: "bytes told at a prompt at most [10000]",
    },
    Knob {
        name: "BACKSTORY_RESUME_MAX_CHARS",
        alias: Some("OPENVIKING_RESUME_ARCHIVE_MAX_CHARS"),
        meaning: "characters of the state a session is told at most [6000]",
    },
    Knob {
        name: "BACKSTORY_RECALL_TIMEOUT_MS",
        alias: Some("OPENVIKING_RECALL_TIMEOUT_MS"),
        meaning: "an agent waits so long for recall at most [2000]",
    },
];

impl Knobs {
    /// From variables; ours win over their aliases. What cannot be understood changes nothing: a hook must
    /// do its work whatever its environment holds.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let said = |knob: Knob, understands: &dyn Fn(&str) -> bool| {
            knob.names().find_map(|name| {
                let value = variable(name)?.trim().to_ascii_lowercase();
                understands(&value).then_some(value)
            })
        };
        let switch = |knob: Knob, default: bool| {
            let value = said(knob, &|value| is_on(value).is_some());
            value.and_then(|value| is_on(&value)).unwrap_or(default)
        };
        let number = |knob: Knob, default: u64| {
            let value = said(knob, &|value| value.parse::<u64>().is_ok());
            value.and_then(|value| value.parse().ok()).unwrap_or(default)
        };
        let size = |knob: Knob, default: usize| number(knob, default as u64) as usize;
        let default = Self::default();
        let [start, prompts, errors, resume, everywhere, limit, bytes, chars, timeout] = KNOBS;
        Self {
            at_start: switch(start, default.at_start),
            at_prompts: switch(prompts, default.at_prompts),
            at_errors: switch(errors, default.at_errors),
            at_resume: switch(resume, default.at_resume),
            everywhere: switch(everywhere, default.everywhere),
            limit: size(limit, default.limit),
            max_bytes: size(bytes, default.max_bytes).min(MAX_BYTES),
            resume_chars: size(chars, default.resume_chars),
            timeout_ms: number(timeout, default.timeout_ms),
        }
    }
}

fn is_on(value: &str) -> Option<bool> {
    match value {
        "1" | "true" | "on" | "yes" => Some(true),
        "0" | "false" | "off" | "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_names_win_and_nonsense_changes_nothing() {
        let of = |set: &[(&str, &str)]| {
            let found = |name: &str| set.iter().find(|(known, _)| *known == name);
            Knobs::from_variables(|name| found(name).map(|(_, value)| (*value).to_owned()))
        };
        let default = Knobs::default();
        let (name, alias) = ("BACKSTORY_RECALL_LIMIT", "OPENVIKING_RECALL_LIMIT");
        let limit = |limit: usize| Knobs { limit, ..default };
        for (set, expected) in [
            (&[][..], default),
            (&[(alias, "3")], limit(3)),
            (&[(alias, "3"), (name, " 9 ")], limit(9)),
            (&[(alias, "3"), (name, "many")], limit(3)),
            (&[("BACKSTORY_RECALL_MAX_BYTES", "99999")], default),
            (&[("BACKSTORY_START_INJECT", "off")], Knobs { at_start: false, ..default }),
            (&[("OPENVIKING_AUTO_RECALL", "Off")], Knobs { at_prompts: false, ..default }),
            (&[("OPENVIKING_AUTO_RECALL", "0"), ("BACKSTORY_AUTO_RECALL", "1")], default),
            (&[("BACKSTORY_RECALL_EVERYWHERE", "perhaps")], default),
            (
                &[("OPENVIKING_RECALL_TIMEOUT_MS", "120000")],
                Knobs { timeout_ms: 120_000, ..default },
            ),
        ] {
            assert_eq!(of(set), expected, "{set:?}");
        }
    }
}
