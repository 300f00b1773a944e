//! The story of an index, on files of one machine.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod story;

use backstory_index::{DIR_NAME, LocalShelf};
use std::path::Path;

fn told(story: impl Fn(&LocalShelf)) {
    let home = tempfile::tempdir().unwrap();
    story(&LocalShelf::new(home.path()));
}

story::tell_all!(told);

#[test]
fn what_is_removed_leaves_no_trace() {
    let home = tempfile::tempdir().unwrap();
    let shelf = LocalShelf::new(home.path());
    story::what_is_removed_leaves_no_trace(&shelf, &|stem| knows(home.path(), stem));
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
