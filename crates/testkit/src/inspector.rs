//! The protocol's own inspector: a client of MCP servers that nobody here wrote.

use crate::agents::install::{npm, provide_tools};
use crate::agents::{InstallError, cache};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The pinned package: later ones ask for a newer Node than distributions have.
const PACKAGE: &str = "@modelcontextprotocol/inspector-cli";
const VERSION: &str = "0.16.8";
/// Written last: without it an installation was interrupted and starts over.
const COMPLETE: &str = "complete";

/// The installed inspector.
#[derive(Clone, Debug)]
pub struct Inspector {
    program: PathBuf,
}

impl Inspector {
    /// Installs it beside the agents' CLIs, unless a former call did.
    pub fn install() -> Result<Self, InstallError> {
        let cache = cache()?;
        fs_err::create_dir_all(&cache)?;
        let lock = fs_err::File::create(cache.join(format!("inspector-{VERSION}.lock")))?;
        lock.lock()?;
        let place = cache.join(format!("inspector-{VERSION}"));
        if !place.join(COMPLETE).is_file() {
            provide_tools()?;
            if place.exists() {
                fs_err::remove_dir_all(&place)?;
            }
            fs_err::create_dir_all(&place)?;
            npm(&place, std::iter::once(format!("{PACKAGE}@{VERSION}")))?;
            fs_err::write(place.join(COMPLETE), "")?;
        }
        Ok(Self { program: place.join("node_modules").join(PACKAGE).join("build/index.js") })
    }

    /// A command that asks a server; what the server is and what it is asked follows.
    pub fn command(&self) -> Command {
        let mut command = Command::new("node");
        command.arg(&self.program).env_remove("NODE_OPTIONS");
        command
    }

    /// Asks and reads the answer.
    pub fn ask(mut command: Command) -> Result<Value, String> {
        let output = command.output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr)));
        }
        serde_json::from_str(&said).map_err(|error| format!("{error}: {said}"))
    }
}
