//! A digest at a terminal.

use super::{Entry, Section, Tone};
use crate::error::Failure;
use crate::table::cut;
use crate::timeline::prose::{self, SPEECH};
use crate::ui::{BAD, BOLD, DIM, GOOD, WARN, paint};
use anstyle::Style;
use std::io::Write;
use unicode_width::UnicodeWidthStr;

/// Behind the mark.
const INDENT: usize = 4;

/// Writes sections, an empty line before each but the first.
pub(crate) fn write_terminal(
    sections: &[Section],
    columns: Option<usize>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut write = |line: String| writeln!(out, "{line}").map_err(Failure::output);
    for (at, section) in sections.iter().enumerate() {
        if at > 0 {
            write(String::new())?;
        }
        write(paint(BOLD, section.title))?;
        for entry in &section.entries {
            lines(entry, columns).into_iter().try_for_each(&mut write)?;
        }
    }
    Ok(())
}

fn lines(entry: &Entry, columns: Option<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    let room = columns.map(|columns| columns.saturating_sub(INDENT + 1));
    let fit = |text: &str, taken: usize| match room {
        Some(room) => cut(text, room.saturating_sub(taken)),
        None => text.to_owned(),
    };
    let (mark, style) = match entry.tone {
        Tone::Plain => ("  ", Style::new()),
        Tone::Good => ("✓ ", GOOD),
        Tone::Bad => ("✗ ", BAD),
        Tone::Warn => ("• ", WARN),
    };
    let text = fit(&entry.text, 0);
    let gap = if text.is_empty() || entry.detail.is_empty() { "" } else { "  " };
    let detail = fit(&entry.detail, text.width() + gap.len());
    let width = text.width() + gap.len() + detail.width();
    if width > 0 {
        let text = if style.is_plain() { text } else { paint(style, &text) };
        let mark = if style.is_plain() { mark.to_owned() } else { paint(style, mark) };
        let detail = if detail.is_empty() { detail } else { paint(DIM, detail) };
        lines.push(format!("  {mark}{text}{gap}{detail}").trim_end().to_owned());
    }
    if let Some(quote) = &entry.quote {
        lines.extend(quoted(quote, room));
    }
    if let Some(address) = &entry.address {
        let fits = room.is_none_or(|room| width + 2 + address.width() <= room);
        match lines.last_mut() {
            Some(line) if fits && entry.quote.is_none() => {
                line.extend(["  ", &paint(DIM, address)]);
            }
            _ => lines.push(format!("{}{}", " ".repeat(INDENT), paint(DIM, address))),
        }
    }
    lines
}

fn quoted(quote: &str, room: Option<usize>) -> Vec<String> {
    let wrapped: Vec<String> = prose::lines(quote, false)
        .iter()
        .flat_map(|line| prose::wrap(line, room.map(|room| room.saturating_sub(2))))
        .collect();
    let indent = " ".repeat(INDENT);
    SPEECH
        .pick(&wrapped)
        .into_iter()
        .map(|line| match line {
            Ok(line) => format!("{indent}{} {line}", paint(DIM, "│")).trim_end().to_owned(),
            Err(left_out) => {
                format!("{indent}{}", paint(DIM, format_args!("│ … {left_out} more lines")))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{rich, uid};
    use super::*;

    fn render(columns: Option<usize>) -> String {
        let mut out = Vec::new();
        let sections = super::super::sections(&uid(), &rich(), &[]);
        write_terminal(&sections, columns, &mut out).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn every_part_is_told() {
        insta::assert_snapshot!("digest_terminal", render(None));
    }

    #[test]
    fn a_narrow_terminal_is_kept_to() {
        let narrow = render(Some(50));
        assert!(narrow.lines().all(|line| line.width() <= 50), "{narrow}");
        assert!(narrow.contains("backstory://claude:5ca1ab1e/17"), "{narrow}");
    }
}
