//! What agents do between two sentences: run, read, change, search. Each agent writes it down in
//! its own way.

use super::family::Seedbed;
use super::secrets::{Position, json_in_json};

/// One action and what came of it.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A command.
    Run {
        /// The command line.
        command: String,
        /// What it printed.
        output: String,
        /// How it ended.
        exit_code: u64,
    },
    /// A file read.
    Read {
        /// Which one.
        path: String,
        /// The lines read; `None` when there is no such file.
        content: Option<String>,
    },
    /// A piece of a file replaced.
    Edit {
        /// Which file.
        path: String,
        /// The text before.
        old: String,
        /// The text after.
        new: String,
        /// The whole file before.
        original: String,
    },
    /// A file written.
    Write {
        /// Which one.
        path: String,
        /// Its content.
        content: String,
    },
    /// A search.
    Search {
        /// What for.
        pattern: String,
        /// The hits.
        output: String,
    },
}

/// Files are cut at about this size in what an agent sees.
const OUTPUT_LIMIT: usize = 30_000;

impl Seedbed<'_> {
    /// The next action; `file` is the log it will stand in.
    pub(crate) fn step(&mut self, file: &str) -> Step {
        if let Some(secret) = self.stash.take(Position::Path, file) {
            let path = format!("{}/config/{}.json", self.cwd, secret.secret);
            return Step::Read { path, content: None };
        }
        let median = if self.tiny { 120.0 } else { 1_100.0 };
        let size = self.writer.rng.size(median, 1.4, 20, OUTPUT_LIMIT);
        match self.writer.rng.below(100) {
            0..=46 => self.run(size, file),
            47..=66 => Step::Read { path: self.file(), content: Some(self.writer.code(size * 2)) },
            67..=82 => self.edit(size),
            83..=88 => {
                Step::Write { path: self.file(), content: self.writer.code((size * 2).min(16_000)) }
            }
            _ => Step::Search { pattern: self.writer.name(), output: self.writer.output(size) },
        }
    }

    fn run(&mut self, size: usize, file: &str) -> Step {
        let mut command = self.writer.command();
        let mut output = self.writer.output(size);
        if let Some(secret) = self.stash.take(Position::ToolInput, file) {
            command = format!("curl -H '{}' https://api.internal/v1 && {command}", secret.text);
        }
        if let Some(secret) = self.stash.take(Position::ToolOutput, file) {
            output = format!("{output}\n{}\n{output}", secret.text);
        }
        if let Some(secret) = self.stash.take(Position::JsonInJson, file) {
            output = format!("{}\n{output}", json_in_json(&secret));
        }
        if self.writer.rng.percent(4) {
            // Terminal colours, as many build tools print them.
            output = format!("\u{1b}[32m✓\u{1b}[0m {output}");
        }
        let exit_code = if self.writer.rng.percent(9) { self.writer.rng.range(1, 130) } else { 0 };
        Step::Run { command, output, exit_code }
    }

    fn edit(&mut self, size: usize) -> Step {
        let old = self.writer.code((size / 3).min(1_500));
        let new = self.writer.code((size / 2).min(2_500));
        let around = self.writer.code((size * 2).min(14_000));
        Step::Edit { path: self.file(), original: format!("{around}{old}"), old, new }
    }

    /// The text of a prompt, now and then with a secret in it. The second value is a secret whose
    /// characters shall be written as escapes.
    pub(crate) fn prompt(&mut self, file: &str) -> (String, Option<String>) {
        let mut text = self.writer.prompt();
        if let Some(secret) = self.stash.take(Position::Prompt, file) {
            text = format!("{text}\nuse this one: {}\n", secret.text);
        }
        if let Some(secret) = self.stash.take(Position::Escaped, file) {
            text = format!("{text} ({})", secret.text);
            return (text, Some(secret.secret));
        }
        (text, None)
    }

    /// A title, now and then with a secret in it.
    pub(crate) fn title(&mut self, file: &str) -> String {
        let title = self.writer.title();
        match self.stash.take(Position::Title, file) {
            Some(secret) => format!("{title} {}", secret.text),
            None => title,
        }
    }
}

/// The lines of a change in the form of a unified diff.
pub(crate) fn diff_lines(old: &str, new: &str) -> Vec<String> {
    let removed = old.lines().map(|line| format!("-{line}"));
    removed.chain(new.lines().map(|line| format!("+{line}"))).collect()
}
