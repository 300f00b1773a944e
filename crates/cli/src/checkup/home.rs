//! Is the archive readable by its owner only?

use super::check;
use backstory_api::{Check, Level};
use backstory_engine::pushed;
use backstory_store::Home;
use std::path::Path;

/// Looks at the modes of the home directory and what lies in it.
pub(super) fn check_all(home: &Home) -> Vec<Check> {
    let mut places = vec![
        (home.dir().to_owned(), 0o700),
        (home.spool(), 0o700),
        (home.state(), 0o700),
        (pushed::folder(home), 0o700),
        (home.events(), 0o600),
    ];
    places.extend(home.packs().folders().into_iter().map(|folder| (folder, 0o700)));
    places.extend(home.engine().files().into_iter().map(|file| (file, 0o600)));
    let mut checks: Vec<Check> =
        places.iter().filter_map(|(path, wanted)| too_open(path, *wanted)).collect();
    if checks.is_empty() {
        let mut fine = check("home", Level::Ok, "only you can read it");
        fine.path = Some(home.dir().display().to_string());
        checks.push(fine);
    }
    checks
}

#[cfg(unix)]
pub(super) fn too_open(path: &Path, wanted: u32) -> Option<Check> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs_err::metadata(path).ok()?.permissions().mode() & 0o777;
    if mode & !wanted == 0 {
        return None;
    }
    let mut open = check("home", Level::Attention, format!("others can read it (mode {mode:o})"));
    open.hint = Some(format!("chmod {wanted:o} {}", path.display()));
    open.path = Some(path.display().to_string());
    Some(open)
}

#[cfg(not(unix))]
pub(super) fn too_open(_path: &Path, _wanted: u32) -> Option<Check> {
    None
}
