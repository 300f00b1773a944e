//! Which project a plugin means. It sends the working directory with everything but letters and digits
//! turned into `-`, or the address of the repository; neither can be turned back, so the projects of the
//! archive are looked at for one that fits.

use backstory_store::{SessionFilter, StoreError, Vault};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How long what was found out is believed, in milliseconds.
const FRESH_MS: i64 = 60_000;

/// Projects by what plugins call them.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    known: Mutex<Option<(i64, HashMap<String, String>)>>,
}

impl Projects {
    /// The `project_key` of what a plugin calls a project.
    pub(crate) fn of(
        &self,
        vault: &Vault,
        peer: &str,
        now: i64,
    ) -> Result<Option<String>, StoreError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = known.as_ref().is_some_and(|(at, _)| (0..FRESH_MS).contains(&(now - at)));
        if !is_fresh {
            *known = Some((now, by_peer(vault)?));
        }
        Ok(known.as_ref().and_then(|(_, projects)| projects.get(peer).cloned()))
    }
}

fn by_peer(vault: &Vault) -> Result<HashMap<String, String>, StoreError> {
    let mut projects = HashMap::new();
    for session in vault.sessions(&SessionFilter::default())? {
        let (Some(cwd), Some(project)) = (session.cwd, session.project_key) else { continue };
        projects.entry(mangled(&cwd)).or_insert(project);
    }
    Ok(projects)
}

/// A path as plugins send it.
fn mangled(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_mangled_as_plugins_do_it() {
        assert_eq!(mangled("/Users/x/Dev/A"), "-Users-x-Dev-A");
    }
}
