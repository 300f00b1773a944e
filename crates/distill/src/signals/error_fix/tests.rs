//! Stories of errors and their fixes.

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

#[test]
fn a_misused_command_is_put_right_by_its_next_call() {
    let mut script = Script::new();
    script.bash("git push").fails(128, "fatal: The current branch x has no upstream branch.");
    script.edit("/p/a.rs", "a", "let b = 1;").works("ok");
    script.bash("git push -u origin x").works("ok");
    assert_eq!(pairs(&script)[0].1, "`git push -u origin x` instead of `git push`");

    let mut script = Script::new();
    script.bash("tool snapshot . --worktree").fails(2, "error: unexpected argument '--worktree'");
    script.bash("tool version").works("1.0");
    script.bash("tool snapshot .").works("ok");
    assert_eq!(pairs(&script)[0].1, "`tool snapshot .` without `--worktree`");
}

#[test]
fn of_too_many_changes_only_the_named_file_counts() {
    let mut script = Script::new();
    script.bash("go build ./...").fails(1, "./main.go:1:2: undefined: Foo");
    for file in ["a", "b", "main", "c", "d", "e"] {
        script.edit(&format!("/p/{file}.go"), "old()", &format!("{file}()")).works("ok");
    }
    script.bash("go build ./...").works("");
    assert_eq!(pairs(&script)[0].1, "edit main.go: main()");

    let mut script = Script::new();
    script.bash("go test ./...").fails(1, "--- FAIL: TestX (0.1s)");
    for file in ["a", "b", "c", "d", "e"] {
        script.edit(&format!("/p/{file}.go"), "old()", &format!("{file}()")).works("ok");
    }
    script.bash("go test ./...").works("ok  \tp\t0.1s");
    assert!(pairs(&script).is_empty());
}

#[test]
fn the_network_is_nobodys_fix() {
    let mut script = Script::new();
    script.bash("npm run build").fails(1, "Error: getaddrinfo ENOTFOUND registry");
    script.edit("/p/a.ts", "a", "let b = 1;").works("ok");
    script.bash("npm run build").works("ok");
    assert!(pairs(&script).is_empty());
}
