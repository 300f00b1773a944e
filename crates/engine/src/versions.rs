//! `state/versions.json`: versions of agents nobody checked, and which of them people were warned of.

use crate::journal::{read_if_there, replace};
use backstory_model::Flavor;
use backstory_store::{Home, StoreError, Vault, create_private_dir};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

/// A version of an agent that was met in logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetVersion {
    /// The agent.
    pub flavor: Flavor,
    /// As the log says it.
    pub version: String,
    /// Sessions it was met in.
    pub sessions: u64,
}

/// Versions nobody checked, by agent. Their logs are read all the same.
pub fn unknown_versions(
    vault: &Vault,
    is_known: fn(Flavor, &str) -> bool,
) -> Result<Vec<MetVersion>, StoreError> {
    let met = vault.cli_versions()?.into_iter().filter_map(|(flavor, version, sessions)| {
        let flavor = Flavor::from_name(&flavor)?;
        (!is_known(flavor, &version)).then_some(MetVersion { flavor, version, sessions })
    });
    Ok(met.collect())
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Warned {
    #[serde(default)]
    warned: BTreeSet<String>,
}

/// Those of them nobody was warned of yet; from now on they count as warned of.
pub fn not_warned_of(home: &Home, met: Vec<MetVersion>) -> io::Result<Vec<MetVersion>> {
    if met.is_empty() {
        return Ok(met);
    }
    let path = path(home);
    // A damaged file costs no more than a warning given again.
    let known = read_if_there(&path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Warned { mut warned } = known.unwrap_or_default();
    let is_new = |met: &MetVersion| warned.insert(format!("{} {}", met.flavor, met.version));
    let mut new = met;
    new.retain(is_new);
    if !new.is_empty() {
        create_private_dir(&home.dir().join("state"))?;
        replace(&path, &serde_json::to_vec_pretty(&Warned { warned })?)?;
    }
    Ok(new)
}

fn path(home: &Home) -> PathBuf {
    home.dir().join("state").join("versions.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_warned_once() {
        let dir = tempfile::tempdir().unwrap();
        let home = backstory_store_sqlite::home(dir.path());
        let met = |version: &str| MetVersion {
            flavor: Flavor::Codex,
            version: version.into(),
            sessions: 1,
        };
        let first = vec![met("0.999.0")];
        assert_eq!(not_warned_of(&home, first.clone()).unwrap(), first);
        assert_eq!(not_warned_of(&home, first).unwrap(), []);
        let both = vec![met("0.999.0"), met("0.999.1")];
        assert_eq!(not_warned_of(&home, both).unwrap(), [met("0.999.1")]);
        fs_err::write(path(&home), "nonsense").unwrap();
        assert_eq!(not_warned_of(&home, vec![met("0.999.0")]).unwrap().len(), 1);
    }
}
