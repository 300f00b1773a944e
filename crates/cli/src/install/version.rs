//! Which version of an agent is there: it is asked.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// It answers in a fraction of a second; a busy machine gets more.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a running program is looked at.
const GLANCE: Duration = Duration::from_millis(10);

/// A version of three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(super) u32, pub(super) u32, pub(super) u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

impl Version {
    /// Asks a program; nothing if it does not say.
    pub(super) fn of(program: &Path) -> Option<Self> {
        let mut child = Command::new(program)
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let deadline = Instant::now() + PATIENCE;
        while child.try_wait().ok()?.is_none() {
            if Instant::now() >= deadline {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            std::thread::sleep(GLANCE);
        }
        let mut said = Vec::new();
        child.stdout?.take(1 << 10).read_to_end(&mut said).ok()?;
        Self::read(&String::from_utf8_lossy(&said))
    }

    /// The first word that is a version.
    fn read(said: &str) -> Option<Self> {
        said.split_whitespace().find_map(|word| {
            let mut numbers = word.split('.').map(|number| number.parse().ok());
            let version = Self(numbers.next()??, numbers.next()??, numbers.next()??);
            numbers.next().is_none().then_some(version)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_among_words() {
        assert_eq!(Version::read("2.1.325 (Claude Code)\n"), Some(Version(2, 1, 325)));
        assert_eq!(Version::read("claude 1.0.7"), Some(Version(1, 0, 7)));
        assert_eq!(Version::read("no version at all 1.2"), None);
        assert!(Version(2, 1, 9) < Version(2, 1, 76));
        assert_eq!(Version::of(Path::new("/no/such/program")), None);
    }
}
