//! Starting a server, and making sure that it ends.
//!
//! A server lives in a folder of its own below the system's temporary one, where its socket has a
//! short path and the user it runs as may go. Whoever uses it holds a shared lock beside it; a
//! watcher waits to have that lock alone, then stops the server and removes the folder. So it ends
//! with its last user, also where that was killed, and the next one begins with nothing.

use super::PostgresError;
use super::programs::Build;
use crate::sandbox::SEARCH_PATH;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Who runs the server if we are root: it refuses to be.
const SERVER_USER: &str = "postgres";
/// Nothing here has to survive the loss of power, and everything has to be quick.
const SETTINGS: [(&str, &str); 7] = [
    ("listen_addresses", ""),
    ("fsync", "off"),
    ("synchronous_commit", "off"),
    ("full_page_writes", "off"),
    ("shared_buffers", "32MB"),
    ("max_connections", "200"),
    ("autovacuum", "off"),
];
/// Where it listens, or would: its socket is called by it.
const USUAL_PORT: &str = "5432";
/// What the watcher runs once it has the lock: a command, then the removal of a folder.
const STOP_AND_REMOVE: &str = "\"$@\"; rm -rf \"$0\"";
/// The parts of a killed server need a moment to notice; until then none can follow it.
const START_ATTEMPTS: u32 = 20;

/// A running server. It ends once no process uses it any more.
#[derive(Debug)]
pub struct Server {
    build: Build,
    /// Its data, log and socket.
    folder: PathBuf,
    port: String,
    _use: File,
}

impl Server {
    /// The one that all test processes of this target directory share.
    pub fn shared() -> Result<Self, PostgresError> {
        let place = place(&of_target()?);
        Self::used(Build::of_system()?, &place, &place.join("server"), &[], &[])
    }

    /// The same of those that need pgvector: an administrator can create the extension in a database.
    pub fn with_pgvector() -> Result<Self, PostgresError> {
        let place = place(&format!("{}-pgvector", of_target()?));
        let build = Build::with_pgvector(&place.join("server").join("programs"))?;
        Self::used(build, &place, &place.join("server"), &[], &[])
    }

    /// One for this test alone, to be stopped and killed, with settings on top of the usual ones.
    pub fn private(settings: &[(&str, &str)]) -> Result<Self, PostgresError> {
        Self::with_files(settings, &[])
    }

    /// The same with files among its data, by name: its own if they are there already.
    pub fn with_files(
        settings: &[(&str, &str)],
        files: &[(&str, &Path)],
    ) -> Result<Self, PostgresError> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let place = place(&format!("private-{}-{number}", std::process::id()));
        Self::used(Build::of_system()?, &place, &place, settings, files)
    }

    /// Uses the server in `place`, starting it if nobody does; `leaves` is what goes with it.
    fn used(
        build: Build,
        place: &Path,
        leaves: &Path,
        settings: &[(&str, &str)],
        files: &[(&str, &Path)],
    ) -> Result<Self, PostgresError> {
        fs_err::create_dir_all(place)?;
        let lock_file =
            |name: &str| File::options().create(true).append(true).open(place.join(name));
        let in_use = lock_file("users.lock")?;
        // A watcher may be stopping the server: it is done once we get this.
        in_use.lock_shared()?;
        let named = settings.iter().find(|(name, _)| *name == "port");
        let port = named.map_or(USUAL_PORT, |(_, port)| port).to_owned();
        let server = Self { build, folder: place.join("server"), port, _use: in_use };
        server.watch(&place.join("users.lock"), leaves)?;
        let starting = lock_file("start.lock")?;
        starting.lock()?;
        if UnixStream::connect(server.socket()).is_err() {
            server.create(settings, files)?;
            server.start()?;
            server.create_owner()?;
        }
        Ok(server)
    }

    /// Starts it after [`Server::stop`] or [`Server::kill`].
    pub fn start(&self) -> Result<(), PostgresError> {
        let log = self.folder.join("log");
        let mut attempt = 1;
        loop {
            let mut start = self.pg_ctl(&["start", "--wait", "--silent", "--log"]);
            let started = self.succeed(start.arg(&log));
            if started.is_ok() || attempt == START_ATTEMPTS {
                return started;
            }
            attempt += 1;
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Stops it in good order; whoever is connected is cut off.
    pub fn stop(&self) -> Result<(), PostgresError> {
        self.succeed(&mut self.pg_ctl(&["stop", "--wait", "--silent", "--mode=fast"]))
    }

    /// Stops and starts it.
    pub fn restart(&self) -> Result<(), PostgresError> {
        self.stop()?;
        self.start()
    }

    /// Kills it as a lack of memory would: without a word to whoever is connected.
    pub fn kill(&self) -> Result<(), PostgresError> {
        let noted = fs_err::read_to_string(self.data().join("postmaster.pid"))?;
        let pid = noted.lines().next().and_then(|line| line.parse().ok());
        let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) else { return Ok(()) };
        rustix::process::kill_process(pid, rustix::process::Signal::KILL)
            .map_err(std::io::Error::from)?;
        while UnixStream::connect(self.socket()).is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// The folder its socket is in, and the port that is called by.
    pub(super) fn socket_parts(&self) -> (PathBuf, String) {
        (self.folder.clone(), self.port.clone())
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn socket(&self) -> PathBuf {
        self.folder.join(format!(".s.PGSQL.{}", self.port))
    }

    /// An empty server, whatever was there before.
    fn create(
        &self,
        settings: &[(&str, &str)],
        files: &[(&str, &Path)],
    ) -> Result<(), PostgresError> {
        if self.folder.exists() {
            fs_err::remove_dir_all(&self.folder)?;
        }
        self.succeed(install("700").arg("--directory").arg(&self.folder))?;
        for mut command in self.build.put_in_place()? {
            self.succeed(&mut command)?;
        }
        let mut initdb = self.program("initdb");
        initdb.args(["--no-sync", "--no-instructions", "--username=postgres", "--auth=trust"]);
        initdb.arg("--encoding=UTF8").args(self.build.locale()).arg("--pgdata");
        self.succeed(initdb.arg(self.data()))?;
        let config = self.data().join("postgresql.conf");
        let mut config = fs_err::OpenOptions::new().append(true).open(config)?;
        writeln!(config, "unix_socket_directories = '{}'", self.folder.display())?;
        for (name, value) in SETTINGS.iter().chain(settings) {
            writeln!(config, "{name} = '{value}'")?;
        }
        for (name, file) in files {
            self.succeed(install("600").arg(file).arg(self.data().join(name)))?;
        }
        Ok(())
    }

    /// Leaves someone behind who stops the server when its last user is gone.
    fn watch(&self, lock: &Path, leaves: &Path) -> Result<(), PostgresError> {
        let stop = self.pg_ctl(&["stop", "--silent", "--mode=immediate"]);
        // In a session of its own: what interrupts the tests must not reach it.
        let mut watcher = Command::new("setsid");
        watcher.args(["flock", "--exclusive"]).arg(lock);
        watcher.args(["sh", "-c", STOP_AND_REMOVE]).arg(leaves);
        watcher.arg(stop.get_program()).args(stop.get_args());
        let quiet = watcher.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
        quiet.stderr(Stdio::null()).spawn()?;
        Ok(())
    }

    fn pg_ctl(&self, arguments: &[&str]) -> Command {
        let mut command = self.program("pg_ctl");
        command.arg("--pgdata").arg(self.data()).args(arguments);
        command
    }

    /// One of its programs, run as the user who may and seeing nothing of our surroundings.
    fn program(&self, name: &str) -> Command {
        let program = self.build.programs.join(name);
        let mut command = if is_root() {
            let mut other = Command::new("setpriv");
            other.arg(format!("--reuid={SERVER_USER}")).arg(format!("--regid={SERVER_USER}"));
            other.arg("--init-groups").arg(program);
            other
        } else {
            Command::new(program)
        };
        command.env_clear().env("PATH", SEARCH_PATH).env("LC_ALL", "C.UTF-8").current_dir("/");
        command
    }

    fn succeed(&self, command: &mut Command) -> Result<(), PostgresError> {
        let output = command.stdin(Stdio::null()).output()?;
        if output.status.success() {
            return Ok(());
        }
        let log = fs_err::read_to_string(self.folder.join("log")).unwrap_or_default();
        let said = [output.stdout, output.stderr, log.into_bytes()].concat();
        Err(PostgresError::Program {
            command: format!("{command:?}"),
            output: String::from_utf8_lossy(&said).into_owned(),
        })
    }
}

/// Puts something in place that belongs to who runs the server.
fn install(mode: &str) -> Command {
    let mut command = Command::new("install");
    command.arg(format!("--mode={mode}"));
    if is_root() {
        command.arg(format!("--owner={SERVER_USER}"));
    }
    command
}

/// A name for this target directory.
fn of_target() -> Result<String, PostgresError> {
    let mut hasher = DefaultHasher::new();
    crate::target::directory()?.hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

fn place(name: &str) -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    std::env::temp_dir().join(format!("backstory-postgres-{user}-{name}"))
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
