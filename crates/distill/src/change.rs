//! What may make an error go away: edits, installs, and other changes of the ground commands run on.

use crate::call::{Call, base};
use crate::shell::Rank;
use serde::{Deserialize, Serialize};

/// What kind of ground was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ground {
    /// Code or configuration was written.
    Code,
    /// A manifest, lock file or toolchain file was written.
    Manifest,
    /// Something was installed or updated.
    Install,
    /// The working tree was moved to another state.
    Tree,
    /// Files were made, moved, removed or given other rights; processes were ended.
    Files,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// When it took effect.
    pub seq: u32,
    /// What it changed.
    pub ground: Ground,
    /// In a few words.
    pub what: String,
}

const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "pyproject.toml",
    "uv.lock",
    "requirements.txt",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "go.mod",
    "go.sum",
    "Gemfile",
    "build.gradle",
    "pom.xml",
    "CMakeLists.txt",
    "Dockerfile",
    "mise.toml",
    ".tool-versions",
    "rust-toolchain.toml",
    "tsconfig.json",
];

const TREE: &[&str] = &[
    "git checkout",
    "git switch",
    "git stash",
    "git reset",
    "git restore",
    "git clean",
    "git rebase",
    "git merge",
    "git pull",
    "git apply",
    "git cherry-pick",
    "git revert",
    "git submodule",
];

const FILES: &[&str] = &[
    "mkdir",
    "chmod",
    "chown",
    "mv",
    "cp",
    "rm",
    "touch",
    "ln",
    "kill",
    "pkill",
    "killall",
    "docker compose up",
    "docker start",
    "docker stop",
    "docker rm",
    "systemctl",
    "git init",
    "git add",
    "git config",
    "git worktree",
    "git rm",
    "git mv",
];

/// The change a successful call made, if it made one.
pub(crate) fn of(call: &Call, seq: u32) -> Option<Change> {
    let change = |ground, what| Some(Change { seq, ground, what });
    if call.edit {
        let name = call.files.first().map_or(call.shown.as_str(), |(path, ..)| path);
        let name = base(name);
        if name.is_empty() || is_prose(name) {
            return None;
        }
        let ground = if MANIFESTS.contains(&name) { Ground::Manifest } else { Ground::Code };
        let what = call.note.clone().unwrap_or_else(|| format!("edit {name}"));
        return change(ground, what);
    }
    if !call.is_shell() {
        return None;
    }
    let what = format!("`{}`", call.shown);
    let family = call.family.as_str();
    if TREE.contains(&family) {
        return change(Ground::Tree, what);
    }
    if FILES.contains(&family) {
        return change(Ground::Files, what);
    }
    if rewrites(call) {
        return change(Ground::Code, what);
    }
    if call.rank != Rank::Change as u8 {
        return None;
    }
    // What is left of this rank writes a file by redirection, or installs.
    let writes = call.shown.contains('>') || family == "sed" || family == "patch";
    let scratch = ["/tmp/", "SCRATCH", "scratchpad", "/dev/null"]
        .iter()
        .any(|mark| call.shown.contains(mark));
    match (writes, scratch) {
        (true, true) => None,
        (true, false) => change(Ground::Code, what),
        (false, _) => change(Ground::Install, what),
    }
}

/// Tools that put the code right by themselves.
fn rewrites(call: &Call) -> bool {
    matches!(call.family.as_str(), "cargo fmt" | "black" | "goimports" | "ruff format" | "go fmt")
        || ["--fix", "--write", "--apply", " -w ", "format:fix", "lint:fix", "run format"]
            .iter()
            .any(|mark| call.shown.contains(mark))
}

fn is_prose(name: &str) -> bool {
    [".md", ".txt", ".rst", ".adoc"].iter().any(|end| name.ends_with(end))
        && name != "requirements.txt"
        && name != "CMakeLists.txt"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn ground(line: &str) -> Option<Ground> {
        let mut script = Script::new();
        script.bash(line);
        let (event, text) = &script.events[0];
        let (call, _) = Call::read(event, text)?;
        of(&call, 0).map(|change| change.ground)
    }

    #[test]
    fn changes_are_told_by_their_ground() {
        let cases = [
            ("npm install left-pad", Some(Ground::Install)),
            ("go mod tidy", Some(Ground::Install)),
            ("git stash", Some(Ground::Tree)),
            ("mkdir -p x", Some(Ground::Files)),
            ("sed -i s/a/b/ x.rs", Some(Ground::Code)),
            ("bunx biome check --write src", Some(Ground::Code)),
            ("cat > src/x.rs <<'E'\nfn x() {}\nE", Some(Ground::Code)),
            ("cat > /tmp/x.rs <<'E'\nfn x() {}\nE", None),
            ("command -v go", None),
            ("cargo build", None),
            ("ls", None),
        ];
        for (line, expected) in cases {
            assert_eq!(ground(line), expected, "{line}");
        }
    }
}
