//! What sweeps found: odd records, silent files, secrets, damage.

use super::check;
use crate::context::Context;
use crate::error::Failure;
use crate::figures::age;
use backstory_api::{Check, Level};
use backstory_store::Vault;

/// Records of unknown type (worth knowing) and records that could not be read (trouble).
pub(super) fn records(vault: &Vault) -> Result<Vec<Check>, Failure> {
    let mut checks = Vec::new();
    for group in vault.quarantine()? {
        let level = if group.reason.is_some() { Level::Attention } else { Level::Note };
        let version = group.cli_version.map_or_else(String::new, |version| format!(" {version}"));
        let what = match group.reason {
            Some(reason) => format!("{}{version}: unreadable: {reason}", group.flavor),
            None => format!("{}{version}: unknown type `{}`", group.flavor, group.type_name),
        };
        let mut odd = check("records", level, what);
        odd.flavor = Some(group.flavor);
        odd.path = Some(group.example_path);
        odd.lines = vec![group.example_line];
        odd.count = group.count;
        odd.hint = Some(match level {
            Level::Attention => {
                "the rest of the file was read; the line is kept as it is, for you to look at"
                    .into()
            }
            _ => "kept as it is; `backstory sync --reparse` after an upgrade may understand it"
                .into(),
        });
        checks.push(odd);
    }
    if checks.is_empty() {
        checks.push(check("records", Level::Ok, "none: every record was understood"));
    }
    Ok(checks)
}

/// Files that could not be read, or yielded no message.
pub(super) fn files(vault: &Vault) -> Result<Vec<Check>, Failure> {
    let mut checks: Vec<Check> = vault
        .source_problems()?
        .into_iter()
        .map(|problem| {
            let mut trouble = check("files", Level::Attention, problem.problem);
            trouble.flavor = Some(problem.flavor);
            trouble.path = Some(problem.path);
            trouble
        })
        .collect();
    if checks.is_empty() {
        checks.push(check("files", Level::Ok, "none: every transcript yielded its messages"));
    }
    Ok(checks)
}

/// Which logs hold secrets. They are redacted in the archive, but still stand in the logs.
pub(super) fn secrets(vault: &Vault) -> Result<Vec<Check>, Failure> {
    let mut checks: Vec<Check> = vault
        .secrets()?
        .into_iter()
        .map(|secret| {
            let what = format!("{} ({})", secret.kind, secret.fingerprint);
            let mut found = check("secrets", Level::Note, what);
            found.path = Some(secret.path);
            found.count = secret.lines.len() as u64;
            found.lines = secret.lines;
            found
        })
        .collect();
    match checks.last_mut() {
        None => checks.push(check("secrets", Level::Ok, "none found")),
        Some(last) => {
            last.hint = Some(
                "redacted in the archive, but still in the logs: revoke what is still valid".into(),
            );
        }
    }
    Ok(checks)
}

/// Database and packs.
pub(super) fn integrity(vault: &Vault, context: &Context) -> Result<Vec<Check>, Failure> {
    let mut checks: Vec<Check> = vault
        .verify()?
        .into_iter()
        .map(|damage| {
            let place = damage.session.map_or_else(|| "database".into(), |uid| uid.to_string());
            let mut broken = check("store", Level::Attention, format!("{place}: {}", damage.what));
            broken.hint =
                Some("`backstory sync --reparse` reads it again from the agents' logs".into());
            broken
        })
        .collect();
    for name in vault.orphan_packs()? {
        let remove = if name.contains("://") { "delete" } else { "rm" };
        let mut orphan = check("store", Level::Attention, "belongs to no session");
        orphan.hint = Some(format!(
            "a sync that was killed may have left it; while no sync runs: {remove} {name}"
        ));
        orphan.path = Some(name);
        checks.push(orphan);
    }
    if checks.is_empty() {
        checks.push(check("store", Level::Ok, "database and packs are whole"));
    }
    let last = match vault.last_sweep()? {
        Some(sweep) => check(
            "store",
            Level::Ok,
            format!("last sync finished {}", ago(&age(sweep.finished_at, context.now))),
        ),
        None => Check {
            hint: Some("run `backstory sync`".into()),
            ..check("store", Level::Note, "no sync has finished yet")
        },
    };
    checks.push(last);
    Ok(checks)
}

fn ago(age: &str) -> String {
    if age == "now" { "just now".into() } else { format!("{age} ago") }
}
