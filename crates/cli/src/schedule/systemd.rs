//! A systemd user timer and the service it starts.

use super::{Cadence, Installed, Job, remove_file, runner, write_if_changed};
use crate::error::{Failure, Kind};
use backstory_model::Timestamp;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const TIMER: &str = "backstory-sync.timer";
const SERVICE: &str = "backstory-sync.service";
const SYSTEMCTL: &str = "systemctl";

/// Where the units lie.
pub(super) struct Systemd {
    units: PathBuf,
    /// What `Persistent=` remembers.
    stamp: PathBuf,
}

/// True if this user has a running systemd.
pub(super) fn works() -> bool {
    runner::succeeds(SYSTEMCTL, &["--user", "show-environment"])
}

impl Systemd {
    pub(super) fn new(config: &Path, data: &Path) -> Self {
        Self {
            units: config.join("systemd/user"),
            stamp: data.join("systemd/timers").join(format!("stamp-{TIMER}")),
        }
    }

    pub(super) fn install(&self, job: &Job) -> Result<bool, Failure> {
        if !works() {
            return Err(Failure::new(Kind::NotFound, "this user has no running systemd")
                .hint("`--with cron` uses the crontab instead"));
        }
        let service = write_if_changed(&self.units.join(SERVICE), &service(job))?;
        let timer = write_if_changed(&self.units.join(TIMER), &timer(job.cadence))?;
        let is_active = ["--user", "is-active", "--quiet", TIMER];
        if !service && !timer && runner::succeeds(SYSTEMCTL, &is_active) {
            return Ok(false);
        }
        runner::must(SYSTEMCTL, &["--user", "daemon-reload"], None)?;
        runner::must(SYSTEMCTL, &["--user", "enable", TIMER], None)?;
        // A timer that runs already would keep its old times.
        runner::must(SYSTEMCTL, &["--user", "restart", TIMER], None)?;
        Ok(true)
    }

    pub(super) fn remove(&self) -> Result<bool, Failure> {
        let files = self.files();
        if files.is_empty() {
            return Ok(false);
        }
        // Without a running systemd there is nothing to stop, and removing the files is enough.
        let runs = works();
        if runs {
            runner::must(SYSTEMCTL, &["--user", "disable", "--now", TIMER], None)?;
        }
        let wanted = self.units.join("timers.target.wants");
        for file in files.iter().chain([&wanted.join(TIMER), &self.stamp]) {
            remove_file(file)?;
        }
        for dir in [wanted.as_path(), &self.units].into_iter().chain(self.units.parent()) {
            // Whoever else uses it keeps it.
            let _ = fs_err::remove_dir(dir);
        }
        if runs {
            runner::must(SYSTEMCTL, &["--user", "daemon-reload"], None)?;
        }
        Ok(true)
    }

    pub(super) fn installed(&self) -> Result<Option<Installed>, Failure> {
        let files = self.files();
        if files.is_empty() {
            return Ok(None);
        }
        let timer = fs_err::read_to_string(self.units.join(TIMER)).unwrap_or_default();
        let shown = runner::run(
            SYSTEMCTL,
            &[
                "--user",
                "show",
                TIMER,
                "--timestamp=unix",
                "--property=ActiveState,NextElapseUSecRealtime,LastTriggerUSec",
            ],
            None,
        )?;
        let shown = shown.filter(|ran| ran.ok).map(|ran| ran.stdout).unwrap_or_default();
        let shown = String::from_utf8_lossy(&shown).into_owned();
        Ok(Some(Installed {
            cadence: cadence_of(&timer),
            files,
            active: property(&shown, "ActiveState") == Some("active"),
            next_run: property(&shown, "NextElapseUSecRealtime").and_then(moment),
            last_run: property(&shown, "LastTriggerUSec").and_then(moment),
        }))
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = [TIMER, SERVICE].map(|name| self.units.join(name)).into();
        files.retain(|file| fs_err::symlink_metadata(file).is_ok());
        files
    }
}

fn service(job: &Job) -> String {
    let mut text = String::from(
        "[Unit]\n\
         Description=Backstory: take in what coding agents wrote\n\
         \n\
         [Service]\n\
         Type=oneshot\n",
    );
    for (name, value) in &job.variables {
        let _ = writeln!(text, "Environment={}", quoted(&format!("{name}={value}")));
    }
    let _ = writeln!(text, "ExecStart={} sync --quiet", quoted(&job.program));
    // Problems in logs and a sync that already runs are no failure of the service.
    text.push_str("SuccessExitStatus=1 4\nNice=10\nIOSchedulingClass=idle\n");
    text
}

fn timer(cadence: Cadence) -> String {
    format!(
        "[Unit]\n\
         Description=Backstory: {cadence} sync\n\
         \n\
         [Timer]\n\
         OnCalendar={cadence}\n\
         Persistent=true\n\
         RandomizedDelaySec=10min\n\
         \n\
         [Install]\n\
         WantedBy=timers.target\n",
        cadence = cadence.name()
    )
}

/// One word of a unit file, whatever it holds.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '%' => quoted.push_str("%%"),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

fn cadence_of(timer: &str) -> Option<Cadence> {
    timer.lines().find_map(|line| line.strip_prefix("OnCalendar=")).and_then(Cadence::from_name)
}

fn property<'a>(shown: &'a str, name: &str) -> Option<&'a str> {
    shown.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
}

/// `@1763200000`; anything else is no moment.
fn moment(text: &str) -> Option<Timestamp> {
    text.strip_prefix('@')?.parse().ok().filter(|at| *at > 0).map(Timestamp::from_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::sample_job;

    #[test]
    fn units_hold_any_path() {
        insta::assert_snapshot!(service(&sample_job(Cadence::Daily)), @r#"
        [Unit]
        Description=Backstory: take in what coding agents wrote

        [Service]
        Type=oneshot
        Environment="BACKSTORY_HOME=/home/ada/back & <story> 5%%"
        ExecStart="/opt/my \"tools\"/100%%/back'story" sync --quiet
        SuccessExitStatus=1 4
        Nice=10
        IOSchedulingClass=idle
        "#);
        insta::assert_snapshot!(timer(Cadence::Weekly), @r"
        [Unit]
        Description=Backstory: weekly sync

        [Timer]
        OnCalendar=weekly
        Persistent=true
        RandomizedDelaySec=10min

        [Install]
        WantedBy=timers.target
        ");
    }

    #[test]
    fn what_systemctl_shows_is_understood() {
        let shown = "NextElapseUSecRealtime=@1763251200\nLastTriggerUSec=n/a\nActiveState=active\n";
        assert_eq!(
            property(shown, "NextElapseUSecRealtime").and_then(moment),
            Some(Timestamp(1_763_251_200_000))
        );
        assert_eq!(property(shown, "LastTriggerUSec").and_then(moment), None);
        assert_eq!(moment("@0"), None);
        assert_eq!(property(shown, "ActiveState"), Some("active"));
        assert_eq!(cadence_of(&timer(Cadence::Weekly)), Some(Cadence::Weekly));
    }
}
