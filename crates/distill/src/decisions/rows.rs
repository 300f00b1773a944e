//! The rows of a session: bounded in number, and every text of theirs in length.

use super::identity;
use backstory_model::{Decision, DecisionKind, DecisionOption, DecisionState, Timestamp};

/// Rows of a session; later questions are not kept.
const ROWS: usize = 500;
/// How many of them may be permissions, which some agents ask for all day.
const PERMISSIONS: usize = 200;
/// Options of a question.
pub(super) const OPTIONS: usize = 26;

/// Characters of a question.
pub(super) const QUESTION_MAX: usize = 2000;
const HEADER_MAX: usize = 80;
const LABEL_MAX: usize = 200;
const DESCRIPTION_MAX: usize = 500;
const FREE_MAX: usize = 1000;
const ID_MAX: usize = 64;

/// The rows so far, in the order they were asked.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Decision>,
}

impl Rows {
    /// Goes on with saved rows.
    pub(crate) fn resume(rows: Vec<Decision>) -> Self {
        Self { rows }
    }

    /// The rows, by place.
    pub(crate) fn finish(mut self) -> Vec<Decision> {
        self.rows.sort_by_key(|row| (row.seq, row.part));
        self.rows
    }

    /// How many questions and plans were put to the human.
    pub(crate) fn questions(&self) -> u32 {
        self.rows.iter().filter(|row| row.kind != DecisionKind::Permission).count() as u32
    }

    /// Adds a row, cut to its bounds; false if there are too many.
    pub(super) fn add(&mut self, mut row: Decision) -> bool {
        let permissions = self.rows.iter().filter(|row| row.kind == DecisionKind::Permission);
        let is_full = self.rows.len() >= ROWS
            || row.kind == DecisionKind::Permission && permissions.count() >= PERMISSIONS;
        if is_full || self.get(row.seq, row.part).is_some() {
            return false;
        }
        bound(&mut row);
        if row.question_id.is_empty() {
            row.question_id = identity::of(&row);
        }
        self.rows.push(row);
        true
    }

    /// The row of a place.
    pub(super) fn get(&mut self, seq: u32, part: u16) -> Option<&mut Decision> {
        // The latest are asked for most.
        self.rows.iter_mut().rev().find(|row| row.seq == seq && row.part == part)
    }

    /// Names a row anew, whose question came to be known with its answer.
    pub(super) fn name(&mut self, seq: u32, part: u16) {
        if let Some(row) = self.get(seq, part).filter(|row| row.question_id.is_empty()) {
            bound(row);
            row.question_id = identity::of(row);
        }
    }

    /// Takes back the rows of an event: nobody was asked after all.
    pub(super) fn withdraw(&mut self, seq: u32) {
        self.rows.retain(|row| row.seq != seq);
    }
}

/// Where and when a question was answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) seq: u32,
    pub(super) at: Option<Timestamp>,
}

/// Marks a row as settled by an event.
pub(super) fn settle(row: &mut Decision, state: DecisionState, moment: Moment) {
    row.state = state;
    row.answer_seq = Some(moment.seq);
    row.answered_at = moment.at;
    row.free_text = row.free_text.take().and_then(|words| free(&words));
}

/// Words of the human, within their bound.
pub(super) fn free(words: &str) -> Option<String> {
    Some(cut(words.trim(), FREE_MAX)).filter(|words| !words.is_empty())
}

fn bound(row: &mut Decision) {
    row.question = cut(row.question.trim(), QUESTION_MAX);
    row.header = cut(row.header.trim(), HEADER_MAX);
    row.skill = cut(row.skill.trim(), HEADER_MAX);
    row.question_id = cut(&row.question_id, ID_MAX);
    row.options.truncate(OPTIONS);
    row.options.iter_mut().for_each(bound_option);
    let last = row.options.len() as u16;
    row.recommended = row.recommended.filter(|at| *at < last);
    row.chosen.retain(|at| *at < last);
    row.free_text = row.free_text.take().and_then(|words| free(&words));
}

/// Cuts an option to its bounds.
pub(super) fn bound_option(option: &mut DecisionOption) {
    option.key = cut(&option.key, 8);
    option.label = cut(option.label.trim(), LABEL_MAX);
    option.description = cut(option.description.trim(), DESCRIPTION_MAX);
}

/// At most so many characters; what is cut off is marked.
fn cut(text: &str, max: usize) -> String {
    if text.char_indices().nth(max).is_none() {
        return text.to_owned();
    }
    let end = text.char_indices().nth(max - 1).map_or(0, |(at, _)| at);
    format!("{}…", text[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_their_texts_are_bounded() {
        let mut rows = Rows::default();
        let long = |n: usize| "ä".repeat(n);
        for seq in 0..700 {
            rows.add(Decision {
                seq,
                kind: if seq < 300 { DecisionKind::Permission } else { DecisionKind::Question },
                question: long(5000),
                options: vec![
                    DecisionOption {
                        key: long(40),
                        label: long(900),
                        description: long(900)
                    };
                    60
                ],
                recommended: Some(40),
                chosen: vec![3, 40],
                free_text: Some(long(5000)),
                ..Decision::default()
            });
        }
        assert_eq!(rows.questions(), 300);
        let rows = rows.finish();
        assert_eq!(rows.len(), 500);
        let row = &rows[0];
        let chars = |text: &str| text.chars().count();
        assert_eq!((chars(&row.question), row.options.len()), (2000, 26));
        assert_eq!((chars(&row.options[0].label), chars(&row.options[0].description)), (200, 500));
        assert_eq!(chars(row.free_text.as_deref().unwrap()), 1000);
        assert_eq!((row.recommended, row.chosen.as_slice()), (None, &[3][..]));
        assert_eq!(row.question_id.len(), "hook-".len() + 10);
    }
}
