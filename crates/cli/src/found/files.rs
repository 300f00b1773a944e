//! The files of what was found, with how often they were met.

use crate::context::Context;
use crate::error::Failure;
use crate::table::{Column, Table};
use crate::untrusted::one_line;
use backstory_api::FoundFile;
use backstory_engine::search::SearchAnswer;
use backstory_model::address;
use std::collections::HashMap;
use std::io::Write;

/// Every file once, the most often met first, among equals the better match.
pub(crate) fn gather(answer: &SearchAnswer) -> Vec<FoundFile> {
    let mut files: Vec<FoundFile> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let events = answer.sessions.iter().flat_map(|found| &found.moments);
    for event in events.filter_map(|moment| moment.event.as_ref()) {
        for path in &event.files {
            if let Some(at) = known.get(path.as_str()) {
                files[*at].count += 1;
                continue;
            }
            known.insert(path, files.len());
            let address = address(&event.session_uid, event.seq);
            files.push(FoundFile { path: path.clone(), count: 1, address });
        }
    }
    files.sort_by_key(|file| std::cmp::Reverse(file.count));
    files
}

/// One line per file.
pub(crate) fn write(
    files: &[FoundFile],
    context: &Context,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut table = Table::new(&[Column::right(""), Column::left("")]);
    for file in files {
        let path = context.short_path(&one_line(&file.path));
        table.row(vec![file.count.to_string().into(), path.into()]);
    }
    table.write(out, None).map_err(Failure::output)
}
