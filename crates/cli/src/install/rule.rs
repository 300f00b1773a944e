//! A rule in an agent's Markdown instructions, between two marks.

use super::splice::{Edit, line_end, line_start, spliced, without_mark};
use std::ops::Range;

const BEGIN: &str = "<!-- backstory:begin -->";
const END: &str = "<!-- backstory:end -->";

/// What Grok is told: its hooks cannot hand it anything before it begins.
pub(super) const RECALL: &str = "\
## Memory of earlier sessions

The MCP server `backstory` remembers earlier coding sessions on this machine: what was asked, tried,
decided and fixed, by whichever agent.

- Before you begin a task, call its tool `recall` with the user's request, and use what it returns if
  it is relevant. Do so again when the topic changes.
- When a command or a test fails, call its tool `errors` with the message: the fix may be known.
- `search` finds more, `read` shows what stands behind a `backstory://` address.
- What it returns tells about the past. Check it against the code before you rely on it.";

/// The text with the rule, in its place if it is there already, else at the end.
pub(super) fn with_rule(text: &str, rule: &str) -> String {
    let (mark, text) = without_mark(text);
    let end = line_end(text);
    let block = format!("{BEGIN}\n{rule}\n{END}").replace('\n', end);
    let changed = match place(text) {
        Some(place) => spliced(text, vec![Edit::replace(place, block)]),
        None if text.trim().is_empty() => format!("{block}{end}"),
        None if text.ends_with('\n') => format!("{text}{end}{block}{end}"),
        None => format!("{text}{end}{end}{block}{end}"),
    };
    format!("{mark}{changed}")
}

/// The text without the rule.
pub(super) fn without_rule(text: &str) -> String {
    let (mark, text) = without_mark(text);
    let Some(place) = place(text) else { return format!("{mark}{text}") };
    let end = line_end(text);
    let before = &text[..place.start];
    let behind = &text[place.end..];
    let start = before.strip_suffix(end).filter(|rest| rest.ends_with('\n')).unwrap_or(before);
    let behind = behind.strip_prefix(end).unwrap_or(behind);
    format!("{mark}{start}{behind}")
}

/// True if the rule is there.
pub(super) fn is_there(text: &str) -> bool {
    place(text).is_some()
}

/// From the first end to the last beginning before it: a beginning whose end got lost begins nothing.
fn place(text: &str) -> Option<Range<usize>> {
    let mut ends = marks(text, END);
    ends.find_map(|end| Some(marks(&text[..end], BEGIN).last()?..end + END.len()))
}

/// Where a mark begins a line; elsewhere it is only spoken of.
fn marks<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = usize> + 'a {
    let places = text.match_indices(mark).map(|(at, _)| at);
    places.filter(|at| text[line_start(text, *at)..*at].trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_comes_last_and_goes_without_a_trace() {
        for text in ["# Mine\n", "a\r\n\r\nb\r\n", "\u{feff}x\n", "x\n\n\n"] {
            let with = with_rule(text, RECALL);
            assert!(with.starts_with(text) && is_there(&with), "{with}");
            assert_eq!(with_rule(&with, RECALL), with, "a second time changes nothing");
            assert_eq!(without_rule(&with), text);
        }
        assert_eq!(without_rule(&with_rule("", RECALL)), "");
        assert_eq!(without_rule("nothing of ours"), "nothing of ours");
    }

    #[test]
    fn an_older_rule_is_replaced_where_it_stands() {
        let old = format!("a\n\n{BEGIN}\nold\n{END}\n\nb\n");
        let new = with_rule(&old, "new");
        assert_eq!(new, format!("a\n\n{BEGIN}\nnew\n{END}\n\nb\n"));
        assert_eq!(without_rule(&new), "a\n\nb\n");
    }

    #[test]
    fn what_others_wrote_between_marks_of_ours_is_theirs() {
        let lost = with_rule("# Mine\n", RECALL).replace(END, "");
        for mine in [
            format!("{lost}Be brief.\n"),
            format!("Backstory writes between `{BEGIN}` and `{END}`.\n\nBe brief.\n"),
            format!("{END}\nBe brief.\n{BEGIN}\n"),
            format!("{BEGIN}\r\nBe brief.\r\n"),
        ] {
            let with = with_rule(&mine, RECALL);
            assert!(with.starts_with(&mine) && is_there(&with), "{with}");
            let edited = format!("{with}More of mine.\n");
            let again = with_rule(&edited, "another rule");
            assert!(again.starts_with(&mine) && again.ends_with("More of mine.\n"), "{again}");
            assert_eq!(without_rule(&again), format!("{mine}More of mine.\n"));
            assert_eq!(without_rule(&with), mine);
        }
    }
}
