//! The crate graph against the table in ARCHITECTURE.md, and the number of packages.
//!
//! The table is the first Markdown table whose header is `crate | may depend on`. A row names a
//! crate without the product's prefix and the crates it may depend on, separated by commas; `–`
//! means none and `all` means any; `(dev)` after one of them means as a dev-dependency only. `(dev only)`
//! after a crate's own name means that others may have it as a dev-dependency only; every crate may.

use super::Finding;
use super::rules::BANNED_NAMES;
use fs_err as fs;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

const PREFIX: &str = "backstory-";
const TABLE_FILE: &str = "ARCHITECTURE.md";
const MOST_PACKAGES: usize = 470;

/// A row of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    line: usize,
    dev_only: bool,
    all: bool,
    allowed: Vec<String>,
}

impl Row {
    fn allows(&self, dependency: &str, in_tests: bool) -> bool {
        self.allowed.iter().any(|entry| match entry.strip_suffix("(dev)") {
            Some(entry) => in_tests && entry.trim_end() == dependency,
            None => entry == dependency,
        })
    }
}

/// Checks the graph and the lock file, as far as `files` has them.
pub(crate) fn check(root: &Path, files: &[&str], findings: &mut Vec<Finding>) -> io::Result<()> {
    if files.contains(&"Cargo.lock") {
        let lock = fs::read_to_string(root.join("Cargo.lock"))?;
        packages(&lock, findings);
    }
    let manifests: Vec<(&str, &str)> = files
        .iter()
        .filter_map(|file| {
            let name = file.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
            (!name.contains('/') && root.join(file).is_file()).then_some((name, *file))
        })
        .collect();
    if manifests.is_empty() {
        return Ok(());
    }
    let text = if root.join(TABLE_FILE).is_file() {
        fs::read_to_string(root.join(TABLE_FILE))?
    } else {
        String::new()
    };
    let table = parse_table(&text);
    if table.is_empty() {
        let message = "no table `crate | may depend on`: list every crate in one";
        findings.push(Finding::new(TABLE_FILE, 1, message));
        return Ok(());
    }
    for (name, row) in &table {
        if !manifests.iter().any(|(known, _)| known == name) {
            let message = format!("there is no crate `{name}`: remove the row");
            findings.push(Finding::new(TABLE_FILE, row.line, message));
        }
    }
    for (name, file) in manifests {
        let manifest = fs::read_to_string(root.join(file))?;
        one_crate(name, file, &manifest, &table, findings);
    }
    Ok(())
}

fn packages(lock: &str, findings: &mut Vec<Finding>) {
    let count = lock.lines().filter(|line| *line == "[[package]]").count();
    if count > MOST_PACKAGES {
        let message = format!("{count} packages, {MOST_PACKAGES} are allowed: drop a dependency");
        findings.push(Finding::new("Cargo.lock", 1, message));
    }
}

fn parse_table(text: &str) -> BTreeMap<String, Row> {
    let mut rows = BTreeMap::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        let cells: Vec<String> = line
            .trim()
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.replace('`', "").trim().to_lowercase())
            .collect();
        let is_row = line.trim_start().starts_with('|') && cells.len() >= 2;
        if !inside {
            inside = is_row && cells[0] == "crate" && cells[1] == "may depend on";
            continue;
        }
        if !is_row {
            break;
        }
        if cells[0].starts_with('-') || cells[0].starts_with(':') {
            continue;
        }
        let name = cells[0].replace("(dev only)", "").trim().to_owned();
        let allowed: Vec<String> = cells[1]
            .split(',')
            .map(|entry| entry.trim().to_owned())
            .filter(|entry| !["", "–", "-", "nothing"].contains(&entry.as_str()))
            .collect();
        rows.insert(
            name,
            Row {
                line: at + 1,
                dev_only: cells[0].contains("(dev only)"),
                all: allowed.iter().any(|entry| entry == "all"),
                allowed,
            },
        );
    }
    rows
}

fn one_crate(
    name: &str,
    file: &str,
    manifest: &str,
    table: &BTreeMap<String, Row>,
    findings: &mut Vec<Finding>,
) {
    let mut found = |line, message: String| findings.push(Finding::new(file, line, message));
    if BANNED_NAMES.contains(&name) {
        found(1, format!("`{name}` says nothing: name the crate after what it does"));
    }
    let Some(row) = table.get(name) else {
        return found(1, format!("add a row for `{name}` to the table in {TABLE_FILE}"));
    };
    let Ok(parsed) = manifest.parse::<toml::Table>() else {
        return found(1, "not valid TOML".to_owned());
    };
    for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
        let Some(entries) = parsed.get(section).and_then(toml::Value::as_table) else { continue };
        for dependency in entries.keys().filter_map(|key| key.strip_prefix(PREFIX)) {
            let dev_only = table.get(dependency).is_some_and(|row| row.dev_only);
            let allowed = match (section, dev_only) {
                ("dev-dependencies", true) => true,
                (_, true) => false,
                _ => row.all || row.allows(dependency, section == "dev-dependencies"),
            };
            if !allowed {
                let line = manifest
                    .lines()
                    .position(|line| line.starts_with(&format!("{PREFIX}{dependency}")))
                    .map_or(1, |at| at + 1);
                found(
                    line,
                    format!(
                        "{name} may not depend on {dependency} ({section}): see the table in {TABLE_FILE}"
                    ),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "text\n\n| crate | may depend on | why |\n| --- | --- | --- |\n| `model` | – | nouns |\n| store | model | |\n| engine | model, store, other (dev) | |\n| cli | all | |\n| testkit (dev only) | model | |\n\n| other | table |\n|---|---|\n| x | y |\n";

    fn found(name: &str, manifest: &str) -> Vec<String> {
        let mut findings = Vec::new();
        one_crate(name, "crates/x/Cargo.toml", manifest, &parse_table(TABLE), &mut findings);
        findings.into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn the_table_ends_with_its_last_row() {
        let table = parse_table(TABLE);
        assert_eq!(table.len(), 5);
        assert_eq!(table["engine"].allowed, ["model", "store", "other (dev)"]);
        assert!(table["model"].allowed.is_empty() && table["cli"].all && table["testkit"].dev_only);
        assert!(parse_table("no table").is_empty());
    }

    #[test]
    fn edges_are_checked_in_every_section() {
        let on =
            |section: &str, dep: &str| format!("[{section}]\nbackstory-{dep}.workspace = true\n");
        assert!(found("engine", &on("dependencies", "store")).is_empty());
        assert!(found("cli", &on("dependencies", "engine")).is_empty());
        assert_eq!(found("store", &on("dependencies", "engine")).len(), 1);
        assert_eq!(found("store", &on("dev-dependencies", "engine")).len(), 1);
        assert!(found("store", &on("dev-dependencies", "testkit")).is_empty());
        assert!(found("engine", &on("dev-dependencies", "other")).is_empty());
        assert_eq!(found("engine", &on("dependencies", "other")).len(), 1);
        assert_eq!(found("cli", &on("dependencies", "testkit")).len(), 1);
        assert_eq!(found("unlisted", "").len(), 1);
    }

    #[test]
    fn too_many_packages_are_found() {
        let mut findings = Vec::new();
        packages(&"[[package]]\n".repeat(MOST_PACKAGES), &mut findings);
        assert!(findings.is_empty());
        packages(&"[[package]]\n".repeat(MOST_PACKAGES + 1), &mut findings);
        assert_eq!(findings.len(), 1);
    }
}
