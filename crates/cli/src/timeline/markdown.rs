//! A session as Markdown, to be read, mailed or committed.

use super::call::{self, Call};
use super::decided;
use super::diff::{self, Line};
use super::prose::{self, CHANGE, Excerpt, FAILURE, OUTPUT, SPEECH, THOUGHT};
use super::{Background, Teller, Told, header};
use crate::context::Context;
use crate::digest;
use crate::error::Failure;
use crate::figures::{duration, local_minute};
use crate::untrusted::one_line;
use backstory_model::{EventKind, Session, SessionEvent};
use std::io::Write;

/// Tells for documents.
pub(crate) struct MarkdownTeller<'a> {
    context: &'a Context,
    background: &'a Background,
    turn: u32,
}

impl<'a> MarkdownTeller<'a> {
    pub(crate) fn new(context: &'a Context, background: &'a Background) -> Self {
        Self { context, background, turn: 0 }
    }
}

impl Teller for MarkdownTeller<'_> {
    fn begin(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), Failure> {
        header::write_markdown(session, self.background, self.context, out)?;
        let Some(departure) = header::departure(session, self.context) else { return Ok(()) };
        writeln!(out, "\n_{departure}_").map_err(Failure::output)?;
        match &self.background.digest {
            Some(digest) => {
                let decisions = &self.background.decisions;
                let sections = digest::sections(&session.session_uid, digest, decisions);
                digest::write_markdown(&sections, out)
            }
            None => Ok(()),
        }
    }

    fn event(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        self.itself(event, told)?;
        for decision in decided::asked_at(&self.background.decisions, event.seq) {
            let (asked, answer) = (decided::question(decision), decided::answer(decision));
            labelled(told, "Asked", &asked)?;
            labelled(told, "Answered", &answer)?;
        }
        Ok(())
    }
}

impl MarkdownTeller<'_> {
    fn itself(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        let text = || told.content(event);
        match event.kind {
            EventKind::UserMsg => {
                self.turn += 1;
                let at = event.ts.map(|at| local_minute(at, self.context.zone()));
                let at = at.map(|at| format!(" · {at}")).unwrap_or_default();
                told.write(format_args!("\n## Turn {}{at}\n", self.turn))?;
                quote(told, &text(), SPEECH)
            }
            EventKind::AssistantMsg => {
                let lines = excerpt(&text(), SPEECH, told.is_full);
                told.write(format_args!("\n{}\n", lines.join("\n")))
            }
            EventKind::Thinking => {
                let lines = excerpt(&text(), THOUGHT, told.is_full);
                if lines.is_empty() {
                    return Ok(());
                }
                told.write(format_args!("\n*Thinking: {}*\n", lines.join(" ").replace('*', "\\*")))
            }
            EventKind::ToolCall | EventKind::TestRun | EventKind::Retry => tool(event, told),
            EventKind::Edit => change(event, told, self.context),
            EventKind::ToolResult => result(event, told),
            EventKind::Error if event.call_id.is_some() => result(event, told),
            EventKind::Error => labelled(told, "Error", &text()),
            EventKind::HumanIntervention => labelled(told, "The human stepped in", &text()),
            EventKind::Decision => labelled(told, "Decision", &text()),
            EventKind::Compaction => labelled(told, "Context compacted", &text()),
            EventKind::Lifecycle | EventKind::Completion => {
                let name = event.tool.as_deref().unwrap_or(event.kind.name());
                told.write(format_args!("\n_{name}: {}_\n", one_line(&event.summary)))
            }
        }
    }
}

fn excerpt(text: &str, excerpt: Excerpt, is_full: bool) -> Vec<String> {
    let lines = prose::lines(text, is_full);
    let picked = excerpt.or_all(is_full).pick(&lines).into_iter();
    picked.map(|line| line.unwrap_or_else(|left_out| format!("… {left_out} more lines"))).collect()
}

fn quote(told: &Told<'_>, text: &str, size: Excerpt) -> Result<(), Failure> {
    told.write("\n")?;
    for line in excerpt(text, size, told.is_full) {
        told.write(format_args!("{}\n", format_args!("> {line}").to_string().trim_end()))?;
    }
    Ok(())
}

fn labelled(told: &Told<'_>, label: &str, text: &str) -> Result<(), Failure> {
    told.write(format_args!("\n**{label}**\n"))?;
    quote(told, text, OUTPUT)
}

fn tool(event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
    let payload = told.content(event);
    let again = if event.kind == EventKind::Retry { " (again)" } else { "" };
    match call::of(event, &payload) {
        Call::Command(command) => {
            told.write(format_args!("\n**Ran{again}**\n\n"))?;
            fenced(told, "sh", &prose::lines(&command, told.is_full))
        }
        Call::Tool { name, about } => {
            told.write(format_args!("\n**{}**{again} {}\n", one_line(&name), inline(&about)))
        }
    }
}

fn change(event: &SessionEvent, told: &Told<'_>, context: &Context) -> Result<(), Failure> {
    let Some(lines) = diff::of_call(&told.content(event)) else { return tool(event, told) };
    let files = if event.files.is_empty() { &event.summary } else { &event.files.join(", ") };
    let (added, removed) = diff::tally(&lines);
    let files = inline(&context.short_path(files));
    told.write(format_args!("\n**Changed** {files} (+{added} −{removed})\n\n"))?;
    let picked = CHANGE.or_all(told.is_full).pick(&lines).into_iter();
    let shown: Vec<String> = picked
        .map(|line| match line {
            Ok(Line::File(path)) => format!("@@ {}", one_line(&path)),
            Ok(Line::Removed(text)) => format!("-{}", prose::lines(&text, true).concat()),
            Ok(Line::Added(text)) => format!("+{}", prose::lines(&text, true).concat()),
            Err(left_out) => format!("… {left_out} more lines"),
        })
        .collect();
    fenced(told, "diff", &shown)
}

fn result(event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
    let mut facts = Vec::new();
    let failed = event.kind == EventKind::Error || event.exit_code.is_some_and(|code| code != 0);
    if failed {
        facts.push(event.exit_code.map_or("failed".into(), |code| format!("failed: exit {code}")));
    }
    facts.extend(event.duration_ms.map(duration));
    if !facts.is_empty() {
        told.write(format_args!("\n_{}_\n", facts.join(" · ")))?;
    }
    let size = if failed { FAILURE } else { OUTPUT };
    let content = told.content(event);
    let shown = if told.is_full { &content } else { prose::output(&content) };
    let lines = excerpt(shown, size, told.is_full);
    if lines.is_empty() {
        return Ok(());
    }
    told.write("\n")?;
    fenced(told, "text", &lines)
}

/// Code in a fence longer than any in it.
fn fenced(told: &Told<'_>, language: &str, lines: &[String]) -> Result<(), Failure> {
    let longest = lines
        .iter()
        .map(|line| line.trim_start().chars().take_while(|c| *c == '`').count())
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    told.write(format_args!("{fence}{language}\n"))?;
    for line in lines {
        told.write(format_args!("{line}\n"))?;
    }
    told.write(format_args!("{fence}\n"))
}

/// Code within a line.
fn inline(text: &str) -> String {
    let text = one_line(text);
    if text.is_empty() { text } else { format!("`{}`", text.replace('`', "'")) }
}
