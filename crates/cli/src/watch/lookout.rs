//! The system's file events below the agents' folders, also below those that do not exist yet.

use crate::error::{Failure, Kind};
use backstory_engine::Root;
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// What the main thread wakes up for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// Something was written below a folder, or a folder came or went.
    Changed,
    /// Events were lost: anything may have changed.
    Lost,
    /// The user wants to stop.
    Stop,
}

/// What stands at a path: a folder that was replaced must be watched anew.
type Identity = (u64, u64);

/// Keeps the watches in place.
pub(crate) struct Lookout {
    watcher: RecommendedWatcher,
    roots: Vec<PathBuf>,
    placed: BTreeMap<PathBuf, (bool, Identity)>,
    /// A change was told and not yet heard; telling more of them would only pile up.
    told: Arc<AtomicBool>,
}

impl Lookout {
    /// A lookout that tells the news; [`Lookout::place`] makes it look.
    pub(crate) fn new(roots: &[Root], home: &Path, news: Sender<News>) -> Result<Self, Failure> {
        let folders: Vec<PathBuf> = roots.iter().map(|root| root.dir.clone()).collect();
        let interest = Interest { roots: roots.to_vec(), home: home.to_owned() };
        let told = Arc::new(AtomicBool::new(false));
        let is_told = Arc::clone(&told);
        let tell = move |event: notify::Result<notify::Event>| {
            let what = match event {
                Ok(event) if event.need_rescan() => Some(News::Lost),
                Ok(event) => interest.concerns(&event).then_some(News::Changed),
                Err(_) => Some(News::Lost),
            };
            let is_repeated = what == Some(News::Changed) && is_told.swap(true, Ordering::AcqRel);
            if let Some(what) = what.filter(|_| !is_repeated) {
                // Nobody listens any more once the program ends.
                let _ = news.send(what);
            }
        };
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(tell, config).map_err(|error| failure(&error))?;
        Ok(Self { watcher, roots: folders, placed: BTreeMap::new(), told })
    }

    /// A change was heard; the next one is news again.
    pub(crate) fn heard(&self) {
        self.told.store(false, Ordering::Release);
    }

    /// Watches every folder that exists, and the nearest parent of one that does not.
    pub(crate) fn place(&mut self) -> Result<(), Failure> {
        // A folder may appear between the look and the watch; then the second round sees it.
        for _ in 0..8 {
            let wanted = wanted(&self.roots);
            if wanted == self.placed {
                break;
            }
            let gone: Vec<PathBuf> = self
                .placed
                .iter()
                .filter(|(path, what)| wanted.get(*path) != Some(what))
                .map(|(path, _)| path.clone())
                .collect();
            for path in gone {
                // The system has usually forgotten a removed folder by itself.
                let _ = self.watcher.unwatch(&path);
                self.placed.remove(&path);
            }
            for (path, (recursive, identity)) in wanted {
                if self.placed.contains_key(&path) {
                    continue;
                }
                let mode =
                    if recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
                match self.watcher.watch(&path, mode) {
                    Ok(()) => {
                        self.placed.insert(path, (recursive, identity));
                    }
                    // It went away again; the next round looks for what is left.
                    Err(_) if !path.is_dir() => {}
                    Err(error) => return Err(failure(&error)),
                }
            }
        }
        Ok(())
    }

    /// Forgets every watch, so that [`Lookout::place`] begins anew.
    pub(crate) fn forget(&mut self) {
        for path in std::mem::take(&mut self.placed).into_keys() {
            let _ = self.watcher.unwatch(&path);
        }
    }
}

fn wanted(roots: &[PathBuf]) -> BTreeMap<PathBuf, (bool, Identity)> {
    let mut wanted = BTreeMap::new();
    for root in roots {
        let nearest = root.ancestors().find_map(|dir| Some((dir, identity(dir)?)));
        if let Some((dir, identity)) = nearest {
            let recursive = dir == root;
            // A folder that is a link itself is not looked into; the place it leads to is.
            let entry = wanted.entry(real(dir)).or_insert((recursive, identity));
            entry.0 |= recursive;
        }
    }
    wanted
}

fn real(dir: &Path) -> PathBuf {
    fs_err::canonicalize(dir).unwrap_or_else(|_| dir.to_owned())
}

#[cfg(unix)]
fn identity(dir: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(dir).ok().filter(std::fs::Metadata::is_dir)?;
    Some((meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn identity(dir: &Path) -> Option<Identity> {
    dir.is_dir().then_some((0, 0))
}

fn failure(error: &notify::Error) -> Failure {
    let failure = Failure::new(Kind::Problems, "the folders cannot be watched").cause(error);
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => failure.hint(
            "raise the system's limit (fs.inotify.max_user_watches), or use `backstory schedule`",
        ),
        _ => failure,
    }
}

/// Which events are worth waking up for.
struct Interest {
    roots: Vec<Root>,
    home: PathBuf,
}

impl Interest {
    fn concerns(&self, event: &notify::Event) -> bool {
        // Our own sweep opens files too.
        let written = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
            EventKind::Access(_) => false,
            _ => true,
        };
        written && event.paths.iter().any(|path| self.is_ours(path))
    }

    fn is_ours(&self, path: &Path) -> bool {
        // Events name the place a link leads to, folders may be named by the link.
        if path.starts_with(&self.home) || path.starts_with(real(&self.home)) {
            return false;
        }
        self.roots.iter().any(|root| {
            concerns(root, &root.dir, path) || concerns(root, &nearest_real(&root.dir), path)
        })
    }
}

/// The folder with every link on the way to it resolved, as far as the way exists.
fn nearest_real(dir: &Path) -> PathBuf {
    let resolve = |known: &Path| {
        let rest = dir.strip_prefix(known).ok()?;
        fs_err::canonicalize(known).ok().map(|known| known.join(rest))
    };
    dir.ancestors().find_map(resolve).unwrap_or_else(|| dir.to_owned())
}

/// True if the agent whose folder this is may have written there.
fn concerns(root: &Root, dir: &Path, path: &Path) -> bool {
    // The folder itself, or one it would lie in, came or went.
    if dir.starts_with(path) {
        return true;
    }
    let claims = |below: &Path| {
        backstory_adapters::of(root.flavor).is_some_and(|agent| agent.claim(below).is_some())
    };
    // A folder that moves in may hold logs already.
    path.strip_prefix(dir).is_ok_and(|below| claims(below) || path.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::Flavor;
    use notify::event::{CreateKind, ModifyKind};

    #[test]
    fn only_what_an_agent_writes_is_worth_waking_up_for() {
        let dir = tempfile::tempdir().unwrap();
        let base = fs_err::canonicalize(dir.path()).unwrap();
        let root = base.join(".claude/projects");
        fs_err::create_dir_all(root.join("-shop")).unwrap();
        let roots = [Root { flavor: Flavor::Claude, dir: root.clone() }];
        let interest = Interest { roots: roots.to_vec(), home: root.join("archive") };
        let log = root.join("-shop/5e551011-0000-4000-8000-000000000001.jsonl");
        let concerns = |kind: EventKind, path: &Path| {
            interest.concerns(&notify::Event::new(kind).add_path(path.to_owned()))
        };
        let modify = EventKind::Modify(ModifyKind::Any);
        let create = EventKind::Create(CreateKind::Any);
        assert!(concerns(modify, &log));
        assert!(concerns(EventKind::Access(AccessKind::Close(AccessMode::Write)), &log));
        assert!(!concerns(EventKind::Access(AccessKind::Open(AccessMode::Any)), &log));
        assert!(concerns(create, &root.join("-shop")), "a folder may hold logs already");
        assert!(!concerns(create, &root.join("-shop/notes.txt")));
        assert!(concerns(create, &base.join(".claude")), "the way to the root");
        assert!(!concerns(modify, &base.join(".bash_history")));
        assert!(!concerns(modify, &root.join("archive/archive.db")));
    }

    #[test]
    fn the_nearest_parent_stands_in_for_a_folder_that_does_not_exist() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = fs_err::canonicalize(scratch.path()).unwrap();
        let roots = [dir.join("a/b/c"), dir.clone()];
        let modes = |roots: &[PathBuf]| -> Vec<(PathBuf, bool)> {
            wanted(roots).into_iter().map(|(path, (recursive, _))| (path, recursive)).collect()
        };
        assert_eq!(modes(&roots[..1]), [(dir.clone(), false)]);
        assert_eq!(modes(&roots), [(dir.clone(), true)]);
        fs_err::create_dir_all(dir.join("a/b")).unwrap();
        assert_eq!(modes(&roots[..1]), [(dir.join("a/b"), false)]);
        fs_err::create_dir(dir.join("a/b/c")).unwrap();
        assert_eq!(modes(&roots[..1]), [(dir.join("a/b/c"), true)]);
    }
}
