//! An error, what was tried in vain, and what made it go away.
//!
//! Silence is better than a wrong pair: the same check must later succeed, something must have
//! changed in between, and that change is what is named.

use super::list::at;
use super::toolchain_trouble::is_trouble;
use super::{Detector, Signals};
use crate::beat::{Beat, Status};
use crate::call::Call;
use crate::clip;
use crate::facts::{Change, Facts};
use crate::fingerprint::{Telling, fingerprint};
use backstory_model::{Fix, Signal, SignalKind};
use serde::{Deserialize, Serialize};

const OPEN: usize = 3;
const TRIED: usize = 3;
/// An error whose check is not repeated for so many events was left alone, not fixed.
const FORGET_AFTER: u32 = 300;
/// A misused command is corrected at once or not at all.
const MISUSE_WITHIN: u32 = 12;

/// What an error is about decides what counts as the same check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum About {
    /// What was written: the same command on the same or more must pass.
    Code,
    /// What is installed: the same program must run.
    Tools,
    /// How the command was called: the same program must run soon, called otherwise.
    Misuse,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OpenError {
    fingerprint: u64,
    about: About,
    family: String,
    args: u64,
    /// The failed command.
    command: String,
    what: String,
    seq: u32,
    last: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ts: Option<i64>,
    count: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tried: Vec<String>,
    /// The change after which this error was not seen, though the check still failed otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gone: Option<(u32, String)>,
}

/// Errors nobody has fixed yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ErrorFixes(Vec<OpenError>);

impl Detector for ErrorFixes {
    const KIND: SignalKind = SignalKind::ErrorFix;

    fn event(&mut self, beat: &Beat<'_>, facts: &Facts, out: &mut Signals) {
        let Some(call) = beat.answered().filter(|call| call.is_shell() && call.is_telling()) else {
            return;
        };
        let seq = beat.seq();
        self.0.retain(|open| {
            let patience = if open.about == About::Misuse { MISUSE_WITHIN } else { FORGET_AFTER };
            seq - open.last.min(seq) <= patience
        });
        match beat.status {
            Status::Ok if beat.test_verdict().is_none_or(|(_, passed)| passed) => {
                self.succeeded(beat, call, facts, out);
            }
            Status::Failed | Status::SoftFailed => self.failed(beat, call, facts),
            _ => {}
        }
    }
}

impl ErrorFixes {
    fn failed(&mut self, beat: &Beat<'_>, call: &Call, facts: &Facts) {
        let Some((telling, line)) = beat.error else { return };
        let seq = beat.seq();
        let print = fingerprint(line);
        for open in self.0.iter_mut().filter(|open| call.covers(&open.family, open.args)) {
            let change = describe(&facts.changes, open, call);
            if open.fingerprint == print {
                // Back again, or still there: what was done did not help.
                let vain = open.gone.take().map(|(_, what)| what).or(change);
                if let Some(vain) = vain
                    && open.tried.len() < TRIED
                    && !open.tried.contains(&vain)
                {
                    open.tried.push(vain);
                }
                open.last = seq;
                open.count += 1;
            } else if open.gone.is_none() {
                open.gone = change.map(|what| (seq, what));
                open.last = seq;
            }
        }
        let known = self.0.iter().any(|open| open.fingerprint == print);
        if known || telling < Telling::Clear || is_outside(line) {
            return;
        }
        if self.0.len() == OPEN {
            self.0.remove(0);
        }
        self.0.push(OpenError {
            fingerprint: print,
            about: about(line),
            family: call.family.clone(),
            args: call.args,
            command: call.shown.clone(),
            what: clip::line(line, 160),
            seq,
            last: seq,
            ts: beat.event.ts.map(|ts| ts.0),
            count: 1,
            tried: Vec::new(),
            gone: None,
        });
    }

    fn succeeded(&mut self, beat: &Beat<'_>, call: &Call, facts: &Facts, out: &mut Signals) {
        self.0.retain(|open| {
            let same_check = match open.about {
                About::Code => call.covers(&open.family, open.args) || names(call, open),
                About::Tools | About::Misuse => call.family == open.family,
            };
            if !same_check {
                return true;
            }
            let change = open.gone.clone().map(|(_, what)| what);
            if let Some(what) = change.or_else(|| describe(&facts.changes, open, call)) {
                out.add(Signal {
                    kind: Self::KIND,
                    fingerprint: open.fingerprint,
                    seq: open.seq,
                    last_seq: beat.seq(),
                    ts: at(open.ts),
                    count: open.count,
                    what: open.what.clone(),
                    fix: Some(Fix { seq: beat.seq(), what, tried: open.tried.join("\n") }),
                });
            }
            false
        });
    }
}

/// True if the call runs just what the error names, e.g. the one failing test.
fn names(call: &Call, open: &OpenError) -> bool {
    call.family == open.family
        && call.is_test()
        && crate::shell::words(&call.shown)
            .iter()
            .any(|word| word.len() > 5 && !word.starts_with('-') && open.what.contains(word))
}

/// What was done since the error was last seen: changes, else the command called otherwise.
fn describe(changes: &[Change], open: &OpenError, call: &Call) -> Option<String> {
    let since: Vec<&str> = changes
        .iter()
        .rev()
        .filter(|change| change.seq > open.last)
        .take(3)
        .map(|change| change.what.as_str())
        .collect();
    let otherwise = call.shown != open.command && open.about != About::Code;
    if otherwise && (since.is_empty() || open.about == About::Misuse) {
        return Some(format!("`{}` instead of `{}`", call.shown, clip::line(&open.command, 80)));
    }
    if since.is_empty() || open.about == About::Misuse {
        return None;
    }
    Some(since.into_iter().rev().collect::<Vec<_>>().join("; "))
}

fn about(line: &str) -> About {
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
    ];
    let lower = line.to_lowercase();
    if MISUSE.iter().any(|sign| lower.contains(sign)) {
        About::Misuse
    } else if is_trouble(line) {
        About::Tools
    } else {
        About::Code
    }
}

/// Nobody fixes the network, a quota or a cancelled call by editing.
fn is_outside(line: &str) -> bool {
    let lower = line.to_lowercase();
    [
        "timed out",
        "rate limit",
        "overloaded",
        "cancelled",
        "interrupted",
        "connection reset",
        "rejected due to",
        "temporary failure in name",
        "could not resolve host",
    ]
    .iter()
    .any(|sign| lower.contains(sign))
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::ErrorFix;

    fn pairs(script: &Script) -> Vec<(String, String, String)> {
        let pair = |signal: backstory_model::Signal| {
            let fix = signal.fix.unwrap();
            (signal.what, fix.what, fix.tried)
        };
        script.signals(ErrorFix).into_iter().map(pair).collect()
    }

    #[test]
    fn the_change_before_success_is_the_fix_and_earlier_ones_were_in_vain() {
        let mut script = Script::new();
        let error = "error[E0432]: unresolved import `serde`";
        script.bash("cargo build").fails(101, error);
        script.edit("/p/src/a.rs", "use x;", "use serde::De;").works("ok");
        script.bash("cargo build").fails(101, error);
        script.bash("cargo add serde").works("");
        script.bash("cd /p && cargo build 2>&1").works("Finished");
        let found = pairs(&script);
        assert_eq!(
            found,
            [(error.into(), "`cargo add serde`".into(), "edit a.rs: use serde::De;".into())]
        );
    }

    #[test]
    fn another_call_of_the_same_program_fixes_missing_tools_only() {
        let mut script = Script::new();
        script.bash("pytest -q").fails(127, "bash: pytest: command not found");
        script.bash("uv run pytest -q").works("3 passed in 1s");
        assert_eq!(pairs(&script)[0].1, "`uv run pytest -q` instead of `pytest -q`");

        let mut script = Script::new();
        script.bash("pytest a.py").fails(1, "E   AssertionError: 1 != 2\n1 failed in 1s");
        script.edit("/p/b.py", "x", "y").works("ok");
        script.bash("pytest b.py").works("3 passed in 1s");
        assert!(pairs(&script).is_empty());
    }

    #[test]
    fn nothing_changed_is_no_fix() {
        let mut script = Script::new();
        script.bash("npm run build").fails(1, "Error: EBUSY: resource busy");
        script.bash("npm run build").works("ok");
        assert!(pairs(&script).is_empty());
    }

    #[test]
    fn an_error_that_made_way_for_another_is_credited_to_its_own_change() {
        let mut script = Script::new();
        script.bash("go build ./...").fails(1, "./a.go:1:2: undefined: Foo");
        script.edit("/p/a.go", "Foo()", "Bar()").works("ok");
        script.bash("go build ./...").fails(1, "./b.go:1:2: undefined: Baz");
        script.edit("/p/b.go", "Baz()", "Qux()").works("ok");
        script.bash("go build ./...").works("");
        let fixes: Vec<String> = pairs(&script).into_iter().map(|pair| pair.1).collect();
        assert_eq!(fixes, ["edit a.go: Bar()", "edit b.go: Qux()"]);
    }

    #[test]
    fn a_masked_failure_is_still_a_failure() {
        let mut script = Script::new();
        script.bash("tsc | head").works("src/a.ts(1,2): error TS2304: Cannot find name 'x'.");
        script.edit("/p/src/a.ts", "x", "y + 1").works("ok");
        script.bash("tsc | head").works("");
        assert_eq!(pairs(&script).len(), 0, "the location keeps it from being exact");
        script.bash("cargo check 2>&1 | tail").works("error[E0308]: mismatched types");
        script.edit("/p/src/a.rs", "x", "y + 1").works("ok");
        script.bash("cargo check 2>&1 | tail").works("Finished");
        assert_eq!(pairs(&script).len(), 1);
    }
}
