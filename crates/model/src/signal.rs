//! Something notable inside a session, with its evidence.

use crate::{SessionUid, Timestamp};

/// What was noticed. The names are stable: they are stored, printed and filtered on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum SignalKind {
    /// A tool, a turn or a request failed.
    Error = 0,
    /// The same call was repeated although it kept failing.
    RetryLoop = 1,
    /// A file was edited back and forth.
    Thrash = 2,
    /// A test failed and never passed again.
    FailingTest = 3,
    /// A failing test was made to pass.
    TestFixed = 4,
    /// The human interrupted or steered a running turn.
    HumanIntervention = 5,
    /// The human corrected the agent.
    UserCorrection = 6,
    /// The human (or a rule) denied a tool call.
    PermissionDenial = 7,
    /// An instruction the human gave; the same one in several sessions is worth writing down.
    Instruction = 8,
    /// The context overflowed or was compacted.
    ContextOverflow = 9,
    /// A command took long.
    SlowCommand = 10,
    /// Nothing happened for a long time within the session.
    IdleGap = 11,
    /// Work was left in the middle.
    AbandonedWork = 12,
    /// A command that destroys things.
    DestructiveCommand = 13,
    /// Trouble with dependencies or the toolchain.
    ToolchainTrouble = 14,
    /// An error and what made it go away.
    ErrorFix = 15,
}

impl SignalKind {
    /// Every kind, in the order of its stored number.
    pub const ALL: [Self; 16] = [
        Self::Error,
        Self::RetryLoop,
        Self::Thrash,
        Self::FailingTest,
        Self::TestFixed,
        Self::HumanIntervention,
        Self::UserCorrection,
        Self::PermissionDenial,
        Self::Instruction,
        Self::ContextOverflow,
        Self::SlowCommand,
        Self::IdleGap,
        Self::AbandonedWork,
        Self::DestructiveCommand,
        Self::ToolchainTrouble,
        Self::ErrorFix,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::RetryLoop => "retry_loop",
            Self::Thrash => "thrash",
            Self::FailingTest => "failing_test",
            Self::TestFixed => "test_fixed",
            Self::HumanIntervention => "human_intervention",
            Self::UserCorrection => "user_correction",
            Self::PermissionDenial => "permission_denial",
            Self::Instruction => "instruction",
            Self::ContextOverflow => "context_overflow",
            Self::SlowCommand => "slow_command",
            Self::IdleGap => "idle_gap",
            Self::AbandonedWork => "abandoned_work",
            Self::DestructiveCommand => "destructive_command",
            Self::ToolchainTrouble => "toolchain_trouble",
            Self::ErrorFix => "error_fix",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The number it is stored as.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The kind stored as this number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// What made an error go away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fix {
    /// The event after which the error was gone.
    pub seq: u32,
    /// What was done last before it went away, bounded.
    pub what: String,
    /// What was tried before in vain, bounded, one attempt per line.
    pub tried: String,
}

/// One notable thing. The same thing again in the same session counts up instead of being listed
/// again: `(kind, fingerprint)` is unique in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// What was noticed.
    pub kind: SignalKind,
    /// The same number wherever the same thing happens: how patterns are found.
    pub fingerprint: u64,
    /// The first event that shows it.
    pub seq: u32,
    /// The last one.
    pub last_seq: u32,
    /// When it was first seen.
    pub ts: Option<Timestamp>,
    /// How often in this session.
    pub count: u32,
    /// What it says, on one line of at most 200 characters.
    pub what: String,
    /// How it was resolved, for [`SignalKind::ErrorFix`] and [`SignalKind::TestFixed`].
    pub fix: Option<Fix>,
}

/// A signal and the session it was noticed in.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// The session.
    pub session_uid: SessionUid,
    /// Its repository.
    pub repo: Option<String>,
    /// Output tokens the session spent per event, on average.
    pub tokens_per_event: f64,
    /// The signal; its time falls back to the session's.
    pub signal: Signal,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_round_trip() {
        for kind in SignalKind::ALL {
            assert_eq!(SignalKind::from_code(kind.code()), Some(kind));
            assert_eq!(SignalKind::from_name(kind.name()), Some(kind));
        }
    }
}
