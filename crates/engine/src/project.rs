//! Which repository a working directory belongs to, without the `git` binary. Worktrees of one
//! repository share its project key; directories that are gone keep the best name there is.

use backstory_store::Vault;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Worktrees asked for their repository when one beside them is gone.
const MAX_SIBLINGS: usize = 64;

/// A directory's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Name of the repository, or of the directory.
    pub repo: String,
    /// The git common directory, or the directory itself.
    pub key: String,
}

/// Looks projects up, each directory once.
#[derive(Debug, Default)]
pub(crate) struct Projects<'a> {
    /// What was found out about directories while they were there.
    archive: Option<&'a Vault>,
    known: HashMap<String, Option<Project>>,
    /// Projects by the directory worktrees of theirs lie below, once one of them is gone.
    remembered: Option<HashMap<PathBuf, Project>>,
}

impl<'a> Projects<'a> {
    /// With what an archive remembers.
    pub(crate) fn remembering(archive: &'a Vault) -> Self {
        Self { archive: Some(archive), ..Self::default() }
    }

    /// The project of a working directory as the agent wrote it.
    pub(crate) fn of(&mut self, cwd: &str) -> Option<Project> {
        if let Some(known) = self.known.get(cwd) {
            return known.clone();
        }
        let dir = Path::new(cwd);
        let mut project = resolve(dir);
        let is_guess = project.as_ref().is_some_and(|project| !is_common_dir(&project.key));
        if dir.is_absolute()
            && is_guess
            && let Some(remembered) = self.remembered(&place(dir))
        {
            project = Some(remembered);
        }
        self.known.insert(cwd.to_owned(), project.clone());
        project
    }

    /// The repository of a directory that is gone, or of a worktree beside it. An archive that cannot be
    /// asked remembers nothing.
    fn remembered(&mut self, place: &Path) -> Option<Project> {
        let remembered = self.remembered.get_or_insert_with(|| {
            let places = self.archive.and_then(|archive| archive.places().ok());
            let repositories =
                places.unwrap_or_default().into_iter().filter(|known| is_common_dir(&known.2));
            let known = |(cwd, repo, key): (String, String, String)| {
                (self::place(Path::new(&cwd)), Project { repo, key })
            };
            repositories.map(known).collect()
        });
        remembered.get(place).cloned()
    }
}

/// True for a key that a repository gave, and no mere directory.
fn is_common_dir(key: &str) -> bool {
    Path::new(key).extension().is_some_and(|ending| ending == "git") || key.contains("/.git")
}

/// The project of a directory.
pub fn project(dir: &Path) -> Option<Project> {
    resolve(dir)
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
    let dir = place(cwd);
    let repo = dir.file_name()?.to_str()?.to_owned();
    let common = sibling_common_dir(&dir);
    Some(Project { repo, key: common.unwrap_or(dir).to_str()?.to_owned() })
}

/// The repository of a folder of worktrees, told by one of them that is still there.
fn sibling_common_dir(dir: &Path) -> Option<PathBuf> {
    if !is_of_conductor(dir) {
        return None;
    }
    let worktrees = fs_err::read_dir(dir).into_iter().flatten().take(MAX_SIBLINGS);
    let mut worktrees: Vec<PathBuf> =
        worktrees.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    worktrees.sort();
    // Repositories it cloned itself lie beside the worktrees of all.
    let own = dir.ancestors().nth(2)?.join("repos").join(dir.file_name()?);
    worktrees.iter().chain([&own]).find_map(|worktree| git_common_dir(worktree))
}

/// True for `…/conductor/workspaces/<repository>`, below which Conductor lays its worktrees.
fn is_of_conductor(dir: &Path) -> bool {
    dir.parent().is_some_and(|parent| parent.ends_with("conductor/workspaces"))
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

/// The name of the repository or directory a project's key names.
pub(crate) fn name_of_key(key: &str) -> Option<String> {
    repo_name(Path::new(key))
}

/// `/src/app/.git` → `app`, `/srv/app.git` → `app`, `/src/app/.git/modules/lib` → `lib`.
fn repo_name(common: &Path) -> Option<String> {
    let dir = if common.ends_with(".git") { common.parent()? } else { common };
    let name = dir.file_name()?.to_str()?;
    Some(name.strip_suffix(".git").unwrap_or(name).to_owned())
}

/// Folders inside a repository that tools put worktrees in; what lies above them is the project.
const WORKTREES: [&str; 5] =
    [".claude/worktrees", ".codex/worktrees", ".grok/worktrees", ".worktrees", ".conductor"];

/// Where a directory belongs if it is a worktree by its name alone; else itself.
fn place(cwd: &Path) -> PathBuf {
    if let Some(dir) = cwd.ancestors().skip(1).find(|dir| is_of_conductor(dir)) {
        return dir.to_owned();
    }
    for marker in WORKTREES {
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

    /// A repository, and the pointer of a worktree of it in a directory.
    fn worktree(main: &Path, dir: &Path) {
        let name = dir.file_name().unwrap().to_str().unwrap();
        let git = main.join(".git/worktrees").join(name);
        fs::create_dir_all(&git).unwrap();
        fs::create_dir_all(dir).unwrap();
        fs::write(git.join("commondir"), "../..\n").unwrap();
        fs::write(dir.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
    }

    #[test]
    fn worktrees_of_conductor_share_their_repository() {
        let tmp = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(tmp.path()).unwrap();
        let (main, spaces) = (base.join("code/app"), base.join("conductor/workspaces/app"));
        worktree(&main, &spaces.join("lisbon"));
        worktree(&main, &spaces.join("oslo"));
        let of_main = project(&main);
        assert_eq!(project(&spaces.join("lisbon/src")), of_main);
        // One of them is gone: the other still tells.
        fs::remove_dir_all(spaces.join("oslo")).unwrap();
        assert_eq!(project(&spaces.join("oslo/src")), of_main);
        // All are gone: they are at least in one project, under the repository's name.
        fs::remove_dir_all(&spaces).unwrap();
        let gone = project(&spaces.join("oslo"));
        assert_eq!(gone.repo, "app");
        assert_eq!(project(&spaces.join("lisbon/src")), gone);
        // Unless Conductor cloned the repository itself.
        fs::create_dir_all(base.join("conductor/repos/app/.git")).unwrap();
        let cloned = project(&base.join("conductor/repos/app"));
        assert_eq!(project(&spaces.join("oslo")), cloned);
        assert_eq!(project(Path::new("/nowhere/app/.conductor/tokyo/src")).repo, "app");
        assert_eq!(
            project(Path::new("/nowhere/app/.conductor/tokyo")),
            project(Path::new("/nowhere/app/.conductor/kyoto/deep"))
        );
    }

    #[test]
    fn what_is_gone_belongs_where_it_did() {
        let tmp = tempfile::tempdir().unwrap();
        let home = backstory_store_sqlite::home(tmp.path());
        let mut writer = backstory_store::Writer::open(&home).unwrap();
        let mut chunk = backstory_store::Chunk::default();
        for (id, cwd, key) in [
            (1, "/gone/conductor/workspaces/app/lisbon", "/code/app/.git"),
            (2, "/gone/tool", "/gone/tool/.git"),
            (3, "/gone/notes", "/gone/notes"),
        ] {
            let repo = cwd.rsplit('/').next().map(str::to_owned);
            chunk.sessions.push(backstory_store::SessionDelta {
                id,
                uid: format!("claude:{id}"),
                flavor: "claude",
                cwd: Some(cwd.into()),
                repo,
                project_key: Some(key.into()),
                ..backstory_store::SessionDelta::default()
            });
        }
        writer.add(&chunk, backstory_model::Timestamp(1)).unwrap();
        writer.commit().unwrap();
        let vault = Vault::open(&home).unwrap();
        let mut projects = Projects::remembering(&vault);
        let mut key = |cwd: &str| projects.of(cwd).unwrap().key;
        assert_eq!(key("/gone/conductor/workspaces/app/oslo/src"), "/code/app/.git");
        assert_eq!(key("/gone/tool"), "/gone/tool/.git");
        assert_eq!(key("/gone/notes"), "/gone/notes");
        assert_eq!(key("/gone/other"), "/gone/other");
    }

    #[test]
    fn bare_repositories_and_submodules_have_names() {
        assert_eq!(repo_name(Path::new("/srv/app.git")).unwrap(), "app");
        assert_eq!(repo_name(Path::new("/src/app/.git/modules/lib")).unwrap(), "lib");
    }
}
