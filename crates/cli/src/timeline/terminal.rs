//! A session for a person at a terminal.

use super::call::{self, Call};
use super::decided;
use super::diff::{self, Line};
use super::prose::{self, CHANGE, COMMAND, Excerpt, FAILURE, OUTPUT, SPEECH, THOUGHT};
use super::{Background, Teller, Told, header};
use crate::context::Context;
use crate::digest;
use crate::error::Failure;
use crate::figures::{duration, local_clock, local_day};
use crate::table::cut;
use crate::ui::{BAD, BOLD, CODE, DIM, GOOD, WARN, paint};
use crate::untrusted::one_line;
use anstyle::Style;
use backstory_model::{EventKind, Session, SessionEvent, Timestamp};
use std::collections::HashMap;
use std::io::Write;

/// Columns that name a call at its answer.
const CALL_NAME_WIDTH: usize = 48;
/// Calls remembered until they are answered; more are never open at once.
const MAX_OPEN_CALLS: usize = 64;

/// Tells for people.
pub(crate) struct TerminalTeller<'a> {
    context: &'a Context,
    background: &'a Background,
    columns: Option<usize>,
    turn: u32,
    /// Nothing but the header was told.
    is_first: bool,
    day: Option<String>,
    /// Calls not answered yet, by call id.
    open: HashMap<String, OpenCall>,
    last_call: Option<String>,
    /// Calls made since the last answer: several are answered in any order.
    at_once: usize,
    answered: bool,
}

impl<'a> TerminalTeller<'a> {
    /// Lines are wrapped at `columns`.
    pub(crate) fn new(
        context: &'a Context,
        background: &'a Background,
        columns: Option<usize>,
    ) -> Self {
        Self {
            context,
            background,
            columns,
            turn: 0,
            is_first: true,
            day: None,
            open: HashMap::new(),
            last_call: None,
            at_once: 0,
            answered: false,
        }
    }

    /// Text behind a mark, further lines indented below it.
    fn block(&self, told: &Told<'_>, look: &Look<'_>, text: &str) -> Result<(), Failure> {
        let indent = unicode_width::UnicodeWidthStr::width(look.mark);
        let width = self.columns.map(|columns| columns.saturating_sub(indent + 1));
        let lines: Vec<String> = prose::lines(text, told.is_full)
            .iter()
            .filter(|line| !line.is_empty() || look.is_prose || told.is_full)
            .flat_map(|line| match width {
                Some(width) if !look.is_prose && !told.is_full => vec![cut(line, width)],
                _ => prose::wrap(line, width),
            })
            .collect();
        let mut mark = look.mark.to_owned();
        for line in look.excerpt.or_all(told.is_full).pick(&lines) {
            match line {
                Ok(line) if line.is_empty() => told.write("\n")?,
                Ok(line) => {
                    let line = paint(look.style, format_args!("{mark}{line}"));
                    told.write(format_args!("{line}\n"))?;
                }
                Err(left_out) => told.write(format_args!(
                    "{}{}\n",
                    " ".repeat(indent),
                    paint(DIM, format_args!("… {left_out} more lines"))
                ))?,
            }
            mark = " ".repeat(indent);
        }
        Ok(())
    }

    fn turn_rule(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        self.turn += 1;
        let clock = event.ts.map(|at| self.clock(at)).unwrap_or_default();
        let label = format!("── turn {} ── {clock} ", self.turn);
        let width = self.columns.unwrap_or(72).min(100);
        let rest = width.saturating_sub(label.chars().count());
        self.gap(told)?;
        told.write(format_args!("{}\n", paint(DIM, format_args!("{label}{}", "─".repeat(rest)))))
    }

    /// An empty line, unless one stands there already.
    fn gap(&self, told: &Told<'_>) -> Result<(), Failure> {
        if self.is_first { Ok(()) } else { told.write("\n") }
    }

    /// The clock, with the day where it changes.
    fn clock(&mut self, at: Timestamp) -> String {
        let zone = self.context.zone();
        let (day, clock) = (local_day(at, zone), local_clock(at, zone));
        if self.day.as_deref() == Some(day.as_str()) {
            return clock;
        }
        let text = format!("{day} {clock}");
        self.day = Some(day);
        text
    }

    fn call(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        let payload = told.content(event);
        let is_retry = event.kind == EventKind::Retry;
        match call::of(event, &payload) {
            Call::Command(command) => {
                self.remember(event, &command);
                let mark = if is_retry { "  ↻ " } else { "  $ " };
                let look = Look { mark, style: CODE, excerpt: COMMAND, is_prose: false };
                self.block(told, &look, &command)?;
            }
            Call::Tool { name, about } => {
                self.remember(event, &name);
                let about = one_line(&about);
                let mark = if is_retry { "↻" } else { "▸" };
                let line = self.fit(&format!("{} {about}", one_line(&name)), 4);
                told.write(format_args!("{}\n", paint(CODE, format_args!("  {mark} {line}"))))?;
                if told.is_full {
                    let look =
                        Look { mark: "      ", style: DIM, excerpt: OUTPUT, is_prose: false };
                    self.block(told, &look, &payload)?;
                }
            }
        }
        self.started_subagents(event, told)
    }

    fn edit(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        let payload = told.content(event);
        let Some(lines) = diff::of_call(&payload) else { return self.call(event, told) };
        self.remember(event, event.tool.as_deref().unwrap_or_default());
        let files = if event.files.is_empty() { &event.summary } else { &event.files.join(", ") };
        let (added, removed) = diff::tally(&lines);
        let files = self.fit(&self.context.short_path(&one_line(files)), 16);
        told.write(format_args!(
            "{} {} {}\n",
            paint(CODE, format_args!("  ✎ {files}")),
            paint(GOOD, format_args!("+{added}")),
            paint(BAD, format_args!("−{removed}"))
        ))?;
        for line in CHANGE.or_all(told.is_full).pick(&lines) {
            let line = match line {
                Ok(Line::File(path)) => paint(DIM, format_args!("      {}", one_line(&path))),
                Ok(Line::Removed(text)) => self.changed(BAD, '-', &text),
                Ok(Line::Added(text)) => self.changed(GOOD, '+', &text),
                Err(left_out) => paint(DIM, format_args!("      … {left_out} more lines")),
            };
            told.write(format_args!("{line}\n"))?;
        }
        Ok(())
    }

    fn changed(&self, style: Style, sign: char, text: &str) -> String {
        let text = prose::lines(text, true).concat();
        paint(style, self.fit(&format!("      {sign} {text}"), 0))
    }

    fn result(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        let failed =
            event.kind == EventKind::Error || event.exit_code.is_some_and(|code| code != 0);
        let call = event.call_id.as_ref().and_then(|id| self.open.remove(id));
        self.answered = true;
        if !failed && !told.is_full && call.as_ref().is_some_and(|call| call.is_edit) {
            return Ok(());
        }
        let mut facts = Vec::new();
        // The call is named where other calls stand between it and its answer.
        if self.at_once > 1 || event.call_id != self.last_call {
            facts.extend(call.map(|call| call.about).or_else(|| event.tool.clone()));
        }
        match (event.exit_code, event.duration_ms) {
            // Success is the rule: it is worth a line only together with how long it took.
            (Some(0), Some(took)) if took > 0 => facts.extend(["ok".into(), duration(took)]),
            (code, took) => {
                let code = code.filter(|code| *code != 0);
                facts.extend(code.map(|code| format!("exit {code}")));
                facts.extend(took.filter(|took| *took > 0).map(duration));
            }
        }
        let (mark, style) = if failed { ("    ✗ ", BAD) } else { ("    └ ", DIM) };
        let mut look = Look { mark, style: DIM, excerpt: OUTPUT, is_prose: false };
        if failed {
            look = Look { style: Style::new(), excerpt: FAILURE, ..look };
        }
        if !facts.is_empty() {
            let line = one_line(&facts.join(" · "));
            told.write(format_args!("{}\n", paint(style, format_args!("{mark}{line}"))))?;
            look.mark = "      ";
        } else if failed {
            look.style = BAD;
        }
        let content = told.content(event);
        let content = if told.is_full { &content } else { prose::output(&content) };
        self.block(told, &look, content)
    }

    fn remember(&mut self, event: &SessionEvent, about: &str) {
        self.at_once = if std::mem::take(&mut self.answered) { 1 } else { self.at_once + 1 };
        self.last_call.clone_from(&event.call_id);
        if self.open.len() >= MAX_OPEN_CALLS {
            self.open.clear();
        }
        if let Some(id) = &event.call_id {
            let about = cut(about.lines().next().unwrap_or_default(), CALL_NAME_WIDTH);
            let is_edit = event.kind == EventKind::Edit;
            self.open.insert(id.clone(), OpenCall { about, is_edit });
        }
    }

    fn started_subagents(&self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        let Some(call_id) = &event.call_id else { return Ok(()) };
        for child in &self.background.children {
            if child.lineage.parent_call_id.as_ref() == Some(call_id) {
                let line = self.fit(&header::subagent(child, self.background), 17);
                told.write(format_args!("{} {line}\n", paint(WARN, "    ↳ sub-agent")))?;
            }
        }
        Ok(())
    }

    fn fit(&self, text: &str, taken: usize) -> String {
        match self.columns {
            Some(columns) => cut(text, columns.saturating_sub(taken)),
            None => text.to_owned(),
        }
    }

    /// What came of the questions an event asks. A call of the agent's own tool says them itself.
    fn answers(&self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        let asked = decided::asked_at(&self.background.decisions, event.seq);
        for decision in asked {
            let answer = decided::answer(decision);
            let line = if event.kind == EventKind::Decision && asked.len() == 1 {
                format!("    → {answer}")
            } else {
                format!("  ? {} → {answer}", decided::question(decision))
            };
            told.write(format_args!("{}\n", paint(WARN, self.fit(&line, 0))))?;
        }
        Ok(())
    }

    fn bookkeeping(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        let name = event.tool.as_deref().unwrap_or(event.kind.name());
        let clock = event.ts.map(|at| local_clock(at, self.context.zone())).unwrap_or_default();
        let took = event.duration_ms.map(duration).unwrap_or_default();
        let line = one_line(&format!("{clock} {name} {took} {}", event.summary));
        told.write(format_args!("{}\n", paint(DIM, format_args!("  · {}", self.fit(&line, 4)))))
    }
}

/// How a block of text looks.
struct Look<'a> {
    mark: &'a str,
    style: Style,
    excerpt: Excerpt,
    /// Prose keeps its paragraphs and is wrapped; output is told without gaps and cut.
    is_prose: bool,
}

/// A call that waits for its answer.
struct OpenCall {
    about: String,
    is_edit: bool,
}

impl Teller for TerminalTeller<'_> {
    fn begin(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), Failure> {
        header::write_terminal(session, self.background, self.context, self.columns, out)?;
        let Some(departure) = header::departure(session, self.context) else { return Ok(()) };
        writeln!(out, "{}\n", paint(WARN, departure)).map_err(Failure::output)?;
        if let Some(digest) = &self.background.digest {
            let decisions = &self.background.decisions;
            let sections = digest::sections(&session.session_uid, digest, decisions);
            digest::write_terminal(&sections, self.columns, out)?;
            writeln!(out).map_err(Failure::output)?;
        }
        Ok(())
    }

    fn event(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        if told.is_addressed {
            told.write(format_args!("{}\n", paint(WARN, format_args!("→ event {}", event.seq))))?;
        }
        let block = |this: &Self, mark: &str, style: Style, excerpt: Excerpt| {
            let look = Look { mark, style, excerpt, is_prose: true };
            this.block(told, &look, &told.content(event))
        };
        let told_event = match event.kind {
            EventKind::UserMsg => {
                self.turn_rule(event, told)?;
                block(self, "❯ ", BOLD, SPEECH)?;
                told.write("\n")
            }
            EventKind::AssistantMsg => block(self, "● ", Style::new(), SPEECH),
            EventKind::Thinking => block(self, "  ∴ ", DIM.italic(), THOUGHT),
            EventKind::ToolCall | EventKind::TestRun | EventKind::Retry => self.call(event, told),
            EventKind::Edit => self.edit(event, told),
            EventKind::ToolResult => self.result(event, told),
            EventKind::Error if event.call_id.is_some() => self.result(event, told),
            EventKind::Error => block(self, "  ✗ ", BAD, OUTPUT),
            EventKind::HumanIntervention => block(self, "  ‼ ", WARN, SPEECH),
            EventKind::Decision => block(self, "  ? ", WARN, SPEECH),
            EventKind::Compaction => {
                self.gap(told)?;
                told.write(format_args!("{}\n", paint(WARN, "── context compacted ──")))?;
                block(self, "  ", DIM, OUTPUT)
            }
            EventKind::Lifecycle | EventKind::Completion => self.bookkeeping(event, told),
        };
        self.is_first = false;
        told_event?;
        self.answers(event, told)
    }
}
