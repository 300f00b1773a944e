//! The names of events and of beginnings, in every agent's spelling.

/// What happened in an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookEvent {
    /// A session begins, is taken up again, or goes on after a compaction.
    SessionStart,
    /// The human sent a prompt.
    UserPromptSubmit,
    /// A tool is about to be called.
    PreToolUse,
    /// A tool has answered.
    PostToolUse,
    /// A tool has failed.
    PostToolUseFailure,
    /// The conversation is about to be compacted.
    PreCompact,
    /// The conversation was compacted.
    PostCompact,
    /// A turn has ended.
    Stop,
    /// A sub-agent begins.
    SubagentStart,
    /// A sub-agent has ended.
    SubagentStop,
    /// The session has ended.
    SessionEnd,
    /// The human stopped a turn.
    Interrupt,
    /// Anything else.
    Other,
}

impl HookEvent {
    /// Every event that has a name.
    pub const NAMED: [Self; 12] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::PreCompact,
        Self::PostCompact,
        Self::Stop,
        Self::SubagentStart,
        Self::SubagentStop,
        Self::SessionEnd,
        Self::Interrupt,
    ];

    /// The name as agents' settings spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PreCompact => "PreCompact",
            Self::PostCompact => "PostCompact",
            Self::Stop => "Stop",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::SessionEnd => "SessionEnd",
            Self::Interrupt => "Interrupt",
            Self::Other => "Other",
        }
    }

    /// The event of a name in any spelling: `SessionStart`, `session_start`, `session-start`.
    pub fn from_name(name: &str) -> Self {
        let letters = || name.chars().filter(char::is_ascii_alphanumeric);
        let is_named = |event: &Self| {
            let known = event.name().chars();
            letters().map(|c| c.to_ascii_lowercase()).eq(known.map(|c| c.to_ascii_lowercase()))
        };
        Self::NAMED.into_iter().find(is_named).unwrap_or(Self::Other)
    }
}

/// How a session began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beginning {
    /// It is new.
    Startup,
    /// An earlier one goes on.
    Resume,
    /// It takes the place of one the human cleared away.
    Clear,
    /// It goes on after a compaction.
    Compact,
    /// It is a copy of another.
    Fork,
}

impl Beginning {
    /// The beginning an agent names as the source of a session.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "startup" | "new" => Some(Self::Startup),
            "resume" | "load" => Some(Self::Resume),
            "clear" => Some(Self::Clear),
            "compact" => Some(Self::Compact),
            "fork" => Some(Self::Fork),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_event_is_known() {
        for event in HookEvent::NAMED {
            let snake = crate::hooks::fields::snake(event.name());
            for name in [event.name(), &snake, &snake.replace('_', "-"), &snake.to_uppercase()] {
                assert_eq!(HookEvent::from_name(name), event, "{name}");
            }
        }
        for name in ["", "Other", "Notification", "Stopp", "Sto", "StopFailure", "Ställ"] {
            assert_eq!(HookEvent::from_name(name), HookEvent::Other, "{name}");
        }
    }
}
