//! Lets `search` leave words out: `backstory search sqlite -test`.
//!
//! To the parser of the command line `-test` is five short options. Whatever stands in front, such
//! words are put behind `--`, where they are taken as they are; their place in a query means nothing.

use std::ffi::{OsStr, OsString};

/// Options before the command that are followed by a value of their own.
const WITH_VALUE: [&str; 3] = ["--home", "--store", "--color"];
/// What the command may be shortened to and still be told from all others.
const SHORTEST: &str = "sea";

/// The arguments, with the words a search leaves out at their end.
pub(crate) fn behind(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let Some(command) = command_at(&arguments) else { return arguments };
    let name = arguments[command].to_string_lossy();
    if !(name.starts_with(SHORTEST) && "search".starts_with(&*name)) {
        return arguments;
    }
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let tail = arguments.split_off(end);
    let (words, mut kept): (Vec<_>, Vec<_>) = arguments
        .drain(command + 1..)
        .partition(|argument| leaves_out(&argument.to_string_lossy()));
    arguments.append(&mut kept);
    if tail.is_empty() && !words.is_empty() {
        arguments.push("--".into());
    }
    arguments.extend(tail);
    arguments.extend(words);
    arguments
}

/// The place of the command among the arguments, the name of the program being the first of them.
pub(crate) fn command_at(arguments: &[impl AsRef<OsStr>]) -> Option<usize> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at).map(AsRef::as_ref) {
        if WITH_VALUE.iter().any(|option| argument == *option) {
            at += 1;
        } else if !argument.to_string_lossy().starts_with('-') {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// A dash with at least two letters, or with a quote, right behind it.
fn leaves_out(argument: &str) -> bool {
    let mut chars = argument.chars();
    let is_dash = chars.next() == Some('-');
    match (chars.next(), chars.next()) {
        (Some('"' | '“' | '„'), Some(_)) => is_dash,
        (Some(first), Some(second)) => {
            is_dash && first.is_alphabetic() && !matches!(second, '0'..='9' | '=')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(line: &str) -> String {
        let arguments = line.split(' ').map(OsString::from);
        let moved = behind(arguments).into_iter().map(|argument| argument.into_string().unwrap());
        moved.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_to_leave_out_are_moved_behind_the_options() {
        for (typed, meant) in [
            ("b search sqlite -test --json", "b search sqlite --json -- -test"),
            ("b --home x sea -café y -n 5", "b --home x sea y -n 5 -- -café"),
            ("b --store local search x -test", "b --store local search x -- -test"),
            ("b search -n5 -q -v a -\"b", "b search -n5 -q -v a -- -\"b"),
            ("b search a -bc -- -de", "b search a -- -de -bc"),
            ("b search - --limit 3", "b search - --limit 3"),
            ("b show -xyz search", "b show -xyz search"),
            ("b -qv", "b -qv"),
            ("b", "b"),
        ] {
            assert_eq!(after(typed), meant);
        }
    }
}
