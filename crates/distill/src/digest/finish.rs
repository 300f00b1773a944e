//! Makes the saved form of a digest from the working one, and back.

use crate::clip;
use crate::facts::Facts;
use crate::outcome::{Trail, judge};
use backstory_model::{Digest, Judgement, OpenEnd, OpenEndKind, Outcome, Session};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// The largest digest, as JSON.
const DIGEST_MAX: usize = 8192;
/// Room taken off the limit for every list that is cut, so that the cut needs few rounds.
const WHAT_MAX: usize = 120;

/// What finishing took away.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Rest {
    /// The working directory that was cut off paths.
    #[serde(skip_serializing_if = "String::is_empty")]
    cwd: String,
    /// Which paths it was cut off, one bit per file.
    #[serde(skip_serializing_if = "is_zero")]
    under: u32,
    /// The working digest, if the finished one had to be cut down.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole: Option<Box<Digest>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(bits: &u32) -> bool {
    *bits == 0
}

/// The finished digest, and what is needed to undo the finishing.
pub(crate) fn finish(
    mut digest: Digest,
    trail: &Trail,
    facts: &Facts,
    session: &Session,
) -> (Digest, Rest) {
    let mut rest = Rest::default();
    sort(&mut digest);
    let working = digest.clone();
    if let Some(cwd) =
        session.cwd.as_deref().map(|cwd| cwd.trim_end_matches('/')).filter(|cwd| !cwd.is_empty())
    {
        for (at, file) in digest.files.iter_mut().enumerate() {
            let inside = file.path.strip_prefix(cwd).and_then(|path| path.strip_prefix('/'));
            if let Some(inside) = inside.filter(|inside| !inside.is_empty()) {
                file.path = inside.to_owned();
                rest.under |= 1 << at;
                cwd.clone_into(&mut rest.cwd);
            }
        }
    }
    digest.judgement = judge(&trail.story);
    digest.open_ends = open_ends(trail, facts, &digest);
    if trim(&mut digest) {
        rest = Rest { whole: Some(Box::new(working)), ..Rest::default() };
    }
    (digest, rest)
}

/// The working digest a finished one came from.
pub(crate) fn reopen(mut digest: Digest, rest: Rest) -> Digest {
    if let Some(whole) = rest.whole {
        return *whole;
    }
    for (at, file) in digest.files.iter_mut().enumerate() {
        if rest.under & 1_u32.checked_shl(at as u32).unwrap_or(0) != 0 {
            file.path = format!("{}/{}", rest.cwd, file.path);
        }
    }
    digest.judgement = Judgement::default();
    digest.open_ends.clear();
    digest
}

fn sort(digest: &mut Digest) {
    digest.files.sort_by(|a, b| {
        let weight = |file: &backstory_model::ChangedFile| {
            Reverse((file.edits, file.added.saturating_add(file.removed)))
        };
        weight(a).cmp(&weight(b)).then_with(|| a.path.cmp(&b.path))
    });
    digest.commands.sort_by(|a, b| {
        let weight = |command: &backstory_model::CommandUse| {
            Reverse((command.failures, command.runs, command.seq))
        };
        weight(a).cmp(&weight(b)).then_with(|| a.command.cmp(&b.command))
    });
    digest.tests.sort_by_key(|test| Reverse(test.seq));
    digest.tools.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    digest.snippets.sort_by_key(|snippet| snippet.seq);
    digest.commits.sort_by_key(|commit| commit.seq);
}

fn open_ends(trail: &Trail, facts: &Facts, digest: &Digest) -> Vec<OpenEnd> {
    let mut found = Vec::new();
    let mut add =
        |kind, what: &str, seq| found.push(OpenEnd { kind, what: clip::line(what, WHAT_MAX), seq });
    for failing in &facts.failing {
        add(OpenEndKind::FailingTest, &failing.what, failing.last);
    }
    if let Some(agent) = trail.agent.as_ref().filter(|_| trail.story.is_asking())
        && trail.human.as_ref().is_none_or(|human| human.seq < agent.seq)
        && Some(agent.seq) > trail.call
    {
        add(OpenEndKind::UnansweredQuestion, &agent.words, agent.seq);
    }
    if let Some(edit) = trail.edit
        && Some(edit) > trail.commit
        && (trail.commit.is_some() || trail.git)
    {
        let what = match trail.commit {
            Some(_) => "files edited after the last commit",
            None => "files edited, nothing committed",
        };
        add(OpenEndKind::UncommittedEdits, what, edit);
    }
    let broken = trail
        .interrupt
        .max(trail.api_failure)
        .max(trail.denial)
        .max(facts.unanswered().map(|call| call.seq));
    if let Some(seq) = broken
        && Some(seq)
            >= trail.agent.as_ref().map(|agent| agent.seq).max(trail.result).max(trail.call)
    {
        let why = digest
            .judgement
            .evidence
            .first()
            .filter(|_| digest.judgement.outcome != Outcome::Success);
        add(
            OpenEndKind::BrokenOff,
            why.map_or("the last turn was broken off", |(_, why)| why),
            seq,
        );
    }
    found
}

/// Cuts the digest down to its limit; true if anything had to go.
fn trim(digest: &mut Digest) -> bool {
    let mut cut = false;
    while serde_json::to_vec(&*digest).map_or(0, |json| json.len()) > DIGEST_MAX {
        cut = true;
        if digest.commands.len() > 4 {
            digest.more_commands += digest.commands.pop().map_or(0, |command| command.runs);
        } else if digest.files.len() > 8 {
            digest.files.pop();
            digest.more_files += 1;
        } else if digest.snippets.len() > 2 {
            digest.snippets.remove(0);
        } else if digest.commits.len() > 2 {
            digest.commits.remove(0);
        } else if digest.tests.len() > 1 {
            digest.tests.pop();
        } else {
            break;
        }
    }
    cut
}
