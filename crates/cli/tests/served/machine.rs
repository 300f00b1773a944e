//! A home directory, and a server on it.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How a command ends while another sweeps.
const BUSY: i32 = 4;

/// A home directory of its own.
pub(crate) struct Machine {
    dir: tempfile::TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// One with the sessions of the demo in its archive.
    pub(crate) fn with_history() -> Self {
        let machine = Self::new();
        machine.run(&["demo", "--keep", "."]);
        machine.run(&["sync"]);
        machine
    }

    pub(crate) fn home(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn backstory(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backstory"));
        command.args(arguments);
        self.at_home(&mut command);
        command
    }

    /// Makes a command see this home and none of the variables of whoever runs the tests.
    pub(crate) fn at_home(&self, command: &mut Command) {
        command.current_dir(self.home()).env("HOME", self.home());
        for variable in ["BACKSTORY_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CODEX_HOME"] {
            command.env_remove(variable);
        }
    }

    /// Runs a command to its end. A server may be sweeping just then: whoever would sweep too waits for it.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let ends = Instant::now() + Duration::from_mins(1);
        let mut output = self.backstory(arguments).output().unwrap();
        while output.status.code() == Some(BUSY) && Instant::now() < ends {
            std::thread::sleep(Duration::from_millis(100));
            output = self.backstory(arguments).output().unwrap();
        }
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        output
    }

    /// The lines a command prints for programs.
    pub(crate) fn json(&self, arguments: &[&str]) -> Vec<Value> {
        let output = self.run(arguments);
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Starts a server that ends with the test.
    pub(crate) fn serve(&self) -> Server {
        Self::started(self.backstory(&["serve", "--listen", "127.0.0.1:0", "--json"]))
    }

    /// The same with a key askers must show, in a file the configuration names.
    pub(crate) fn serve_with_key(&self, key: &str) -> Server {
        let folder = self.home().join(".config/backstory");
        fs_err::create_dir_all(&folder).unwrap();
        let (settings, key_file) = (folder.join("config.toml"), folder.join("key"));
        fs_err::write(settings, "[server]\nlisten = \"127.0.0.1:0\"\nkey_file = \"key\"\n")
            .unwrap();
        fs_err::write(&key_file, key).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let private = std::fs::Permissions::from_mode(0o600);
            fs_err::set_permissions(&key_file, private).unwrap();
        }
        Self::started(self.backstory(&["serve", "--json"]))
    }

    fn started(mut command: Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        Server { child, url: told["url"].as_str().unwrap().to_owned() }
    }
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    fn agent() -> ureq::Agent {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(30)));
        config.build().into()
    }

    /// The result of a request; null if it was refused.
    pub(crate) fn get(&self, path: &str) -> Value {
        let mut answer = Self::agent().get(format!("{}{path}", self.url)).call().unwrap();
        let body: Value =
            serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
        body["result"].clone()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let request = Self::agent().post(format!("{}{path}", self.url));
        let mut answer = request.content_type("application/json").send(body.to_string()).unwrap();
        let body: Value =
            serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
        body["result"].clone()
    }

    /// True until it ended by itself.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
