//! Which of an agent's models answers: found out once and written down, because a prompt is no time for it.

use super::shelf::Shelf;
use super::work::Headless;
use crate::stamp;
use backstory_distill::recall::compress::{Candidate, Knobs, PROBE};
use backstory_model::{Flavor, Timestamp};
use backstory_store::Home;
use serde::{Deserialize, Serialize};
use std::io;
use std::time::Duration;

/// What is known of an agent's models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Since when.
    #[serde(with = "stamp")]
    pub at: Timestamp,
    /// The models there were to choose from, the first choice first.
    pub order: Vec<Candidate>,
    /// The first of them that answered; nothing if none did, or if it failed since.
    #[serde(default)]
    pub model: Option<Candidate>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl Profile {
    /// What is known and still true: not too old, and about the models there are to choose from now.
    pub(super) fn known(
        home: &Home,
        agent: Flavor,
        order: &[Candidate],
        ttl_ms: u64,
        now: Timestamp,
    ) -> Option<Self> {
        let known: Self = Shelf::read(&Shelf::of(home).profile(agent.name()))?;
        let age = u64::try_from(now.0 - known.at.0).ok()?;
        (age <= ttl_ms && known.order == order).then_some(known)
    }

    pub(super) fn write(&self, home: &Home, agent: Flavor) -> io::Result<()> {
        Shelf::write(&Shelf::of(home).profile(agent.name()), self)
    }
}

/// True if there is no use in asking any of an agent's models at present.
pub fn is_known_to_fail(
    home: &Home,
    agent: Flavor,
    order: &[Candidate],
    knobs: &Knobs,
    now: Timestamp,
) -> bool {
    let known = Profile::known(home, agent, order, knobs.detect_ttl_ms, now);
    known.is_some_and(|known| known.model.is_none())
}

/// Finds out which model answers, one after the other, and writes it down. Nothing if somebody else asks
/// models all the time.
pub fn detect(
    home: &Home,
    agent: Flavor,
    (order, knobs): (&[Candidate], &Knobs),
    headless: Headless<'_>,
    now: Timestamp,
) -> io::Result<Option<Profile>> {
    let longest = Duration::from_millis(knobs.timeout_ms);
    let Some(_held) = Shelf::of(home).lock(longest)? else { return Ok(None) };
    let patience = Duration::from_millis(knobs.detect_timeout_ms);
    let mut profile = Profile { at: now, order: order.to_vec(), model: None, trouble: None };
    for candidate in order {
        match headless(candidate, PROBE, patience) {
            Ok(said) if !said.trim().is_empty() => {
                profile.model = Some(candidate.clone());
                profile.trouble = None;
                break;
            }
            Ok(_) => profile.trouble = Some(format!("{candidate}: no answer")),
            Err(why) => profile.trouble = Some(format!("{candidate}: {why}")),
        }
    }
    profile.write(home, agent)?;
    Ok(Some(profile))
}
