//! Aligned columns; wide characters count as what they take on screen.

use crate::ui::{DIM, paint};
use anstyle::Style;
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const GAP: &str = "  ";
/// A shrinking column keeps at least this much.
const MIN_FLEX: usize = 12;

/// Which edge a column's cells touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) align: Align,
    /// How readily it gives way when the terminal is narrow; 0 for never.
    pub(crate) shrinks: usize,
}

impl Column {
    /// A column of text.
    pub(crate) const fn left(title: &'static str) -> Self {
        Self { title, align: Align::Left, shrinks: 0 }
    }

    /// A column of numbers.
    pub(crate) const fn right(title: &'static str) -> Self {
        Self { title, align: Align::Right, shrinks: 0 }
    }

    /// A column of text that is cut when there is no room; the weightier the sooner.
    pub(crate) const fn shrinking(title: &'static str, weight: usize) -> Self {
        Self { title, align: Align::Left, shrinks: weight }
    }
}

/// One cell: text and how it looks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell in a style.
    pub(crate) fn styled(style: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), style }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), style: Style::new() }
    }
}

/// Rows under titled columns.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    indent: usize,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new(), indent: 0 }
    }

    /// Moves the whole table to the right.
    #[must_use]
    pub(crate) fn indented(mut self, by: usize) -> Self {
        self.indent = by;
        self
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Writes titles (unless all are empty) and rows, cut to `columns` if given.
    pub(crate) fn write(&self, out: &mut dyn Write, columns: Option<usize>) -> io::Result<()> {
        let widths = self.widths(columns);
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            let titles = self.columns.iter().map(|column| Cell::styled(DIM, column.title));
            self.write_row(out, &titles.collect::<Vec<_>>(), &widths)?;
        }
        for row in &self.rows {
            self.write_row(out, row, &widths)?;
        }
        Ok(())
    }

    fn widths(&self, limit: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<usize> = self.columns.iter().map(|c| c.title.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        let Some(limit) = limit else { return widths };
        let gaps = GAP.len() * widths.len().saturating_sub(1) + self.indent;
        let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(limit);
        // The widest by weight gives way first.
        while excess > 0 {
            let flexible = self.columns.iter().enumerate().filter(|(_, column)| column.shrinks > 0);
            let Some((at, _)) = flexible
                .filter(|(at, _)| widths[*at] > MIN_FLEX)
                .max_by_key(|(at, column)| widths[*at] * column.shrinks)
            else {
                break;
            };
            widths[at] -= 1;
            excess -= 1;
        }
        widths
    }

    fn write_row(&self, out: &mut dyn Write, row: &[Cell], widths: &[usize]) -> io::Result<()> {
        let mut line = " ".repeat(self.indent);
        let last = row.len().saturating_sub(1);
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
            let text = cut(&cell.text, *width);
            let pad = " ".repeat(width - text.width());
            let is_plain = cell.style.is_plain() || text.is_empty();
            let painted = if is_plain { text.clone() } else { paint(cell.style, &text) };
            match self.columns[at].align {
                Align::Right => line.extend([pad, painted]),
                Align::Left if at == last => line.push_str(&painted),
                Align::Left => line.extend([painted, pad]),
            }
            if at != last {
                line.push_str(GAP);
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// The text, or as much of it as fits with `…` behind.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        let next = c.width().unwrap_or(0);
        if used + next > width.saturating_sub(1) {
            break;
        }
        kept.push(c);
        used += next;
    }
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(columns: Option<usize>) -> String {
        let mut table = Table::new(&[
            Column::left("ID"),
            Column::shrinking("TITLE", 1),
            Column::right("TURNS"),
            Column::left(""),
        ]);
        table.row(vec!["a".into(), "修正登录测试失败的问题".into(), "3".into(), "".into()]);
        table.row(vec!["bcd".into(), "short".into(), "12".into(), "fail".into()]);
        let mut out = Vec::new();
        table.write(&mut out, columns).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn wide_characters_stay_aligned() {
        insta::assert_snapshot!(render(None), @r"
        ID   TITLE                   TURNS
        a    修正登录测试失败的问题      3
        bcd  short                      12  fail
        ");
    }

    #[test]
    fn the_shrinking_column_gives_way() {
        insta::assert_snapshot!(render(Some(32)), @r"
        ID   TITLE           TURNS
        a    修正登录测试…       3
        bcd  short              12  fail
        ");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("日本語", 4), "日…");
    }
}
