//! What can be tuned about sealing, and the names it goes by in an environment.

use crate::knob::Knob;

/// What can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// A session heard of within so many milliseconds counts as active.
    pub active_window_ms: u64,
    /// One silent for longer than this is sealed.
    pub idle_ttl_ms: u64,
}

impl Default for Knobs {
    fn default() -> Self {
        Self { active_window_ms: 120_000, idle_ttl_ms: 1_800_000 }
    }
}

/// Every knob.
pub const KNOBS: [Knob; 2] = [
    Knob {
        name: "BACKSTORY_ACTIVE_WINDOW_MS",
        alias: Some("OPENVIKING_CODEX_ACTIVE_WINDOW_MS"),
        meaning: "a session heard of so recently counts as active [120000]",
    },
    Knob {
        name: "BACKSTORY_IDLE_TTL_MS",
        alias: Some("OPENVIKING_CODEX_IDLE_TTL_MS"),
        meaning: "a session silent for so long is sealed [1800000]",
    },
];

impl Knobs {
    /// From variables; ours win over their aliases.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let (default, [window, ttl]) = (Self::default(), KNOBS);
        Self {
            active_window_ms: window.number(&variable).unwrap_or(default.active_window_ms),
            idle_ttl_ms: ttl.number(&variable).unwrap_or(default.idle_ttl_ms),
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
        assert_eq!(of(&[]), default);
        let idle = |idle_ttl_ms: u64| Knobs { idle_ttl_ms, ..default };
        let (name, alias) = ("BACKSTORY_IDLE_TTL_MS", "OPENVIKING_CODEX_IDLE_TTL_MS");
        assert_eq!(of(&[(alias, "5")]), idle(5));
        assert_eq!(of(&[(alias, "5"), (name, " 7 ")]), idle(7));
        assert_eq!(of(&[(alias, "5"), (name, "soon")]), idle(5));
        assert_eq!(of(&[(name, "-1")]), default);
        let window = Knobs { active_window_ms: 0, ..default };
        assert_eq!(of(&[("OPENVIKING_CODEX_ACTIVE_WINDOW_MS", "0")]), window);
    }
}
