//! Finds the line of a long output that tells what went wrong.

use crate::clip;
use crate::phrases::Phrases;
use std::sync::LazyLock;

/// How well a line tells what went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Telling {
    /// Speaks of an error somewhere.
    Hint,
    /// Names the error.
    Clear,
    /// Names it in the form only errors have.
    Exact,
}

/// The line that tells most, if any tells at all.
pub fn error_line(text: &str) -> Option<&str> {
    telling_line(text).map(|(_, line)| line)
}

/// Lines that tell of errors, the most telling first and each once, at most so many: what a caller saw of
/// an output may begin or end elsewhere than what was stored of it.
pub fn telling_lines(text: &str, most: usize) -> Vec<&str> {
    let mut found: Vec<&str> = error_line(text).into_iter().collect();
    let head = clip::head(text, clip::LOOK_BYTES);
    let tail = clip::tail(&text[head.len()..], clip::LOOK_BYTES);
    let lines = || head.lines().chain(tail.lines()).flat_map(unfold).map(str::trim);
    for telling in [Telling::Exact, Telling::Clear] {
        for line in lines().filter(|line| judge(line) == Some(telling)) {
            if found.len() >= most {
                return found;
            }
            if !found.contains(&line) {
                found.push(line);
            }
        }
    }
    found.truncate(most);
    found
}

/// The most telling line of the beginning and the end of an output.
pub(crate) fn telling_line(text: &str) -> Option<(Telling, &str)> {
    let head = clip::head(text, clip::LOOK_BYTES);
    let rest = &text[head.len()..];
    let tail = clip::tail(rest, clip::LOOK_BYTES);
    let mut best: Option<(Telling, &str)> = None;
    let mut after_panic = false;
    for line in head.lines().chain(tail.lines()).flat_map(unfold) {
        // Pytest puts an `E` before what went wrong.
        let told = line.strip_prefix("E  ");
        let line = told.unwrap_or(line).trim();
        if line.len() < 3 {
            continue;
        }
        if std::mem::take(&mut after_panic) {
            best = Some((Telling::Exact, line));
            continue;
        }
        after_panic = line.contains("panicked at ") && line.ends_with(':');
        let failed_assertion = told.is_some() && line.starts_with("assert ");
        let Some(telling) = judge(line).or(failed_assertion.then_some(Telling::Exact)) else {
            continue;
        };
        let better = match best {
            None => true,
            // Of a traceback the last line counts, of a compiler's errors the first.
            Some((known, _)) => telling > known || telling == known && is_exception(line),
        };
        if better {
            best = Some((telling, line));
        }
    }
    best
}

/// The lines inside a line: scripts print a command's result as JSON.
fn unfold(line: &str) -> impl Iterator<Item = &str> {
    let inner = line.starts_with('{').then(|| line.split_once("\"output\":\"")).flatten();
    let text = inner.map_or(line, |(_, output)| output.trim_end_matches(['}', '"']));
    let mark = if inner.is_some() { "\\n" } else { "\n" };
    text.split(mark)
}

/// Lines that follow from an error told elsewhere.
static CONSEQUENCES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "error: could not compile",
        "error: test failed",
        "error: process didn't exit",
        "error: aborting due to",
        "error: script ",
        "npm err! a complete log",
        "npm err! code elifecycle",
        "npm error code 1",
        "npm error command",
        "npm error path",
        "make: ***",
        "make[",
        "exit code",
        "exit status",
        "fail\t",
        "failed to compile",
        "elifecycle",
        "error: recipe",
        "error: process completed with exit code",
        "command failed with exit code",
        "error command failed",
        "process exited with code",
        "errors found",
        "for more information about this error",
        "warning:",
        "traceback (most recent",
        "some errors were emitted",
        "some warnings were emitted",
        "found 1 error",
        "during handling of the above",
        "error: 1 target failed",
        "error: doctest failed",
    ])
});

static EXACT: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "error[",
        "fatal:",
        "error:",
        "panic:",
        "npm err! code e",
        "npm error code e",
        "syntaxerror",
        "failed tests/",
        "failed test/",
        "--- fail:",
        "conflict (",
        "ld:",
        "ld.lld:",
        "undefined symbols",
        "formatter would have",
        "assertionerror",
        "uncaught ",
        "unhandled",
        "error ts",
        "assertion failed",
        "err!",
        "fatal error:",
    ])
});

static CLEAR: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        ": command not found",
        "command not found:",
        "no such file or directory",
        "permission denied",
        "no module named",
        "cannot find module",
        "module not found",
        ": error:",
        ": error ts",
        ": fatal error",
        "undefined reference to",
        "unresolved import",
        "could not resolve",
        "could not find",
        "no matching version",
        "no matching package",
        "unable to resolve dependency",
        "connection refused",
        "address already in use",
        "unknown option",
        "unrecognized arguments",
        "unknown flag",
        "unexpected argument",
        "unknown command",
        "is not a git command",
        "not a git repository",
        "merge conflict",
        "string to replace not found",
        "has not been read yet",
        "has been modified since read",
        "failed to find expected lines",
        "does not exist",
        "is not installed",
        "not recognized as",
        "permission to ",
        "rejected",
        "timed out",
        "failed to ",
        "invalidoperation",
        "cannot find ",
        "error: ",
        "undefined:",
        "declared and not used",
        "imported and not used",
        "missing go.sum entry",
        "is not in std",
        "prompt is too long",
        "rate limit",
        "overloaded",
    ])
});

static HINTS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "error",
        "failed",
        "failure",
        "cannot",
        "can't",
        "unable to",
        "not found",
        "exception",
        "invalid",
        "denied",
    ])
});

fn judge(line: &str) -> Option<Telling> {
    let shown = clip::head(line, 400);
    if shown.len() < 3 || looks_like_source(shown) {
        return None;
    }
    let lower = shown.to_ascii_lowercase();
    let lower =
        lower.trim_start_matches(['>', '│', '|', ' ', '=', '✗', '✖', '×', '●', '❯', '\u{1b}']);
    let lower = lower.strip_prefix("<tool_use_error>").unwrap_or(lower);
    // `0 errors` and test names that merely speak of errors.
    if CONSEQUENCES.prefixes(lower)
        || lower.contains("0 errors")
        || lower.contains("0 failed")
        || lower.ends_with("... ok")
    {
        return None;
    }
    if EXACT.prefixes(lower) || is_exception(shown) {
        return Some(Telling::Exact);
    }
    if CLEAR.begins_word(lower) || is_located(lower) {
        return Some(Telling::Clear);
    }
    HINTS.begins_word(lower).then_some(Telling::Hint)
}

/// `NameError: …`, `java.lang.FooException: …`, `pkg.errors.ThingError`.
fn is_exception(line: &str) -> bool {
    let name = line.split([':', ' ', '(']).next().unwrap_or_default();
    let short = name.rsplit('.').next().unwrap_or(name);
    let named = short.starts_with(|c: char| c.is_ascii_uppercase())
        && (short.ends_with("Error") || short.ends_with("Exception"))
        && short.len() > 5;
    named && (name.len() == line.len() || line[name.len()..].starts_with(':'))
}

/// `file.go:12:3: message`.
fn is_located(lower: &str) -> bool {
    let Some((place, _)) = lower.split_once(": ") else { return false };
    if place.contains(' ') || !place.contains('.') {
        return false;
    }
    let mut parts = place.rsplit(':');
    let numbered = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    numbered(parts.next()) && numbered(parts.next())
}

/// A line of code or a search hit that only mentions errors.
fn looks_like_source(line: &str) -> bool {
    let numbered = line
        .split_once(['\t', '→', '|'])
        .is_some_and(|(n, _)| !n.trim().is_empty() && n.trim().bytes().all(|b| b.is_ascii_digit()));
    numbered
        || line.ends_with(['{', ';'])
        || [
            "//", "#", "*", "- ", "+ ", "+\t", "-\t", "return ", "if ", "func ", "def ", "fn ",
            "import ", "let ", "const ",
        ]
        .iter()
        .any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_line_is_found() {
        let cases = [
            (
                "   Compiling x\nerror[E0308]: mismatched types\n --> a.rs\nerror: could not compile `x`",
                "error[E0308]: mismatched types",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'x'",
                "ModuleNotFoundError: No module named 'x'",
            ),
            ("npm ERR! code ERESOLVE\nnpm ERR! A complete log", "npm ERR! code ERESOLVE"),
            ("Exit code 127\n(eval):1: command not found: jq", "(eval):1: command not found: jq"),
            ("thread 'main' panicked at src/a.rs:1:2:\nindex out of bounds", "index out of bounds"),
            ("Exit code 128\nfatal: not a git repository", "fatal: not a git repository"),
            ("--- FAIL: TestX (0.00s)\nFAIL\tpkg\t0.1s", "--- FAIL: TestX (0.00s)"),
            ("# pkg\n./a.go:3:4: undefined: Bar", "./a.go:3:4: undefined: Bar"),
            ("src/a.ts(4,5): error TS2345: no", "src/a.ts(4,5): error TS2345: no"),
        ];
        for (text, line) in cases {
            assert_eq!(error_line(text), Some(line), "{text}");
        }
        assert_eq!(error_line("Exit code 1\nall fine here"), None);
        assert_eq!(error_line(""), None);
    }

    #[test]
    fn other_telling_lines_follow_the_most_telling() {
        let text = "a.go:3:4: undefined: Bar\nfatal: no\nerror: two\nfatal: no\nfine\nfailed x";
        assert_eq!(telling_lines(text, 9), ["fatal: no", "error: two", "a.go:3:4: undefined: Bar"]);
        assert_eq!(telling_lines(text, 1), ["fatal: no"]);
        assert_eq!(telling_lines("all is well", 3), [""; 0]);
    }

    #[test]
    fn the_end_of_a_long_output_is_seen() {
        let text = format!("{}\nfatal: ä broke", "ok line ü\n".repeat(40_000));
        assert_eq!(error_line(&text), Some("fatal: ä broke"));
    }
}
