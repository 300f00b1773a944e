//! Changes to files, from the many ways tools describe them: old and new text, whole contents, or
//! a patch.

use serde_json::Value;

/// One line of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The file the following lines belong to.
    File(String),
    /// A line that was there before.
    Removed(String),
    /// A line that is there now.
    Added(String),
}

/// The change a tool call describes; `None` when it describes none.
pub(super) fn of_call(payload: &str) -> Option<Vec<Line>> {
    if let Some(patch) = find_patch(payload) {
        return Some(of_patch(patch));
    }
    let input: Value = serde_json::from_str(payload).ok()?;
    if let Some(patch) = strings(&input).into_iter().find_map(find_patch) {
        return Some(of_patch(patch));
    }
    let mut lines = Vec::new();
    let edits = input.get("edits").and_then(Value::as_array);
    for edit in edits.map_or_else(|| vec![&input], |edits| edits.iter().collect()) {
        lines.extend(of_texts(
            text(edit, &["old_string", "oldString", "old_str", "old_text"]),
            text(edit, &["new_string", "newString", "new_str", "new_text"]),
        ));
    }
    if lines.is_empty() {
        lines = of_texts(None, text(&input, &["content", "contents", "file_text"]));
    }
    (!lines.is_empty()).then_some(lines)
}

/// Lines added and removed.
pub(super) fn tally(lines: &[Line]) -> (usize, usize) {
    let added = lines.iter().filter(|line| matches!(line, Line::Added(_))).count();
    let removed = lines.iter().filter(|line| matches!(line, Line::Removed(_))).count();
    (added, removed)
}

fn text<'a>(input: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| input.get(key)?.as_str())
}

/// Texts of an object, and of lists in it: a shell call carries its patch as an argument.
fn strings(input: &Value) -> Vec<&str> {
    match input {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

const BEGIN_PATCH: &str = "*** Begin Patch";

fn find_patch(text: &str) -> Option<&str> {
    // Inside JSON the line ends are escaped: that text is unpacked first.
    let at = text.find(BEGIN_PATCH)?;
    text[at + BEGIN_PATCH.len()..].starts_with(['\n', '\r']).then(|| &text[at..])
}

fn of_patch(patch: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for line in patch.lines() {
        if line.starts_with("*** End Patch") {
            break;
        }
        if let Some(action) = line.strip_prefix("*** ") {
            if let Some((_, path)) = action.split_once(" File: ") {
                lines.push(Line::File(path.to_owned()));
            }
        } else if let Some(added) = line.strip_prefix('+') {
            lines.push(Line::Added(added.to_owned()));
        } else if let Some(removed) = line.strip_prefix('-') {
            lines.push(Line::Removed(removed.to_owned()));
        }
    }
    // A single file is already named above the change.
    if lines.iter().filter(|line| matches!(line, Line::File(_))).count() == 1 {
        lines.retain(|line| !matches!(line, Line::File(_)));
    }
    lines
}

/// What differs between two texts: their common beginning and end are left out.
fn of_texts(old: Option<&str>, new: Option<&str>) -> Vec<Line> {
    let old: Vec<&str> = old.unwrap_or_default().lines().collect();
    let new: Vec<&str> = new.unwrap_or_default().lines().collect();
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let removed = old[head..old.len() - tail].iter().map(|line| Line::Removed((*line).to_owned()));
    let added = new[head..new.len() - tail].iter().map(|line| Line::Added((*line).to_owned()));
    removed.chain(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(payload: &str) -> String {
        let lines = of_call(payload).unwrap_or_default();
        let show = |line: &Line| match line {
            Line::File(path) => format!("@{path}"),
            Line::Removed(text) => format!("-{text}"),
            Line::Added(text) => format!("+{text}"),
        };
        lines.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn old_and_new_text() {
        let call = r#"{"file_path":"a.rs","old_string":"a\nb\nc","new_string":"a\nx\ny\nc"}"#;
        assert_eq!(show(call), "-b +x +y");
        let several =
            r#"{"edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":""}]}"#;
        assert_eq!(show(several), "-a +b -c");
    }

    #[test]
    fn whole_contents() {
        assert_eq!(show(r#"{"file_path":"a","content":"x\ny\n"}"#), "+x +y");
        assert_eq!(of_call(r#"{"command":"ls"}"#), None);
        assert_eq!(of_call("not json"), None);
    }

    #[test]
    fn patches_bare_and_wrapped() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@ fn x\n-old\n+new\n context\n*** End Patch\n+no";
        assert_eq!(show(patch), "-old +new");
        let wrapped = serde_json::json!({"command": ["apply_patch", patch]}).to_string();
        assert_eq!(show(&wrapped), "-old +new");
        let two = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
        assert_eq!(show(two), "@a +x @b");
        assert_eq!(tally(&of_call(patch).unwrap()), (1, 1));
    }
}
