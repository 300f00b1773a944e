//! Tokens and money of a turn.
//!
//! `inputTokens` includes what was read from and written to the cache, and a turn includes what its
//! sub-agents spent. Usage is kept per turn under the prompt's id; where several models worked on a
//! turn, the busiest one stands for the turn and each other model has a share of its own.

use super::keys;
use super::wire::Scalar;
use crate::{Batch, SessionIx, UsageDraft, UsageMerge};
use backstory_model::{Timestamp, Usage};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Ticks in a dollar.
const TICKS_PER_USD: f64 = 1e10;

/// A usage object, of a turn or of one model in it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Spending<'a> {
    #[serde(borrow)]
    input_tokens: Scalar<'a>,
    output_tokens: Scalar<'a>,
    cached_read_tokens: Scalar<'a>,
    cache_creation_tokens: Scalar<'a>,
    reasoning_tokens: Scalar<'a>,
    cost_usd_ticks: Scalar<'a>,
    cost_is_partial: Scalar<'a>,
    usage_is_incomplete: Scalar<'a>,
    model_usage: Option<BTreeMap<String, Spending<'a>>>,
}

impl Spending<'_> {
    fn usage(&self) -> Usage {
        let cache_read = self.cached_read_tokens.count();
        let cache_write = self.cache_creation_tokens.count();
        Usage {
            input: self.input_tokens.count().saturating_sub(cache_read).saturating_sub(cache_write),
            output: self.output_tokens.count(),
            cache_read,
            cache_write_5m: cache_write,
            cache_write_1h: 0,
            reasoning: self.reasoning_tokens.count(),
        }
    }

    fn ticks(&self) -> Option<i64> {
        let is_whole = !self.cost_is_partial.is_true() && !self.usage_is_incomplete.is_true();
        self.cost_usd_ticks.int().filter(|_| is_whole)
    }

    /// Output tokens, reasoning included.
    pub(super) fn output(&self) -> u64 {
        self.output_tokens.count()
    }

    /// The model that did most of the turn.
    pub(super) fn main_model(&self) -> Option<&str> {
        let models = self.model_usage.as_ref()?;
        let busiest = models.iter().max_by_key(|(_, tokens)| {
            tokens.input_tokens.count().saturating_add(tokens.output_tokens.count())
        });
        busiest.map(|(model, _)| model.as_str())
    }
}

/// The turn that tokens were spent in.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) session: SessionIx,
    pub(super) session_id: &'a str,
    pub(super) prompt_id: &'a str,
    pub(super) ts: Option<Timestamp>,
}

/// Yields the tokens of a turn.
pub(super) fn report(tokens: &Spending<'_>, turn: Turn<'_>, out: &mut Batch) {
    let main_model = tokens.main_model();
    let (mut rest, mut ticks) = (tokens.usage(), tokens.ticks());
    if rest.is_zero() && ticks.unwrap_or(0) == 0 {
        return;
    }
    let shares = tokens.model_usage.iter().flatten();
    for (model, share) in shares.filter(|(model, _)| Some(model.as_str()) != main_model) {
        let usage = share.usage();
        rest = without(rest, usage);
        let share_ticks = ticks.and(share.ticks());
        ticks = ticks.map(|ticks| ticks.saturating_sub(share_ticks.unwrap_or(0)).max(0));
        let key = keys::usage_share(turn.session_id, turn.prompt_id, model);
        let model = Some(out.text(model));
        out.usage(UsageDraft {
            session: turn.session,
            key,
            ts: turn.ts,
            model,
            usage,
            usd: share_ticks.map(usd),
            merge: UsageMerge::Last,
        });
    }
    let model = out.opt_text(main_model);
    out.usage(UsageDraft {
        session: turn.session,
        key: keys::usage(turn.session_id, turn.prompt_id),
        ts: turn.ts,
        model,
        usage: rest,
        usd: ticks.map(usd),
        merge: UsageMerge::Last,
    });
}

fn usd(ticks: i64) -> f64 {
    ticks as f64 / TICKS_PER_USD
}

fn without(whole: Usage, part: Usage) -> Usage {
    Usage {
        input: whole.input.saturating_sub(part.input),
        output: whole.output.saturating_sub(part.output),
        cache_read: whole.cache_read.saturating_sub(part.cache_read),
        cache_write_5m: whole.cache_write_5m.saturating_sub(part.cache_write_5m),
        cache_write_1h: 0,
        reasoning: whole.reasoning.saturating_sub(part.reasoning),
    }
}
