//! What a live session is handed, remembered for it and recorded.

use super::{
    ErrorOptions, Given, Muted, Occasion, Recall, RecallOptions, compress, error_recall,
    overview_recall, recall, record,
};
use crate::search::Searcher;
use crate::{Archive, SyncError};
use backstory_distill::recall::{Cue, Source, render};
use backstory_store::{Home, StoreError, Vault};
use std::io;

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
        hand_over(home, occasion, &options.prompt, &again, given)?;
        return Ok(again);
    }
    let mut options = options.clone();
    options.session = Some(occasion.session.clone());
    options.already_given.extend(given.addresses.iter().cloned());
    let vault = Vault::open(home)?;
    let searcher = Searcher::open(&vault, &*archive.index)?;
    let found = recall(&vault, &searcher, &options)?;
    hand_over(home, occasion, &options.prompt, &found, given)?;
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
    options.session = Some(occasion.session.clone());
    options.already_given.extend(given.addresses.iter().cloned());
    let found = error_recall(&Vault::open(home)?, &options)?;
    hand_over(home, occasion, &options.output, &found, given)?;
    Ok(found)
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
        record(&archive.home, occasion, "", &found).map_err(StoreError::from)?;
    }
    Ok(found)
}

/// Nothing is handed over that is not on record.
fn hand_over(
    home: &Home,
    occasion: &Occasion<'_>,
    prompt: &str,
    recall: &Recall,
    mut given: Given,
) -> Result<(), SyncError> {
    if recall.is_empty() {
        return Ok(());
    }
    let note = |given: &mut Given| -> io::Result<()> {
        record(home, occasion, prompt, recall)?;
        given.note(prompt, recall, occasion.at);
        given.write(home, occasion.session)
    };
    note(&mut given).map_err(|error| StoreError::from(error).into())
}
