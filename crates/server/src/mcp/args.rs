//! Arguments of tools: told to models as flat schemas, read as leniently as models write them.

use super::answer::Refusal;
use serde_json::{Map, Value, json};

/// An argument of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arg {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// What a model reads about it.
    pub(super) about: &'static str,
    pub(super) is_required: bool,
}

/// What an argument holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    Number,
    Flag,
    /// A list of texts; a single one is understood.
    Texts,
    /// A list of `{role, content}`.
    Messages,
}

impl Arg {
    pub(super) const fn must(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, about, is_required: true }
    }

    pub(super) const fn may(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, about, is_required: false }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Choice(words) => json!({"type": "string", "enum": words}),
            Kind::Number => json!({"type": "integer", "minimum": 0}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Messages => json!({"type": "array", "items": {"type": "object", "properties": {
                "role": {"type": "string"}, "content": {"type": "string"}}}}),
        };
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".into(), self.about.into());
        }
        schema
    }
}

/// The schema of a tool's arguments: one level, no references, no alternatives.
pub(super) fn schema(args: &[Arg]) -> Map<String, Value> {
    let properties: Map<String, Value> =
        args.iter().map(|arg| (arg.name.to_owned(), arg.schema())).collect();
    let required: Vec<&str> =
        args.iter().filter(|arg| arg.is_required).map(|arg| arg.name).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema
}

/// What a model gave. Unknown arguments are not looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Args(pub(super) Map<String, Value>);

impl Args {
    /// The first of these that is a text with something in it.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        let text = |name: &&str| match self.0.get(*name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Array(texts) => texts.first()?.as_str().map(str::to_owned),
            _ => None,
        };
        names.iter().filter_map(text).find(|text| !text.trim().is_empty())
    }

    /// The same, which must be there.
    pub(super) fn needed(&self, names: &[&str]) -> Result<String, Refusal> {
        let first = names.first().copied().unwrap_or_default();
        self.text(names).ok_or_else(|| Refusal(format!("The argument `{first}` is missing.")))
    }

    /// A text as it is, even an empty one.
    pub(super) fn raw(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// The first of these that is a list of texts, however it was written.
    pub(super) fn texts(&self, names: &[&str]) -> Vec<String> {
        let listed = |value: &Value| -> Vec<String> {
            match value {
                Value::String(text) if text.trim_start().starts_with('[') => {
                    serde_json::from_str(text).unwrap_or_else(|_| vec![text.clone()])
                }
                Value::String(text) => vec![text.clone()],
                Value::Array(texts) => {
                    texts.iter().filter_map(Value::as_str).map(str::to_owned).collect()
                }
                _ => Vec::new(),
            }
        };
        let given = names.iter().filter_map(|name| self.0.get(*name)).map(listed);
        let told = |texts: Vec<String>| -> Vec<String> {
            texts.into_iter().filter(|text| !text.trim().is_empty()).collect()
        };
        given.map(told).find(|texts| !texts.is_empty()).unwrap_or_default()
    }

    /// A number, bounded.
    pub(super) fn number(&self, name: &str, default: usize, most: usize) -> usize {
        let number = match self.0.get(name) {
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) => text.trim().parse().ok(),
            _ => None,
        };
        // A negative number means the same as none, as OpenViking's clients have it.
        number.filter(|number| *number >= 0.0).map_or(default, |number| number as usize).min(most)
    }

    /// A switch.
    pub(super) fn flag(&self, name: &str) -> bool {
        match self.0.get(name) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(text)) => matches!(text.trim(), "true" | "yes" | "1"),
            _ => false,
        }
    }

    /// `{role, content}` pairs.
    pub(super) fn messages(&self, name: &str) -> Vec<(String, String)> {
        let list = match self.0.get(name) {
            Some(Value::Array(list)) => list.clone(),
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
            _ => Vec::new(),
        };
        let text = |value: &Value, key: &str| {
            value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let pair = |value: &Value| match value {
            Value::String(content) => ("user".to_owned(), content.clone()),
            value => (text(value, "role"), text(value, "content")),
        };
        let mut pairs: Vec<_> = list.iter().map(pair).collect();
        pairs.retain(|(_, content)| !content.trim().is_empty());
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(value: &Value) -> Args {
        Args(value.as_object().cloned().unwrap())
    }

    #[test]
    fn arguments_are_read_however_they_are_written() {
        let given =
            args(&json!({"a": "x", "list": "[\"p\",\"q\"]", "one": "p", "n": "7", "f": "true",
            "neg": -1, "huge": 1e300, "empty": " ", "num": 12, "odd": {"x": 1}}));
        assert_eq!(given.text(&["empty", "a"]).as_deref(), Some("x"));
        assert_eq!(given.text(&["num"]).as_deref(), Some("12"));
        assert_eq!(given.text(&["odd"]), None);
        assert_eq!(given.texts(&["list"]), ["p", "q"]);
        assert_eq!(given.texts(&["one", "missing"]), ["p"]);
        assert_eq!(given.number("n", 1, 100), 7);
        assert_eq!(given.number("neg", 3, 100), 3);
        assert_eq!(given.number("huge", 3, 100), 100);
        assert!(given.flag("f") && !given.flag("missing"));
        assert!(given.needed(&["missing"]).is_err());
    }

    #[test]
    fn messages_are_pairs() {
        let given = args(&json!({"m": [{"role": "user", "content": "a"}, {"content": ""}, "b"]}));
        let pair = |role: &str, content: &str| (role.to_owned(), content.to_owned());
        assert_eq!(given.messages("m"), [pair("user", "a"), pair("user", "b")]);
    }
}
