//! What names a question: its marker, else a hash of who asked, what, and which answers it offered.

use backstory_model::DecisionOption;
use sha1::{Digest, Sha1};
use std::fmt::Write;

/// Hex digits of the hash.
const DIGITS: usize = 10;

/// `hook-` and the beginning of a hash; the order of the options does not matter.
pub(super) fn of(skill: &str, question: &str, options: &[DecisionOption]) -> String {
    let mut labels: Vec<&str> = options.iter().map(|option| option.label.as_str()).collect();
    labels.sort_unstable();
    let hash = Sha1::digest(format!("{skill}::{question}::{}", labels.join("|")));
    let mut id = String::from("hook-");
    for byte in hash.iter().take(DIGITS / 2) {
        // Writing to a String cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

/// The id in the first marker of a text, and the text without any marker.
pub(super) fn marked(text: &str, marker: &str) -> (Option<String>, String) {
    let open = format!("<{marker}:");
    let (mut id, mut rest, mut plain) = (None, text, String::new());
    while let Some(at) = rest.find(&open) {
        let tail = &rest[at + open.len()..];
        let Some(found) = tail.find('>').map(|end| &tail[..end]).filter(|id| is_id(id.trim()))
        else {
            plain.push_str(&rest[..at + open.len()]);
            rest = tail;
            continue;
        };
        id.get_or_insert_with(|| found.trim().to_owned());
        plain.push_str(rest[..at].trim_end_matches(' '));
        rest = &tail[found.len() + 1..];
        if plain.is_empty() || plain.ends_with('\n') {
            rest = rest.trim_start_matches(' ');
        }
    }
    plain.push_str(rest);
    (id, plain)
}

fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_does_not_depend_on_the_order_of_options() {
        let option = |label: &str| DecisionOption { label: label.to_owned(), ..Default::default() };
        let id = of("", "Which?", &[option("A"), option("B")]);
        assert_eq!(id, of("", "Which?", &[option("B"), option("A")]));
        // printf '::Which?::A|B' | sha1sum
        assert_eq!(id, "hook-d871c12d4c");
        assert_ne!(id, of("ship", "Which?", &[option("A"), option("B")]));
    }

    #[test]
    fn markers_are_read_and_cut_out() {
        let read = |text: &str| marked(text, "gstack-qid");
        assert_eq!(read("<gstack-qid:a-b> Which?"), (Some("a-b".into()), "Which?".into()));
        assert_eq!(read("Which? <gstack-qid:a.1>"), (Some("a.1".into()), "Which?".into()));
        assert_eq!(read("x <gstack-qid:foo bar> y"), (None, "x <gstack-qid:foo bar> y".into()));
        assert_eq!(read("<gstack-qid:"), (None, "<gstack-qid:".into()));
        assert_eq!(marked("<qid:z>a", "qid"), (Some("z".into()), "a".into()));
    }
}
