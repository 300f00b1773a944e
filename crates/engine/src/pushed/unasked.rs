//! When a session is sealed by itself, as far as its plugin said so.

use super::Standing;
use serde_json::Value;
use std::time::Duration;

/// When a session is sealed by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unasked {
    /// Once so many tokens wait for a seal.
    pub tokens: Option<u64>,
    /// Once so many messages wait for one.
    pub messages: Option<u64>,
    /// So many of the latest messages stay open then.
    pub keep: u64,
    /// Once nothing was heard of it for long.
    pub idle: Idle,
}

/// When an idle session is sealed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Idle {
    /// When any other is.
    #[default]
    AsUsual,
    /// After its own while.
    After(Duration),
    /// Never.
    Never,
}

impl Unasked {
    /// What a plugin's own JSON says; null says that nothing is done unasked. What cannot be understood is
    /// not said.
    pub fn of(policy: Option<&str>) -> Self {
        let said = policy.and_then(|json| serde_json::from_str(json).ok());
        let fields = match said {
            Some(Value::Null) => return Self { idle: Idle::Never, ..Self::default() },
            Some(Value::Object(fields)) => fields,
            _ => return Self::default(),
        };
        let number = |names: [&str; 2]| {
            let found = names.iter().find_map(|name| fields.get(*name))?.as_f64()?;
            // The largest number is enough for everybody.
            (found >= 0.0).then_some(found as u64)
        };
        let threshold = |name: &str| number([name, name]).filter(|most| *most > 0);
        Self {
            tokens: threshold("pending_token_threshold"),
            messages: threshold("message_count_threshold"),
            keep: number(["keep_recent_count", "keep"]).unwrap_or(0),
            idle: match number(["idle_timeout_seconds", "idle_timeout"]) {
                None => Idle::AsUsual,
                Some(0) => Idle::Never,
                Some(seconds) => Idle::After(Duration::from_secs(seconds)),
            },
        }
    }

    /// The moment from which a session is idle that was last written to at another, all in milliseconds; others
    /// are after `usual`.
    pub fn due(&self, written: i64, usual: Duration) -> i64 {
        let wait = match self.idle {
            Idle::AsUsual => usual,
            Idle::After(wait) => wait,
            Idle::Never => return i64::MAX,
        };
        written.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX))
    }

    /// True if a session has to be sealed now.
    pub fn is_due(&self, session: &Standing) -> bool {
        let has = |most: Option<u64>, count: u64| most.is_some_and(|most| count >= most);
        let is_full =
            has(self.tokens, session.pending_tokens) || has(self.messages, session.open_messages);
        is_full && session.open_messages > self.keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood_and_the_rest_is_as_usual() {
        assert_eq!(Unasked::of(None), Unasked::default());
        for nothing in ["{}", "[1]", "no JSON", "{\"idle_timeout_seconds\":-1}", "{\"keep\":\"x\"}"]
        {
            assert_eq!(Unasked::of(Some(nothing)), Unasked::default(), "{nothing}");
        }
        let off = "{\"pending_token_threshold\":0,\"message_count_threshold\":0,\"idle_timeout_seconds\":0}";
        for off in ["null", off] {
            let never = Unasked { idle: Idle::Never, ..Unasked::default() };
            assert_eq!(Unasked::of(Some(off)), never, "{off}");
        }
        let all = "{\"pending_token_threshold\":9,\"message_count_threshold\":5,\
            \"idle_timeout_seconds\":60,\"keep_recent_count\":2}";
        let all = Unasked::of(Some(all));
        let idle = Idle::After(Duration::from_mins(1));
        assert_eq!(all, Unasked { tokens: Some(9), messages: Some(5), keep: 2, idle });
    }

    #[test]
    fn either_threshold_is_enough_if_something_would_be_closed() {
        let standing = |open_messages, pending_tokens| Standing {
            open_messages,
            pending_tokens,
            ..Standing::default()
        };
        let either = Unasked { tokens: Some(10), messages: Some(5), keep: 2, ..Unasked::default() };
        for (messages, tokens, is_due) in
            [(4, 9, false), (5, 0, true), (3, 10, true), (2, 10, false), (0, 0, false)]
        {
            assert_eq!(either.is_due(&standing(messages, tokens)), is_due, "{messages} {tokens}");
        }
        assert!(!Unasked::default().is_due(&standing(1_000, 1_000_000)));
    }
}
