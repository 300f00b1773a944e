//! The story of an index, on files of one machine.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod story;

use backstory_index::{DIR_NAME, LocalShelf};
use std::path::Path;

fn told(story: impl Fn(&LocalShelf)) {
    let home = tempfile::tempdir().unwrap();
    story(&LocalShelf::new(home.path()));
}

#[test]
fn words_stems_names_and_parts_are_found() {
    told(|shelf| story::words_stems_names_and_parts_are_found(shelf));
}

#[test]
fn phrases_bind_and_refusals_hold() {
    told(|shelf| story::phrases_bind_and_refusals_hold(shelf));
}

#[test]
fn meaning_finds_what_words_do_not() {
    told(|shelf| story::meaning_finds_what_words_do_not(shelf));
}

#[test]
fn what_is_removed_leaves_no_trace() {
    let home = tempfile::tempdir().unwrap();
    let shelf = LocalShelf::new(home.path());
    story::what_is_removed_leaves_no_trace(&shelf, &|stem| knows(home.path(), stem));
}

#[test]
fn a_card_replaces_the_one_before() {
    told(|shelf| story::a_card_replaces_the_one_before(shelf));
}

#[test]
fn a_commit_the_archive_did_not_hear_of_is_undone() {
    told(|shelf| story::a_commit_the_archive_did_not_hear_of_is_undone(shelf));
}

/// True if any file of the full text still knows a stem.
fn knows(home: &Path, stem: &str) -> bool {
    let index = tantivy::Index::open_in_dir(home.join(DIR_NAME)).unwrap();
    let searcher = index.reader().unwrap().searcher();
    searcher.segment_readers().iter().any(|segment| {
        ["prompt", "prose", "tool", "names"].iter().any(|name| {
            let field = index.schema().get_field(name).unwrap();
            let terms = segment.inverted_index(field).unwrap();
            terms.terms().get(stem.as_bytes()).unwrap().is_some()
        })
    })
}
