//! Tokens. `token_count` repeats cumulative totals, also inherited ones, so only what a total grew
//! by is counted; where Codex writes one `token_usage_record` per response, those are counted.

use super::thread::{Cx, Thread};
use super::wire::{Counts, TokenInfo};
use crate::{UsageDraft, UsageMerge};
use backstory_model::{EventKey, Usage};
use serde::{Deserialize, Serialize};

/// What counting needs to remember.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// The last total met.
    total: Option<Counts>,
    /// True once a `token_usage_record` was met: `token_count` only repeats those.
    by_record: bool,
}

impl Tokens {
    /// What a new total adds. `inherits`: the first total of this file may be another thread's.
    fn grow(&mut self, total: Counts, last: Option<Counts>, inherits: bool) -> Counts {
        let spent = last.filter(|last| last.input + last.output > 0);
        let before = match (self.total, spent) {
            (Some(before), _) => before,
            (None, Some(last)) => total.minus(last),
            (None, None) if inherits => total,
            (None, None) => Counts::default(),
        };
        self.total = Some(total);
        if total.is_below(before) { spent.unwrap_or_default() } else { total.minus(before) }
    }
}

impl Counts {
    fn minus(self, other: Self) -> Self {
        let minus = u64::saturating_sub;
        Self {
            input: minus(self.input, other.input),
            cached_input: minus(self.cached_input, other.cached_input),
            cache_write_input: minus(self.cache_write_input, other.cache_write_input),
            output: minus(self.output, other.output),
            reasoning_output: minus(self.reasoning_output, other.reasoning_output),
            total: minus(self.total, other.total),
        }
    }

    /// True when the count began anew.
    fn is_below(self, other: Self) -> bool {
        self.input < other.input || self.output < other.output
    }

    /// The same without overlaps: `input_tokens` includes what came from or went to the cache.
    fn usage(self) -> Usage {
        Usage {
            input: self
                .input
                .saturating_sub(self.cached_input)
                .saturating_sub(self.cache_write_input),
            output: self.output,
            cache_read: self.cached_input,
            cache_write_5m: self.cache_write_input,
            cache_write_1h: 0,
            reasoning: self.reasoning_output,
        }
    }

    fn bytes(self) -> [u8; 48] {
        let fields = [
            self.input,
            self.cached_input,
            self.cache_write_input,
            self.output,
            self.reasoning_output,
            self.total,
        ];
        let mut bytes = [0; 48];
        for (chunk, field) in bytes.chunks_exact_mut(8).zip(fields) {
            chunk.copy_from_slice(&field.to_le_bytes());
        }
        bytes
    }
}

impl Thread {
    /// `token_count`: counts what the total grew by.
    pub(super) fn token_count(&mut self, cx: &mut Cx<'_>, info: &TokenInfo<'_>) {
        let Some(total) = info.total_token_usage else { return };
        if self.lineage.is_copying() {
            self.tokens.total = Some(total);
            return;
        }
        if self.tokens.by_record || self.tokens.total == Some(total) {
            return;
        }
        let spent = self.tokens.grow(total, info.last_token_usage, self.inherits);
        let key = EventKey::of_parts(&[b"codex", self.id.as_bytes(), &total.bytes()]);
        self.spend(cx, key, spent, &info.model);
    }

    /// `token_usage_record`: one response.
    pub(super) fn token_record(&mut self, cx: &mut Cx<'_>, info: &TokenInfo<'_>) {
        let Some(usage) = info.usage else { return };
        if self.lineage.is_copying() {
            return;
        }
        let first = !std::mem::replace(&mut self.tokens.by_record, true);
        let thread_total = info.thread_token_usage;
        // The first record may follow the `token_count` of the same response.
        if first && thread_total.is_some() && thread_total == self.tokens.total {
            return;
        }
        self.tokens.total = thread_total.or(self.tokens.total);
        let key = if let Some(id) = info.response_id.some() {
            EventKey::of_parts(&[b"codex", b"response", id.as_bytes()])
        } else {
            let total = thread_total.unwrap_or(usage);
            EventKey::of_parts(&[b"codex", self.id.as_bytes(), &total.bytes()])
        };
        self.spend(cx, key, usage, &info.model);
    }

    fn spend(&mut self, cx: &mut Cx<'_>, key: EventKey, spent: Counts, model: &str) {
        let usage = spent.usage();
        if usage.is_zero() {
            return;
        }
        let session = self.session(cx.out);
        let model = Some(model).filter(|model| !model.is_empty()).or(self.model.as_deref());
        let model = cx.out.opt_text(model);
        cx.out.usage(UsageDraft {
            session,
            key,
            ts: cx.ts,
            model,
            usage,
            usd: None,
            merge: UsageMerge::Max,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(input: u64, output: u64) -> Counts {
        Counts { input, output, total: input + output, ..Counts::default() }
    }

    #[test]
    fn totals_grow_reset_and_are_inherited() {
        let mut own = Tokens::default();
        assert_eq!(own.grow(counts(10, 1), Some(counts(10, 1)), false), counts(10, 1));
        assert_eq!(own.grow(counts(30, 4), Some(counts(20, 3)), false), counts(20, 3));
        // A reset total: only the last response is new.
        assert_eq!(own.grow(counts(5, 1), Some(counts(5, 1)), false), counts(5, 1));

        let mut fork = Tokens::default();
        assert_eq!(fork.grow(counts(100, 9), Some(counts(7, 2)), true), counts(7, 2));
        let mut silent = Tokens::default();
        assert_eq!(silent.grow(counts(100, 9), None, true), Counts::default());
        let mut old = Tokens::default();
        assert_eq!(old.grow(counts(100, 9), None, false), counts(100, 9));
    }

    #[test]
    fn parts_of_the_input_do_not_overlap() {
        let all = Counts {
            input: 100,
            cached_input: 60,
            cache_write_input: 10,
            output: 7,
            reasoning_output: 3,
            total: 107,
        };
        let usage = all.usage();
        assert_eq!((usage.input, usage.cache_read, usage.cache_write_5m), (30, 60, 10));
        assert_eq!((usage.output, usage.reasoning), (7, 3));
    }
}
