//! `docs/json.md`: its examples have exactly the fields the commands print.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::collections::BTreeMap;

/// The documented example objects, by the heading they stand under.
pub(crate) fn documented() -> BTreeMap<String, Vec<Value>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
    let text = fs_err::read_to_string(path).unwrap();
    let mut examples: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let (mut heading, mut code) = (String::new(), None::<String>);
    for line in text.lines() {
        match (&mut code, line) {
            (None, "```json") => code = Some(String::new()),
            (Some(text), "```") => {
                let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
                let values = values.collect::<Result<Vec<_>, _>>().unwrap();
                examples.entry(heading.clone()).or_default().extend(values);
                code = None;
            }
            (Some(text), line) => text.extend([line, "\n"]),
            (None, line) => {
                if let Some(title) = line.strip_prefix("## ") {
                    title.trim_matches('`').clone_into(&mut heading);
                }
            }
        }
    }
    examples
}

/// What a value tells of its shape.
#[derive(Default)]
struct Shape {
    /// Every field with its path; lists stand for their first entry.
    fields: Vec<String>,
    /// Where an empty list or a null stands: it tells nothing of what may be below.
    silent: Vec<String>,
}

impl Shape {
    fn of(value: &Value) -> Self {
        let mut shape = Self::default();
        shape.add(value, "");
        shape
    }

    fn add(&mut self, value: &Value, path: &str) {
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    let path = format!("{path}.{name}");
                    self.fields.push(path.clone());
                    // What these hold is the user's: settings, or a free map.
                    if name != "value" {
                        self.add(value, &path);
                    }
                }
            }
            Value::Array(list) => match list.first() {
                Some(first) => self.add(first, &format!("{path}[]")),
                None => self.silent.push(path.to_owned()),
            },
            Value::Null => self.silent.push(path.to_owned()),
            _ => {}
        }
    }

    /// The fields of another that this one lacks, though it could show them.
    fn lacks<'s>(&self, other: &'s Self) -> Vec<&'s String> {
        let is_below = |path: &str, silent: &String| {
            path.strip_prefix(silent.as_str()).is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        let is_hidden = |path: &str| self.silent.iter().any(|silent| is_below(path, silent));
        let lacking = other.fields.iter().filter(|path| !self.fields.contains(path));
        lacking.filter(|path| !is_hidden(path)).collect()
    }
}

pub(crate) fn assert_same_fields(what: &str, documented: &Value, printed: &Value) {
    let (documented, printed) = (Shape::of(documented), Shape::of(printed));
    let (missing, extra) = (printed.lacks(&documented), documented.lacks(&printed));
    assert!(missing.is_empty(), "{what}: documented but not printed: {missing:?}");
    assert!(extra.is_empty(), "{what}: printed but not documented: {extra:?}");
}

#[test]
fn shapes_differ_by_any_field_that_can_be_seen() {
    let printed = serde_json::json!({"a": {"b": 1, "c": [{"d": 1}]}, "e": null, "f": []});
    let lacks = |documented: Value| {
        let (documented, printed) = (Shape::of(&documented), Shape::of(&printed));
        (printed.lacks(&documented).len(), documented.lacks(&printed).len())
    };
    let nested = serde_json::json!({"a": {"x": 1, "c": [{"d": 1, "y": 2}]}, "e": null, "f": []});
    assert_eq!(lacks(nested), (2, 1));
    let hidden = serde_json::json!({"a": {"b": 1, "c": []}, "e": {"x": 1}, "f": [{"y": 1}]});
    assert_eq!(lacks(hidden), (0, 0));
}

#[test]
fn examples_have_the_fields_that_are_printed() {
    let sandbox = crate::digest::distilled();
    let examples = documented();
    sandbox.run(&["export", "--out", "all.jsonl"]);
    for (heading, arguments) in [
        ("backstory sync --json", &["sync", "--json"][..]),
        ("backstory sync --dry-run --json", &["sync", "--reparse", "--dry-run", "--json"]),
        ("backstory search QUERY --json", &["search", "expiry", "--json"]),
        ("backstory search QUERY --files --json", &["search", "expires", "--files", "--json"]),
        ("backstory search QUERY --commands --json", &["search", "cargo", "--commands", "--json"]),
        ("backstory index --json", &["index", "--json"]),
        ("backstory sessions --json", &["sessions", "--json"]),
        ("backstory show ID --json", &["show", "5ca1ab1e", "--json", "--full"]),
        ("backstory digest ID --json", &["digest", "5ca1ab1e", "--json"]),
        ("backstory signals --json", &["signals", "--kind", "error_fix", "--json"]),
        ("backstory patterns --json", &["patterns", "--kind", "error", "--json"]),
        ("backstory errors MESSAGE --json", &["errors", "error: no such table: teas", "--json"]),
        ("backstory decisions --json", &["decisions", "--json"]),
        ("backstory decisions stats --json", &["decisions", "stats", "--json"]),
        (
            "backstory decisions export --out FILE --json",
            &["decisions", "export", "--out", "log.jsonl", "--json"],
        ),
        ("backstory recall PROMPT --json", &["recall", "session expiry test", "--all", "--json"]),
        ("backstory mute --json", &["mute", "5ca1ab1e", "--json"]),
        ("backstory commit --json", &["commit", "5ca1ab1e", "--json"]),
        ("backstory distil --json", &["distil", "--json"]),
        ("backstory evict --json", &["evict", "--dry-run", "--json"]),
        ("backstory forget --json", &["forget", "5ca1ab1e", "--dry-run", "--json"]),
        ("backstory import FILE --json", &["import", "all.jsonl", "--home", "other", "--json"]),
        ("backstory status --json", &["status", "--json"]),
        ("backstory doctor --json", &["doctor", "--json"]),
        ("backstory config --json", &["config", "--json"]),
        ("backstory install AGENT --json", &["install", "all", "--dry-run", "--json"]),
        ("backstory schedule show --json", &["schedule", "show", "--json"]),
    ] {
        let documented = examples.get(heading).unwrap_or_else(|| panic!("{heading} is missing"));
        let printed = sandbox.json(arguments);
        for (at, (documented, printed)) in documented.iter().zip(&printed).enumerate() {
            assert_same_fields(&format!("{heading} line {}", at + 1), documented, printed);
        }
        // Every line of a list has the shape of its example.
        let example = documented.last().unwrap();
        for printed in printed.iter().skip(documented.len()) {
            assert_same_fields(heading, example, printed);
        }
    }
}

#[test]
fn times_are_rfc_3339_in_utc() {
    let sandbox = Sandbox::with_history();
    let session = &sandbox.json(&["show", "5ca1ab1e", "--json"])[0];
    for field in ["started_at", "ended_at", "discovered_at", "ingested_at"] {
        let time = session[field].as_str().unwrap();
        assert!(time.len() == 24 && time.ends_with('Z') && &time[10..11] == "T", "{field} {time}");
    }
}
