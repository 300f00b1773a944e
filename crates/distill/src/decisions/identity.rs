//! What names a question: its marker, else a hash of who asked, what, and which answers it offered.

use backstory_model::Decision;
use sha1::{Digest, Sha1};
use std::fmt::Write;

/// Hex digits of the hash.
const DIGITS: usize = 10;
/// Bytes of a marker's id.
const ID_MAX: usize = 64;
/// How far behind its beginning a marker ends, spaces around the id included: one that never ends is not
/// looked for in all of the text.
const REACH: usize = ID_MAX + 16;

/// `hook-` and the beginning of a hash; the order of the options does not matter.
pub(super) fn of(row: &Decision) -> String {
    let mut labels: Vec<&str> = row.options.iter().map(|option| option.label.as_str()).collect();
    labels.sort_unstable();
    let hashed = format!("{}::{}::{}", row.named_skill(), row.question, labels.join("|"));
    let hash = Sha1::digest(hashed);
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
        let end = tail.bytes().take(REACH).position(|byte| byte == b'>');
        let Some(found) = end.map(|end| &tail[..end]).filter(|id| is_id(id.trim())) else {
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
        && text.len() <= ID_MAX
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::DecisionOption;

    #[test]
    fn the_hash_does_not_depend_on_the_order_of_options() {
        let asked = |skill: &str, labels: [&str; 2]| Decision {
            skill: skill.to_owned(),
            question: "Which?".to_owned(),
            options: labels
                .map(|label| DecisionOption { label: label.to_owned(), ..Default::default() })
                .to_vec(),
            ..Decision::default()
        };
        let id = of(&asked("", ["A", "B"]));
        assert_eq!(id, of(&asked("", ["B", "A"])));
        // printf 'unknown::Which?::A|B' | sha1sum
        assert_eq!(id, "hook-c3ce862dd1");
        // printf 'ship::Which?::A|B' | sha1sum
        assert_eq!(of(&asked("ship", ["A", "B"])), "hook-d1745e20eb");
    }

    #[test]
    fn markers_are_read_and_cut_out() {
        let read = |text: &str| marked(text, "gstack-qid");
        assert_eq!(read("<gstack-qid:a-b> Which?"), (Some("a-b".into()), "Which?".into()));
        assert_eq!(read("Which? <gstack-qid:a.1>"), (Some("a.1".into()), "Which?".into()));
        assert_eq!(read("x <gstack-qid:foo bar> y"), (None, "x <gstack-qid:foo bar> y".into()));
        assert_eq!(read("<gstack-qid:"), (None, "<gstack-qid:".into()));
        assert_eq!(marked("<qid:z>a", "qid"), (Some("z".into()), "a".into()));
        let long = "z".repeat(ID_MAX);
        assert_eq!(read(&format!("<gstack-qid: {long} >")), (Some(long.clone()), String::new()));
        // An end so far away is none, and is not looked for.
        let open = format!("<gstack-qid:{}a>", " ".repeat(REACH));
        assert_eq!(read(&open), (None, open));
    }
}
