//! A launchd agent.

use super::{Cadence, Installed, Job, remove_file, runner, write_if_changed};
use crate::error::{Failure, Kind};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const LABEL: &str = "backstory.sync";
const LAUNCHCTL: &str = "launchctl";

/// Where the agent's description lies.
pub(super) struct Launchd {
    plist: PathBuf,
}

/// True if there is a launchd to talk to.
pub(super) fn works() -> bool {
    runner::succeeds(LAUNCHCTL, &["list"])
}

impl Launchd {
    pub(super) fn new(user: &Path) -> Self {
        Self { plist: user.join("Library/LaunchAgents").join(format!("{LABEL}.plist")) }
    }

    pub(super) fn install(&self, job: &Job) -> Result<bool, Failure> {
        if !works() {
            return Err(Failure::new(Kind::NotFound, "there is no launchd here")
                .hint("`--with cron` uses the crontab instead"));
        }
        let written = write_if_changed(&self.plist, &plist(job))?;
        let loaded = is_loaded();
        if !written && loaded {
            return Ok(false);
        }
        let domain = domain()?;
        if loaded {
            runner::must(LAUNCHCTL, &["bootout", &format!("{domain}/{LABEL}")], None)?;
        }
        let file = self.plist.to_string_lossy();
        runner::must(LAUNCHCTL, &["bootstrap", &domain, &file], None)?;
        Ok(true)
    }

    pub(super) fn remove(&self) -> Result<bool, Failure> {
        if fs_err::symlink_metadata(&self.plist).is_err() {
            return Ok(false);
        }
        if is_loaded() {
            let service = format!("{}/{LABEL}", domain()?);
            runner::must(LAUNCHCTL, &["bootout", &service], None)?;
        }
        remove_file(&self.plist)
    }

    pub(super) fn installed(&self) -> Option<Installed> {
        let text = fs_err::read_to_string(&self.plist).ok()?;
        Some(Installed {
            cadence: Some(cadence_of(&text)),
            files: vec![self.plist.clone()],
            active: is_loaded(),
            // launchd does not tell.
            next_run: None,
            last_run: None,
        })
    }
}

fn is_loaded() -> bool {
    runner::succeeds(LAUNCHCTL, &["list", LABEL])
}

fn domain() -> Result<String, Failure> {
    let id = runner::must("id", &["-u"], None)?;
    Ok(format!("gui/{}", String::from_utf8_lossy(&id.stdout).trim()))
}

fn plist(job: &Job) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n  \
         <key>Label</key><string>{LABEL}</string>\n  <key>ProgramArguments</key>\n  <array>\n"
    );
    for argument in [job.program.as_str(), "sync", "--quiet"] {
        let _ = writeln!(text, "    <string>{}</string>", escaped(argument));
    }
    text.push_str("  </array>\n");
    if !job.variables.is_empty() {
        text.push_str("  <key>EnvironmentVariables</key>\n  <dict>\n");
        for (name, value) in &job.variables {
            let _ = writeln!(text, "    <key>{name}</key><string>{}</string>", escaped(value));
        }
        text.push_str("  </dict>\n");
    }
    // Midday: the machine is probably awake. What sleep missed is made up for.
    text.push_str("  <key>StartCalendarInterval</key>\n  <dict>\n");
    if job.cadence == Cadence::Weekly {
        text.push_str("    <key>Weekday</key><integer>1</integer>\n");
    }
    text.push_str(
        "    <key>Hour</key><integer>12</integer>\n    \
         <key>Minute</key><integer>17</integer>\n  </dict>\n  \
         <key>ProcessType</key><string>Background</string>\n</dict>\n</plist>\n",
    );
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn cadence_of(plist: &str) -> Cadence {
    if plist.contains("<key>Weekday</key>") { Cadence::Weekly } else { Cadence::Daily }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::sample_job;

    #[test]
    fn the_description_holds_any_path() {
        let text = plist(&sample_job(Cadence::Weekly));
        assert_eq!(cadence_of(&text), Cadence::Weekly);
        insta::assert_snapshot!(text, @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
          <key>Label</key><string>backstory.sync</string>
          <key>ProgramArguments</key>
          <array>
            <string>/opt/my "tools"/100%/back'story</string>
            <string>sync</string>
            <string>--quiet</string>
          </array>
          <key>EnvironmentVariables</key>
          <dict>
            <key>BACKSTORY_HOME</key><string>/home/ada/back &amp; &lt;story&gt; 5%</string>
          </dict>
          <key>StartCalendarInterval</key>
          <dict>
            <key>Weekday</key><integer>1</integer>
            <key>Hour</key><integer>12</integer>
            <key>Minute</key><integer>17</integer>
          </dict>
          <key>ProcessType</key><string>Background</string>
        </dict>
        </plist>
        "#);
        assert_eq!(cadence_of(&plist(&sample_job(Cadence::Daily))), Cadence::Daily);
    }
}
