//! What can be tuned about compressing, and the names it goes by in an environment.

use super::Candidate;
use crate::knob::Knob;

/// What can be tuned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// Compress at all.
    pub switch: bool,
    /// The first choice of a model.
    pub model: Option<String>,
    /// How much that one thinks.
    pub thinking: Option<String>,
    /// What is tried behind it, instead of what is usual.
    pub fallbacks: Option<Vec<Candidate>>,
    /// The address the models are asked at, if it is not the agent's usual one.
    pub base_url: Option<String>,
    /// A model has so many milliseconds.
    pub timeout_ms: u64,
    /// Find out at the start of every session which model answers.
    pub detect_on_startup: bool,
    /// A model has so many milliseconds to show that it answers.
    pub detect_timeout_ms: u64,
    /// What was found out is true for so many milliseconds.
    pub detect_ttl_ms: u64,
    /// Characters of memories a model is shown at most.
    pub max_input_chars: usize,
    /// Lines it may answer with.
    pub max_bullets: usize,
    /// Blocks shorter than this, in characters, are short enough.
    pub min_chars: usize,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            switch: false,
            model: None,
            thinking: None,
            fallbacks: None,
            base_url: None,
            timeout_ms: 110_000,
            detect_on_startup: true,
            detect_timeout_ms: 15_000,
            detect_ttl_ms: 604_800_000,
            max_input_chars: 18_000,
            max_bullets: 6,
            min_chars: 1_500,
        }
    }
}

/// Every knob.
pub const KNOBS: [Knob; 13] = [
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS",
        alias: Some("OPENVIKING_RECALL_COMPRESS"),
        meaning: "1: the agent's own model says what is recalled in fewer words, for next time [0]",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_MODEL",
        alias: Some("OPENVIKING_RECALL_COMPRESS_MODEL"),
        meaning: "the model to try first for that; off: none at all",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_THINKING",
        alias: Some("OPENVIKING_RECALL_COMPRESS_THINKING"),
        meaning: "how much it thinks; default: what is usual for it; off: compress nothing",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_REASONING_EFFORT",
        alias: Some("OPENVIKING_RECALL_COMPRESS_REASONING_EFFORT"),
        meaning: "another name of BACKSTORY_RECALL_COMPRESS_THINKING",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_FALLBACKS",
        alias: None,
        meaning: "models to try then, instead of the usual ones: model:thinking,model",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_BASE_URL",
        alias: Some("OPENVIKING_RECALL_COMPRESS_BASE_URL"),
        meaning: "the address the model is asked at, if it is not the agent's usual one",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_TIMEOUT_MS",
        alias: Some("OPENVIKING_RECALL_COMPRESS_TIMEOUT_MS"),
        meaning: "how long it may take; nobody waits for it [110000]",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_DETECT_ON_STARTUP",
        alias: Some("OPENVIKING_RECALL_COMPRESS_DETECT_ON_STARTUP"),
        meaning: "0: do not find out at every start of a session which model answers [1]",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_DETECT_TIMEOUT_MS",
        alias: Some("OPENVIKING_RECALL_COMPRESS_DETECT_TIMEOUT_MS"),
        meaning: "how long each may take to show that it answers [15000]",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_DETECT_TTL_MS",
        alias: Some("OPENVIKING_RECALL_COMPRESS_DETECT_TTL_MS"),
        meaning: "how long what was found out is true [604800000]",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_MAX_INPUT_CHARS",
        alias: Some("OPENVIKING_RECALL_COMPRESS_MAX_INPUT_CHARS"),
        meaning: "characters of memories the model is shown at most [18000]",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_MAX_BULLETS",
        alias: Some("OPENVIKING_RECALL_COMPRESS_MAX_BULLETS"),
        meaning: "lines it may answer with [6]",
    },
    Knob {
        name: "BACKSTORY_RECALL_COMPRESS_MIN_CHARS",
        alias: None,
        meaning: "what is shorter than this is short enough [1500]",
    },
];

impl Knobs {
    /// From variables; ours win over their aliases.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        let [
            switch,
            model,
            thinking,
            effort,
            fallbacks,
            base_url,
            timeout,
            on_startup,
            detect_timeout,
            ttl,
            input,
            bullets,
            shortest,
        ] = KNOBS;
        Self {
            switch: switch.switch(&variable).unwrap_or(default.switch),
            model: model.text(&variable),
            thinking: thinking.text(&variable).or_else(|| effort.text(&variable)),
            fallbacks: fallbacks.text(&variable).map(|listed| candidates(&listed)),
            base_url: base_url.text(&variable),
            timeout_ms: timeout.number(&variable).unwrap_or(default.timeout_ms),
            detect_on_startup: on_startup.switch(&variable).unwrap_or(default.detect_on_startup),
            detect_timeout_ms: detect_timeout
                .number(&variable)
                .unwrap_or(default.detect_timeout_ms),
            detect_ttl_ms: ttl.number(&variable).unwrap_or(default.detect_ttl_ms),
            max_input_chars: input.size(&variable).unwrap_or(default.max_input_chars),
            max_bullets: bullets.size(&variable).unwrap_or(default.max_bullets).max(1),
            min_chars: shortest.size(&variable).unwrap_or(default.min_chars),
        }
    }

    /// Whether anything is to be compressed.
    pub fn is_on(&self) -> bool {
        let is_off = |said: Option<&str>| said.is_some_and(|said| said.eq_ignore_ascii_case("off"));
        self.switch && !is_off(self.model.as_deref()) && !is_off(self.thinking.as_deref())
    }
}

/// `model:thinking,model`. The name of a model may itself have colons; how much it thinks has none.
fn candidates(listed: &str) -> Vec<Candidate> {
    let named = listed.split(',').map(str::trim).filter(|name| !name.is_empty());
    let candidate = |name: &str| match name.rsplit_once(':') {
        Some((model, thinking)) => Candidate::new(model.trim(), Some(thinking.trim())),
        None => Candidate::new(name, None),
    };
    named.map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_compressed_unless_somebody_says_so() {
        let of = |set: &[(&str, &str)]| {
            let found = |name: &str| set.iter().find(|(known, _)| *known == name);
            Knobs::from_variables(|name| found(name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[]), Knobs::default());
        assert!(!of(&[]).is_on());
        assert!(!of(&[("OPENVIKING_RECALL_COMPRESS_MODEL", "tiny")]).is_on());
        let on = ("BACKSTORY_RECALL_COMPRESS", "1");
        assert!(of(&[on]).is_on() && of(&[("OPENVIKING_RECALL_COMPRESS", "on")]).is_on());
        assert!(!of(&[on, ("BACKSTORY_RECALL_COMPRESS_MODEL", "off")]).is_on());
        assert!(!of(&[on, ("OPENVIKING_RECALL_COMPRESS_THINKING", "Off")]).is_on());
        let effort = ("OPENVIKING_RECALL_COMPRESS_REASONING_EFFORT", "low");
        assert_eq!(of(&[effort]).thinking.as_deref(), Some("low"));
        let thinking = ("OPENVIKING_RECALL_COMPRESS_THINKING", "high");
        assert_eq!(of(&[effort, thinking]).thinking.as_deref(), Some("high"));
        let numbers = of(&[
            ("OPENVIKING_RECALL_COMPRESS_TIMEOUT_MS", "7"),
            ("OPENVIKING_RECALL_COMPRESS_DETECT_ON_STARTUP", "0"),
            ("OPENVIKING_RECALL_COMPRESS_DETECT_TIMEOUT_MS", "8"),
            ("OPENVIKING_RECALL_COMPRESS_DETECT_TTL_MS", "9"),
            ("OPENVIKING_RECALL_COMPRESS_MAX_INPUT_CHARS", "10"),
            ("OPENVIKING_RECALL_COMPRESS_MAX_BULLETS", "0"),
            ("BACKSTORY_RECALL_COMPRESS_MIN_CHARS", "11"),
        ]);
        let expected = Knobs {
            timeout_ms: 7,
            detect_on_startup: false,
            detect_timeout_ms: 8,
            detect_ttl_ms: 9,
            max_input_chars: 10,
            max_bullets: 1,
            min_chars: 11,
            ..Knobs::default()
        };
        assert_eq!(numbers, expected);
    }

    #[test]
    fn fallbacks_are_listed_with_what_they_think() {
        for (listed, expected) in [
            ("a", vec![Candidate::new("a", None)]),
            (
                "a:low, b:default,",
                vec![Candidate::new("a", Some("low")), Candidate::new("b", None)],
            ),
            ("vendor:a:high", vec![Candidate::new("vendor:a", Some("high"))]),
            (" , ", vec![]),
        ] {
            assert_eq!(candidates(listed), expected, "{listed}");
        }
    }
}
