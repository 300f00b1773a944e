//! Work behind the agent's back: started by a hook that left something to seal or to compress, and on its
//! own from then on.

use super::Hook;
use super::log::Log;
use crate::compressor::Errand;
use crate::env::Env;
use backstory_model::Flavor;
use clap::ValueEnum;
use std::process::{Command, Stdio};

/// Starts `backstory commit --pending`. If it cannot be started, the next sync does its work.
pub(super) fn seal(hook: &Hook, log: &Log) {
    start(hook, &["commit", "--pending", "--wait"], log);
}

/// Starts `backstory hook --behind`. If it cannot be started, the agent is told the digest as it is.
pub(super) fn compress(hook: &Hook, agent: Flavor, errand: Errand, log: &Log) {
    let Some(errand) = errand.to_possible_value() else { return };
    start(hook, &["hook", agent.name(), "--behind", errand.get_name()], log);
}

fn start(hook: &Hook, words: &[&str], log: &Log) {
    let Ok(program) = Env::program() else { return };
    let mut command = Command::new(program);
    if let Some(home) = &hook.home {
        command.arg("--home").arg(home);
    }
    if let Some(store) = &hook.store {
        command.arg("--store").arg(store);
    }
    // An agent waits until nobody holds the streams it gave to its hook.
    command
        .arg("--quiet")
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // And some end the whole group of the hook afterwards.
        command.process_group(0);
    }
    if let Err(error) = command.spawn() {
        log.line(&format!("`{}` could not be started: {error}", words.join(" ")));
    }
}
