//! Which versions of the agents were checked, and which others were met.

use super::check;
use crate::error::Failure;
use crate::figures::plural;
use crate::sweep::label;
use backstory_adapters::versions;
use backstory_api::{Check, Level};
use backstory_engine::unknown_versions;
use backstory_model::Flavor;
use backstory_store::Vault;

/// The checked versions of every agent; no archive is needed for that.
pub(super) fn known() -> Vec<Check> {
    let known = |flavor: Flavor| {
        let what = format!("{} {}", label(flavor), versions::known(flavor).join(", "));
        Check { flavor: Some(flavor.name().into()), ..check("versions", Level::Ok, what) }
    };
    Flavor::LOGGED.into_iter().map(known).collect()
}

/// Versions that were met and are none of those.
pub(super) fn unknown(vault: &Vault) -> Result<Vec<Check>, Failure> {
    let met = unknown_versions(vault, versions::is_known)?;
    let unknown = met.into_iter().map(|met| {
        let sessions = plural(met.sessions, "session");
        let what = format!("{} {} was not checked: {sessions}", label(met.flavor), met.version);
        Check {
            flavor: Some(met.flavor.name().into()),
            count: met.sessions,
            hint: Some(
                "read all the same; what was not understood is under \"Records nobody understood\""
                    .into(),
            ),
            ..check("versions", Level::Note, what)
        }
    });
    Ok(unknown.collect())
}
