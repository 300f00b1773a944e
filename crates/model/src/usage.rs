//! Tokens and money.

/// What one model response cost in tokens. The parts never overlap: `input` is uncached input only,
/// `reasoning` is the share of `output` spent on thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens that were neither read from nor written to a cache.
    pub input: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
    /// Input tokens read from the prompt cache.
    pub cache_read: u64,
    /// Input tokens written to the five-minute cache (or a cache without a stated life).
    pub cache_write_5m: u64,
    /// Input tokens written to the one-hour cache.
    pub cache_write_1h: u64,
    /// The part of `output` that was reasoning.
    pub reasoning: u64,
}

impl Usage {
    /// Every field of the larger value: streamed records of one response only ever grow.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            input: self.input.max(other.input),
            output: self.output.max(other.output),
            cache_read: self.cache_read.max(other.cache_read),
            cache_write_5m: self.cache_write_5m.max(other.cache_write_5m),
            cache_write_1h: self.cache_write_1h.max(other.cache_write_1h),
            reasoning: self.reasoning.max(other.reasoning),
        }
    }

    /// True when nothing was spent.
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }
}

/// What a whole session cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Uncached input tokens.
    pub input_tokens: u64,
    /// Output tokens, reasoning included.
    pub output_tokens: u64,
    /// Tokens read from the prompt cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the five-minute cache.
    pub cache_write_5m_tokens: u64,
    /// Tokens written to the one-hour cache.
    pub cache_write_1h_tokens: u64,
    /// Reasoning tokens, a part of the output.
    pub reasoning_tokens: u64,
    /// Money, where the agent itself states it.
    pub usd: Option<f64>,
    /// From the first to the last event.
    pub wall_clock_s: u64,
    /// Prompts the human gave.
    pub turns: u32,
    /// Tool calls repeated after they failed.
    pub retries: u32,
}
