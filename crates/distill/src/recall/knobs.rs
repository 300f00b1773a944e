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
    /// And so many tokens.
    pub resume_tokens: u32,
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
            resume_tokens: 32_000,
            timeout_ms: 2_000,
        }
    }
}

/// Every knob.
pub const KNOBS: [Knob; 11] = [
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
        name: "BACKSTORY_RECALL_MAX_TOKENS",
        alias: Some("OPENVIKING_RECALL_MAX_TOKENS"),
        meaning: "the same in tokens, four bytes each",
    },
    Knob {
        name: "BACKSTORY_RESUME_MAX_CHARS",
        alias: Some("OPENVIKING_RESUME_ARCHIVE_MAX_CHARS"),
        meaning: "characters of the state a session is told at most [6000]",
    },
    Knob {
        name: "BACKSTORY_RESUME_TOKEN_BUDGET",
        alias: Some("OPENVIKING_RESUME_ARCHIVE_TOKEN_BUDGET"),
        meaning: "tokens of that state at most, estimated [32000]",
    },
    Knob {
        name: "BACKSTORY_RECALL_TIMEOUT_MS",
        alias: Some("OPENVIKING_RECALL_TIMEOUT_MS"),
        meaning: "an agent waits so long for recall at most [2000]",
    },
];

/// Bytes of a token, roughly.
const BYTES_PER_TOKEN: usize = 4;

impl Knobs {
    /// From variables; ours win over their aliases.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        let [
            start,
            prompts,
            errors,
            resume,
            everywhere,
            limit,
            bytes,
            tokens,
            chars,
            budget,
            timeout,
        ] = KNOBS;
        let bytes = bytes.size(&variable).unwrap_or(default.max_bytes).min(MAX_BYTES);
        let tokens = tokens.size(&variable).map(|tokens| tokens.saturating_mul(BYTES_PER_TOKEN));
        let budget = budget.number(&variable).map(|tokens| tokens.try_into().unwrap_or(u32::MAX));
        Self {
            at_start: start.switch(&variable).unwrap_or(default.at_start),
            at_prompts: prompts.switch(&variable).unwrap_or(default.at_prompts),
            at_errors: errors.switch(&variable).unwrap_or(default.at_errors),
            at_resume: resume.switch(&variable).unwrap_or(default.at_resume),
            everywhere: everywhere.switch(&variable).unwrap_or(default.everywhere),
            limit: limit.size(&variable).unwrap_or(default.limit),
            max_bytes: bytes.min(tokens.unwrap_or(bytes)),
            resume_chars: chars.size(&variable).unwrap_or(default.resume_chars),
            resume_tokens: budget.unwrap_or(default.resume_tokens),
            timeout_ms: timeout.number(&variable).unwrap_or(default.timeout_ms),
        }
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
            (&[("OPENVIKING_RECALL_MAX_TOKENS", "1600")], Knobs { max_bytes: 6_400, ..default }),
            (
                &[("BACKSTORY_RECALL_MAX_BYTES", "500"), ("BACKSTORY_RECALL_MAX_TOKENS", "1600")],
                Knobs { max_bytes: 500, ..default },
            ),
            (
                &[("OPENVIKING_RESUME_ARCHIVE_TOKEN_BUDGET", "300")],
                Knobs { resume_tokens: 300, ..default },
            ),
            (
                &[("OPENVIKING_RECALL_TIMEOUT_MS", "120000")],
                Knobs { timeout_ms: 120_000, ..default },
            ),
        ] {
            assert_eq!(of(set), expected, "{set:?}");
        }
    }
}
