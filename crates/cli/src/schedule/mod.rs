//! A periodic `backstory sync`: what is to be run when, and which of the system's timers runs it.

mod cron;
mod launchd;
mod runner;
mod systemd;

use crate::context::Context;
use crate::env::{self, Env};
use crate::error::{Failure, Kind};
use crate::settings::{Origin, Settings};
use backstory_distill::live;
use backstory_model::Timestamp;
use clap::ValueEnum;
use std::path::PathBuf;

/// Folders a scheduled sync must find where this one finds them.
const PASSED_ON: [&str; 5] =
    [env::XDG_DATA_HOME, env::XDG_CONFIG_HOME, "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GROK_HOME"];

/// How often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Cadence {
    /// Once a day
    Daily,
    /// Once a week
    Weekly,
    /// Whenever an agent's hook asks for it; no timer
    OnHook,
}

impl Cadence {
    /// As configuration and flags spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::OnHook => "on-hook",
        }
    }

    /// The configured cadence.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::value_variants().iter().copied().find(|cadence| cadence.name() == name)
    }
}

/// Which of the system's timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mechanism {
    /// A systemd user timer
    Systemd,
    /// A launchd agent
    Launchd,
    /// A line in the crontab
    Cron,
}

impl Mechanism {
    /// As flags and JSON spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Launchd => "launchd",
            Self::Cron => "cron",
        }
    }

    /// As people call it.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Systemd => "systemd user timer",
            Self::Launchd => "launchd agent",
            Self::Cron => "crontab line",
        }
    }
}

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// The binary.
    program: String,
    /// Variables it must see.
    variables: Vec<(&'static str, String)>,
    cadence: Cadence,
}

/// What is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Installed {
    /// Empty if it cannot be told.
    pub(crate) cadence: Option<Cadence>,
    /// Files that belong to it.
    pub(crate) files: Vec<PathBuf>,
    /// False when the files are there, but the timer is not running.
    pub(crate) active: bool,
    pub(crate) next_run: Option<Timestamp>,
    pub(crate) last_run: Option<Timestamp>,
}

/// The timers of this machine.
pub(crate) struct Timers {
    systemd: systemd::Systemd,
    launchd: launchd::Launchd,
}

impl Timers {
    /// Finds out where they keep their files.
    pub(crate) fn new(context: &Context) -> Result<Self, Failure> {
        let user = context.env.path(env::HOME).ok_or_else(|| {
            Failure::usage("HOME is not set, so there is no place for a schedule")
        })?;
        let below = |variable: &str, default: &str| {
            let set = context.env.path(variable).filter(|dir| dir.is_absolute());
            set.unwrap_or_else(|| user.join(default))
        };
        let config = below(env::XDG_CONFIG_HOME, ".config");
        let data = below(env::XDG_DATA_HOME, ".local/share");
        Ok(Self {
            systemd: systemd::Systemd::new(&config, &data),
            launchd: launchd::Launchd::new(&user),
        })
    }

    /// The one that works here.
    pub(crate) fn best() -> Result<Mechanism, Failure> {
        if cfg!(target_os = "macos") && launchd::works() {
            return Ok(Mechanism::Launchd);
        }
        if systemd::works() {
            return Ok(Mechanism::Systemd);
        }
        if cron::works() {
            return Ok(Mechanism::Cron);
        }
        Err(Failure::new(Kind::NotFound, "nothing on this machine can run a command periodically")
            .hint("install cron, or run `backstory watch` or `backstory sync` yourself"))
    }

    /// Installs the job, and says whether that changed anything. Other timers of ours go: two would
    /// do everything twice.
    pub(crate) fn install(&self, mechanism: Mechanism, job: &Job) -> Result<bool, Failure> {
        let others = self.remove_except(Some(mechanism))?;
        let changed = match mechanism {
            Mechanism::Systemd => self.systemd.install(job)?,
            Mechanism::Launchd => self.launchd.install(job)?,
            Mechanism::Cron => cron::install(job)?,
        };
        Ok(changed || !others.is_empty())
    }

    /// Removes every trace, and says what there was.
    pub(crate) fn remove(&self) -> Result<Vec<Mechanism>, Failure> {
        self.remove_except(None)
    }

    fn remove_except(&self, kept: Option<Mechanism>) -> Result<Vec<Mechanism>, Failure> {
        let mut removed = Vec::new();
        for mechanism in Mechanism::value_variants().iter().copied() {
            if Some(mechanism) == kept {
                continue;
            }
            let was_there = match mechanism {
                Mechanism::Systemd => self.systemd.remove()?,
                Mechanism::Launchd => self.launchd.remove()?,
                Mechanism::Cron => cron::remove()?,
            };
            if was_there {
                removed.push(mechanism);
            }
        }
        Ok(removed)
    }

    /// What is installed, and with what.
    pub(crate) fn installed(&self) -> Result<Option<(Mechanism, Installed)>, Failure> {
        if let Some(installed) = self.systemd.installed()? {
            return Ok(Some((Mechanism::Systemd, installed)));
        }
        if let Some(installed) = self.launchd.installed() {
            return Ok(Some((Mechanism::Launchd, installed)));
        }
        Ok(cron::installed()?.map(|installed| (Mechanism::Cron, installed)))
    }
}

impl Job {
    /// This binary with this archive.
    pub(crate) fn new(
        cadence: Cadence,
        context: &Context,
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let text = |name: &str, path: PathBuf| match path.into_os_string().into_string() {
            Ok(text) if !text.contains(['\n', '\r', '\0']) => Ok(text),
            _ => Err(Failure::usage(format!("{name} is a path no timer can hold"))),
        };
        let program = text("this binary", Env::program()?)?;
        let mut variables = Vec::new();
        let home = &settings.home;
        if matches!(home.origin, Origin::Flag(_) | Origin::Env(env::BACKSTORY_HOME)) {
            variables.push((env::BACKSTORY_HOME, text("the archive", home.value.clone())?));
        }
        if let Some(state) = &settings.state {
            let state = text("the folder of the state", state.value.clone())?;
            variables.push((env::BACKSTORY_STATE_DIR, state));
        }
        // A scheduled sync seals what was silent for so long.
        let [_, idle] = live::KNOBS;
        let is_set = |name: &str| context.env.get(name).is_some();
        if is_set(idle.name) || idle.alias.is_some_and(is_set) {
            variables.push((idle.name, settings.live.idle_ttl_ms.to_string()));
        }
        for name in PASSED_ON {
            if let Some(path) = context.env.path(name) {
                variables.push((name, text(name, Env::absolute(&path))?));
            }
        }
        Ok(Self { program, variables, cadence })
    }
}

/// Writes a file others may read; true if it was not there in this form.
fn write_if_changed(path: &std::path::Path, text: &str) -> Result<bool, Failure> {
    if fs_err::read(path).is_ok_and(|bytes| bytes == text.as_bytes()) {
        return Ok(false);
    }
    let written = path
        .parent()
        .map_or(Ok(()), fs_err::create_dir_all)
        .and_then(|()| fs_err::write(path, text))
        .and_then(|()| set_mode(path));
    written
        .map(|()| true)
        .map_err(|error| Failure::new(Kind::Problems, "the timer cannot be written").cause(&error))
}

#[cfg(unix)]
fn set_mode(path: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_mode(_path: &std::path::Path) -> std::io::Result<()> {
    Ok(())
}

/// Removes a file; true if there was one.
fn remove_file(path: &std::path::Path) -> Result<bool, Failure> {
    match fs_err::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => {
            Err(Failure::new(Kind::Problems, "the timer cannot be removed").cause(&error))
        }
    }
}

#[cfg(test)]
fn sample_job(cadence: Cadence) -> Job {
    Job {
        program: "/opt/my \"tools\"/100%/back'story".into(),
        variables: vec![("BACKSTORY_HOME", "/home/ada/back & <story> 5%".into())],
        cadence,
    }
}
