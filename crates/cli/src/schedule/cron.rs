//! A line in the user's crontab; every other byte of it stays what it is.

use super::{Cadence, Installed, Job, runner};
use crate::error::{Failure, Kind};
use std::fmt::Write;

const CRONTAB: &str = "crontab";
/// How our line is known. For the shell it is a comment.
const MARK: &str = " # backstory:sync";

/// True if there is a crontab to edit.
pub(super) fn works() -> bool {
    current().is_ok_and(|text| text.is_some())
}

pub(super) fn install(job: &Job) -> Result<bool, Failure> {
    // Without the program, the attempt to write says so.
    let old = current()?.unwrap_or_default();
    let new = with_line(&old, &line(job));
    if new == old {
        return Ok(false);
    }
    runner::must(CRONTAB, &["-"], Some(&new))?;
    Ok(true)
}

pub(super) fn remove() -> Result<bool, Failure> {
    let Some(old) = current()? else { return Ok(false) };
    let new = without_line(&old);
    if new == old {
        return Ok(false);
    }
    if new.is_empty() {
        runner::must(CRONTAB, &["-r"], None)?;
    } else {
        runner::must(CRONTAB, &["-"], Some(&new))?;
    }
    Ok(true)
}

pub(super) fn installed() -> Result<Option<Installed>, Failure> {
    let text = current()?.unwrap_or_default();
    let ours = lines(&text).find(|line| is_ours(line));
    Ok(ours.map(|line| Installed {
        cadence: Some(cadence_of(line)),
        active: true,
        ..Installed::default()
    }))
}

/// The crontab as it is; `None` if there is no such program.
fn current() -> Result<Option<Vec<u8>>, Failure> {
    let Some(ran) = runner::run(CRONTAB, &["-l"], None)? else { return Ok(None) };
    if ran.ok {
        return Ok(Some(ran.stdout));
    }
    // Only a crontab that certainly does not exist may be taken for an empty one.
    let says = ran.stderr.to_ascii_lowercase();
    if says.contains("no crontab") || says.contains("no such file") {
        return Ok(Some(Vec::new()));
    }
    // Who may not have a crontab has none of ours.
    if says.contains("not allowed") {
        return Ok(None);
    }
    let mut failure = Failure::new(Kind::Problems, "the crontab cannot be read");
    failure.causes.extend(ran.stderr.lines().take(5).map(str::to_owned));
    Err(failure)
}

/// Midday: cron does not make up for what a machine that was off has missed.
fn line(job: &Job) -> String {
    let when = match job.cadence {
        Cadence::Weekly => "17 12 * * 1",
        Cadence::Daily | Cadence::OnHook => "17 12 * * *",
    };
    let mut command = String::new();
    for (name, value) in &job.variables {
        let _ = write!(command, "{name}={} ", quoted(value));
    }
    let _ = write!(command, "{} sync --quiet >/dev/null 2>&1", quoted(&job.program));
    // For cron an unescaped per cent is the end of the line.
    format!("{when} {}{MARK}\n", command.replace('%', "\\%"))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

fn is_ours(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(MARK.as_bytes()) && !line.starts_with(b"#")
}

fn cadence_of(line: &[u8]) -> Cadence {
    if line.starts_with(b"17 12 * * 1 ") { Cadence::Weekly } else { Cadence::Daily }
}

/// The crontab with our line, in its old place if it had one.
fn with_line(old: &[u8], line: &str) -> Vec<u8> {
    let mut new = Vec::with_capacity(old.len() + line.len());
    let mut placed = false;
    for known in lines(old) {
        if !is_ours(known) {
            new.extend(known);
        } else if !placed {
            new.extend(line.as_bytes());
            placed = true;
        }
    }
    if !placed {
        if !new.is_empty() && !new.ends_with(b"\n") {
            new.push(b'\n');
        }
        new.extend(line.as_bytes());
    }
    new
}

/// The crontab without our line.
fn without_line(old: &[u8]) -> Vec<u8> {
    lines(old).filter(|line| !is_ours(line)).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::sample_job;

    #[test]
    fn the_line_holds_any_path() {
        insta::assert_snapshot!(line(&sample_job(Cadence::Daily)), @r#"17 12 * * * BACKSTORY_HOME='/home/ada/back & <story> 5\%' '/opt/my "tools"/100\%/back'\''story' sync --quiet >/dev/null 2>&1 # backstory:sync"#);
        assert_eq!(cadence_of(line(&sample_job(Cadence::Weekly)).as_bytes()), Cadence::Weekly);
        assert_eq!(cadence_of(line(&sample_job(Cadence::Daily)).as_bytes()), Cadence::Daily);
    }

    #[test]
    fn everything_else_stays_byte_for_byte() {
        let daily = line(&sample_job(Cadence::Daily));
        let weekly = line(&sample_job(Cadence::Weekly));
        for old in [
            &b""[..],
            b"MAILTO=ada\n\n# a comment # backstory:sync\n0 1 * * * x\n",
            b"\n\n",
            b"0 1 * * * caf\xe9\r\n\t\n",
            b"0 1 * * * echo '# backstory:sync' again\n",
        ] {
            let installed = with_line(old, &daily);
            assert!(installed.ends_with(daily.as_bytes()));
            assert_eq!(without_line(&installed), old);
            assert_eq!(with_line(&installed, &daily), installed, "twice is once");
            assert_eq!(without_line(&with_line(&installed, &weekly)), old);
        }
    }

    #[test]
    fn our_line_keeps_its_place() {
        let daily = line(&sample_job(Cadence::Daily));
        let weekly = line(&sample_job(Cadence::Weekly));
        let old = format!("0 1 * * * a\n{daily}0 2 * * * b\n{daily}");
        let new = with_line(old.as_bytes(), &weekly);
        assert_eq!(String::from_utf8(new).unwrap(), format!("0 1 * * * a\n{weekly}0 2 * * * b\n"));
    }

    #[test]
    fn a_last_line_without_an_end_gets_one() {
        let daily = line(&sample_job(Cadence::Daily));
        let new = with_line(b"0 1 * * * a", &daily);
        assert_eq!(String::from_utf8(new).unwrap(), format!("0 1 * * * a\n{daily}"));
    }
}
