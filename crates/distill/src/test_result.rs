//! Reads the verdict of a test run from its output, whatever the runner.

use crate::clip;

/// How a test run went, in its own words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TestResult {
    /// Nothing if the output does not tell.
    pub passed: Option<bool>,
    /// Its summary, e.g. `12 passed, 1 failed`.
    pub line: Option<String>,
    /// Name of a test that failed.
    pub failing: Option<String>,
}

#[derive(Default)]
struct Counts {
    passed: u64,
    failed: u64,
    saw_passed: bool,
    saw_failed: bool,
}

const LINES: usize = 400;

/// Reads the end of a test run's output.
pub(crate) fn read(output: &str) -> TestResult {
    let end = clip::tail(output, 24 * 1024);
    let mut result = TestResult::default();
    let mut total = Counts::default();
    let mut summary = None;
    let (mut ok_packages, mut bad_packages) = (0_u32, 0_u32);
    for line in end.lines().rev().take(LINES) {
        let line = line.trim_end();
        let plain =
            line.trim_start().trim_start_matches(['=', '-', '[', '#', ' ', '✗', '✖', '×', '❯']);
        if line.starts_with("ok  \t") || line.starts_with("ok   ") {
            ok_packages += 1;
        } else if line.starts_with("FAIL\t") {
            bad_packages += 1;
        }
        if let Some(name) = failing_name(line, plain) {
            result.failing = Some(clip::line(name, 100));
        }
        let counts = counts(plain);
        if !(counts.saw_passed || counts.saw_failed) || !looks_final(plain, &counts) {
            continue;
        }
        // Cargo writes one summary per binary, some others one line per count.
        let repeats = plain.starts_with("test result:") || plain.split_whitespace().count() <= 3;
        if summary.is_none() || repeats {
            total.passed += counts.passed;
            total.failed += counts.failed;
            total.saw_passed |= counts.saw_passed;
        }
        summary.get_or_insert((plain, repeats));
    }
    if let Some((line, repeats)) = summary {
        result.passed = Some(total.failed == 0 && result.failing.is_none());
        result.line = Some(if repeats {
            format!("{} passed, {} failed", total.passed, total.failed)
        } else {
            clip::line(line.trim_end_matches(['=', ' ', '-']), 100)
        });
    } else if ok_packages + bad_packages > 0 {
        result.passed = Some(bad_packages == 0 && result.failing.is_none());
        result.line = Some(format!("{ok_packages} packages ok, {bad_packages} failed"));
    } else if result.failing.is_some() {
        result.passed = Some(false);
    } else {
        result.passed = plain_verdict(end);
    }
    result
}

fn failing_name<'a>(line: &'a str, plain: &'a str) -> Option<&'a str> {
    let first_word = |rest: &'a str| rest.split_whitespace().next().filter(|name| name.len() > 2);
    if let Some(rest) = line.trim_start().strip_prefix("--- FAIL: ") {
        return first_word(rest);
    }
    if let Some(rest) = plain.strip_prefix("FAILED ").filter(|rest| rest.contains("::")) {
        return first_word(rest);
    }
    if let Some(rest) = plain.strip_prefix("test ")
        && let Some(name) = rest.strip_suffix(" ... FAILED")
    {
        return Some(name);
    }
    let rest = plain.strip_prefix("FAIL ").or_else(|| plain.strip_prefix("FAIL: "))?;
    first_word(rest).filter(|name| name.contains(['.', '/', ':', '_']))
}

/// Numbers with `passed` or `failed` beside them.
fn counts(line: &str) -> Counts {
    let mut found = Counts::default();
    let mut previous: Option<Token<'_>> = None;
    for word in line.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter(|w| !w.is_empty()) {
        let token = word.parse::<u64>().map_or(Token::Word(word), Token::Number);
        match (&previous, &token) {
            (Some(Token::Number(number)), Token::Word(word)) => found.note(word, *number),
            (Some(Token::Word(word)), Token::Number(number)) => {
                // `Failures: 2`, `failures=2`; but in `1 failed, 2 passed` the number looks ahead.
                let labelled = |mark| line.contains(&format!("{word}{mark}"));
                if labelled(':') || labelled('=') || line == format!("{word} {number}") {
                    found.note(word, *number);
                }
            }
            _ => {}
        }
        previous = Some(token);
    }
    found
}

enum Token<'a> {
    Number(u64),
    Word(&'a str),
}

impl Counts {
    fn note(&mut self, word: &str, number: u64) {
        match word.to_ascii_lowercase().trim_end_matches('.') {
            "passed" | "passing" | "pass" => {
                self.passed += number;
                self.saw_passed = true;
            }
            "failed" | "failing" | "failures" | "failure" | "fail" | "errors" | "error" => {
                self.failed += number;
                self.saw_failed = true;
            }
            _ => {}
        }
    }
}

fn looks_final(line: &str, counts: &Counts) -> bool {
    let lower = line.to_ascii_lowercase();
    counts.saw_passed
        || lower.contains("tests")
        || lower.contains("examples")
        || lower.contains(" in ") && lower.contains("failed")
        || lower.starts_with("failed (")
        || lower.starts_with("fail ")
        || lower.ends_with(" failing")
}

fn plain_verdict(end: &str) -> Option<bool> {
    end.lines().rev().take(40).map(str::trim).find_map(|line| match line {
        "OK" | "PASS" | "BUILD SUCCESSFUL" | "All tests passed" | "All tests passed!" => Some(true),
        "FAIL" | "FAILED" | "FAILURES!" => Some(false),
        _ if line.starts_with("[INFO] BUILD SUCCESS") || line.starts_with("OK (") => Some(true),
        _ if line.contains("BUILD FAILURE") || line.starts_with("BUILD FAILED") => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(output: &str) -> (Option<bool>, Option<String>) {
        let result = read(output);
        (result.passed, result.line)
    }

    #[test]
    fn every_runner_tells_its_verdict() {
        let cases = [
            ("=== 12 passed, 1 failed in 3.21s ===", Some(false)),
            ("===== 3 passed, 2 warnings in 0.1s =====", Some(true)),
            ("test result: ok. 5 passed; 0 failed; 0 ignored; finished in 0.2s", Some(true)),
            ("Tests:       1 failed, 12 passed, 13 total", Some(false)),
            (" Tests  3 passed (3)\n Duration 2s", Some(true)),
            ("ok  \tpkg/a\t0.2s\nFAIL\tpkg/b\t0.1s\nFAIL", Some(false)),
            ("ok  \tpkg/a\t0.2s\n?   \tpkg/c\t[no test files]", Some(true)),
            ("Ran 5 tests in 0.01s\n\nOK", Some(true)),
            ("Ran 5 tests in 0.01s\n\nFAILED (failures=1)", Some(false)),
            ("  5 passing (3ms)\n  1 failing", Some(false)),
            ("10 examples, 0 failures", Some(true)),
            ("# tests 5\n# pass 5\n# fail 0", Some(true)),
            ("Tests run: 5, Failures: 0, Errors: 1, Skipped: 0", Some(false)),
            ("Passed!  - Failed:     0, Passed:     5, Skipped: 0", Some(true)),
            ("Executed 5 tests, with 0 failures (0 unexpected) in 0.1s", Some(true)),
            ("FAILED tests/test_a.py::test_b - assert 1 == 2", Some(false)),
            ("nothing to see", None),
        ];
        for (output, passed) in cases {
            assert_eq!(read(output).passed, passed, "{output}");
        }
    }

    #[test]
    fn cargo_summaries_add_up_and_name_the_culprit() {
        let output = "test a::b ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n\
                      test result: ok. 4 passed; 0 failed";
        let result = read(output);
        assert_eq!(verdict(output), (Some(false), Some("5 passed, 1 failed".into())));
        assert_eq!(result.failing.as_deref(), Some("a::b"));
    }
}
