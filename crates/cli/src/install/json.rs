//! JSON settings with comments: members are added, changed and removed in the text itself.

use super::Refusal;
use super::splice::{Edit, indentation, indented, line_end, line_number, spliced, without_mark};
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::{Range as Span, Ranged};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast,
};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

/// What one indents by where the text does not show it.
const INDENT: &str = "  ";

/// A text that was understood, with the places of everything in it.
pub(super) struct Json<'a> {
    pub(super) text: &'a str,
    pub(super) root: Object<'a>,
    tokens: Vec<TokenAndRange<'a>>,
}

/// The part of a list or an object an edit needs.
struct Members {
    /// From bracket to bracket.
    whole: Span,
    items: Vec<Span>,
}

impl<'a> Json<'a> {
    /// Understands the text, which must be an object.
    pub(super) fn parse(text: &'a str) -> Result<Self, Refusal> {
        let collected =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let understood = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &collected, &understood).map_err(|error| Refusal {
            line: Some(error.line_display()),
            what: format!("not valid JSON: {}", error.kind()),
        })?;
        let ParseResult { value, tokens, .. } = parsed;
        let tokens = tokens.unwrap_or_default();
        match value {
            Some(Value::Object(root)) => Ok(Self { text, root, tokens }),
            Some(other) => Err(refusal(text, other.start(), "not a JSON object")),
            None => Err(Refusal { line: Some(1), what: "not a JSON object: it is empty".into() }),
        }
    }

    /// The object a member holds; nothing if there is no such member.
    pub(super) fn object<'b>(
        &self,
        of: &'b Object<'a>,
        name: &str,
    ) -> Result<Option<&'b Object<'a>>, Refusal> {
        match member(of, name) {
            None => Ok(None),
            Some((_, ObjectProp { value: Value::Object(object), .. })) => Ok(Some(object)),
            Some((_, other)) => {
                let what = format!("\"{name}\" is not an object");
                Err(refusal(self.text, other.range.start, &what))
            }
        }
    }

    /// The list a member holds; nothing if there is no such member.
    pub(super) fn array<'b>(
        &self,
        of: &'b Object<'a>,
        name: &str,
    ) -> Result<Option<&'b Array<'a>>, Refusal> {
        match member(of, name) {
            None => Ok(None),
            Some((_, ObjectProp { value: Value::Array(array), .. })) => Ok(Some(array)),
            Some((_, other)) => {
                let what = format!("\"{name}\" is not a list");
                Err(refusal(self.text, other.range.start, &what))
            }
        }
    }

    /// The text with one more member at the end of an object.
    pub(super) fn with_member(
        &self,
        of: &Object<'a>,
        name: &str,
        value: &impl Serialize,
    ) -> String {
        let name = serde_json::Value::from(name).to_string();
        self.with_item(&Members::of_object(of), Some(&name), value)
    }

    /// The text with one more element at the end of a list.
    pub(super) fn with_element(&self, of: &Array<'a>, value: &impl Serialize) -> String {
        self.with_item(&Members::of_array(of), None, value)
    }

    /// The text with another value in the place of one.
    pub(super) fn with_value(&self, old: &Value<'a>, new: &impl Serialize) -> String {
        let base = indentation(self.text, old.start());
        let new = self.rendered(new, self.is_spread(old.range()) || is_short(old), base);
        spliced(self.text, vec![Edit::replace(old.start()..old.end(), new)])
    }

    /// The text without a member of an object.
    pub(super) fn without_member(&self, of: &Object<'a>, at: usize) -> String {
        self.without_item(&Members::of_object(of), at)
    }

    /// The text without an element of a list.
    pub(super) fn without_element(&self, of: &Array<'a>, at: usize) -> String {
        self.without_item(&Members::of_array(of), at)
    }

    fn with_item(&self, members: &Members, name: Option<&str>, value: &impl Serialize) -> String {
        let end = line_end(self.text);
        let Members { whole, items } = members;
        // A list on one line stays on one line, unless there is nothing in it yet.
        let spread = self.is_spread(*whole) || items.is_empty();
        let outer = indentation(self.text, whole.start);
        let own = match items.first() {
            Some(first) if self.begins_line(first.start) => {
                indentation(self.text, first.start).to_owned()
            }
            _ => format!("{outer}{}", self.unit()),
        };
        let value = self.rendered(value, spread, &own);
        let item = name.map_or_else(|| value.clone(), |name| format!("{name}: {value}"));
        let Some(last) = items.last() else {
            return self.with_first(*whole, &item, &own, outer);
        };
        let comma = self.comma_in(last.end, whole.end);
        let mut edits = Vec::new();
        if comma.is_none() {
            edits.push(Edit::insert(last.end, ","));
        }
        let behind = comma.map_or(last.end, |comma| comma.end);
        let trailing = if comma.is_some() { "," } else { "" };
        if spread {
            // A remark on the last line stays with it.
            let at = self.behind_remarks(behind);
            edits.push(Edit::insert(at, format!("{end}{own}{item}{trailing}")));
        } else {
            edits.push(Edit::insert(behind, format!(" {item}{trailing}")));
        }
        spliced(self.text, edits)
    }

    /// The first item of what was empty, but for blanks and remarks.
    fn with_first(&self, whole: Span, item: &str, own: &str, outer: &str) -> String {
        let end = line_end(self.text);
        let inside = &self.text[whole.start + 1..whole.end - 1];
        let remarks = whole.start + 1 + inside.trim_end().len();
        let edit = Edit::replace(remarks..whole.end - 1, format!("{end}{own}{item}{end}{outer}"));
        spliced(self.text, vec![edit])
    }

    fn without_item(&self, members: &Members, at: usize) -> String {
        let Members { whole, items } = members;
        let item = items[at];
        let next = items.get(at + 1);
        let follows = next.map_or(whole.end - 1, |next| next.start);
        let comma = self.comma_in(item.end, follows);
        if at + 1 == items.len() {
            let before = self.text[..item.start].trim_end().len();
            let mut edits = vec![Edit::remove(before..comma.map_or(item.end, |comma| comma.end))];
            if at > 0 && comma.is_none() {
                let earlier = self.comma_in(items[at - 1].end, item.start);
                // Where only blanks are between, the comma is part of the stretch before.
                edits.extend(earlier.map(|comma| Edit::remove(comma.start..comma.end)));
            } else if at == 0 && self.text[whole.start + 1..before.max(whole.start + 1)].is_empty()
            {
                let inner = whole.start + 1..whole.end - 1;
                let rest = &self.text[comma.map_or(item.end, |comma| comma.end)..inner.end];
                if rest.trim().is_empty() {
                    edits = vec![Edit::remove(inner)];
                }
            }
            return spliced(self.text, edits);
        }
        let behind = comma.map_or(item.end, |comma| comma.end);
        let rest = &self.text[behind..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let ends_line = rest[blanks..].starts_with(['\r', '\n']);
        let edit = if self.begins_line(item.start) && ends_line {
            let start = super::splice::line_start(self.text, item.start);
            Edit::remove(start..super::splice::line_stop(self.text, behind))
        } else {
            Edit::remove(item.start..behind + blanks)
        };
        spliced(self.text, vec![edit])
    }

    /// The first comma between two places that is not part of a remark.
    fn comma_in(&self, start: usize, end: usize) -> Option<Span> {
        let commas = self.tokens.iter().filter(|token| token.token == Token::Comma);
        commas.map(|token| token.range).find(|range| range.start >= start && range.end <= end)
    }

    /// The end of the remarks on the rest of a line.
    fn behind_remarks(&self, mut at: usize) -> usize {
        loop {
            let rest = &self.text[at..];
            let next = at + rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let remark = self.tokens.iter().find(|token| {
                token.range.start == next
                    && matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
            });
            match remark {
                Some(remark) => at = remark.range.end,
                None => return at,
            }
        }
    }

    /// True if it is more than one line.
    fn is_spread(&self, range: Span) -> bool {
        self.text[range.start..range.end].contains('\n')
    }

    fn begins_line(&self, at: usize) -> bool {
        let start = super::splice::line_start(self.text, at);
        self.text[start..at].trim().is_empty()
    }

    /// What one indents by here: as the first member of the whole does.
    fn unit(&self) -> &str {
        let first = self.root.properties.first().filter(|first| self.begins_line(first.start()));
        let unit = first.map_or("", |first| indentation(self.text, first.start()));
        if unit.is_empty() { INDENT } else { unit }
    }

    fn rendered(&self, value: &impl Serialize, spread: bool, base: &str) -> String {
        let mut bytes = Vec::new();
        let written = if spread {
            let formatter = PrettyFormatter::with_indent(self.unit().as_bytes());
            value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter))
        } else {
            value.serialize(&mut Serializer::new(&mut bytes))
        };
        debug_assert!(written.is_ok(), "what is written here is always JSON");
        indented(&String::from_utf8_lossy(&bytes), base, line_end(self.text))
    }
}

impl Members {
    fn of_object(object: &Object<'_>) -> Self {
        let items = object.properties.iter().map(|property| property.range).collect();
        Self { whole: object.range, items }
    }

    fn of_array(array: &Array<'_>) -> Self {
        Self { whole: array.range, items: array.elements.iter().map(Ranged::range).collect() }
    }
}

/// A member with its place; of several with one name the last counts, as it does for readers of JSON.
pub(super) fn member<'b, 'a>(
    of: &'b Object<'a>,
    name: &str,
) -> Option<(usize, &'b ObjectProp<'a>)> {
    of.properties.iter().enumerate().rfind(|(_, property)| property.name.as_str() == name)
}

/// A text a member holds.
pub(super) fn text_of<'b>(of: &'b Object<'_>, name: &str) -> Option<&'b str> {
    match member(of, name) {
        Some((_, ObjectProp { value: Value::StringLit(text), .. })) => Some(&text.value),
        _ => None,
    }
}

/// A value as data, to be compared.
pub(super) fn data(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::StringLit(text) => text.value.as_ref().into(),
        Value::NumberLit(number) => serde_json::from_str(number.value).unwrap_or_default(),
        Value::BooleanLit(boolean) => boolean.value.into(),
        Value::NullKeyword(_) => serde_json::Value::Null,
        Value::Array(array) => array.elements.iter().map(data).collect(),
        Value::Object(object) => {
            let data = |property: &ObjectProp<'_>| {
                (property.name.as_str().to_owned(), data(&property.value))
            };
            serde_json::Value::Object(object.properties.iter().map(data).collect())
        }
    }
}

fn is_short(value: &Value<'_>) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

fn refusal(text: &str, at: usize, what: &str) -> Refusal {
    Refusal { line: Some(line_number(text, at)), what: what.to_owned() }
}

/// Changes a text again and again until there is nothing left to change.
pub(super) fn until_done(
    text: &str,
    mut change: impl FnMut(&Json<'_>) -> Result<Option<String>, Refusal>,
) -> Result<String, Refusal> {
    let (mark, text) = without_mark(text);
    let mut text = text.to_owned();
    loop {
        let changed = change(&Json::parse(&text)?)?;
        match changed {
            Some(changed) => text = changed,
            None => return Ok(format!("{mark}{text}")),
        }
    }
}
