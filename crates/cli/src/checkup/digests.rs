//! Is every session distilled, and was anything lost before it was?

use super::check;
use crate::error::Failure;
use crate::figures::plural;
use backstory_api::{Check, Level};
use backstory_store::Vault;

/// Looks at digests, and at sessions that should have one.
pub(super) fn check_all(vault: &Vault) -> Result<Vec<Check>, Failure> {
    let mut checks = Vec::new();
    for (uid, reason) in vault.unreadable_digests()? {
        let mut broken = check("digests", Level::Attention, format!("{uid}: {reason}"));
        broken.hint = Some("`backstory distil --all` makes digests anew".into());
        checks.push(broken);
    }
    for uid in vault.evicted_without_digest()? {
        let what = format!("{uid}: its raw events left before it was distilled");
        let mut lost = check("digests", Level::Attention, what);
        lost.hint = Some(
            "raise raw_hard_cap_bytes so that it does not happen again; `backstory forget` removes \
             what is left of such a session"
                .into(),
        );
        checks.push(lost);
    }
    let pending = vault.pending(false)?.len() as u64;
    if pending > 0 {
        let what = format!("{} not distilled yet", plural(pending, "session"));
        let mut late = check("digests", Level::Note, what);
        late.count = pending;
        late.hint = Some("`backstory distil` does it, or says why it cannot".into());
        checks.push(late);
    }
    if checks.is_empty() {
        checks.push(check("digests", Level::Ok, "every session is distilled"));
    }
    Ok(checks)
}
