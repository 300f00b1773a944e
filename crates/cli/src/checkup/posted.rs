//! Is what plugins posted private, readable and in the archive?

use super::check;
use super::home::too_open;
use crate::error::Failure;
use crate::figures::{bytes, plural};
use backstory_api::{Check, Level};
use backstory_engine::pushed;
use backstory_model::Timestamp;
use backstory_store::Vault;

/// A sweep that runs daily has taken everything in by then, and an agent has written its log.
const LATE_MS: i64 = 2 * 24 * 60 * 60 * 1000;

/// Looks at every file of posted messages; nothing is said where there is none.
pub(super) fn check_all(vault: &Vault, now: Timestamp) -> Result<Vec<Check>, Failure> {
    let files = pushed::posted(vault.home(), vault)?;
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let mut checks = Vec::new();
    for file in &files {
        checks.extend(too_open(&file.path, 0o600).map(|open| Check { section: "posted", ..open }));
        if let Some(trouble) = file.trouble() {
            let mut broken = check("posted", Level::Attention, trouble);
            broken.path = Some(file.path.display().to_string());
            broken.hint = Some("its plugin can post no more to it; move it away".into());
            checks.push(broken);
        }
    }
    let is_old = |file: &pushed::PostedFile| now.0.saturating_sub(file.written_at.0) > LATE_MS;
    let late = files.iter().filter(|file| !file.is_taken_in && is_old(file)).count() as u64;
    if late > 0 {
        let what = format!("{} not in the archive yet", plural(late, "session"));
        let mut waiting = check("posted", Level::Note, what);
        waiting.count = late;
        waiting.hint = Some("`backstory sync` takes them in".into());
        checks.push(waiting);
    }
    // What was posted lately may still come to the log.
    let mut lacking = 0_u64;
    for file in files.iter().filter(|file| file.is_taken_in && is_old(file)) {
        lacking += u64::from(file.outdoes_its_log(vault)?);
    }
    if lacking > 0 {
        let what =
            format!("{} with messages that the agent's own log lacks", plural(lacking, "session"));
        let mut kept = check("posted", Level::Note, what);
        kept.count = lacking;
        kept.hint = Some("the files that have them stay; `backstory forget` removes them".into());
        checks.push(kept);
    }
    if checks.is_empty() {
        let size = bytes(files.iter().map(|file| file.bytes).sum());
        let sessions = plural(files.len() as u64, "session");
        checks.push(check("posted", Level::Ok, format!("{sessions} ({size}), all readable")));
    }
    Ok(checks)
}
