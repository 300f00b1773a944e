//! What a live session is handed, remembered for it and recorded.

use super::{
    ErrorOptions, Given, Muted, Occasion, Recall, RecallOptions, StartOptions, compress,
    error_recall, given, overview_recall, recall, record, start_recall,
};
use crate::search::Searcher;
use crate::{Archive, SyncError};
use backstory_distill::recall::{Cue, Source, render};
use backstory_store::{Home, StoreError, Vault};
use std::io;

/// At the beginning nobody has said anything yet.
const NO_PROMPT: &str = "";

/// What a session or a sub-agent is handed when it begins; the same bytes if its beginning is told twice.
pub fn at_start(
    archive: &Archive,
    options: &StartOptions,
    occasion: &Occasion<'_>,
) -> Result<Recall, SyncError> {
    let home = &archive.home;
    let given = Given::read(home, occasion.session);
    let muted = Muted::read(home).map_err(StoreError::from)?;
    let found = match given.at(NO_PROMPT, &muted) {
        Some((items, _)) if !muted.has_project(options.project.as_deref()) => {
            Recall { text: render(&items, Source::Start), items, ..Recall::default() }
        }
        _ => start_recall(&Vault::open(home)?, options)?,
    };
    hand_over(home, occasion, (NO_PROMPT, Source::Start), found, &given)
}

/// What a session is handed at a prompt. What it was told already is not told again; the same prompt is
/// answered with the same bytes.
pub fn at_prompt(
    archive: &Archive,
    options: &RecallOptions,
    occasion: &Occasion<'_>,
) -> Result<Recall, SyncError> {
    // Most prompts that ask for nothing need not open anything.
    if Cue::of(&options.prompt).is_none() {
        return Ok(Recall::default());
    }
    let home = &archive.home;
    let given = Given::read(home, occasion.session);
    let muted = Muted::read(home).map_err(StoreError::from)?;
    if !muted.has_project(options.project.as_deref())
        && let Some((items, wording)) = given.at(&options.prompt, &muted)
    {
        let text = render(&items, Source::Prompt);
        let again = Recall { items, text, ..Recall::default() };
        let again = match wording {
            Some(wording) => compress::worded(again, wording),
            None => again,
        };
        return hand_over(home, occasion, (&options.prompt, Source::Prompt), again, &given);
    }
    let mut options = options.clone();
    options.session.get_or_insert_with(|| occasion.session.clone());
    options.already_given.extend(given.addresses.iter().cloned());
    options.already_heard.extend(given.accounts());
    let vault = Vault::open(home)?;
    let searcher = Searcher::open(&vault, &*archive.index)?;
    let found = recall(&vault, &searcher, &options)?;
    let found = hand_over(home, occasion, (&options.prompt, Source::Prompt), found, &given)?;
    if let Some(key) = &found.compressible {
        // If the question cannot be left, it is asked another time.
        let _ = compress::ask(home, key, occasion, &options, &found);
    }
    Ok(found)
}

/// What a session is handed when a tool failed: the fix that worked before.
pub fn at_error(
    archive: &Archive,
    options: &ErrorOptions,
    occasion: &Occasion<'_>,
) -> Result<Recall, SyncError> {
    let home = &archive.home;
    let given = Given::read(home, occasion.session);
    let mut options = options.clone();
    options.session.get_or_insert_with(|| occasion.session.clone());
    options.already_given.extend(given.addresses.iter().cloned());
    let found = error_recall(&Vault::open(home)?, &options)?;
    hand_over(home, occasion, (&options.output, Source::Error), found, &given)
}

/// What a session is handed when it goes on: the state it was left in, in at most so many characters and
/// tokens.
pub fn at_resume(
    archive: &Archive,
    most: (usize, u32),
    occasion: &Occasion<'_>,
) -> Result<Recall, SyncError> {
    let vault = Vault::open(&archive.home)?;
    let found = overview_recall(&vault, occasion.session, most)?;
    if !found.is_empty() {
        record(&archive.home, occasion, NO_PROMPT, &found).map_err(StoreError::from)?;
    }
    Ok(found)
}

/// What is handed over of what was found. Nothing is that is not on record, and nothing that the session was
/// told while it was looked for: `before` is what it had been told when that began.
fn hand_over(
    home: &Home,
    occasion: &Occasion<'_>,
    (prompt, source): (&str, Source),
    found: Recall,
    before: &Given,
) -> Result<Recall, SyncError> {
    if found.is_empty() {
        return Ok(found);
    }
    let _held = given::lock(home);
    let mut given = Given::read(home, occasion.session);
    let found = untold(found, source, |address| {
        let is_in = |told: &Given| told.addresses.iter().any(|known| known == address);
        is_in(&given) && !is_in(before)
    });
    if found.is_empty() {
        return Ok(found);
    }
    let note = |given: &mut Given| -> io::Result<()> {
        record(home, occasion, prompt, &found)?;
        given.note(prompt, &found, occasion.at);
        given.write(home, occasion.session)
    };
    note(&mut given).map_err(StoreError::from)?;
    Ok(found)
}

/// What was found without what is told already. Words somebody found for all of it do not fit the rest.
fn untold(found: Recall, source: Source, is_told: impl Fn(&str) -> bool) -> Recall {
    if !found.items.iter().any(|item| is_told(&item.address)) {
        return found;
    }
    let mut items = found.items;
    items.retain(|item| !is_told(&item.address));
    Recall {
        text: render(&items, source),
        items,
        considered: found.considered,
        ..Recall::default()
    }
}
