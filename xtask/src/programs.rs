//! Programs that do not come with the toolchain: installed where they are missing.

use std::process::Command;

/// A program, and the Debian package that brings it.
pub(crate) type Program = (&'static str, &'static str);

/// Installs what is missing.
pub(crate) fn install(programs: &[Program]) -> Result<(), String> {
    let mut packages: Vec<&str> = programs
        .iter()
        .filter(|(program, _)| Command::new(program).arg("--version").output().is_err())
        .map(|(_, package)| *package)
        .collect();
    packages.dedup();
    if packages.is_empty() {
        return Ok(());
    }
    succeed(Command::new("apt-get").arg("update"))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "--no-install-recommends"]).args(&packages);
    succeed(install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Runs a command that has to succeed.
pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}")) }
}
