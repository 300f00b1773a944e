//! Makes a query of its pieces.

use super::filter::FilterName;
use super::scan::{Piece, pieces};
use super::{Query, ReadMoment, Without, Word};

/// More is not read by anyone; text with that much to say about was pasted.
const MOST_HINTS: usize = 6;
/// A hint quotes no more of what was typed.
const QUOTED_CHARS: usize = 40;

/// What the piece before this one became: `OR` can only join words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// Nothing, or nothing that `OR` could join.
    Nothing,
    /// The last of `words`.
    Word,
    /// The last of `phrases`.
    Phrase,
    /// Words that were a phrase beside an `OR`.
    Loose,
    /// A value of this filter.
    Filter(FilterName),
}

struct Parser<'a> {
    query: Query,
    read_moment: ReadMoment<'a>,
    last: Last,
    /// `OR` was read and waits for what follows it.
    joins: bool,
    /// Names that are no filters are explained once.
    told_of_names: bool,
}

/// Understands a text; never fails.
pub(super) fn parse(text: &str, read_moment: ReadMoment<'_>) -> Query {
    let mut parser = Parser {
        query: Query::default(),
        read_moment,
        last: Last::Nothing,
        joins: false,
        told_of_names: false,
    };
    for piece in pieces(text) {
        parser.piece(&piece);
    }
    parser.finish(text)
}

impl Parser<'_> {
    fn piece(&mut self, piece: &Piece<'_>) {
        match *piece {
            Piece::Or => self.or(),
            Piece::Dash => {
                self.hint("a - by itself leaves nothing out; write it right before a word");
            }
            Piece::Unclosed(word) => {
                let word = short(word);
                self.hint(format!(
                    "the quote before {word} is never closed; its words are taken one by one"
                ));
            }
            Piece::UnclosedValue(text) => {
                let word = short(text);
                self.hint(format!(
                    "the quote in {word} is never closed; its words are taken one by one"
                ));
                self.word(text);
            }
            Piece::Phrase { words, is_negated } => self.phrase(words, is_negated),
            Piece::Word(text) => self.bare(text),
            Piece::Named { name, ref values, text } => self.named(name, values, text),
        }
    }

    fn finish(mut self, text: &str) -> Query {
        if self.joins {
            self.lone_or();
        }
        let filters = &self.query.filters;
        if let (Some(since), Some(until)) = (filters.since, filters.until)
            && since >= until
        {
            self.hint("since: is not before until: no moment lies between them");
        }
        if self.query.is_empty() && self.query.without.is_empty() && !text.trim().is_empty() {
            self.hint("there is no letter and no digit to look for");
        }
        self.query
    }

    fn or(&mut self) {
        if self.joins || self.last == Last::Nothing {
            self.lone_or();
        } else {
            self.joins = true;
        }
    }

    fn lone_or(&mut self) {
        self.joins = false;
        self.hint("OR joins the words on both its sides; here it is taken as a word");
        self.word("OR");
        self.last = Last::Nothing;
    }

    /// A word that may be negated.
    fn bare(&mut self, text: &str) {
        let Some(unwanted) = excluded(text) else { return self.word(text) };
        self.settle_or();
        let (unwanted, is_prefix) = without_star(unwanted);
        if is_prefix {
            let word = short(unwanted);
            self.hint(format!("-{word}* leaves out only the word {word}: a * is for wanted words"));
        }
        self.query.without.push(Without::Word(unwanted.to_owned()));
    }

    /// A wanted word.
    fn word(&mut self, text: &str) {
        let (text, is_prefix) = without_star(text);
        if !is_searchable(text) {
            return;
        }
        let joins = std::mem::take(&mut self.joins);
        match (joins, self.last) {
            (true, Last::Word) => {
                if let Some(word) = self.query.words.last_mut() {
                    word.alternatives.push((text.to_owned(), is_prefix));
                }
                return;
            }
            (true, Last::Phrase) => self.loosen_phrase(),
            (true, Last::Filter(_)) => self.hint_or_of_filters(),
            _ => {}
        }
        self.query.words.push(Word { text: text.to_owned(), is_prefix, alternatives: Vec::new() });
        self.last = Last::Word;
    }

    fn phrase(&mut self, words: &str, is_negated: bool) {
        if !is_searchable(words) {
            return;
        }
        if is_negated {
            self.settle_or();
            self.query.without.push(Without::Phrase(words.to_owned()));
            return;
        }
        let joins = std::mem::take(&mut self.joins);
        match (joins, self.last) {
            (true, Last::Filter(_)) => self.hint_or_of_filters(),
            (true, last) => {
                if last == Last::Phrase {
                    self.loosen_phrase();
                }
                self.loosen(words);
                return;
            }
            (false, _) => {}
        }
        self.query.phrases.push(words.to_owned());
        self.last = Last::Phrase;
    }

    /// The phrase before an `OR` becomes plain words.
    fn loosen_phrase(&mut self) {
        if let Some(words) = self.query.phrases.pop() {
            self.loosen(&words);
        }
    }

    fn loosen(&mut self, phrase: &str) {
        let quoted = short(phrase);
        self.hint(format!("OR joins single words; \"{quoted}\" is taken as plain words"));
        for word in phrase.split_whitespace() {
            self.last = Last::Nothing;
            self.word(word);
        }
        self.last = Last::Loose;
    }

    fn hint_or_of_filters(&mut self) {
        self.hint("OR joins single words; a filter must hold in any case");
    }

    /// `OR` stands before something it cannot join.
    fn settle_or(&mut self) {
        if self.joins {
            self.lone_or();
        }
        self.last = Last::Nothing;
    }

    fn named(&mut self, name: &str, values: &[&str], text: &str) {
        if let Some(name) = name.strip_prefix('-') {
            if FilterName::from_name(name).is_some() && !values.is_empty() {
                let filter = short(text);
                self.hint(format!(
                    "{filter}: filters cannot be negated; its words are taken as wanted"
                ));
                return self.word(&text[1..]);
            }
            return self.bare(text);
        }
        let Some(filter) = FilterName::from_name(name) else {
            self.hint_unknown(name, values);
            return self.words(text);
        };
        if values.is_empty() {
            self.hint(format!("{name}: needs its value right behind the colon; taken as a word"));
            return self.word(text);
        }
        if std::mem::take(&mut self.joins) && self.last != Last::Filter(filter) {
            self.hint_or_of_filters();
        }
        self.last = Last::Filter(filter);
        for value in values {
            if let Err(why) = filter.add(value, &mut self.query.filters, self.read_moment) {
                self.hint(format!("{}: {why} (taken as a word)", filter.name()));
                self.words(value);
                self.last = Last::Nothing;
            }
        }
    }

    fn words(&mut self, text: &str) {
        text.split_whitespace().for_each(|word| self.word(word));
    }

    /// Says that a name is no filter, unless the text is none that was meant as one: ports, times,
    /// addresses, keys with a blank behind them.
    fn hint_unknown(&mut self, name: &str, values: &[&str]) {
        let is_value = |value: &&str| value.starts_with(|c: char| c.is_alphanumeric());
        let meant = FilterName::meant(name);
        let is_word = |value: &&str| value.starts_with(char::is_alphabetic);
        let is_attempt = match meant {
            Some(_) => values.first().is_some_and(is_value),
            None => values.first().is_some_and(is_word) && !values.iter().any(|v| v.contains(':')),
        };
        if !is_attempt || std::mem::replace(&mut self.told_of_names, true) {
            return;
        }
        self.hint(if let Some(filter) = meant {
            format!("{name}: is no filter; did you mean {}:? (taken as words)", filter.name())
        } else {
            let all = FilterName::ALL.map(|filter| format!("{}:", filter.name())).join(" ");
            format!("{name}: is no filter, so these are words; filters are {all}")
        });
    }

    fn hint(&mut self, hint: impl Into<String>) {
        let hint = hint.into();
        let hints = &mut self.query.hints;
        if hints.len() < MOST_HINTS && !hints.contains(&hint) {
            hints.push(hint);
        }
    }
}

/// What a dash leaves out; `None` for the dashes of options, numbers, arrows and lists.
fn excluded(text: &str) -> Option<&str> {
    let word = text.strip_prefix('-')?;
    let first = word.chars().next()?;
    let is_word =
        first.is_alphabetic() || matches!(first, '_' | '.' | '/' | '~' | '@' | '#' | '\'');
    let is_option = word.len() == 1;
    (is_word && !is_option && is_searchable(word)).then_some(word)
}

/// The text without its star, and whether it had exactly one at its end.
fn without_star(text: &str) -> (&str, bool) {
    match text.strip_suffix('*') {
        Some(start) if !start.contains('*') && is_searchable(start) => (start, true),
        _ => (text, false),
    }
}

/// The index knows letters and digits only.
fn is_searchable(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

fn short(text: &str) -> String {
    let mut chars = text.chars();
    let mut start: String = chars.by_ref().take(QUOTED_CHARS).collect();
    if chars.next().is_some() {
        start.push('…');
    }
    start
}
