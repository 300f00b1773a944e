//! Settings nobody would write: ours still goes in and out, and what is not ours is the same bytes.

use super::super::json::{Json, data};
use super::super::splice::without_mark;
use super::super::{Part, without_ours};
use super::{is_part_of, with};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// How somebody writes JSON.
#[derive(Clone, Copy, Debug)]
struct Style {
    indent: Option<&'static str>,
    line_end: &'static str,
    has_mark: bool,
    has_last_line_end: bool,
    has_last_comma: bool,
    /// A remark behind every such item.
    remark_every: usize,
}

fn style() -> impl Strategy<Value = Style> {
    let indent = prop_oneof![Just(None), Just(Some("  ")), Just(Some("\t")), Just(Some("    "))];
    let line_end = prop_oneof![Just("\n"), Just("\r\n")];
    (indent, line_end, any::<bool>(), any::<bool>(), any::<bool>(), 0_usize..4).prop_map(
        |(indent, line_end, has_mark, has_last_line_end, has_last_comma, remark_every)| Style {
            indent,
            line_end,
            has_mark,
            has_last_line_end,
            has_last_comma,
            remark_every,
        },
    )
}

fn command() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just("notify-send done"),
        Just("/old/backstory hook claude Stop"),
        Just("backstory hook claude Gone"),
        Just("echo \"backstory\" {} [] , // "),
    ]
    .prop_map(|command| json!({ "type": "command", "command": command }))
}

fn hooks() -> impl Strategy<Value = Value> {
    let group = proptest::collection::vec(command(), 0..3)
        .prop_map(|handlers| json!({ "matcher": "*", "hooks": handlers }));
    let event = prop_oneof![Just("Stop"), Just("SessionStart"), Just("Notification"), Just("X")];
    let groups = proptest::collection::vec(group, 0..3);
    proptest::collection::btree_map(event, groups, 0..4).prop_map(|events| json!(events))
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\ü,{}/*\n]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-c]{1,2}", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
}

fn settings() -> impl Strategy<Value = Value> {
    let rest = proptest::collection::btree_map("[a-z]{1,3}", value(), 0..3);
    let servers = proptest::collection::btree_map("[a-c]", Just(json!({ "command": "x" })), 0..3);
    (rest, proptest::option::of(hooks()), proptest::option::of(servers)).prop_map(
        |(rest, hooks, servers)| {
            let mut settings: Map<String, Value> = rest.into_iter().collect();
            settings.extend(hooks.map(|hooks| ("hooks".to_owned(), hooks)));
            settings.extend(servers.map(|servers| ("mcpServers".to_owned(), json!(servers))));
            Value::Object(settings)
        },
    )
}

/// The settings as somebody with this style writes them.
fn written(value: &Value, style: Style) -> String {
    let mark = if style.has_mark { "\u{feff}" } else { "" };
    let last = if style.has_last_line_end { style.line_end } else { "" };
    format!("{mark}{}{last}", item(value, style, 0))
}

fn item(value: &Value, style: Style, depth: usize) -> String {
    let (open, close, items): (_, _, Vec<String>) = match value {
        Value::Array(list) if !list.is_empty() => {
            ('[', ']', list.iter().map(|value| item(value, style, depth + 1)).collect())
        }
        Value::Object(map) if !map.is_empty() => {
            let one = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), item(value, style, depth + 1))
            };
            ('{', '}', map.iter().map(one).collect())
        }
        leaf => return leaf.to_string(),
    };
    let line = |depth| match style.indent {
        Some(indent) => format!("{}{}", style.line_end, indent.repeat(depth)),
        None => String::new(),
    };
    let mut text = String::from(open);
    let count = items.len();
    for (at, item) in items.into_iter().enumerate() {
        text.push_str(&line(depth + 1));
        text.push_str(&item);
        if at + 1 < count || style.has_last_comma {
            text.push(',');
        }
        if style.indent.is_some() && style.remark_every > 0 && at % style.remark_every == 0 {
            text.push_str(" // a remark, {");
        }
    }
    text.push_str(&line(depth));
    text.push(close);
    text
}

/// What a text says.
fn said(text: &str) -> Value {
    let json = Json::parse(without_mark(text).1).unwrap();
    data(&jsonc_parser::ast::Value::Object(json.root))
}

/// The settings without our hooks, as data: what anybody else has in them.
fn foreign(settings: &Value) -> Value {
    let mut settings = settings.clone();
    let is_ours = |handler: &Value| {
        let command = handler["command"].as_str().unwrap_or_default();
        command.contains("backstory hook") || command.contains("backstory' hook")
    };
    if let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) {
        for groups in hooks.values_mut().filter_map(Value::as_array_mut) {
            groups.retain_mut(|group| {
                let Some(handlers) = group["hooks"].as_array_mut() else { return true };
                let before = handlers.len();
                handlers.retain(|handler| !is_ours(handler));
                !(handlers.is_empty() && before > 0)
            });
        }
    }
    settings
}

/// Lists of hooks that are empty or not there are the same.
fn without_empty(mut settings: Value) -> Value {
    if let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) {
        hooks.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
        if hooks.is_empty() {
            settings.as_object_mut().unwrap().remove("hooks");
        }
    }
    settings
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn hooks_go_in_and_out(settings in settings(), style in style()) {
        let text = written(&settings, style);
        prop_assert_eq!(&said(&text), &settings);
        let with_it = with(Part::Hooks, &text).unwrap();
        prop_assert_eq!(with(Part::Hooks, &with_it).unwrap(), with_it.as_str(), "a second time");
        prop_assert_eq!(
            without_empty(foreign(&said(&with_it))), without_empty(foreign(&settings)), "others'"
        );
        let without = without_ours(Part::Hooks, &with_it, Some(&text)).unwrap();
        prop_assert_eq!(
            without_empty(said(&without)), without_empty(foreign(&settings)), "{}", with_it
        );
        // Where nothing of ours was before, not a byte is another.
        if foreign(&settings) == settings {
            prop_assert!(is_part_of(&text, &with_it));
            prop_assert_eq!(without, text);
        }
    }

    #[test]
    fn the_server_goes_in_and_out(settings in settings(), style in style()) {
        let text = written(&settings, style);
        let with_it = with(Part::JsonServer, &text).unwrap();
        prop_assert_eq!(with(Part::JsonServer, &with_it).unwrap(), with_it.as_str());
        prop_assert!(is_part_of(&text, &with_it));
        let mut said_then = said(&with_it);
        prop_assert_eq!(said_then["mcpServers"]["backstory"]["args"][0].as_str(), Some("mcp"));
        let servers = said_then["mcpServers"].as_object_mut().unwrap();
        servers.remove("backstory");
        if servers.is_empty() && settings.get("mcpServers").is_none() {
            said_then.as_object_mut().unwrap().remove("mcpServers");
        }
        prop_assert_eq!(&said_then, &settings);
        prop_assert_eq!(without_ours(Part::JsonServer, &with_it, Some(&text)).unwrap(), text);
    }

    #[test]
    fn nothing_makes_it_panic(text in "[\\[\\]{}\":,a-c \n/*\\\\#=.'1]{0,40}") {
        for part in [Part::Hooks, Part::JsonServer, Part::TomlServer, Part::Rule] {
            if let Ok(with_it) = with(part, &text) {
                prop_assert_eq!(with(part, &with_it).unwrap(), with_it.as_str());
                let _ = without_ours(part, &with_it, None).unwrap();
            }
        }
    }

    #[test]
    fn the_server_goes_in_and_out_of_toml(
        sections in proptest::collection::vec(
            prop_oneof![
                Just("x = 1\n"), Just("# a remark\n"), Just("\n"), Just("y = \"\"\"\n[not]\n\"\"\"\n"),
                Just("[a]\nb = 1 # why\n"), Just("[mcp_servers.z]\ncommand = \"z\"\n"), Just("[[c]]\nd = 2\n"),
                Just("[mcp_servers.z.env]\nK = \"v\"\n"),
            ],
            0..6,
        ),
        windows in any::<bool>(),
    ) {
        let text = sections.concat();
        let text = if windows { text.replace('\n', "\r\n") } else { text };
        prop_assume!(text.parse::<toml::Table>().is_ok() && !text.trim().is_empty());
        let with_it = with(Part::TomlServer, &text).unwrap();
        prop_assert!(is_part_of(&text, &with_it));
        prop_assert_eq!(with(Part::TomlServer, &with_it).unwrap(), with_it.as_str());
        prop_assert_eq!(without_ours(Part::TomlServer, &with_it, None).unwrap(), text);
    }
}
