//! Has this error been seen before? The same one first, then those that read alike.

use crate::fingerprint::{error_line, fingerprint, normalized, similarity};
use crate::patterns::Pattern;
use std::collections::HashSet;

/// Below this, two messages have only their grammar in common.
const MIN_SIMILARITY: f32 = 0.5;
/// Similar messages told at most.
const MAX_SIMILAR: usize = 5;

/// A pattern that fits a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// What is known of it.
    pub pattern: Pattern,
    /// True if it is the same error; otherwise it only reads alike.
    pub is_same: bool,
    /// From 0 to 1.
    pub similarity: f32,
}

/// Finds what is known of an error message, which may be a whole output around it. The same error
/// comes first, then similar ones, the most similar first; among equals those with a known fix.
pub fn lookup(message: &str, patterns: &[Pattern]) -> Vec<Match> {
    // What a person types need not look like an error.
    let first = || message.lines().map(str::trim).find(|line| !line.is_empty());
    let Some(line) = error_line(message).or_else(first) else { return Vec::new() };
    let (print, words) = (fingerprint(line), normalized(line));
    let (mut same, mut similar): (Vec<Match>, Vec<Match>) = (Vec::new(), Vec::new());
    let mut told = HashSet::new();
    // The same words may be known as several kinds of trouble: one is told, best with its cure.
    let (cured, others): (Vec<_>, Vec<_>) =
        patterns.iter().partition(|pattern| pattern.fix.is_some());
    for pattern in cured.into_iter().chain(others) {
        let known = normalized(&pattern.what);
        let is_same = pattern.fingerprint == print || known == words;
        let similarity = if is_same { 1.0 } else { similarity(&words, &known) };
        if similarity < MIN_SIMILARITY || !told.insert(known) {
            continue;
        }
        let list = if is_same { &mut same } else { &mut similar };
        list.push(Match { pattern: pattern.clone(), is_same, similarity });
    }
    similar.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    similar.truncate(MAX_SIMILAR);
    same.extend(similar);
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::Trend;
    use backstory_model::SignalKind;

    fn pattern(what: &str, fingerprint: u64) -> Pattern {
        Pattern {
            kind: SignalKind::Error,
            fingerprint,
            what: what.into(),
            count: 1,
            sessions: 1,
            first: None,
            last: None,
            repos: Vec::new(),
            agents: Vec::new(),
            trend: Trend::New,
            tokens: 0,
            fix: None,
            evidence: Vec::new(),
        }
    }

    fn found(message: &str, known: &[Pattern]) -> Vec<(String, bool)> {
        let matches = lookup(message, known).into_iter();
        matches.map(|found| (found.pattern.what, found.is_same)).collect()
    }

    #[test]
    fn the_same_error_comes_before_those_that_read_alike() {
        let known = [
            pattern("error: no such column: teas", 1),
            pattern("error: no such table: teas", 2),
            pattern("the disk is full", 3),
        ];
        assert_eq!(
            found("error: no such  table: TEAS", &known),
            [("error: no such table: teas".into(), true), (known[0].what.clone(), false)]
        );
        assert_eq!(found("something else entirely", &known), []);
    }

    #[test]
    fn a_fingerprint_fits_whatever_the_words() {
        let known = [pattern("worded otherwise", fingerprint("error: no such table: teas"))];
        assert_eq!(found("error: no such table: teas", &known).len(), 1);
    }

    #[test]
    fn the_telling_line_of_an_output_is_looked_up() {
        let known = [pattern("error: no such table: teas", 2)];
        let output = "running 3 migrations\n  error: no such table: teas\nexit 1\n";
        assert_eq!(found(output, &known), [(known[0].what.clone(), true)]);
        assert_eq!(found(" \n", &known), []);
    }
}
