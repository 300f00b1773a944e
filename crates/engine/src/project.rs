//! Which repository a working directory belongs to, without the `git` binary. Worktrees of one
//! repository share its project key; directories that are gone keep the best name there is.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// A directory's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Project {
    /// Name of the repository, or of the directory.
    pub(crate) repo: String,
    /// The git common directory, or the directory itself.
    pub(crate) key: String,
}

/// Looks projects up, each directory once.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    known: HashMap<String, Option<Project>>,
}

impl Projects {
    /// The project of a working directory as the agent wrote it.
    pub(crate) fn of(&mut self, cwd: &str) -> Option<Project> {
        if let Some(known) = self.known.get(cwd) {
            return known.clone();
        }
        let project = resolve(Path::new(cwd));
        self.known.insert(cwd.to_owned(), project.clone());
        project
    }
}

/// What tells the project of a directory from others: worktrees of one repository share it.
pub fn project_key(dir: &Path) -> Option<String> {
    resolve(dir).map(|project| project.key)
}

fn resolve(cwd: &Path) -> Option<Project> {
    if !cwd.is_absolute() {
        // Another system's path, such as `C:\work\app`: its last part is all there is.
        let name = cwd.to_str()?.rsplit(['\\', '/']).find(|part| !part.is_empty())?;
        return Some(Project { repo: name.to_owned(), key: cwd.to_str()?.to_owned() });
    }
    for dir in cwd.ancestors() {
        if let Some(common) = git_common_dir(dir) {
            return Some(Project { repo: repo_name(&common)?, key: common.to_str()?.to_owned() });
        }
    }
    let dir = without_worktree(cwd);
    let repo = dir.file_name()?.to_str()?.to_owned();
    Some(Project { repo, key: dir.to_str()?.to_owned() })
}

/// The common directory of the repository checked out in `dir`.
fn git_common_dir(dir: &Path) -> Option<PathBuf> {
    let dot_git = dir.join(".git");
    let meta = std::fs::symlink_metadata(&dot_git).ok()?;
    if meta.is_dir() || meta.is_symlink() {
        return fs_err::canonicalize(&dot_git).ok();
    }
    // A worktree or submodule: a file that names its git directory.
    let text = fs_err::read_to_string(&dot_git).ok()?;
    let named = dir.join(text.strip_prefix("gitdir:")?.trim());
    let common = match fs_err::read_to_string(named.join("commondir")) {
        Ok(common) => named.join(common.trim()),
        // The main repository moved or is gone: `<main>/.git/worktrees/<name>` still tells it.
        Err(_) => match named.parent() {
            Some(parent) if parent.ends_with("worktrees") => parent.parent()?.to_owned(),
            _ => named,
        },
    };
    Some(fs_err::canonicalize(&common).unwrap_or_else(|_| lexically_clean(&common)))
}

/// `/src/app/.git` → `app`, `/srv/app.git` → `app`, `/src/app/.git/modules/lib` → `lib`.
fn repo_name(common: &Path) -> Option<String> {
    let dir = if common.ends_with(".git") { common.parent()? } else { common };
    let name = dir.file_name()?.to_str()?;
    Some(name.strip_suffix(".git").unwrap_or(name).to_owned())
}

/// Folders tools put worktrees in; what lies above them is the project.
fn without_worktree(cwd: &Path) -> PathBuf {
    for marker in [".claude/worktrees", ".codex/worktrees", ".grok/worktrees", ".worktrees"] {
        for dir in cwd.ancestors() {
            if dir.ends_with(marker) {
                let depth = Path::new(marker).components().count();
                if let Some(project) = dir.ancestors().nth(depth) {
                    return project.to_owned();
                }
            }
        }
    }
    cwd.to_owned()
}

fn lexically_clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use fs_err as fs;

    fn project(cwd: &Path) -> Project {
        Projects::default().of(cwd.to_str().unwrap()).unwrap()
    }

    #[test]
    fn worktrees_share_their_repository() {
        let tmp = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(tmp.path()).unwrap();
        let main = base.join("app");
        let worktree = base.join("elsewhere/feature");
        fs::create_dir_all(main.join(".git/worktrees/feature")).unwrap();
        fs::create_dir_all(main.join("src")).unwrap();
        fs::create_dir_all(&worktree).unwrap();
        fs::write(main.join(".git/worktrees/feature/commondir"), "../..\n").unwrap();
        let pointer = format!("gitdir: {}/.git/worktrees/feature\n", main.display());
        fs::write(worktree.join(".git"), pointer).unwrap();

        let of_main = project(&main.join("src"));
        assert_eq!(of_main.repo, "app");
        assert_eq!(project(&worktree), of_main);
        // The main checkout is deleted: the pointer alone still names it.
        fs::remove_dir_all(&main).unwrap();
        assert_eq!(project(&worktree), of_main);
    }

    #[test]
    fn deleted_directories_fall_back_to_what_is_left() {
        let tmp = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(tmp.path()).unwrap();
        fs::create_dir_all(base.join("app/.git")).unwrap();
        assert_eq!(project(&base.join("app/gone/deep")).repo, "app");
        assert_eq!(project(Path::new("/nowhere/at/all")).repo, "all");
        assert_eq!(project(Path::new("/nowhere/app/.claude/worktrees/x")).repo, "app");
        assert_eq!(project(Path::new("C:\\work\\tool")).repo, "tool");
    }

    #[test]
    fn bare_repositories_and_submodules_have_names() {
        assert_eq!(repo_name(Path::new("/srv/app.git")).unwrap(), "app");
        assert_eq!(repo_name(Path::new("/src/app/.git/modules/lib")).unwrap(), "lib");
    }
}
