//! What a shell line does: its telling command, without the wrapping around it.

mod rank;
mod segment;

pub(crate) use rank::Rank;
use rank::rank;
pub(crate) use segment::{Segment, segments, words};

use xxhash_rust::xxh3::xxh3_64;

/// The longest part of a shell line that is looked at.
const LINE_MAX: usize = 8 * 1024;

/// A shell line, understood as far as needed to say what it does and what is the same again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ShellLine {
    /// The telling command as it was written, without setup before and filters behind it.
    pub shown: String,
    /// Program and subcommand, e.g. `cargo test`.
    pub family: String,
    /// What it acts on.
    pub args: u64,
    /// Acts on everything there is, as far as the line says.
    pub broad: bool,
    /// How much it matters.
    pub rank: Rank,
    /// Its exit code is another command's: a filter or a fallback follows.
    pub masked: bool,
}

/// Reads a shell line.
pub(crate) fn read(line: &str) -> ShellLine {
    let line = crate::clip::head(line, LINE_MAX);
    let segments = segments(line);
    let mut best: Option<(Rank, usize)> = None;
    for (at, segment) in segments.iter().enumerate() {
        let found = rank(segment);
        if best.is_none_or(|(known, _)| found > known) {
            best = Some((found, at));
        }
    }
    let Some((rank, at)) = best else { return ShellLine::default() };
    let segment = &segments[at];
    let masked = segments[at + 1..].iter().any(|next| next.after_pipe || next.after_or)
        || segments[at + 1..].iter().any(|next| !next.after_and);
    let (family, rest) = segment.family();
    let mut targets: Vec<&str> = rest.iter().copied().filter(|arg| is_target(arg)).collect();
    targets.sort_unstable();
    targets.dedup();
    let broad = targets.iter().all(|arg| matches!(*arg, "./..." | "." | "all" | "..."));
    ShellLine {
        shown: without_redirections(segment.text).to_owned(),
        args: xxh3_64(targets.join(" ").as_bytes()),
        family,
        broad,
        rank,
        masked,
    }
}

/// The command without where its output goes.
fn without_redirections(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some((before, last)) = rest.rsplit_once(char::is_whitespace) {
        let redirects =
            matches!(last, "2>&1" | "&>" | "2>/dev/null" | ">/dev/null" | "&>/dev/null");
        if !redirects {
            break;
        }
        rest = before.trim_end();
    }
    rest
}

/// True for what a command acts on, as opposed to how.
pub(crate) fn is_target(arg: &str) -> bool {
    !arg.starts_with('-') && !arg.contains('>') && !arg.contains('<') && !arg.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_command_is_found_under_its_wrapping() {
        let cases = [
            ("cd /x && RUST_LOG=debug cargo test -p a 2>&1 | tail -20", "cargo test"),
            ("uv run pytest -q tests/a.py", "pytest"),
            ("python3 -m pytest tests", "pytest"),
            ("timeout 60 npx vitest run", "vitest run"),
            ("ls; git add -A", "git add"),
            ("bash -lc 'go test ./...'", "go test"),
            ("npm run build", "npm run build"),
            ("rtk proxy bun run test", "bun run test"),
            ("rtk bun run test", "bun run test"),
            ("python3 scripts/gen.py --all", "python gen.py"),
            ("python3 - <<'E'\nimport x\nE", "python -"),
            ("/usr/bin/git -C /x commit -m 'a b'", "git commit"),
            ("sudo apt-get install -y jq", "apt-get install"),
        ];
        for (line, family) in cases {
            assert_eq!(read(line).family, family, "{line}");
        }
    }

    #[test]
    fn filters_mask_the_exit_code() {
        assert!(read("cargo test | tail").masked);
        assert!(read("cargo test || true").masked);
        assert!(read("cargo test; echo done").masked);
        assert!(!read("cd a && cargo test 2>&1").masked);
    }

    #[test]
    fn the_same_targets_are_the_same_whatever_the_flags() {
        assert_eq!(read("pytest -q a.py").args, read("uv run pytest a.py -x").args);
        assert_ne!(read("pytest a.py").args, read("pytest b.py").args);
        assert!(read("go test ./...").broad && read("cargo test").broad);
        assert!(!read("cargo test name").broad);
    }
}
