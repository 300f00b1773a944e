//! A machine with one agent, on which `backstory install` was run.

use backstory_model::{EventKind, Flavor, SealReason, SessionUid};
use backstory_store::{SessionFilter, Vault};
use backstory_testkit::agents::{Agent, Clis, cache, install};
use backstory_testkit::mock::Mock;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the sync behind a hook may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// On a machine busy with tests a hook may take longer than a person would like to wait.
const TIMEOUT: (&str, &str) = ("BACKSTORY_RECALL_TIMEOUT_MS", "9000");

/// The installed CLIs.
pub(crate) fn clis() -> Clis {
    install(&cache().unwrap()).unwrap_or_else(|error| {
        panic!("the real agent CLIs could not be installed, so nothing was tested: {error}")
    })
}

/// One agent with its hooks.
pub(crate) struct Machine<'a> {
    pub(crate) agent: Agent<'a>,
    flavor: Flavor,
    _dir: tempfile::TempDir,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(flavor: Flavor, clis: &Clis, mock: &'a Mock) -> Self {
        Self::with(flavor, clis, mock, &[])
    }

    /// The same, with more words on the agent's command line.
    pub(crate) fn with(flavor: Flavor, clis: &Clis, mock: &'a Mock, extra: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let agent = Agent::prepare(flavor, clis, &dir.path().join("machine"), mock).unwrap();
        let machine = Self {
            agent: agent
                .trusting_hooks()
                .with(extra)
                .with_variable(TIMEOUT.0, TIMEOUT.1)
                .with_variable("BACKSTORY_DEBUG", "1"),
            flavor,
            _dir: dir,
        };
        machine.backstory(&["install", flavor.name()]);
        machine
    }

    /// Runs the product as the user would; it must succeed.
    pub(crate) fn backstory(&self, arguments: &[&str]) -> String {
        self.backstory_at(None, arguments)
    }

    /// The same, with another archive than the one hooks use.
    pub(crate) fn backstory_at(&self, home: Option<&Path>, arguments: &[&str]) -> String {
        let began = Instant::now();
        loop {
            let program = Path::new(env!("CARGO_BIN_EXE_backstory"));
            let mut command = self.agent.sandbox().command(program);
            command.envs(home.map(|home| ("BACKSTORY_HOME", home)));
            let output = command.args(arguments).output().unwrap();
            // A hook may have started a sync of its own.
            if output.status.code() == Some(4) && began.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
            assert!(
                output.status.success(),
                "{arguments:?}: {}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            return String::from_utf8(output.stdout).unwrap();
        }
    }

    /// What happened in all sessions of an archive: key, kind and text of every event, in order.
    pub(crate) fn happened(&self, home: Option<&Path>) -> Vec<(String, String, String)> {
        let exported = self.backstory_at(home, &["export"]);
        let lines = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let field = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let mut events: Vec<_> = lines
            .filter(|line| line["type"] == "event")
            .map(|line| (field(&line, "key"), field(&line, "kind"), field(&line, "payload")))
            .collect();
        events.sort();
        events
    }

    fn vault(&self) -> Option<Vault> {
        Vault::open(&backstory_store_sqlite::home(self.home())).ok()
    }

    fn home(&self) -> PathBuf {
        self.agent.sandbox().home.join(".local/share/backstory")
    }

    /// Kinds and texts of a session's events.
    pub(crate) fn events(&self, session: &str) -> Vec<(EventKind, String)> {
        let vault = self.vault().unwrap();
        let events = vault.events(&SessionUid::new(self.flavor, session)).unwrap();
        events.iter().map(|event| (event.kind, vault.payload(event).unwrap())).collect()
    }

    /// The session an agent started a sub-agent's session from.
    pub(crate) fn parent_of(&self, session: &str) -> Option<String> {
        let found = self.vault()?.session(&SessionUid::new(self.flavor, session)).unwrap()?;
        found.lineage.parent_session_uid.map(|parent| parent.native().to_owned())
    }

    /// The agent's id of the one session there is.
    pub(crate) fn only_session(&self) -> String {
        let listed = self.backstory(&["sync"]);
        let sessions = self.vault().unwrap().sessions(&SessionFilter::default()).unwrap();
        let [only] = &sessions[..] else { panic!("{listed}: {sessions:#?}") };
        only.native_session_id.clone()
    }

    /// How many sessions wait to be sealed.
    pub(crate) fn waiting(&self) -> u64 {
        let status: Value = serde_json::from_str(&self.backstory(&["status", "--json"])).unwrap();
        status["live"]["waiting"].as_u64().unwrap()
    }

    /// What hooks wrote down of what they did.
    pub(crate) fn hook_log(&self) -> String {
        fs_err::read_to_string(self.home().join("hooks.log")).unwrap()
    }

    /// What a session was handed, the latest first: at which event, and the things.
    pub(crate) fn handed(&self, session: &str) -> Vec<(String, Value)> {
        let uid = SessionUid::new(self.flavor, session);
        let listed = self.backstory(&["why", "--list", "--limit", "0", "--json"]);
        let told = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        told.filter(|one| one["session_uid"] == uid.as_str())
            .map(|one| (one["event"].as_str().unwrap().to_owned(), one["items"].clone()))
            .collect()
    }

    /// Waits until what a hook began has sealed a session, the first time for the right reason.
    pub(crate) fn wait_for_seal(&self, session: &str, reason: SealReason) {
        let uid = SessionUid::new(self.flavor, session);
        let began = Instant::now();
        loop {
            let seals = self.vault().map(|vault| vault.seals_of(&uid).unwrap()).unwrap_or_default();
            if let Some(first) = seals.first() {
                assert_eq!(first.reason, reason, "{session}");
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{uid} was not sealed");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
