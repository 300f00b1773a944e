//! How much a command of a shell line matters for the story of a session.

use super::Segment;

/// From noise to proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Sets the scene: `cd`, `echo`, filters behind a pipe.
    #[default]
    Setup,
    /// Only looks.
    Look,
    /// Does something.
    Act,
    /// Changes what other commands find: installs, moves, configures.
    Change,
    /// Builds, checks or ships.
    Build,
    /// Runs tests.
    Test,
}

const SETUP: &[&str] = &[
    "cd", "export", "source", ".", "set", "unset", "echo", "printf", "true", "false", "sleep",
    "pushd", "popd", "if", "then", "else", "fi", "for", "do", "done", "while", "wait", "exit",
    "tee", "xargs", "sort", "uniq", "read", "test", "[", "[[", "trap", "local", "esac", "case",
];

const LOOK: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "grep",
    "rg",
    "find",
    "fd",
    "wc",
    "pwd",
    "which",
    "command",
    "type",
    "stat",
    "file",
    "du",
    "df",
    "tree",
    "less",
    "nl",
    "cut",
    "awk",
    "jq",
    "yq",
    "diff",
    "cmp",
    "ps",
    "date",
    "whoami",
    "uname",
    "env",
    "printenv",
    "id",
    "hostname",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "tr",
    "column",
    "man",
    "history",
    "lsof",
    "md5sum",
    "shasum",
    "sha256sum",
    "strings",
    "xxd",
    "hexdump",
    "od",
    "sed",
    "bat",
    "ag",
    "ack",
    "pgrep",
    "seq",
];

const LOOK_FAMILIES: &[&str] = &[
    "git status",
    "git diff",
    "git log",
    "git show",
    "git branch",
    "git blame",
    "git ls-files",
    "git rev-parse",
    "git grep",
    "git remote",
    "git config",
    "git describe",
    "git reflog",
    "git ls-remote",
    "git cat-file",
    "git merge-base",
    "git rev-list",
    "git for-each-ref",
    "gh pr view",
    "gh pr list",
    "gh pr diff",
    "gh pr checks",
    "gh api",
    "gh run",
    "gh issue view",
    "go list",
    "go doc",
    "go env",
    "go version",
    "cargo tree",
    "cargo metadata",
    "npm ls",
    "npm view",
    "pip show",
    "pip list",
    "docker ps",
    "docker logs",
    "docker images",
    "kubectl get",
    "kubectl logs",
    "kubectl describe",
    "git worktree list",
    "git fetch",
];

const CHANGE: &[&str] = &[
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
    "tar",
    "unzip",
    "patch",
    "brew",
    "apt",
    "apt-get",
    "dnf",
    "apk",
    "pip install",
    "pip uninstall",
    "uv add",
    "uv sync",
    "uv pip",
    "uv lock",
    "uv remove",
    "poetry add",
    "poetry install",
    "poetry lock",
    "npm install",
    "npm i",
    "npm ci",
    "npm uninstall",
    "npm update",
    "pnpm install",
    "pnpm add",
    "pnpm i",
    "pnpm remove",
    "yarn add",
    "yarn install",
    "yarn remove",
    "bun add",
    "bun install",
    "bun i",
    "cargo add",
    "cargo update",
    "cargo install",
    "cargo clean",
    "cargo remove",
    "go get",
    "go mod tidy",
    "go mod download",
    "go mod init",
    "go mod vendor",
    "go install",
    "go clean",
    "go work",
    "rustup",
    "git checkout",
    "git switch",
    "git stash",
    "git reset",
    "git restore",
    "git clean",
    "git rebase",
    "git merge",
    "git pull",
    "git add",
    "git rm",
    "git mv",
    "git apply",
    "git cherry-pick",
    "git submodule",
    "git worktree",
    "git init",
    "git clone",
    "git revert",
    "docker compose up",
    "docker compose down",
    "docker start",
    "docker stop",
    "docker rm",
    "docker pull",
    "systemctl",
    "bundle install",
    "composer",
    "conda",
    "mise install",
    "mise use",
    "nix",
    "corepack",
    "nvm",
    "apply_patch",
    "alembic",
    "prisma",
    "playwright install",
];

const BUILD: &[&str] = &[
    "make",
    "cmake",
    "tsc",
    "eslint",
    "biome",
    "prettier",
    "ruff",
    "ruff check",
    "ruff format",
    "mypy",
    "pyright",
    "black",
    "flake8",
    "golangci-lint",
    "gofmt",
    "goimports",
    "staticcheck",
    "cargo build",
    "cargo check",
    "cargo clippy",
    "cargo fmt",
    "cargo run",
    "cargo doc",
    "cargo bench",
    "cargo xtask",
    "go build",
    "go vet",
    "go run",
    "go generate",
    "npm run",
    "pnpm run",
    "yarn run",
    "yarn",
    "bun run",
    "npm start",
    "mvn",
    "gradle",
    "gradlew",
    "dotnet",
    "swift build",
    "xcodebuild",
    "docker build",
    "docker run",
    "docker compose",
    "terraform",
    "kubectl apply",
    "helm",
    "vite",
    "webpack",
    "next",
    "rollup",
    "esbuild",
    "gcc",
    "clang",
    "rustc",
    "javac",
    "git commit",
    "git push",
    "gh pr create",
    "gh pr merge",
    "gh release",
    "npm publish",
    "cargo publish",
    "ninja",
    "bazel",
    "meson",
    "pre-commit",
    "just",
    "task",
    "pnpm",
    "goreleaser",
    "ty",
    "zig",
    "mix",
    "sbt",
    "composer",
    "rake",
    "rails",
];

const TEST: &[&str] = &[
    "pytest",
    "py.test",
    "unittest",
    "tox",
    "nox",
    "cargo test",
    "cargo nextest",
    "go test",
    "gotestsum",
    "npm test",
    "npm t",
    "npm run test",
    "pnpm test",
    "pnpm run test",
    "yarn test",
    "yarn run test",
    "bun test",
    "bun run test",
    "deno test",
    "jest",
    "vitest",
    "vitest run",
    "mocha",
    "playwright test",
    "cypress",
    "mvn test",
    "mvn verify",
    "gradle test",
    "gradlew test",
    "make test",
    "make check",
    "ctest",
    "rspec",
    "rake test",
    "rails test",
    "phpunit",
    "dotnet test",
    "swift test",
    "mix test",
    "sbt test",
    "bazel test",
    "just test",
    "mise run test",
    "mise test",
    "task test",
];

/// How much a command matters.
pub(crate) fn rank(segment: &Segment<'_>) -> Rank {
    let (family, rest) = segment.family();
    let program = family.split(' ').next().unwrap_or_default();
    if segment.after_pipe || SETUP.contains(&program) {
        return Rank::Setup;
    }
    if is_in(TEST, &family) || program == "node" && rest.contains(&"--test") {
        return Rank::Test;
    }
    if LOOK.contains(&program) {
        let writes = program == "sed" && segment.words.iter().any(|word| word.starts_with("-i"));
        let redirected = segment.text.contains(" > ") || segment.text.contains(" >> ");
        return if writes || redirected { Rank::Change } else { Rank::Look };
    }
    if is_in(LOOK_FAMILIES, &family) {
        return Rank::Look;
    }
    if is_in(CHANGE, &family) {
        return Rank::Change;
    }
    if is_in(BUILD, &family) {
        return Rank::Build;
    }
    Rank::Act
}

/// True if the family, or a beginning of it at a word or a colon, is listed.
fn is_in(list: &[&str], family: &str) -> bool {
    list.iter().any(|known| {
        family
            .strip_prefix(known)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
    })
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn commands_are_ranked_by_what_they_do() {
        let cases = [
            ("cd x", Rank::Setup),
            ("rg foo | head", Rank::Look),
            ("sed -n 1,20p a", Rank::Look),
            ("sed -i s/a/b/ f", Rank::Change),
            ("cat a > b", Rank::Change),
            ("npm install x", Rank::Change),
            ("cargo clippy --all", Rank::Build),
            ("./deploy.sh", Rank::Act),
            ("npm run test:unit", Rank::Test),
            ("cd a && npm ci && npm test", Rank::Test),
            ("git log -1", Rank::Look),
        ];
        for (line, rank) in cases {
            assert_eq!(read(line).rank, rank, "{line}");
        }
    }
}
