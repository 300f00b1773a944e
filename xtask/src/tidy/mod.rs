//! `cargo xtask tidy`: the rules of this repository that no other tool checks.

mod functions;
mod graph;
mod mask;
mod rules;

use fs_err as fs;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::Command;

/// Something to put right.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, relative to the root.
    pub path: String,
    /// 1-based line.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Checks the repository at `root`: every file git tracks or would add.
pub fn check(root: &Path) -> io::Result<Vec<Finding>> {
    let listed = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .output()?;
    if !listed.status.success() {
        let reason = String::from_utf8_lossy(&listed.stderr);
        return Err(io::Error::other(format!("git ls-files: {}", reason.trim())));
    }
    let names = String::from_utf8_lossy(&listed.stdout);
    let files: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    check_files(root, &files)
}

/// Checks the given files of a tree.
fn check_files(root: &Path, files: &[&str]) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for name in files {
        // A file that is deleted but still in the index is not there to be read.
        if !root.join(name).is_file() || !is_text(name) {
            continue;
        }
        let text = fs::read_to_string(root.join(name))?;
        rules::any_text(name, &text, &mut findings);
        if has_extension(name, "rs") {
            rules::rust_file(name, &text, &mut findings);
        }
    }
    integration_tests(root, files, &mut findings)?;
    graph::check(root, files, &mut findings)?;
    findings.sort();
    Ok(findings)
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}

fn is_text(name: &str) -> bool {
    ["rs", "md", "toml", "yml", "yaml", "sh", "py"].iter().any(|ext| has_extension(name, ext))
}

/// A file beside `tests/it/main.rs` that is not part of it is never compiled.
fn integration_tests(root: &Path, files: &[&str], findings: &mut Vec<Finding>) -> io::Result<()> {
    for name in files.iter().filter(|name| has_extension(name, "rs")) {
        let Some((folder, file)) = name.rsplit_once('/') else { continue };
        if !folder.ends_with("/tests/it") || file == "main.rs" || !root.join(name).is_file() {
            continue;
        }
        let main = root.join(folder).join("main.rs");
        let text = if main.is_file() { fs::read_to_string(main)? } else { String::new() };
        let module = file.trim_end_matches(".rs");
        if !mask::code_of(&text).contains(&format!("mod {module};")) {
            let message = format!("never compiled: add `mod {module};` to {folder}/main.rs");
            findings.push(Finding::new(name, 1, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a tree and checks it; the result without the crate graph.
    fn findings(tree: &[(&str, &str)]) -> io::Result<Vec<String>> {
        let dir = tempfile::tempdir()?;
        for (name, text) in tree {
            let path = dir.path().join(name);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, text)?;
        }
        let names: Vec<&str> = tree.iter().map(|(name, _)| *name).collect();
        let found = check_files(dir.path(), &names)?;
        Ok(found.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_clean_tree_has_no_findings() -> io::Result<()> {
        let tree = [
            ("crates/model/src/lib.rs", "//! Nouns.\n\npub fn a() {}\n"),
            ("crates/model/tests/it/main.rs", "//! Tests.\nmod id;\n"),
            ("crates/model/tests/it/id.rs", "//! Ids.\n"),
        ];
        assert_eq!(findings(&tree)?, Vec::<String>::new());
        Ok(())
    }

    #[test]
    fn an_integration_test_outside_main_is_found() -> io::Result<()> {
        let tree = [
            ("crates/model/tests/it/main.rs", "//! Tests.\n// mod id;\n"),
            ("crates/model/tests/it/id.rs", "//! Ids.\n"),
        ];
        let found = findings(&tree)?;
        assert_eq!(
            found,
            [
                "crates/model/tests/it/id.rs:1: never compiled: add `mod id;` to crates/model/tests/it/main.rs"
            ]
        );
        Ok(())
    }

    #[test]
    fn a_crate_graph_that_breaks_the_table_is_found() -> io::Result<()> {
        let tree = [
            (
                "ARCHITECTURE.md",
                "# A\n\n| crate | may depend on |\n|---|---|\n| model | – |\n| store | model |\n",
            ),
            (
                "crates/model/Cargo.toml",
                "[package]\nname = \"backstory-model\"\n\n[dependencies]\nbackstory-store.workspace = true\n",
            ),
            (
                "crates/store/Cargo.toml",
                "[package]\nname = \"backstory-store\"\n\n[dependencies]\nbackstory-model.workspace = true\n",
            ),
        ];
        let found = findings(&tree)?;
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("crates/model/Cargo.toml:5: model may not depend on store"),
            "{found:?}"
        );
        Ok(())
    }
}
