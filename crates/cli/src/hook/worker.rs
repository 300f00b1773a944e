//! A sync behind the agent's back: started by a hook that left something to seal, and on its own from
//! then on.

use super::Hook;
use super::log::Log;
use crate::env::Env;
use std::process::{Command, Stdio};

/// Starts `backstory commit --pending`. If it cannot be started, the next sync does its work.
pub(super) fn start(hook: &Hook, log: &Log) {
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
        .args(["--quiet", "commit", "--pending", "--wait"])
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
        log.line(&format!("the sync behind could not be started: {error}"));
    }
}
