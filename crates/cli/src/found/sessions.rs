//! Sessions with their best moments, for people.

use super::lines::{painted, wrap};
use crate::context::Context;
use crate::error::Failure;
use crate::figures::{age, local_clock, local_day};
use crate::ids::ShortIds;
use crate::label;
use crate::table::cut;
use crate::ui::{BAD, BOLD, CODE, DIM, WARN, paint};
use crate::untrusted::one_line;
use anstyle::Style;
use backstory_engine::search::{FoundMoment, FoundSession};
use backstory_model::{EventKind, SessionEvent, Timestamp};
use std::io::Write;
use unicode_width::UnicodeWidthStr;

/// A title keeps at least this much of a narrow screen.
const MIN_TITLE: usize = 24;
/// A snippet gets a line of its own where less than this is left beside its place.
const MIN_SNIPPET: usize = 32;
/// What stands before every moment.
const INDENT: &str = "  ";

/// Writes every session found.
pub(crate) fn write(
    sessions: &[FoundSession],
    ids: &ShortIds,
    context: &Context,
    columns: Option<usize>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for (at, found) in sessions.iter().enumerate() {
        let id = ids.get(&found.session.session_uid);
        let mut lines = vec![heading(found, id, context, columns)];
        if at > 0 {
            lines.insert(0, String::new());
        }
        lines.extend(moments(found, id, context, columns));
        for line in lines {
            writeln!(out, "{line}").map_err(Failure::output)?;
        }
    }
    Ok(())
}

/// Title, id, agent, place, age and outcome on one line.
fn heading(found: &FoundSession, id: &str, context: &Context, columns: Option<usize>) -> String {
    let session = &found.session;
    let active = session.ended_at.or(session.started_at);
    let (style, outcome) = label::outcome(session.outcome);
    let facts = [
        session.flavor.name().to_owned(),
        label::place(session),
        active.map(|at| age(at, context.now)).unwrap_or_default(),
    ];
    let facts =
        facts.iter().filter(|fact| !fact.is_empty()).cloned().collect::<Vec<_>>().join(" · ");
    let mut title = label::title(session);
    if title.is_empty() {
        "untitled".clone_into(&mut title);
    }
    title.insert_str(0, label::mark(session));
    let fixed = id.width() + outcome.width() + 3 + 4;
    let (title, facts) = match columns {
        Some(columns) => {
            let room = columns.saturating_sub(fixed);
            let title = cut(&title, room.saturating_sub(facts.width()).max(MIN_TITLE));
            let facts = cut(&facts, room.saturating_sub(title.width()));
            (title, facts)
        }
        None => (title, facts),
    };
    format!(
        "{}  {}  {} {}",
        paint(BOLD, title),
        paint(CODE, id),
        paint(DIM, format_args!("{facts} ·")),
        paint(style, outcome)
    )
}

/// One line of the list below a heading, before it is laid out.
struct Row<'a> {
    place: String,
    mark: (Style, &'static str),
    when: String,
    text: String,
    marks: &'a [std::ops::Range<usize>],
    /// A neighbour, told for what lies between.
    is_aside: bool,
    exit_code: Option<i32>,
}

fn moments(
    found: &FoundSession,
    id: &str,
    context: &Context,
    columns: Option<usize>,
) -> Vec<String> {
    let session = &found.session;
    let day = session.ended_at.or(session.started_at).map(|at| local_day(at, context.zone()));
    let when = |at: Option<Timestamp>| at.map(|at| time(at, day.as_deref(), context));
    let aside = |event: &SessionEvent| Row {
        place: format!("{id}/{}", event.seq),
        mark: (DIM, mark(event)),
        when: when(event.ts).unwrap_or_default(),
        text: one_line(&event.summary),
        marks: &[],
        is_aside: true,
        exit_code: None,
    };
    let mut rows = Vec::new();
    for moment in &found.moments {
        rows.extend(moment.before.iter().map(aside));
        rows.push(row(moment, id, &when));
        rows.extend(moment.after.iter().map(aside));
    }
    let place_width = rows.iter().map(|row| row.place.width()).max().unwrap_or(0);
    let when_width = rows.iter().map(|row| row.when.width()).max().unwrap_or(0);
    rows.iter().flat_map(|row| lay_out(row, place_width, when_width, columns)).collect()
}

fn row<'a>(
    moment: &'a FoundMoment,
    id: &str,
    when: &dyn Fn(Option<Timestamp>) -> Option<String>,
) -> Row<'a> {
    let event = moment.event.as_ref();
    Row {
        place: event.map_or_else(|| id.to_owned(), |event| format!("{id}/{}", event.seq)),
        mark: event.map_or((DIM, "◇"), |event| (style(event), mark(event))),
        when: when(event.and_then(|event| event.ts)).unwrap_or_default(),
        text: moment.snippet.text.clone(),
        marks: &moment.snippet.marks,
        is_aside: false,
        exit_code: event.and_then(|event| event.exit_code).filter(|code| *code != 0),
    }
}

fn lay_out(
    row: &Row<'_>,
    place_width: usize,
    when_width: usize,
    columns: Option<usize>,
) -> Vec<String> {
    let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
    let (style, mark) = row.mark;
    let mut first = format!(
        "{INDENT}{}{}  {} {}{}",
        paint(if row.is_aside { DIM } else { CODE }, &row.place),
        pad(&row.place, place_width),
        paint(style, mark),
        paint(DIM, &row.when),
        pad(&row.when, when_width),
    );
    let mut indent = INDENT.len() + place_width + 2 + 2 + when_width;
    if when_width > 0 {
        first.push_str("  ");
        indent += 2;
    }
    let mut taken = 0;
    if let Some(code) = row.exit_code {
        let told = format!("exit {code}");
        taken = told.width() + 2;
        first.push_str(&paint(BAD, told));
        first.push_str("  ");
    }
    let room = columns.map(|columns| columns.saturating_sub(indent + taken));
    if row.is_aside {
        let text = room.map_or_else(|| row.text.clone(), |room| cut(&row.text, room));
        first.push_str(&paint(DIM, text));
        return vec![first];
    }
    let mut lines = Vec::new();
    let (indent, room) = if room.is_some_and(|room| room < MIN_SNIPPET) {
        lines.push(first.trim_end().to_owned());
        first = " ".repeat(2 * INDENT.len());
        (first.len(), columns.map(|columns| columns.saturating_sub(2 * INDENT.len())))
    } else {
        (indent + taken, room)
    };
    for line in wrap(&row.text, room) {
        lines.push(format!("{first}{}", painted(&row.text, &line, row.marks)));
        first = " ".repeat(indent);
    }
    lines
}

/// The clock, with the day where it is not the session's.
fn time(at: Timestamp, day: Option<&str>, context: &Context) -> String {
    let (own, clock) = (local_day(at, context.zone()), local_clock(at, context.zone()));
    let minute = clock.get(..5).unwrap_or(&clock);
    if day == Some(own.as_str()) {
        return minute.to_owned();
    }
    // The heading tells the year.
    format!("{} {minute}", own.get(5..).unwrap_or(&own))
}

/// The mark a timeline puts before an event of this kind.
fn mark(event: &SessionEvent) -> &'static str {
    match event.kind {
        EventKind::UserMsg => "❯",
        EventKind::AssistantMsg => "●",
        EventKind::Thinking => "∴",
        EventKind::TestRun => "$",
        EventKind::ToolCall if is_command(event) => "$",
        EventKind::ToolCall => "▸",
        EventKind::ToolResult => "└",
        EventKind::Error => "✗",
        EventKind::Edit => "✎",
        EventKind::Retry => "↻",
        EventKind::HumanIntervention => "‼",
        EventKind::Decision => "?",
        EventKind::Lifecycle | EventKind::Completion | EventKind::Compaction => "·",
    }
}

fn is_command(event: &SessionEvent) -> bool {
    ["\"command\":", "\"cmd\":"].iter().any(|key| event.summary.contains(key))
}

fn style(event: &SessionEvent) -> Style {
    match event.kind {
        EventKind::UserMsg => BOLD,
        EventKind::Error => BAD,
        EventKind::HumanIntervention | EventKind::Decision => WARN,
        kind if kind.is_call() => CODE,
        EventKind::AssistantMsg => Style::new(),
        _ => DIM,
    }
}
