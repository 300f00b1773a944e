//! A command that destroys things.

use super::{Detector, Signals};
use crate::beat::Beat;
use crate::clip;
use crate::facts::Facts;
use crate::shell::{self, Segment};
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Remembers nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Destructions {}

impl Detector for Destructions {
    const KIND: SignalKind = SignalKind::DestructiveCommand;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        let Some(command) = beat.command.as_deref() else { return };
        for segment in shell::segments(clip::head(command, 8 * 1024)) {
            if let Some(deed) = deed(&segment) {
                out.note(Self::KIND, xxh3_64(deed.as_bytes()), beat, segment.text);
            }
        }
    }
}

/// What a command destroys, as a name for all commands that do the same.
fn deed(segment: &Segment<'_>) -> Option<&'static str> {
    let (family, args) = segment.family();
    let has = |flags: &[&str]| args.iter().any(|arg| flags.contains(arg));
    let short = |letter: char| {
        args.iter()
            .any(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter))
    };
    match family.as_str() {
        "rm" if (short('r') || short('R') || has(&["--recursive"])) && !only_disposable(args) => {
            Some("rm -r")
        }
        "git reset" if has(&["--hard"]) => Some("git reset --hard"),
        "git push"
            if (has(&["--force", "-f", "--mirror"])
                || args.iter().any(|arg| arg.starts_with('+'))) =>
        {
            Some("git push --force")
        }
        "git push" if has(&["--delete", "-d"]) => Some("git push --delete"),
        "git clean" if short('f') || has(&["--force"]) => Some("git clean"),
        "git checkout" | "git restore" if has(&["."]) => Some("git discard"),
        "git branch" if has(&["-D"]) => Some("git branch -D"),
        "git stash" if has(&["clear"]) => Some("git stash clear"),
        "git filter-branch" | "git filter-repo" => Some("git filter"),
        "dd" if args.iter().any(|arg| arg.starts_with("of=/dev/")) => Some("dd"),
        "chmod" if short('R') && has(&["777", "a+rwx", "0777"]) => Some("chmod -R 777"),
        "shred" | "wipefs" | "fdisk" | "parted" => Some("wipe"),
        "kubectl delete" | "helm uninstall" | "helm delete" => Some("kubectl delete"),
        "terraform destroy" | "pulumi destroy" | "tofu destroy" => Some("terraform destroy"),
        "terraform apply" if has(&["-destroy"]) => Some("terraform destroy"),
        "docker system" | "docker volume" if has(&["prune", "rm"]) => Some("docker prune"),
        "docker compose down" if has(&["-v", "--volumes"]) => Some("docker prune"),
        "dropdb" => Some("drop"),
        "aws s3" if has(&["rm", "rb"]) && has(&["--recursive", "--force"]) => Some("aws s3 rm"),
        "gh repo" if has(&["delete"]) => Some("gh repo delete"),
        _ if family.starts_with("mkfs") => Some("mkfs"),
        _ if segment.text.contains("of=/dev/sd") || segment.text.contains("> /dev/sd") => {
            Some("dd")
        }
        _ => sql_deed(&family, segment.text),
    }
}

/// Databases are destroyed through clients; a search for the words destroys nothing.
fn sql_deed(family: &str, text: &str) -> Option<&'static str> {
    let client =
        ["psql", "mysql", "sqlite3", "mariadb", "docker exec", "mongosh", "duckdb", "sqlcmd"]
            .iter()
            .any(|client| family.starts_with(client) || text.contains(&format!("{client} ")));
    if !client {
        return None;
    }
    let upper = text.to_ascii_uppercase();
    let drops = ["DROP TABLE", "DROP DATABASE", "DROP SCHEMA", "TRUNCATE ", "DROPDATABASE"];
    if drops.iter().any(|drop| upper.contains(drop)) {
        return Some("drop");
    }
    (upper.contains("DELETE FROM") && !upper.contains("WHERE")).then_some("delete all")
}

/// True if everything removed is made to be thrown away.
fn only_disposable(args: &[&str]) -> bool {
    const NAMES: &[&str] = &[
        "target",
        "build",
        "dist",
        "out",
        "node_modules",
        "__pycache__",
        ".pytest_cache",
        ".next",
        ".cache",
        "coverage",
        ".venv",
        "venv",
        ".mypy_cache",
        ".ruff_cache",
        "tmp",
        "temp",
        ".tox",
        "bin",
        "obj",
        ".turbo",
        ".gradle",
        "htmlcov",
        ".parcel-cache",
        ".nyc_output",
    ];
    let mut targets = args.iter().filter(|arg| shell::is_target(arg)).peekable();
    targets.peek().is_some()
        && targets.all(|path| {
            let path = path.trim_end_matches('/').trim_end_matches("/*");
            let name = path.rsplit('/').next().unwrap_or(path);
            let temporary = [
                "/tmp/",
                "/private/tmp/",
                "/var/folders/",
                "/var/tmp/",
                "$TMP",
                "${TMP",
                "\"$TMP",
                "$tmp",
                "${tmp",
                "$(mktemp",
            ];
            temporary.iter().any(|start| path.starts_with(start))
                || NAMES.contains(&name)
                || name.ends_with(".egg-info")
                || name.to_ascii_lowercase().starts_with("tmp")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deeds(line: &str) -> Vec<&'static str> {
        shell::segments(line).iter().filter_map(deed).collect()
    }

    #[test]
    fn what_cannot_be_undone_is_noticed() {
        let cases = [
            ("rm -rf src", "rm -r"),
            ("cd x && rm -fr ~/work", "rm -r"),
            ("git reset --hard HEAD~3", "git reset --hard"),
            ("git push --force origin main", "git push --force"),
            ("git push origin +main", "git push --force"),
            ("git clean -fdx", "git clean"),
            ("psql -c 'drop table users'", "drop"),
            ("sudo dd if=a.img of=/dev/sda", "dd"),
            ("mkfs.ext4 /dev/sdb1", "mkfs"),
            ("chmod -R 777 /srv", "chmod -R 777"),
            ("kubectl -n prod delete pod x", "kubectl delete"),
            ("terraform destroy -auto-approve", "terraform destroy"),
            ("git checkout -- .", "git discard"),
        ];
        for (line, deed) in cases {
            assert_eq!(deeds(line), [deed], "{line}");
        }
    }

    #[test]
    fn what_is_made_to_be_thrown_away_is_not() {
        for line in [
            "rm -rf target node_modules",
            "rm -rf /tmp/x ./dist/",
            "rm a.txt",
            "git push --force-with-lease",
            "echo 'rm -rf /'",
            "grep -r 'DROP TABLE' .",
            "git reset --soft HEAD~1",
            "git checkout main",
            "cat > x <<E\nrm -rf /\nE",
        ] {
            assert!(deeds(line).is_empty(), "{line}");
        }
    }
}
