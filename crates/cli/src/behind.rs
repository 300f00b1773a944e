//! Work behind the back of whoever asked: another process of this program, on its own from then on.

use crate::env::Env;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// How much less the processor is asked for.
#[cfg(unix)]
const POLITE: i32 = 10;

/// What seals sessions that wait for it.
pub(crate) const SEAL: [&str; 3] = ["commit", "--pending", "--wait"];

/// What does the same and says so if it cannot be done now.
pub(crate) const SEAL_NOW: [&str; 2] = ["commit", "--pending"];

/// Lets everybody else go first: nobody waits for what is done behind their back.
pub(crate) fn step_back() {
    // Without the right to say so it is only less polite.
    #[cfg(unix)]
    let _ = rustix::process::nice(POLITE);
}

/// Starts a command on this home and store.
pub(crate) fn start(home: Option<&Path>, store: Option<&str>, words: &[&str]) -> io::Result<()> {
    command(home, store, words)?.spawn().map(|_| ())
}

/// Runs one to its end; how it ended. What it needed of memory it gives back.
pub(crate) fn run(
    home: Option<&Path>,
    store: Option<&str>,
    words: &[&str],
) -> io::Result<ExitStatus> {
    command(home, store, words)?.status()
}

fn command(home: Option<&Path>, store: Option<&str>, words: &[&str]) -> io::Result<Command> {
    let program = Env::program().map_err(|failure| io::Error::other(failure.message))?;
    let mut command = Command::new(program);
    if let Some(home) = home {
        command.arg("--home").arg(home);
    }
    if let Some(store) = store {
        command.arg("--store").arg(store);
    }
    // Whoever asked waits until nobody holds its streams.
    command
        .arg("--quiet")
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // And agents end the whole group of a hook afterwards.
        command.process_group(0);
    }
    Ok(command)
}
