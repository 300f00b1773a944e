//! The commands among what was found: what ran, and how it ended.

use crate::context::Context;
use crate::error::Failure;
use crate::figures::{age, plural};
use crate::ids::ShortIds;
use crate::table::{Cell, Column, Table};
use crate::timeline::call::{self, Call};
use crate::ui::{BAD, CODE, DIM, GOOD};
use crate::untrusted::plain;
use backstory_engine::search::{FoundMoment, SearchAnswer, Sort};
use backstory_model::SessionEvent;
use std::collections::HashMap;
use std::io::Write;

/// A command that ran.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ran<'a> {
    /// As it was typed.
    pub(crate) command: String,
    /// How it ended.
    pub(crate) exit_code: Option<i32>,
    /// How often it was found with this ending.
    pub(crate) runs: usize,
    /// The best match, or the latest.
    pub(crate) event: &'a SessionEvent,
}

/// Every command once for each way it ended; `content` reads what a call was given.
pub(crate) fn gather<'a>(
    answer: &'a SearchAnswer,
    sort: Sort,
    content: &dyn Fn(&SessionEvent) -> String,
) -> Vec<Ran<'a>> {
    let mut moments: Vec<&FoundMoment> =
        answer.sessions.iter().flat_map(|found| &found.moments).collect();
    match sort {
        Sort::Score => moments.sort_by(|a, b| b.score.total_cmp(&a.score)),
        Sort::Time => {
            let at = |moment: &FoundMoment| moment.event.as_ref().and_then(|event| event.ts);
            moments.sort_by_key(|moment| std::cmp::Reverse(at(moment)));
        }
    }
    let mut found: Vec<Ran<'a>> = Vec::new();
    let mut known: HashMap<(String, Option<i32>), usize> = HashMap::new();
    for moment in moments {
        let Some(event) = moment.event.as_ref().filter(|event| event.kind.is_call()) else {
            continue;
        };
        let Call::Command(command) = call::of(event, &content(event)) else { continue };
        let at = *known.entry((command.clone(), event.exit_code)).or_insert_with(|| {
            found.push(Ran { command, exit_code: event.exit_code, runs: 0, event });
            found.len() - 1
        });
        found[at].runs += 1;
    }
    found
}

/// One line per command, the command last, so that it can be copied or cut out.
pub(crate) fn write(
    commands: &[Ran<'_>],
    ids: &ShortIds,
    context: &Context,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut table = Table::new(&[
        Column::right("EXIT"),
        Column::right("RUNS"),
        Column::right("AGE"),
        Column::left("EVENT"),
        Column::left("COMMAND"),
    ]);
    for ran in commands {
        let exit = match ran.exit_code {
            Some(0) => Cell::styled(GOOD, "0"),
            Some(code) => Cell::styled(BAD, code.to_string()),
            None => Cell::styled(DIM, "–"),
        };
        let age = ran.event.ts.map(|at| age(at, context.now)).unwrap_or_default();
        let id = ids.get(&ran.event.session_uid);
        table.row(vec![
            exit,
            ran.runs.to_string().into(),
            Cell::styled(DIM, age),
            Cell::styled(CODE, format!("{id}/{}", ran.event.seq)),
            on_one_line(&ran.command).into(),
        ]);
    }
    // A command that is cut cannot be copied.
    table.write(out, None).map_err(Failure::output)
}

/// A command of one line as it is; of a longer one the first line and how many follow.
fn on_one_line(command: &str) -> String {
    let clean = plain(command.trim());
    match clean.split_once('\n') {
        None => clean.replace('\t', " "),
        Some((first, rest)) => {
            let more = plural(rest.lines().count() as u64, "line");
            format!("{} … (+{more})", first.trim_end())
        }
    }
}
