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
        if !service && !timer && is_active() {
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
        if runs {
            runner::must(SYSTEMCTL, &["--user", "daemon-reload"], None)?;
        }
        let stamps = self.stamp.ancestors().skip(1).take(2);
        for dir in
            [wanted.as_path()].into_iter().chain(self.units.ancestors().take(2)).chain(stamps)
        {
            // Whoever else uses it keeps it.
            let _ = fs_err::remove_dir(dir);
        }
        Ok(true)
    }

    pub(super) fn installed(&self) -> Result<Option<Installed>, Failure> {
        let files = self.files();
        if files.is_empty() {
            return Ok(None);
        }
        let timer = fs_err::read_to_string(self.units.join(TIMER)).unwrap_or_default();
        // `show` writes times for people, in whatever zone; only the list knows numbers.
        let list = ["--user", "list-timers", "--all", "--output=json", TIMER];
        let listed = runner::run(SYSTEMCTL, &list, None)?.filter(|ran| ran.ok);
        let listed = listed.map(|ran| ran.stdout).unwrap_or_default();
        Ok(Some(Installed {
            cadence: cadence_of(&timer),
            files,
            active: is_active(),
            next_run: moment(&listed, "next"),
            last_run: moment(&listed, "last"),
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
    let _ = writeln!(text, "ExecStart={} sync --quiet", executable(&job.program));
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

/// The program as the first word of a command. systemd refuses quotes and backslashes in the name of
/// a program, but not in its arguments, where in turn a dollar must be doubled.
fn executable(program: &str) -> String {
    if program.contains(['"', '\'', '\\']) {
        return format!("/usr/bin/env {}", quoted(&program.replace('$', "$$")));
    }
    quoted(program)
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

fn is_active() -> bool {
    runner::succeeds(SYSTEMCTL, &["--user", "is-active", "--quiet", TIMER])
}

/// A moment of the one timer in a list: microseconds, 0 for never. Versions that cannot write JSON
/// tell nothing.
fn moment(listed: &[u8], name: &str) -> Option<Timestamp> {
    let listed: serde_json::Value = serde_json::from_slice(listed).ok()?;
    let microseconds = listed.get(0)?.get(name)?.as_i64().filter(|at| *at > 0)?;
    Some(Timestamp(microseconds / 1000))
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
        ExecStart=/usr/bin/env "/opt/my \"tools\"/100%%/back'story" sync --quiet
        SuccessExitStatus=1 4
        Nice=10
        IOSchedulingClass=idle
        "#);
        assert_eq!(executable("/opt/5 $x/backstory"), "\"/opt/5 $x/backstory\"");
        assert_eq!(executable("/$'/backstory"), "/usr/bin/env \"/$$'/backstory\"");
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
    fn what_systemctl_lists_is_understood() {
        let listed = br#"[{"next":1794874085354994,"left":1794874085354994,"last":0,"passed":0,
            "unit":"backstory-sync.timer","activates":"backstory-sync.service"}]"#;
        assert_eq!(moment(listed, "next"), Some(Timestamp(1_794_874_085_354)));
        assert_eq!(moment(listed, "last"), None);
        assert_eq!(moment(b"[]", "next"), None);
        assert_eq!(moment(b"NEXT LEFT\n", "next"), None);
        assert_eq!(cadence_of(&timer(Cadence::Weekly)), Some(Cadence::Weekly));
    }
}
