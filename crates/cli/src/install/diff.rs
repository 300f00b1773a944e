//! What changes in a file, as lines taken out and lines put in.

/// Lines shown around a change.
const AROUND: usize = 2;

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Some lines in between are the same; the next is this one, from 1.
    Gap(usize),
    /// It stays.
    Same(String),
    /// It goes.
    Removed(String),
    /// It comes.
    Added(String),
}

/// The difference of two texts; empty if there is none.
pub(crate) fn of(before: &str, after: &str) -> Vec<Line> {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(before), lines(after));
    let steps = steps(&old, &new);
    let is_near = |at: usize| {
        let near = at.saturating_sub(AROUND)..(at + AROUND + 1).min(steps.len());
        steps[near].iter().any(|step| !matches!(step, Step::Same(_)))
    };
    let mut shown = Vec::new();
    let mut number = 1;
    let mut is_gap = true;
    for (at, step) in steps.iter().enumerate() {
        if is_near(at) {
            if is_gap {
                shown.push(Line::Gap(number));
            }
            shown.push(match step {
                Step::Same(line) => Line::Same(clean(line)),
                Step::Removed(line) => Line::Removed(clean(line)),
                Step::Added(line) => Line::Added(clean(line)),
            });
        }
        is_gap = !is_near(at);
        number += usize::from(!matches!(step, Step::Added(_)));
    }
    shown
}

/// With what ends them, so that another end is another line.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn clean(line: &str) -> String {
    crate::untrusted::plain(line.trim_end_matches(['\r', '\n'])).into_owned()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// The shortest way from one list of lines to the other (Myers): its cost grows with the difference,
/// not with the file.
fn steps<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Step<'a>> {
    let most = old.len() + new.len();
    // How far along the old lines one gets on each diagonal, after each number of changes.
    let mut furthest = vec![0_usize; 2 * most + 3];
    let mut trail: Vec<Vec<usize>> = Vec::new();
    let middle = most + 1;
    'found: for changes in 0..=most {
        // Only what later steps look at again.
        trail.push(furthest[middle - changes - 1..=middle + changes + 1].to_vec());
        for turn in (0..=2 * changes).step_by(2) {
            // Diagonals -changes, -changes + 2, …, +changes, moved to be counted from 0.
            let at = middle + turn - changes;
            let down = turn == 0 || (turn != 2 * changes && furthest[at - 1] < furthest[at + 1]);
            let mut x = if down { furthest[at + 1] } else { furthest[at - 1] + 1 };
            let mut y = x + middle - at;
            while x < old.len() && y < new.len() && old[x] == new[y] {
                (x, y) = (x + 1, y + 1);
            }
            furthest[at] = x;
            if x >= old.len() && y >= new.len() {
                break 'found;
            }
        }
    }
    back(old, new, &trail)
}

/// Walks back from the end along the way that was found.
fn back<'a>(old: &[&'a str], new: &[&'a str], trail: &[Vec<usize>]) -> Vec<Step<'a>> {
    let (mut x, mut y) = (old.len() as isize, new.len() as isize);
    let mut steps = Vec::new();
    for (changes, furthest) in trail.iter().enumerate().rev() {
        let changes = changes as isize;
        let reached = |diagonal: isize| furthest[(diagonal + changes + 1) as usize] as isize;
        let diagonal = x - y;
        let down = diagonal == -changes
            || (diagonal != changes && reached(diagonal - 1) < reached(diagonal + 1));
        let before = if down { diagonal + 1 } else { diagonal - 1 };
        let start = if changes == 0 { 0 } else { reached(before) };
        let start_y = start - before;
        while x > start && y > start_y && x > 0 && y > 0 {
            (x, y) = (x - 1, y - 1);
            steps.push(Step::Same(old[x as usize]));
        }
        if changes > 0 {
            if down {
                y -= 1;
                steps.push(Step::Added(new[y as usize]));
            } else {
                x -= 1;
                steps.push(Step::Removed(old[x as usize]));
            }
        }
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(before: &str, after: &str) -> String {
        let line = |line: &Line| match line {
            Line::Gap(at) => format!("@{at}\n"),
            Line::Same(line) => format!(" {line}\n"),
            Line::Removed(line) => format!("-{line}\n"),
            Line::Added(line) => format!("+{line}\n"),
        };
        of(before, after).iter().map(line).collect()
    }

    #[test]
    fn only_what_changes_is_shown_with_its_neighbours() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        assert_eq!(shown(before, before), "");
        insta::assert_snapshot!(shown(before, "a\nb\nC\nd\ne\nf\ng\nh\ni\n"), @r"
        @1
         a
         b
        -c
        +C
         d
         e
        @7
         g
         h
        +i
        ");
        assert_eq!(shown("", "x\n"), "@1\n+x\n");
        assert_eq!(shown("x", ""), "@1\n-x\n");
        assert_eq!(shown("x\r\n", "x\n"), "@1\n-x\n+x\n");
    }

    proptest! {
        #[test]
        fn the_steps_lead_from_one_text_to_the_other(
            old in proptest::collection::vec("[abc]", 0..12),
            new in proptest::collection::vec("[abc]", 0..12),
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let steps = steps(&old, &new);
            let kept = |wanted: fn(&Step<'_>) -> bool| -> Vec<&str> {
                let line = |step: &Step<'_>| match *step {
                    Step::Same(line) | Step::Removed(line) | Step::Added(line) => line.to_owned(),
                };
                let lines: Vec<String> = steps.iter().filter(|step| wanted(step)).map(line).collect();
                lines.into_iter().map(|line| old.iter().chain(&new).find(|known| **known == line).copied().unwrap()).collect()
            };
            prop_assert_eq!(kept(|step| !matches!(step, Step::Added(_))), old.clone());
            prop_assert_eq!(kept(|step| !matches!(step, Step::Removed(_))), new.clone());
        }
    }
}
