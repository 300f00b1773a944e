//! Work behind the agent's back: started by a hook that left something to seal or to compress.

use super::Hook;
use super::log::Log;
use crate::behind;
use crate::compressor::Errand;
use backstory_model::Flavor;
use clap::ValueEnum;

/// Starts `backstory commit --pending`. If it cannot be started, the next sync does its work.
pub(super) fn seal(hook: &Hook, log: &Log) {
    start(hook, &behind::SEAL, log);
}

/// Starts `backstory hook --behind`. If it cannot be started, the agent is told the digest as it is.
pub(super) fn compress(hook: &Hook, agent: Flavor, errand: Errand, log: &Log) {
    let Some(errand) = errand.to_possible_value() else { return };
    start(hook, &["hook", agent.name(), "--behind", errand.get_name()], log);
}

fn start(hook: &Hook, words: &[&str], log: &Log) {
    if let Err(error) = behind::start(hook.home.as_deref(), hook.store.as_deref(), words) {
        log.line(&format!("`{}` could not be started: {error}", words.join(" ")));
    }
}
