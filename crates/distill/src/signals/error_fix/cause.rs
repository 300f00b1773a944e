//! What an error is about, and which of the changes since may have made it go away.

use super::OpenError;
use crate::call::Call;
use crate::change::{Change, Ground};
use crate::clip;
use crate::facts::CHANGES;
use crate::shell;
use crate::signals::toolchain_trouble::is_trouble;
use serde::{Deserialize, Serialize};

/// What an error is about decides what counts as the same check, and as a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum About {
    /// What was written: the same command on the same or more must pass.
    Code,
    /// What is installed: the same program must run.
    Tools,
    /// What lies where, and who may touch it.
    Place,
    /// How the command was called: the same program must run soon, called otherwise.
    Misuse,
}

pub(super) fn about(line: &str, family: &str) -> About {
    const MISUSE: &[&str] = &[
        "unknown option",
        "unrecognized arguments",
        "unrecognized option",
        "unknown flag",
        "unexpected argument",
        "unknown command",
        "invalid option",
        "usage:",
        "unknown shorthand",
        "no such option",
        "is not a git command",
        "unknown subcommand",
        "illegal option",
        "required arguments",
        "missing required",
        "not a git repository",
        "syntax error near",
        "parse error near",
        "no matches found",
        "bad substitution",
        "no upstream branch",
    ];
    const PLACE: &[&str] = &[
        "no such file or directory",
        "permission denied",
        "address already in use",
        "eacces",
        "file exists",
    ];
    // These act on things outside the code: an edit does not put them right.
    const OUTSIDE: &[&str] =
        &["git ", "gh ", "docker ", "kubectl ", "aws ", "gcloud ", "brew ", "curl"];
    let lower = line.to_lowercase();
    let says = |list: &[&str]| list.iter().any(|sign| lower.contains(sign));
    let outside = family != "git commit" && OUTSIDE.iter().any(|start| family.starts_with(start));
    if says(MISUSE) {
        About::Misuse
    } else if is_trouble(line) {
        About::Tools
    } else if outside {
        About::Misuse
    } else if says(PLACE) {
        About::Place
    } else {
        About::Code
    }
}

/// Nobody fixes the network, a quota or a cancelled call by editing.
pub(super) fn is_outside(line: &str) -> bool {
    let lower = line.to_lowercase();
    [
        "timed out",
        "timeout",
        "rate limit",
        "overloaded",
        "cancelled",
        "interrupted",
        "dial tcp",
        "connection reset",
        "connection refused",
        "rejected due to",
        "name resolution",
        "could not resolve host",
        "no such host",
        "network is unreachable",
        "enotfound",
        "getaddrinfo",
        "etimedout",
        "failing loading \"http",
        "deadline exceeded",
        "http 5",
        "signal: killed",
    ]
    .iter()
    .any(|sign| lower.contains(sign))
}

/// True if a call is the misused one, called otherwise: it acts on the same things.
pub(super) fn is_same_call(command: &str, call: &Call) -> bool {
    if call.shown == command || ["--help", "--version"].iter().any(|flag| call.shown.contains(flag))
    {
        return false;
    }
    let (failed, worked) = (positional(command), positional(&call.shown));
    let family: Vec<&str> = call.family.split(' ').collect();
    let acts_on = |words: &[&str], word: &&str| words.contains(word) && !family.contains(word);
    let things = failed.iter().filter(|word| !family.contains(word)).count();
    let kept = failed.iter().filter(|word| acts_on(&worked, word)).count();
    kept * 2 >= things
}

fn positional(command: &str) -> Vec<&str> {
    let mut words = shell::words(command);
    words.retain(|word| shell::is_target(word));
    words
}

/// What was done since the error was last seen: changes, else the command called otherwise.
pub(super) fn describe(open: &OpenError, since: &[Change], call: &Call) -> Option<String> {
    let otherwise = || {
        // Code on the command line is another program each time.
        let differs = call.shown != open.command && !call.family.ends_with(" -");
        differs.then(|| {
            difference(&open.command, &call.shown).unwrap_or_else(|| {
                format!("`{}` instead of `{}`", call.shown, clip::line(&open.command, 80))
            })
        })
    };
    let on = |grounds: &[Ground]| -> Vec<&Change> {
        since.iter().filter(|change| grounds.contains(&change.ground)).collect()
    };
    match open.about {
        About::Misuse => otherwise(),
        About::Tools => named(&on(&[Ground::Install, Ground::Manifest]))
            .or_else(otherwise)
            .or_else(|| named(&on(&[Ground::Code, Ground::Files, Ground::Tree]))),
        About::Place => named(&on(&[Ground::Files, Ground::Tree, Ground::Install]))
            .or_else(otherwise)
            .or_else(|| named(&on(&[Ground::Code]))),
        About::Code => {
            let mut changes = on(&[Ground::Code, Ground::Manifest, Ground::Install, Ground::Tree]);
            let touches = |change: &&Change| {
                file_of(&change.what).is_some_and(|file| open.what.contains(file))
            };
            // Of many changes only those to the very file can be told to be the cause.
            if since.len() >= CHANGES || changes.iter().any(touches) && changes.len() > 2 {
                changes.retain(touches);
            }
            // Formatting mends nothing but format.
            let mends = |change: &&Change| change.what.starts_with("edit ");
            if changes.iter().any(mends) && !open.what.to_lowercase().contains("format") {
                changes.retain(|change| mends(change) || !is_formatting(&change.what));
            }
            named(&changes)
        }
    }
}

fn is_formatting(what: &str) -> bool {
    [
        "`gofmt ",
        "`cargo fmt",
        "`black ",
        "`goimports ",
        "`ruff format",
        "`uv run ruff format",
        "prettier ",
    ]
    .iter()
    .any(|mark| what.contains(mark))
}

/// The last few changes, in order.
fn named(changes: &[&Change]) -> Option<String> {
    let from = changes.len().saturating_sub(3);
    let words: Vec<&str> = changes[from..].iter().map(|change| change.what.as_str()).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// The file an edit names.
fn file_of(what: &str) -> Option<&str> {
    let rest = what.strip_prefix("edit ")?;
    rest.split([':', ' ']).next().filter(|file| file.len() > 3)
}

/// How two calls differ, if it is only a few words.
fn difference(failed: &str, worked: &str) -> Option<String> {
    if failed.ends_with('…') || worked.ends_with('…') {
        return None;
    }
    let (a, b) = (shell::words(failed), shell::words(worked));
    let gone: Vec<&str> = a.iter().filter(|word| !b.contains(word)).copied().collect();
    let new: Vec<&str> = b.iter().filter(|word| !a.contains(word)).copied().collect();
    match (gone.as_slice(), new.as_slice()) {
        ([_, ..], []) if gone.len() <= 3 => {
            Some(format!("`{worked}` without `{}`", gone.join(" ")))
        }
        _ => None,
    }
}
