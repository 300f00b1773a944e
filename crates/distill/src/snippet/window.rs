//! Chooses the part of a line that shows most of what is wanted.

use super::wanted::Hit;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// In less room than this dots would take the place of words.
pub(super) const MIN_CHARS: usize = 4;
/// Meeting the same want once more is worth this share of the first time.
const AGAIN: f32 = 0.1;
/// A word met as it was typed is worth more than another form of it.
const OTHER_FORM: f32 = 0.8;
/// What adds up to nearly the same is the same.
const SAME: f32 = 1e-4;
/// Characters before the first hit, where there is something to cut.
const LEAD: usize = 32;
/// A cut is moved so far to fall between words.
const REACH: usize = 16;
/// Marks piled on one letter; more are mischief.
const MOST_MARKS: usize = 16;

/// The bytes of the line to show in at most so many characters, dots at cut ends included.
pub(super) fn densest(line: &str, hits: &[Hit], max_chars: usize) -> Range<usize> {
    if line.len() <= max_chars || line.chars().nth(max_chars).is_none() {
        return 0..line.len();
    }
    let room = if max_chars < MIN_CHARS { max_chars } else { max_chars - 2 };
    let Some((first, last)) = best_run(line, hits, room) else {
        return 0..end_of(line, 0, 0, room);
    };
    let (from, to) = (hits[first].start, hits[first..=last].iter().map(|hit| hit.end).max());
    let to = to.unwrap_or(from);
    let slack = room.saturating_sub(line[from..to].chars().count());
    let start = start_of(line, from, LEAD.min(slack / 2));
    let end = end_of(line, start, to, room);
    // Near the end of the line there is room left for what stands before.
    let left = room.saturating_sub(line[start..end].chars().count());
    if end == line.len() && left > 0 { start_of(line, start, left)..end } else { start..end }
}

/// The first and the last of the hits that are worth most together and fit.
fn best_run(line: &str, hits: &[Hit], room: usize) -> Option<(usize, usize)> {
    let mut places = Vec::with_capacity(hits.len());
    let (mut chars, mut at) = (0, 0);
    for hit in hits {
        chars += line[at..hit.start].chars().count();
        at = hit.start;
        places.push((chars, chars + line[hit.start..hit.end].chars().count()));
    }
    let mut best: Option<(f32, usize, usize)> = None;
    let mut run = Run::new(hits);
    let mut behind = 0;
    for first in 0..hits.len() {
        let begin = places[first].0;
        while behind < hits.len() && (behind == first || places[behind].1 - begin <= room) {
            run.take_in(&hits[behind]);
            behind += 1;
        }
        if best.is_none_or(|(most, _, _)| run.worth > most + SAME) {
            best = Some((run.worth, first, behind - 1));
        }
        run.let_go(&hits[first]);
    }
    best.map(|(_, first, last)| (first, last))
}

/// Hits that follow each other, and what they are worth together.
struct Run {
    /// For every want: how often it is met as it was typed, and in another form.
    met: Vec<(u16, u16)>,
    worth: f32,
}

impl Run {
    fn new(hits: &[Hit]) -> Self {
        let wants = hits.iter().map(|hit| hit.want + 1).max().unwrap_or(0);
        Self { met: vec![(0, 0); wants], worth: 0.0 }
    }

    fn take_in(&mut self, hit: &Hit) {
        self.change(hit, |count| count + 1);
    }

    fn let_go(&mut self, hit: &Hit) {
        self.change(hit, |count| count - 1);
    }

    fn change(&mut self, hit: &Hit, change: impl Fn(u16) -> u16) {
        let (typed, other) = &mut self.met[hit.want];
        let before = worth(*typed, *other);
        let count = if hit.is_other_form { other } else { typed };
        *count = change(*count);
        let (typed, other) = self.met[hit.want];
        self.worth += hit.weight * (worth(typed, other) - before);
    }
}

/// What meeting one want so often is worth.
fn worth(typed: u16, other: u16) -> f32 {
    let first = match (typed, other) {
        (0, 0) => return 0.0,
        (0, _) => OTHER_FORM,
        _ => 1.0,
    };
    first + AGAIN * (f32::from(typed) + OTHER_FORM * f32::from(other) - first)
}

/// Where to begin so that at most `lead` characters stand before `from`, between words if possible.
fn start_of(line: &str, from: usize, lead: usize) -> usize {
    let Some((start, _)) = line[..from].char_indices().rev().take(lead).last() else { return from };
    if start == 0 || line[..start].ends_with(' ') {
        return start;
    }
    let near = line[start..from].char_indices().take(REACH).find(|(_, c)| *c == ' ');
    match near {
        Some((blank, _)) => start + blank + 1,
        None => whole_char(line, start, from),
    }
}

/// Where to end so that at most `room` characters are shown and all up to `to`, between words if
/// possible.
fn end_of(line: &str, start: usize, to: usize, room: usize) -> usize {
    let Some((end, next)) = line[start..].char_indices().nth(room) else { return line.len() };
    let end = start + end;
    if next == ' ' {
        return end;
    }
    let shown = &line[start.max(to).min(end)..end];
    let near = shown.char_indices().rev().take(REACH).find(|(_, c)| *c == ' ');
    match near {
        Some((blank, _)) => end - shown.len() + blank,
        None => whole_char(line, end, start).min(end),
    }
}

/// A place near `at`, not beyond `bound`, that does not part a letter from its marks or an emoji
/// from its kind.
fn whole_char(line: &str, at: usize, bound: usize) -> usize {
    let mut place = at;
    for _ in 0..MOST_MARKS {
        let joined = line[place..].starts_with(joins_before) || line[..place].ends_with('\u{200d}');
        if !joined {
            return place;
        }
        let step = if bound > at {
            line[place..].chars().next().map(|c| place + c.len_utf8())
        } else {
            line[..place].chars().next_back().map(|c| place - c.len_utf8())
        };
        match step {
            Some(next) if next.abs_diff(at) <= bound.abs_diff(at) => place = next,
            _ => return at,
        }
    }
    at
}

fn joins_before(c: char) -> bool {
    is_combining_mark(c)
        || matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}
