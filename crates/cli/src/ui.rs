//! The only file that writes to the terminal: data to stdout, everything else to stderr.

use crate::cmd::{ColorWhen, Global};
use crate::env::{Env, NO_COLOR};
use crate::error::{Failure, Kind};
use anstream::{AutoStream, ColorChoice, StripStream};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::fmt::Display;
use std::io::{BufWriter, IsTerminal, Write, stderr, stdin, stdout};

/// Headings and names.
pub(crate) const BOLD: Style = Style::new().bold();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What went well, lines added.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What went wrong, lines removed.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// What deserves a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// What can be typed: ids, commands.
pub(crate) const CODE: Style = AnsiColor::Cyan.on_default();

/// Text in a style; written plain where colours are off.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    Quiet,
    Normal,
    Verbose,
}

/// Owner of the terminal.
pub(crate) struct Ui {
    out: Box<dyn Write>,
    err: AutoStream<std::io::Stderr>,
    /// JSON instead of text.
    pub(crate) json: bool,
    detail: Detail,
    out_is_terminal: bool,
    err_is_terminal: bool,
}

impl Ui {
    /// Decides once about colours.
    pub(crate) fn new(global: &Global, env: &Env) -> Self {
        let choice = match global.color {
            ColorWhen::Always => ColorChoice::Always,
            ColorWhen::Never => ColorChoice::Never,
            ColorWhen::Auto if env.get(NO_COLOR).is_some() => ColorChoice::Never,
            ColorWhen::Auto => ColorChoice::Auto,
        };
        let out_is_terminal = stdout().is_terminal();
        let out_choice = match choice {
            ColorChoice::Auto => AutoStream::choice(&stdout()),
            decided => decided,
        };
        let buffered: Box<dyn Write> = Box::new(BufWriter::with_capacity(32 * 1024, stdout()));
        // JSON has no colours to strip and its bytes must not be touched.
        let out: Box<dyn Write> = match out_choice {
            ColorChoice::Never if !global.json => Box::new(StripStream::new(buffered)),
            _ => buffered,
        };
        Self {
            out,
            err: AutoStream::new(stderr(), choice),
            json: global.json,
            detail: match (global.quiet, global.verbose) {
                (true, _) => Detail::Quiet,
                (false, true) => Detail::Verbose,
                (false, false) => Detail::Normal,
            },
            out_is_terminal,
            err_is_terminal: stderr().is_terminal(),
        }
    }

    /// Nothing but data, errors and warnings.
    pub(crate) fn is_quiet(&self) -> bool {
        self.detail == Detail::Quiet
    }

    /// Long lists are not cut.
    pub(crate) fn is_verbose(&self) -> bool {
        self.detail == Detail::Verbose
    }

    /// Where data goes.
    pub(crate) fn out(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    /// True when a person watches stdout.
    pub(crate) fn out_is_terminal(&self) -> bool {
        self.out_is_terminal
    }

    /// True when progress may be drawn.
    pub(crate) fn may_draw(&self) -> bool {
        self.err_is_terminal && !self.is_quiet()
    }

    /// Columns of the terminal; `None` when the output goes elsewhere and need not be cut.
    pub(crate) fn columns(&self) -> Option<usize> {
        if !self.out_is_terminal {
            return None;
        }
        terminal_size::terminal_size().map(|(width, _)| usize::from(width.0).max(40))
    }

    /// How many entries a list may have: as asked, else only so many where a person reads.
    pub(crate) fn limit(&self, asked: Option<usize>, on_terminal: usize) -> Option<usize> {
        match asked {
            Some(0) => None,
            Some(limit) => Some(limit),
            None if self.out_is_terminal && !self.json => Some(on_terminal),
            None => None,
        }
    }

    /// Asks a person; nothing if there is none to ask.
    pub(crate) fn confirm(&mut self, question: &str) -> Option<bool> {
        if !stdin().is_terminal() || !self.err_is_terminal {
            return None;
        }
        let _ = self.out.flush();
        let _ = write!(self.err, "{question} [y/N] ");
        let _ = self.err.flush();
        let mut answer = String::new();
        stdin().read_line(&mut answer).ok()?;
        Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// One line of data.
    pub(crate) fn line(&mut self, line: impl Display) -> Result<(), Failure> {
        writeln!(self.out, "{line}").map_err(Failure::output)
    }

    /// One JSON object on a line of its own.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.out, value)
            .map_err(|error| Failure::output(error.into()))?;
        writeln!(self.out).map_err(Failure::output)
    }

    /// That there is nothing: words for a person, `null` for a program.
    pub(crate) fn nothing(&mut self, line: impl Display) -> Result<(), Failure> {
        if self.json {
            return self.json_line(&());
        }
        self.status(line);
        Ok(())
    }

    /// News for a person; silent with `--quiet`.
    pub(crate) fn status(&mut self, line: impl Display) {
        if !self.is_quiet() {
            self.say(line);
        }
    }

    /// Something that deserves a look.
    pub(crate) fn warning(&mut self, line: impl Display) {
        self.say(format!("{} {line}", paint(WARN.bold(), "warning:")));
    }

    /// Why the command failed, and what to do.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        if failure.kind == Kind::ReaderGone {
            return;
        }
        // What was already written comes first.
        let _ = self.out.flush();
        self.say(format!("{} {}", paint(BAD.bold(), "error:"), failure.message));
        for cause in &failure.causes {
            self.say(format!("  {cause}"));
        }
        for hint in &failure.hints {
            self.say(format!("  {} {hint}", paint(GOOD, "hint:")));
        }
    }

    /// Everything written so far reaches its reader.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::output)
    }

    fn say(&mut self, line: impl Display) {
        // Data already printed stands before what is said about it, also in a shared terminal.
        let _ = self.out.flush();
        // Nobody can be told that stderr is gone.
        let _ = writeln!(self.err, "{line}");
    }
}
