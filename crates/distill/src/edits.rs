//! What a tool call changes in which file, read from its input.

use crate::clip;
use memchr::{memchr_iter, memmem};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// One file's part in an edit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FileChange {
    /// As the call names it.
    pub path: String,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// Hash of what was there; nothing for a new file.
    pub before: Option<u64>,
    /// Hash of what stands there now.
    pub after: Option<u64>,
    /// The first new line, cut.
    pub first: String,
}

/// Files one call is credited with at most.
const MAX_FILES: usize = 64;
/// Inputs above this are only counted.
const PARSE_MAX: usize = 1024 * 1024;

#[derive(Deserialize)]
struct EditInput<'a> {
    #[serde(borrow, default, alias = "notebook_path", alias = "path", alias = "target_file")]
    file_path: Option<Cow<'a, str>>,
    #[serde(borrow, default, alias = "old_str")]
    old_string: Option<Cow<'a, str>>,
    #[serde(borrow, default, alias = "new_str", alias = "new_source")]
    new_string: Option<Cow<'a, str>>,
    #[serde(borrow, default, alias = "contents", alias = "file_text")]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    edits: Option<Vec<Replacement<'a>>>,
    #[serde(borrow, default, alias = "patch")]
    input: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Replacement<'a> {
    #[serde(borrow, default)]
    old_string: Cow<'a, str>,
    #[serde(borrow, default)]
    new_string: Cow<'a, str>,
}

#[derive(Deserialize)]
struct PatchedFile<'a> {
    #[serde(borrow, default)]
    unified_diff: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
}

/// The changes of an edit call; `command` is its shell line if it is one.
pub(crate) fn read(input: &str, command: Option<&str>, files: &[String]) -> Vec<FileChange> {
    if let Some(command) = command {
        return patch(command);
    }
    if memmem::find(clip::head(input, 4096).as_bytes(), b"*** Begin Patch").is_some()
        && !input.starts_with('{')
    {
        return patch(input);
    }
    if input.len() > PARSE_MAX {
        let path = files.first().cloned().unwrap_or_default();
        let added = memmem::find_iter(input.as_bytes(), b"\\n").count() as u32;
        return vec![FileChange { path, added, ..FileChange::default() }];
    }
    let found = match serde_json::from_str::<EditInput<'_>>(input) {
        Ok(input) => from_input(&input, files),
        Err(_) => Vec::new(),
    };
    if found.is_empty() { from_map(input) } else { found }
}

fn from_input(input: &EditInput<'_>, files: &[String]) -> Vec<FileChange> {
    if let Some(text) = &input.input {
        return patch(text);
    }
    let path = input.file_path.as_deref().or(files.first().map(String::as_str));
    let Some(path) = path else { return Vec::new() };
    let mut change = FileChange { path: path.to_owned(), ..FileChange::default() };
    if let Some(edits) = &input.edits {
        for edit in edits {
            replace(&mut change, &edit.old_string, &edit.new_string);
        }
    } else if let Some(new) = &input.new_string {
        replace(&mut change, input.old_string.as_deref().unwrap_or_default(), new);
    } else if let Some(content) = input.content {
        let raw = content.get();
        change.added = memmem::find_iter(raw.as_bytes(), b"\\n").count() as u32 + 1;
        change.after = Some(xxh3_64(raw.as_bytes()));
    } else {
        return Vec::new();
    }
    vec![change]
}

/// `{"path": {"type": "update", "unified_diff": "…"}}`, as newer Codex logs have it.
fn from_map(input: &str) -> Vec<FileChange> {
    let Ok(map) = serde_json::from_str::<BTreeMap<Cow<'_, str>, PatchedFile<'_>>>(input) else {
        return Vec::new();
    };
    map.into_iter()
        .take(MAX_FILES)
        .map(|(path, file)| {
            let mut change = FileChange { path: path.into_owned(), ..FileChange::default() };
            if let Some(diff) = &file.unified_diff {
                let mut hunk = Hunk::default();
                diff.lines().for_each(|line| hunk.line(&mut change, line));
                hunk.close(&mut change);
            } else if let Some(content) = &file.content {
                let lines = count_lines(content);
                if file.r#type == "delete" { change.removed = lines } else { change.added = lines }
            }
            change
        })
        .collect()
}

fn replace(change: &mut FileChange, old: &str, new: &str) {
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.lines().collect(), new.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let front = old_lines.iter().zip(&new_lines).take_while(same).count();
    let back = old_lines[front..]
        .iter()
        .rev()
        .zip(new_lines[front..].iter().rev())
        .take_while(same)
        .count();
    let fresh = &new_lines[front..new_lines.len() - back];
    change.added += fresh.len() as u32;
    change.removed += (old_lines.len() - front - back) as u32;
    change.before = Some(xxh3_64(old.as_bytes()));
    change.after = Some(xxh3_64(new.as_bytes()));
    if change.first.is_empty() {
        change.first = first_of(fresh.iter().copied());
    }
}

/// The first line worth showing.
fn first_of<'a>(mut lines: impl Iterator<Item = &'a str>) -> String {
    let worth = |line: &&str| line.trim().len() > 3;
    lines.find(worth).map_or_else(String::new, |line| clip::line(line, 80))
}

fn count_lines(text: &str) -> u32 {
    memchr_iter(b'\n', text.as_bytes()).count() as u32
        + u32::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The removed and the added lines of a patched file.
#[derive(Default)]
struct Hunk {
    before: String,
    after: String,
}

impl Hunk {
    fn line(&mut self, change: &mut FileChange, line: &str) {
        let (side, count) = match line.as_bytes().first() {
            Some(b'+') if !line.starts_with("+++ ") => (&mut self.after, &mut change.added),
            Some(b'-') if !line.starts_with("--- ") => (&mut self.before, &mut change.removed),
            _ => return,
        };
        *count += 1;
        if side.len() < 16 * 1024 {
            side.push_str(&line[1..]);
            side.push('\n');
        }
    }

    fn close(&mut self, change: &mut FileChange) {
        if !self.before.is_empty() {
            change.before = Some(xxh3_64(self.before.as_bytes()));
        }
        if !self.after.is_empty() {
            change.after = Some(xxh3_64(self.after.as_bytes()));
            change.first = first_of(self.after.lines());
        }
        self.before.clear();
        self.after.clear();
    }
}

fn patch(text: &str) -> Vec<FileChange> {
    let Some(at) = memmem::find(text.as_bytes(), b"*** Begin Patch") else { return Vec::new() };
    let mut found: Vec<FileChange> = Vec::new();
    let mut hunk = Hunk::default();
    for line in text[at..].lines() {
        if let Some(rest) = line.strip_prefix("*** ") {
            if let Some(last) = found.last_mut() {
                hunk.close(last);
            }
            let path = ["Add File: ", "Update File: ", "Delete File: "]
                .iter()
                .find_map(|head| rest.strip_prefix(head));
            match path {
                Some(path) if found.len() < MAX_FILES => {
                    found
                        .push(FileChange { path: path.trim().to_owned(), ..FileChange::default() });
                }
                Some(_) => break,
                None if rest.starts_with("End Patch") => break,
                None => {}
            }
        } else if let Some(last) = found.last_mut() {
            hunk.line(last, line);
        }
    }
    if let Some(last) = found.last_mut() {
        hunk.close(last);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(input: &str, command: Option<&str>) -> Vec<(String, u32, u32)> {
        let files = ["f".to_owned()];
        read(input, command, &files).into_iter().map(|c| (c.path, c.added, c.removed)).collect()
    }

    #[test]
    fn every_dialect_of_editing_is_counted() {
        let edit = r#"{"file_path":"/a/b.rs","old_string":"x\ny\nz","new_string":"x\nw\nv\nz"}"#;
        assert_eq!(sizes(edit, None), [("/a/b.rs".into(), 2, 1)]);
        let write = r#"{"file_path":"/a","content":"1\n2\n3"}"#;
        assert_eq!(sizes(write, None), [("/a".into(), 3, 0)]);
        let multi = r#"{"file_path":"/a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"a\nb","new_string":""}]}"#;
        assert_eq!(sizes(multi, None), [("/a".into(), 1, 3)]);
        let raw = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n+z\n*** Add File: b\n+1\n*** End Patch\n";
        let two = [("a".to_owned(), 2, 1), ("b".to_owned(), 1, 0)];
        assert_eq!(sizes(raw, None), two);
        assert_eq!(sizes("{}", Some(&format!("apply_patch <<'E'\n{raw}E"))), two);
        let map = r#"{"/x/a":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n"},"/x/b":{"type":"add","content":"1\n2\n"}}"#;
        assert_eq!(sizes(map, None), [("/x/a".into(), 1, 1), ("/x/b".into(), 2, 0)]);
        assert_eq!(sizes("{broken", None), []);
    }

    #[test]
    fn an_edit_and_its_undoing_mirror_each_other() {
        let there = &read(r#"{"file_path":"a","old_string":"x","new_string":"y"}"#, None, &[])[0];
        let back = &read(r#"{"file_path":"a","old_string":"y","new_string":"x"}"#, None, &[])[0];
        assert_eq!((there.before, there.after), (back.after, back.before));
        assert_eq!(there.first, "");
    }
}
