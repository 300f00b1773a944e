//! Takes rendered cases in like any other history and has them judged.

use super::case::Case;
use super::render::{Rendered, Scene, render, root};
use backstory_engine::{Root, SyncOptions, SyncReport, sync};
use backstory_model::{Flavor, Judgement, Timestamp};
use backstory_store::Vault;
use fs_err as fs;
use std::io;
use std::path::Path;

/// The moment of the sweep; anything later than the sessions will do.
const NOW: Timestamp = Timestamp(1_800_000_000_000);

/// Cases as the archive has them.
#[derive(Debug)]
pub struct Archive {
    /// What the sweep said.
    pub report: SyncReport,
    /// The archive.
    pub vault: Vault,
    /// The sessions, in the order of the cases.
    pub sessions: Vec<Rendered>,
}

/// Writes the cases' logs below a folder and sweeps them into an archive there.
pub fn take_in(cases: &[Case], folder: &Path) -> io::Result<Archive> {
    let logs = folder.join("home");
    let sessions: Vec<Rendered> = cases
        .iter()
        .enumerate()
        .map(|(number, case)| render(case, &Scene::of_case(number)))
        .collect();
    for (name, text) in sessions.iter().flat_map(|session| &session.files) {
        let path = logs.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    let options = SyncOptions::new(
        backstory_engine::Archive::indexed_at_home(backstory_store_sqlite::home(
            folder.join("archive"),
        )),
        Flavor::LOGGED
            .into_iter()
            .map(|flavor| Root { flavor, dir: logs.join(root(flavor)) })
            .collect(),
    );
    let report = sync(&options, NOW, &mut |_| {}).map_err(io::Error::other)?;
    let vault = Vault::open(&options.archive.home).map_err(io::Error::other)?;
    Ok(Archive { report, vault, sessions })
}

impl Archive {
    /// How the session of a case is judged.
    pub fn judge(&self, session: &Rendered) -> io::Result<Judgement> {
        let uid = &session.uid;
        let account = self.vault.account(uid).map_err(io::Error::other)?;
        let account = account.ok_or_else(|| io::Error::other(format!("{uid} has no digest")))?;
        Ok(account.digest.judgement)
    }
}
