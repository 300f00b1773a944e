//! OpenViking's plugins for agents, unmodified, as the source distributions of its server hold them.

use crate::agents::install::provide_tools;
use crate::wheel::{WheelError, finished, in_place, with_pip};
use std::io;
use std::path::PathBuf;

const PACKAGE: &str = "openviking";
/// Asks pip where a source distribution is and unpacks of it what is below one of its folders. pip itself
/// would have to build the server to fetch it.
const FETCH: &str = include_str!("plugins.py");

/// A version of the server, and the versions of the plugins that came with it.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// The server.
    pub server: &'static str,
    /// The plugin for Codex.
    pub codex: &'static str,
    /// The plugin for Claude Code.
    pub claude: &'static str,
}

/// One release of every generation of what plugins say to the server.
pub const RELEASES: [Release; 5] = [
    Release { server: "0.4.1", codex: "0.5.0", claude: "0.2.2" },
    Release { server: "0.4.8", codex: "0.6.0", claude: "0.3.0" },
    Release { server: "0.4.12", codex: "0.7.4", claude: "0.4.3" },
    Release { server: "0.4.23", codex: "0.10.10", claude: "0.6.9" },
    Release { server: "0.5.2", codex: "0.11.14", claude: "0.7.17" },
];

impl Release {
    /// The folder with its plugins, fetched unless a former call did; and Node, which runs them.
    pub fn install(self) -> Result<PathBuf, WheelError> {
        provide_tools().map_err(io::Error::other)?;
        let place = in_place(&format!("{PACKAGE}-plugins-{}", self.server), |place| {
            let mut fetch = with_pip("exec python3 -c \"$@\"");
            fetch.arg(FETCH).args([PACKAGE, self.server, "examples"]).arg(place);
            finished(&mut fetch, format!("{PACKAGE}=={}", self.server))
        })?;
        // Some of them do nothing when they are started through a link.
        Ok(fs_err::canonicalize(place)?)
    }
}
