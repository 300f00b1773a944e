//! The one place where other programs are started.

use crate::error::{Failure, Kind};
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

/// What a program did.
pub(super) struct Ran {
    pub(super) ok: bool,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

/// Runs a program to its end; `None` if there is no such program.
pub(super) fn run(
    program: &str,
    arguments: &[&str],
    input: Option<&[u8]>,
) -> Result<Option<Ran>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Kind::Problems, format!("{program} cannot be run")).cause(&error)
    };
    let started = Command::new(program)
        .args(arguments)
        // What it says is looked at.
        .env("LC_ALL", "C")
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        match stdin.write_all(input) {
            // It has refused before reading everything; its exit code says so.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            other => other.map_err(failed)?,
        }
    }
    let output = child.wait_with_output().map_err(failed)?;
    Ok(Some(Ran {
        ok: output.status.success(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    }))
}

/// Runs a program that must be there and succeed.
pub(super) fn must(
    program: &str,
    arguments: &[&str],
    input: Option<&[u8]>,
) -> Result<Ran, Failure> {
    let command = || format!("{program} {}", arguments.join(" "));
    match run(program, arguments, input)? {
        Some(ran) if ran.ok => Ok(ran),
        Some(ran) => {
            let mut failure = Failure::new(Kind::Problems, format!("`{}` failed", command()));
            failure.causes.extend(ran.stderr.lines().take(5).map(str::to_owned));
            Err(failure)
        }
        None => Err(Failure::new(Kind::NotFound, format!("there is no `{program}` here"))
            .hint("`--with` chooses another: systemd, launchd or cron")),
    }
}

/// True if the program is there and succeeds.
pub(super) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    run(program, arguments, None).is_ok_and(|ran| ran.is_some_and(|ran| ran.ok))
}
