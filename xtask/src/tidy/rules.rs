//! Rules that look at one file.

use super::Finding;
use super::functions::functions;
use super::mask::{code_of, is_word};

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 80;
/// Names that say nothing about what is inside.
pub(crate) const BANNED_NAMES: [&str; 8] =
    ["core", "common", "util", "utils", "helpers", "misc", "shared", "manager"];

// Spelt in two parts, so that this file does not break its own rules.
const MACHINE_FOLDER: &str = concat!("/wo", "rk/");
const SIBLING_FOLDER: &str = concat!("../sh", "ared");
const REGISTRY_HOSTS: [&str; 5] = [
    concat!("crates", ".io"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
];
const CODE_RULES: [(&str, &str); 3] = [
    (concat!("#[ign", "ore"), "a skipped test guards nothing: make it run or delete it"),
    (concat!("tod", "o!("), "finish it before it lands"),
    (concat!("allow(dead", "_code)"), "delete the code that is not used"),
];

/// Rules for every text file.
pub(crate) fn any_text(name: &str, text: &str, findings: &mut Vec<Finding>) {
    for (at, line) in text.lines().enumerate() {
        let mut found = |message: String| findings.push(Finding::new(name, at + 1, message));
        if has_machine_folder(line) {
            found(format!("`{MACHINE_FOLDER}` is a path of one machine: use a relative one"));
        }
        if line.contains(SIBLING_FOLDER) {
            found(format!(
                "`{SIBLING_FOLDER}` is outside the repository: nothing may depend on it"
            ));
        }
        for host in REGISTRY_HOSTS {
            if line.contains(host) {
                found(format!("`{host}`: do not name a package registry's host"));
            }
        }
    }
}

/// The folder at the beginning of an absolute path, not within one.
fn has_machine_folder(line: &str) -> bool {
    line.match_indices(MACHINE_FOLDER).any(|(at, _)| {
        let before = at.checked_sub(1).map(|before| line.as_bytes()[before]);
        !before.is_some_and(|byte| is_word(byte) || b"~.-/}".contains(&byte))
    })
}

/// Rules for Rust files.
pub(crate) fn rust_file(name: &str, text: &str, findings: &mut Vec<Finding>) {
    let mut found = |line, message: String| findings.push(Finding::new(name, line, message));
    let count = text.lines().count();
    if count > FILE_LINES {
        found(
            FILE_LINES + 1,
            format!("{count} lines, {FILE_LINES} are allowed: split the file by concept"),
        );
    }
    if !text.starts_with("//!") {
        found(1, "begin with a `//!` line that says what this file is for".to_owned());
    }
    for part in name.trim_end_matches(".rs").split('/') {
        if BANNED_NAMES.contains(&part) {
            found(1, format!("`{part}` says nothing: name the module after what it does"));
        }
    }
    for (at, line) in text.lines().enumerate() {
        if line.ends_with([' ', '\t']) {
            found(at + 1, "trailing whitespace: run cargo fmt".to_owned());
        }
    }
    let code = code_of(text);
    for (at, line) in code.lines().enumerate() {
        for (banned, advice) in CODE_RULES {
            if line.contains(banned) {
                found(at + 1, format!("`{banned}`: {advice}"));
            }
        }
    }
    for function in functions(&code) {
        if function.lines > FUNCTION_LINES {
            let (name, lines) = (&function.name, function.lines);
            let text =
                format!("`{name}` has {lines} lines, {FUNCTION_LINES} are allowed: split it");
            found(function.line, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(name: &str, text: &str) -> Vec<String> {
        let mut findings = Vec::new();
        rust_file(name, text, &mut findings);
        any_text(name, text, &mut findings);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn length_of_files_and_functions() {
        let long = format!("//! A.\n{}", "//\n".repeat(500));
        assert_eq!(
            rust("a.rs", &long),
            ["a.rs:501: 501 lines, 500 are allowed: split the file by concept"]
        );
        let body = "    x();\n".repeat(80);
        let function = format!("//! A.\n\nfn f() {{\n{body}}}\n");
        assert_eq!(rust("a.rs", &function), ["a.rs:3: `f` has 82 lines, 80 are allowed: split it"]);
        let body = "    x();\n".repeat(78);
        assert!(rust("a.rs", &format!("//! A.\n\nfn f() {{\n{body}}}\n")).is_empty());
    }

    #[test]
    fn banned_names_and_missing_docs() {
        assert_eq!(rust("src/utils.rs", "//! A.\n").len(), 1);
        assert_eq!(rust("crates/x/tests/common/mod.rs", "//! A.\n").len(), 1);
        assert!(rust("src/commons.rs", "//! A.\n").is_empty());
        assert_eq!(rust("a.rs", "\n//! late\n").len(), 1);
    }

    #[test]
    fn banned_code_is_found_in_code_only() {
        let ignored = CODE_RULES[0].0;
        assert_eq!(rust("a.rs", &format!("//! A.\n{ignored}]\nfn f() {{}}\n")).len(), 1);
        assert!(rust("a.rs", &format!("//! A.\n// {ignored}]\n")).is_empty());
        assert_eq!(rust("a.rs", &format!("//! A.\nfn f() {{ {}) }}\n", CODE_RULES[1].0)).len(), 1);
        assert_eq!(rust("a.rs", "//! A.\nfn f() {} \n").len(), 1);
    }

    #[test]
    fn machine_paths_and_registries() {
        assert_eq!(rust("a.rs", &format!("//! A.\n// {MACHINE_FOLDER}x\n")).len(), 1);
        assert!(rust("a.rs", &format!("//! A.\n// /home/u{MACHINE_FOLDER}x\n")).is_empty());
        assert_eq!(rust("a.md", &format!("//! A.\n{}\n", REGISTRY_HOSTS[0])).len(), 1);
        assert_eq!(rust("a.rs", &format!("//! A.\n// {SIBLING_FOLDER}/x\n")).len(), 1);
    }
}
