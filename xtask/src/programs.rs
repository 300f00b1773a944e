//! Programs that do not come with the toolchain: installed where they are missing.

use std::process::Command;

/// A program, and the Debian package that brings it.
pub(crate) type Program = (&'static str, &'static str);

/// Where Debian reads how the first server of a new Postgres is to be made.
const CLUSTER_SETTINGS: &str = "/etc/postgresql-common/createcluster.d";

/// Installs what is missing.
pub(crate) fn install(programs: &[Program]) -> Result<(), String> {
    let mut packages: Vec<&str> = programs
        .iter()
        .filter(|(program, _)| Command::new(program).arg("--version").output().is_err())
        .map(|(_, package)| *package)
        .collect();
    packages.dedup();
    install_packages(&packages)
}

/// Installs a Postgres for the tests to start; none is left running on the machine itself.
pub(crate) fn install_postgres() -> Result<(), String> {
    if backstory_testkit::postgres::programs().is_some() {
        return Ok(());
    }
    // The package would otherwise create a server of the system and start it.
    let refuse = || {
        fs_err::create_dir_all(CLUSTER_SETTINGS)?;
        let file = format!("{CLUSTER_SETTINGS}/no-main-cluster.conf");
        fs_err::write(file, "create_main_cluster = false\n")
    };
    refuse().map_err(|error| format!("only root can install Postgres: {error}"))?;
    install_packages(&["postgresql"])
}

fn install_packages(packages: &[&str]) -> Result<(), String> {
    if packages.is_empty() {
        return Ok(());
    }
    succeed(Command::new("apt-get").arg("update"))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "--no-install-recommends"]).args(packages);
    succeed(install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Runs a command that has to succeed.
pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}")) }
}
