//! Commits and pull requests a session made.

use crate::call::Call;
use crate::clip;
use backstory_model::{Commit, Digest};

const COMMITS: usize = 8;
const SUBJECT_MAX: usize = 90;

/// Notes the commit a successful call made.
pub(super) fn note(digest: &mut Digest, call: &Call, seq: u32, output: &str) {
    let commit = if let Some(subject) = call.commit() {
        let shown = clip::head(output, 8 * 1024)
            .lines()
            .chain(clip::tail(output, 2048).lines())
            .find_map(announced);
        match shown {
            Some((id, subject)) => {
                Commit { id: Some(id.to_owned()), subject: clip::line(subject, SUBJECT_MAX), seq }
            }
            None if subject.is_empty() || output.contains("nothing to commit") => return,
            None => Commit { id: None, subject: subject.to_owned(), seq },
        }
    } else if call.family == "gh pr create" {
        let url = output.lines().rev().map(str::trim).find(|line| line.contains("/pull/"));
        let Some(url) = url else { return };
        let number = url.rsplit('/').next().unwrap_or_default();
        Commit {
            id: None,
            subject: clip::line(&format!("pull request #{number}"), SUBJECT_MAX),
            seq,
        }
    } else {
        return;
    };
    if digest.commits.len() == COMMITS {
        digest.commits.remove(0);
    }
    digest.commits.push(commit);
}

/// `[main abc1234] subject`.
fn announced(line: &str) -> Option<(&str, &str)> {
    let (inside, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
    let id = inside.rsplit(' ').next()?;
    let plausible = (7..=40).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (plausible && inside.contains(' ')).then_some((id, subject))
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    #[test]
    fn commits_are_read_from_output_else_from_the_line() {
        let mut script = Script::new();
        script
            .bash("git commit -m 'Wrong'")
            .works("[main (root-commit) abc1234] Add a\n 1 file changed");
        script.bash("git commit -qm 'Quiet one'").works("");
        script.bash("git commit -m 'x'").fails(1, "nothing to commit");
        script.bash("gh pr create --fill").works("https://github.com/a/b/pull/12\n");
        let commits = script.distill().digest.commits;
        let shown: Vec<_> = commits.iter().map(|c| (c.id.as_deref(), c.subject.as_str())).collect();
        assert_eq!(
            shown,
            [(Some("abc1234"), "Add a"), (None, "Quiet one"), (None, "pull request #12")]
        );
    }
}
