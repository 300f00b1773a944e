//! Text that looks like what people and agents write, filled in from the vocabulary.

use super::rng::Rng;
use super::templates::{CODE, COMMANDS, OUTPUT, PROMPTS, PROSE, THOUGHTS, TITLES};
use super::words::Words;

const NAMES: usize = 420;
const PATHS: usize = 72;

/// Writes the text of one project: its names and paths come back again and again.
#[derive(Clone, Debug)]
pub(crate) struct Writer<'a> {
    words: &'a Words,
    /// The random source; sessions draw their own numbers from it too.
    pub(crate) rng: Rng,
    shift: usize,
    snake: Vec<String>,
    camel: Vec<String>,
    types: Vec<String>,
    paths: Vec<String>,
    language: usize,
}

impl<'a> Writer<'a> {
    /// A writer for a project.
    pub(crate) fn new(words: &'a Words, project: u64, rng: Rng) -> Self {
        let mut names = Rng::new(project, 0x7072_6f6a);
        let language = names.below(CODE.len());
        let shift = names.below(400);
        let mut snake = Vec::with_capacity(NAMES);
        let mut camel = Vec::with_capacity(NAMES);
        let mut types = Vec::with_capacity(NAMES);
        for _ in 0..NAMES {
            let parts = match names.below(10) {
                0..=2 => vec![Words::plain_noun(&mut names)],
                3..=7 => vec![Words::plain_verb(&mut names), Words::plain_noun(&mut names)],
                _ => vec![
                    Words::plain_verb(&mut names),
                    Words::plain_noun(&mut names),
                    Words::plain_noun(&mut names),
                ],
            };
            snake.push(parts.join("_"));
            let capital: String = parts.iter().map(|part| capitalised(part)).collect();
            camel.push(format!("{}{}", parts[0], &capital[parts[0].len()..]));
            types.push(capital);
        }
        let ending = ["rs", "py", "ts", "go"][language];
        let paths = (0..PATHS)
            .map(|_| {
                let folder = ["src", "tests", "internal", "lib"][names.below(4)];
                let area = Words::plain_noun(&mut names);
                let name = &snake[names.below(NAMES)];
                format!("{folder}/{area}/{name}.{ending}")
            })
            .collect();
        Self { words, rng, shift, snake, camel, types, paths, language }
    }

    fn skewed(&mut self, length: usize) -> usize {
        // The square of an even number favours the front of the list.
        let even = self.rng.next() >> 33;
        (((even * even) >> 31) as usize * length) >> 31
    }

    /// A path below the project.
    pub(crate) fn path(&mut self) -> String {
        let at = self.skewed(PATHS);
        self.paths[at].clone()
    }

    /// A name in snake case.
    pub(crate) fn name(&mut self) -> String {
        let at = self.skewed(NAMES);
        self.snake[at].clone()
    }

    fn few_words(&mut self, out: &mut String) {
        for at in 0..=self.rng.range(2, 6) {
            if at > 0 {
                out.push(' ');
            }
            match self.rng.below(5) {
                0 => out.push_str(self.words.adjective(&mut self.rng)),
                1 => out.push_str(self.words.verb_form(&mut self.rng)),
                _ => out.push_str(self.words.noun(&mut self.rng, self.shift)),
            }
        }
    }

    fn number(&mut self, out: &mut String, limit: u64) {
        use std::fmt::Write as _;
        let value = self.rng.range(1, limit);
        // Writing to a String cannot fail.
        let _ = write!(out, "{value}");
    }

    fn slot(&mut self, kind: u8, out: &mut String) {
        match kind {
            b'n' => out.push_str(self.words.noun(&mut self.rng, self.shift)),
            b'a' => out.push_str(self.words.adjective(&mut self.rng)),
            b'v' => out.push_str(self.words.verb(&mut self.rng)),
            b'V' => out.push_str(self.words.verb_form(&mut self.rng)),
            b'i' => {
                let at = self.skewed(NAMES);
                out.push_str(&self.snake[at]);
            }
            b'c' => {
                let at = self.skewed(NAMES);
                out.push_str(&self.camel[at]);
            }
            b'T' => {
                let at = self.skewed(NAMES);
                out.push_str(&self.types[at]);
            }
            b'p' => {
                let at = self.skewed(PATHS);
                out.push_str(&self.paths[at]);
            }
            b'd' => self.number(out, 100),
            b'D' => self.number(out, 100_000),
            b'h' => self.rng.hex_into(out, 8),
            b'H' => self.rng.hex_into(out, 32),
            b's' => self.few_words(out),
            b't' => {
                let seconds = self.rng.below(86_400);
                for (at, part) in
                    [seconds / 3_600, seconds / 60 % 60, seconds % 60].iter().enumerate()
                {
                    out.push_str(if at == 0 { "" } else { ":" });
                    out.push(char::from(b'0' + (part / 10) as u8));
                    out.push(char::from(b'0' + (part % 10) as u8));
                }
            }
            _ => out.push('%'),
        }
    }

    /// Fills the slots of a pattern.
    pub(crate) fn fill(&mut self, pattern: &str, out: &mut String) {
        let mut rest = pattern;
        while let Some(at) = memchr::memchr(b'%', rest.as_bytes()) {
            out.push_str(&rest[..at]);
            let kind = rest.as_bytes().get(at + 1).copied().unwrap_or(b'%');
            self.slot(kind, out);
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        out.push_str(rest);
    }

    fn one_of(&mut self, patterns: &[&str]) -> String {
        let mut out = String::new();
        let pattern = self.rng.pick(patterns);
        self.fill(pattern, &mut out);
        out
    }

    /// An answer of about `bytes`: paragraphs, now and then a list or a code block.
    pub(crate) fn prose(&mut self, bytes: usize) -> String {
        let mut out = String::with_capacity(bytes + 160);
        loop {
            let pattern = self.rng.pick(PROSE);
            self.fill(pattern, &mut out);
            if out.len() >= bytes {
                return out;
            }
            match self.rng.below(12) {
                0 => out.push_str("\n\n"),
                1 => out.push_str("\n\n- "),
                2 => {
                    out.push_str("\n\n```\n");
                    self.code_into(300, &mut out);
                    out.push_str("```\n\n");
                }
                3 => out.push_str("\n\n## "),
                _ => out.push(' '),
            }
        }
    }

    /// Thoughts of about `bytes`.
    pub(crate) fn thoughts(&mut self, bytes: usize) -> String {
        let mut out = String::with_capacity(bytes + 160);
        while out.len() < bytes {
            let pattern = self.rng.pick(THOUGHTS);
            self.fill(pattern, &mut out);
            out.push_str(if self.rng.percent(20) { "\n\n" } else { " " });
        }
        out
    }

    /// What a person asks; sometimes with pasted output.
    pub(crate) fn prompt(&mut self) -> String {
        let mut out = self.one_of(PROMPTS);
        if self.rng.percent(12) {
            let size = self.rng.size(900.0, 1.0, 200, 8_000);
            out.push_str("\n\n");
            out.push_str(&self.output(size));
        }
        if self.rng.percent(6) {
            out.push_str(" – ¿por qué? 日本語のテスト 🚀");
        }
        out
    }

    /// A title.
    pub(crate) fn title(&mut self) -> String {
        self.one_of(TITLES)
    }

    /// A shell command.
    pub(crate) fn command(&mut self) -> String {
        self.one_of(COMMANDS)
    }

    fn code_into(&mut self, bytes: usize, out: &mut String) {
        let end = out.len() + bytes;
        while out.len() < end {
            let pattern = self.rng.pick(CODE[self.language]);
            self.fill(pattern, out);
        }
    }

    /// Source code of about `bytes`.
    pub(crate) fn code(&mut self, bytes: usize) -> String {
        let mut out = String::with_capacity(bytes + 400);
        self.code_into(bytes, &mut out);
        out
    }

    /// Command output of about `bytes`, of one kind as a command gives it.
    pub(crate) fn output(&mut self, bytes: usize) -> String {
        let mut out = String::with_capacity(bytes + 200);
        let patterns = self.rng.pick(OUTPUT);
        while out.len() < bytes {
            let pattern = self.rng.pick(patterns);
            self.fill(pattern, &mut out);
        }
        out
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_open_slots_and_the_wanted_size() {
        let words = Words::new();
        let mut writer = Writer::new(&words, 3, Rng::new(1, 1));
        for _ in 0..40 {
            let all = [
                writer.prose(2_000),
                writer.thoughts(500),
                writer.prompt(),
                writer.command(),
                writer.code(3_000),
                writer.output(2_000),
            ];
            for text in &all {
                assert!(!text.contains("%n") && !text.contains("%i"), "{text}");
            }
            assert!((2_000..2_700).contains(&all[0].len()), "{}", all[0].len());
        }
    }

    #[test]
    fn same_seed_same_text() {
        let words = Words::new();
        let text = |seed| Writer::new(&words, 3, Rng::new(seed, 0)).code(500);
        assert_eq!(text(5), text(5));
        assert_ne!(text(5), text(6));
    }
}
