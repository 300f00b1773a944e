//! Which family comes next: its agent and its size.

use super::Options;
use super::rng::Rng;

/// The agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Grok CLI.
    Grok,
}

/// One family to generate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    /// Its number.
    pub(crate) number: u64,
    /// Its agent.
    pub(crate) agent: Agent,
    /// Bytes of its main session.
    pub(crate) target: usize,
    /// A session of a few lines.
    pub(crate) tiny: bool,
}

/// Main sessions of ordinary size: most are small, the few large ones hold most of the bytes.
const MEDIAN: f64 = 38_000.0;
const SIGMA: f64 = 2.0;
const SMALLEST: usize = 3_000;
/// The largest session of a mixture.
pub(crate) const LARGEST: usize = 48_000_000;
/// From this size on, one session of the largest size is always there.
const LARGE_CORPUS: u64 = 1_000_000_000;
/// Shares of the bytes, Claude, Codex, Grok; what sub-agents and forks add is allowed for.
const SHARES: [f64; 3] = [0.60, 0.325, 0.075];
const TINY: usize = 3_400;
/// The first families go round, so that every agent has its share of the planted secrets.
const ROUND: [Agent; 10] = {
    use Agent::{Claude, Codex, Grok};
    [Claude, Codex, Claude, Claude, Codex, Claude, Grok, Codex, Claude, Claude]
};
const ROUNDS_UNTIL: u64 = 100;

/// An endless list of families; the caller stops when there is enough.
#[derive(Debug)]
pub(crate) struct Plan {
    rng: Rng,
    next: u64,
    planned: [f64; 3],
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Mixture { size: u64 },
    Many,
    Single { size: u64 },
}

impl Plan {
    /// The plan of a corpus.
    pub(crate) fn new(options: &Options) -> Self {
        let kind = match (options.many, options.single) {
            (Some(_), _) => Kind::Many,
            (_, Some(size)) => Kind::Single { size },
            _ => Kind::Mixture { size: options.size },
        };
        Self { rng: Rng::new(options.seed, 0), next: 0, planned: [0.0; 3], kind }
    }

    /// The next family.
    pub(crate) fn next(&mut self) -> Planned {
        let number = self.next;
        self.next += 1;
        let (target, tiny) = match self.kind {
            Kind::Many => (TINY, true),
            Kind::Single { size } => (size as usize, false),
            Kind::Mixture { size } if number == 0 && size >= LARGE_CORPUS => (LARGEST, false),
            Kind::Mixture { size } => {
                let most = LARGEST.min(size as usize / 6).max(20_000);
                (self.rng.size(MEDIAN, SIGMA, SMALLEST, most), false)
            }
        };
        let agent =
            ROUND.get(number as usize % ROUND.len()).copied().filter(|_| number < ROUNDS_UNTIL);
        let agent = agent.unwrap_or_else(|| self.lagging());
        self.planned[agent as usize] += target as f64;
        Planned { number, agent, target, tiny }
    }

    /// The agent that is furthest below its share.
    fn lagging(&self) -> Agent {
        let mut best = (f64::MAX, Agent::Claude);
        for agent in [Agent::Claude, Agent::Codex, Agent::Grok] {
            let filled = self.planned[agent as usize] / SHARES[agent as usize];
            if filled < best.0 {
                best = (filled, agent);
            }
        }
        best.1
    }
}
