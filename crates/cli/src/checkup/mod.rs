//! What `doctor` looks at, one file per section; every finding is one [`Check`].

mod digests;
mod home;
mod hooks;
mod posted;
mod roots;
mod stored;
mod versions;

use crate::context::Context;
use crate::error::Failure;
use crate::open;
use crate::settings::Settings;
use backstory_api::{Check, Level};
use backstory_store::{StoreError, Vault};

/// The sections, in the order they are shown, with their titles.
pub(crate) const SECTIONS: [(&str, &str); 10] = [
    ("roots", "Where agents keep their logs"),
    ("versions", "Versions of agents that were checked"),
    ("hooks", "What agents are told to run"),
    ("home", "Privacy of the archive"),
    ("records", "Records nobody understood"),
    ("files", "Files that made trouble"),
    ("posted", "What plugins posted"),
    ("secrets", "Secrets in the agents' logs"),
    ("digests", "What is kept of sessions"),
    ("store", "Integrity of the archive"),
];

/// A finding about nothing in particular.
fn check(section: &'static str, level: Level, what: impl Into<String>) -> Check {
    Check {
        section,
        level,
        flavor: None,
        path: None,
        lines: Vec::new(),
        what: what.into(),
        count: 1,
        hint: None,
    }
}

/// Looks at everything.
pub(crate) fn all(settings: &Settings, context: &Context) -> Result<Vec<Check>, Failure> {
    let mut checks = roots::check_all(settings, context);
    checks.extend(versions::known());
    checks.extend(hooks::check_all(context));
    let home = open::archive(settings)?.home;
    match Vault::open(&home) {
        Ok(vault) => {
            checks.extend(versions::unknown(&vault)?);
            checks.extend(home::check_all(&home));
            checks.extend(stored::records(&vault)?);
            checks.extend(stored::files(&vault)?);
            checks.extend(posted::check_all(&vault, context.now)?);
            checks.extend(stored::secrets(&vault)?);
            checks.extend(digests::check_all(&vault)?);
            checks.extend(stored::integrity(&vault, context)?);
        }
        Err(StoreError::Missing(_)) => {
            let mut missing = check("store", Level::Note, "nothing has been taken in yet");
            missing.hint = Some("run `backstory`".into());
            checks.push(missing);
        }
        Err(error) => {
            let failure = Failure::from(error);
            let mut broken = check("store", Level::Attention, failure.message);
            broken.path = Some(home.engine().name());
            broken.hint = failure.hints.into_iter().next();
            checks.push(broken);
        }
    }
    Ok(checks)
}
