//! The fix that worked: errors known by their fingerprints.

use super::items::{cut, day, why};
use super::{ErrorOptions, Muted, Recall, RecallItem};
use crate::SyncError;
use backstory_distill::fingerprint::{fingerprint, telling_lines};
use backstory_distill::patterns::{KnownFix, patterns};
use backstory_distill::recall::{Category, Source, render, tokens};
use backstory_model::{SessionUid, Sighting, SignalKind, Timestamp, address};
use backstory_store::{SignalFilter, Vault};

/// Lines of an output that are looked up, the most telling first.
const MAX_LINES: usize = 4;
/// Sightings of one error looked at, the latest first.
const MAX_SIGHTINGS: usize = 200;
/// What a known fix scores.
const SCORE: f32 = 3.0;

/// The fix that worked, if an error in an output is known by its fingerprint.
pub fn error_recall(vault: &Vault, options: &ErrorOptions) -> Result<Recall, SyncError> {
    let muted = Muted::read(vault.home()).map_err(backstory_store::StoreError::from)?;
    if muted.has_project(options.project.as_deref()) {
        return Ok(Recall::default());
    }
    let mut recall = Recall::default();
    if let Some(item) = known_fix(vault, options, &muted, &mut recall.considered)? {
        recall.text = render(std::slice::from_ref(&item), Source::Error);
        recall.items.push(item);
    }
    Ok(recall)
}

/// What helped against the first of the errors in an output that is known.
pub(super) fn known_fix(
    vault: &Vault,
    options: &ErrorOptions,
    muted: &Muted,
    considered: &mut usize,
) -> Result<Option<RecallItem>, SyncError> {
    for line in telling_lines(&options.output, MAX_LINES) {
        let looked = Looked { vault, options, muted, line };
        if let Some(item) = looked.fix(considered)? {
            return Ok(Some(item));
        }
    }
    Ok(None)
}

struct Looked<'a> {
    vault: &'a Vault,
    options: &'a ErrorOptions,
    muted: &'a Muted,
    line: &'a str,
}

impl Looked<'_> {
    /// What helped in this project, else anywhere if that may be told.
    fn fix(&self, considered: &mut usize) -> Result<Option<RecallItem>, SyncError> {
        let project = self.options.project.clone();
        if project.is_some()
            && let Some(found) = self.fix_in(project, "in this project", considered)?
        {
            return Ok(Some(found));
        }
        if self.options.everywhere {
            return self.fix_in(None, "in another project", considered);
        }
        Ok(None)
    }

    fn fix_in(
        &self,
        project: Option<String>,
        place: &str,
        considered: &mut usize,
    ) -> Result<Option<RecallItem>, SyncError> {
        let mut sightings = self.vault.signals(&SignalFilter {
            kinds: vec![SignalKind::Error, SignalKind::ErrorFix, SignalKind::ToolchainTrouble],
            project,
            fingerprint: Some(fingerprint(self.line)),
            limit: Some(MAX_SIGHTINGS),
            ..SignalFilter::default()
        })?;
        *considered += sightings.len();
        sightings.retain(|sighting| self.may_tell(sighting));
        // How often it was met lately plays no part: the same archive gives the same answer.
        let known = patterns(&sightings, Timestamp(0));
        let fixes = known.into_iter().filter_map(|pattern| Some((pattern.what, pattern.fix?)));
        let Some((what, known)) = fixes.max_by_key(|(_, fix)| fix.sessions) else {
            return Ok(None);
        };
        let item = item(&what, &known, place);
        let is_new = !self.options.already_given.contains(&item.address);
        Ok(is_new.then_some(item))
    }

    fn may_tell(&self, sighting: &Sighting) -> bool {
        let uid = &sighting.session_uid;
        let fixed_at = sighting.signal.fix.as_ref().map_or(sighting.signal.seq, |fix| fix.seq);
        !is_part_of(uid, self.options.session.as_ref())
            && !self.muted.has_session(uid, None)
            && !self.muted.has_address(&address(uid, fixed_at))
    }
}

/// True for a session and its sub-agents.
pub(super) fn is_part_of(uid: &SessionUid, session: Option<&SessionUid>) -> bool {
    let Some(session) = session else { return false };
    let rest = uid.as_str().strip_prefix(session.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn item(what: &str, known: &KnownFix, place: &str) -> RecallItem {
    let text = fix_text(what, &known.fix.what, &known.fix.tried, known.ts);
    let sessions = known.sessions;
    let met = if sessions == 1 { "1 session".into() } else { format!("{sessions} sessions") };
    RecallItem {
        category: Category::Fix,
        address: address(&known.session_uid, known.fix.seq),
        tokens: tokens(&text),
        text,
        score: SCORE,
        why: why(&["the same error".into(), format!("fixed in {met}"), place.into()]),
    }
}

/// An error, what helped and what did not.
pub(super) fn fix_text(what: &str, fix: &str, tried: &str, at: Option<Timestamp>) -> String {
    let first = tried.lines().map(str::trim).find(|line| !line.is_empty());
    let vain = first.map_or_else(String::new, |tried| format!("; did not help: {tried}"));
    cut(&format!("{}\"{}\" was fixed by {fix}{vain}", day(at), what.trim()))
}
