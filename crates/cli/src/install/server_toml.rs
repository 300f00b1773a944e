//! Our MCP server in TOML settings: `[mcp_servers.backstory]`.

use super::Refusal;
use super::command::{Server, is_ours};
use super::server_json::NAME;
use super::splice::{Edit, line_end, line_number, line_start, line_stop, spliced, without_mark};
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml_edit::{Document, InlineTable, Item, Value};

const SERVERS: &str = "mcp_servers";
const ENV: &str = "env";

/// The program a server of ours runs; nothing if there is none.
pub(super) fn found(text: &str) -> Result<Option<PathBuf>, Refusal> {
    let text = without_mark(text).1;
    let document = parse(text)?;
    match server_in(&document) {
        None => Ok(None),
        Some(server) => owned(text, server).map(Some),
    }
}

/// The text with our server.
pub(super) fn with_server(text: &str, server: &Server) -> Result<String, Refusal> {
    let (mark, text) = without_mark(text);
    let mut text = text.to_owned();
    // Every step brings one field or one variable in line; there are fewer.
    for _ in 0..32 {
        match step(&text, server)? {
            None => return Ok(format!("{mark}{text}")),
            // Whatever the rest of the file looks like, ours must be in it now.
            Some(changed) if holds_server(&changed) => text = changed,
            Some(_) => break,
        }
    }
    Err(by_hand(&text, 0))
}

/// The text without our server; another program's with the same name stays.
pub(super) fn without_server(text: &str) -> Result<String, Refusal> {
    let (mark, text) = without_mark(text);
    let document = parse(text)?;
    let Some(server) = server_in(&document).filter(|server| owned(text, server).is_ok()) else {
        return Ok(format!("{mark}{text}"));
    };
    let removed = match document.get(SERVERS) {
        Some(Item::Value(Value::InlineTable(servers))) => {
            without_entry(text, servers, NAME).ok_or_else(|| by_hand(text, 0))?
        }
        Some(Item::Table(servers)) => {
            let mut stretches = Vec::new();
            if let (Some(key), Item::Value(value)) = (servers.key(NAME), server) {
                stretches.extend(joined(key.span(), value.span()));
            }
            collect(server, &mut stretches);
            without_lines(text, &stretches)
        }
        _ => return Err(by_hand(text, 0)),
    };
    match parse(&removed) {
        Ok(document) if server_in(&document).is_none() => Ok(format!("{mark}{removed}")),
        _ => Err(by_hand(text, 0)),
    }
}

fn parse(text: &str) -> Result<Document<&str>, Refusal> {
    Document::parse(text).map_err(|error| Refusal {
        line: error.span().map(|span| line_number(text, span.start)),
        what: format!("not valid TOML: {}", error.message().lines().next().unwrap_or_default()),
    })
}

fn holds_server(text: &str) -> bool {
    parse(text).is_ok_and(|document| server_in(&document).is_some())
}

fn server_in<'a>(document: &'a Document<&str>) -> Option<&'a Item> {
    document.get(SERVERS)?.as_table_like()?.get(NAME)
}

/// The program of a server with our name, which must be ours.
fn owned(text: &str, server: &Item) -> Result<PathBuf, Refusal> {
    let command = server.as_table_like().and_then(|table| table.get("command")?.as_str());
    match command {
        Some(command) if is_ours(Path::new(command)) => Ok(PathBuf::from(command)),
        _ => Err(Refusal {
            line: server.span().map(|span| line_number(text, span.start)),
            what: format!(
                "an MCP server called \"{NAME}\" is there already and is not this program"
            ),
        }),
    }
}

/// The next change towards our server; nothing if all is as it should be.
fn step(text: &str, server: &Server) -> Result<Option<String>, Refusal> {
    let document = parse(text)?;
    let Some(here) = server_in(&document) else {
        return match document.get(SERVERS) {
            Some(Item::Value(Value::InlineTable(servers))) => with_entry(text, servers, server),
            None | Some(Item::Table(_)) => Ok(Some(appended(text, server))),
            Some(other) => Err(by_hand(text, other.span().map_or(0, |span| span.start))),
        };
    };
    owned(text, here)?;
    let refusal = || by_hand(text, here.span().map_or(0, |span| span.start));
    for (name, wanted) in fields(server) {
        let changed = match here.get(name) {
            Some(item) if same(item, &wanted) => continue,
            Some(item) => with_value(text, item, &wanted),
            None => with_field(text, here, name, &wanted),
        };
        return changed.map(Some).ok_or_else(refusal);
    }
    env_step(text, here, server, refusal)
}

/// The same for our variables, one after the other: those of others stay.
fn env_step(
    text: &str,
    here: &Item,
    server: &Server,
    refusal: impl Fn() -> Refusal,
) -> Result<Option<String>, Refusal> {
    let Some(item) = here.get(ENV) else {
        let Some(env) = env(server) else { return Ok(None) };
        return with_field(text, here, ENV, &env).map(Some).ok_or_else(refusal);
    };
    let Some(variables) = item.as_table_like() else { return Err(refusal()) };
    for (name, value) in &server.env {
        let changed = match variables.get(name) {
            Some(item) if item.as_str() == Some(value) => continue,
            Some(item) => with_value(text, item, &Value::from(value)),
            None => with_field(text, item, name, &Value::from(value)),
        };
        return changed.map(Some).ok_or_else(refusal);
    }
    let Some(unsaid) = server.unsaid().find(|name| variables.contains_key(name)) else {
        return Ok(None);
    };
    let is_only = variables.len() == 1 && item.is_value();
    let changed = if is_only { without(text, here, ENV) } else { without(text, item, unsaid) };
    changed.map(Some).ok_or_else(refusal)
}

fn fields(server: &Server) -> [(&'static str, Value); 2] {
    let args: Value = server.args.iter().map(String::as_str).collect();
    [("command", Value::from(server.command.as_str())), ("args", args)]
}

fn env(server: &Server) -> Option<Value> {
    let env: InlineTable = server.env.iter().map(|(name, value)| (name, value.as_str())).collect();
    (!env.is_empty()).then_some(Value::InlineTable(env))
}

/// Compares what is said, not how it is written.
fn same(item: &Item, wanted: &Value) -> bool {
    match wanted {
        Value::String(text) => item.as_str() == Some(text.value().as_str()),
        Value::Array(wanted) => item.as_array().is_some_and(|here| {
            here.iter().map(Value::as_str).eq(wanted.iter().map(Value::as_str))
        }),
        _ => false,
    }
}

/// Our section behind everything else.
fn appended(text: &str, server: &Server) -> String {
    let mut section = String::new();
    if !text.is_empty() && !text.ends_with('\n') {
        section.push('\n');
    }
    if !text.trim().is_empty() {
        section.push('\n');
    }
    let _ = writeln!(section, "[{SERVERS}.{NAME}]");
    for (name, value) in fields(server).into_iter().chain(env(server).map(|env| (ENV, env))) {
        let _ = writeln!(section, "{name} = {value}");
    }
    format!("{text}{}", section.replace('\n', line_end(text)))
}

/// The text with another value; nothing for what is a table, since that may be written anywhere.
fn with_value(text: &str, item: &Item, wanted: &Value) -> Option<String> {
    let value = item.as_value().filter(|value| !value.is_inline_table())?;
    Some(spliced(text, vec![Edit::replace(value.span()?, wanted.to_string())]))
}

/// The text with one more field of a table: in a new line, or in that of an inline table.
fn with_field(text: &str, table: &Item, name: &str, wanted: &Value) -> Option<String> {
    let end = line_end(text);
    let line_behind = |place: usize, key: &str| {
        let stop = line_stop(text, place);
        let lead = if text[..stop].ends_with('\n') { "" } else { end };
        Edit::insert(stop, format!("{lead}{key}{name} = {wanted}{end}"))
    };
    let edit = match table {
        // It has no header: each of its keys says where it belongs, `mcp_servers.backstory.command`.
        Item::Table(table) if table.is_dotted() => {
            let place = |(name, item): (&str, &Item)| {
                Some((item.as_value()?.span()?.end, table.key(name)?.span()?.start))
            };
            let (end, key) = table.iter().filter_map(place).max()?;
            line_behind(end, &text[line_start(text, key)..key])
        }
        Item::Table(table) if table.is_implicit() => return None,
        Item::Table(table) => line_behind(table.span()?.end, ""),
        Item::Value(Value::InlineTable(table)) if !table.is_dotted() => match last_end(table) {
            Some(last) => Edit::insert(last, format!(", {name} = {wanted}")),
            None => Edit::replace(table.span()?, format!("{{ {name} = {wanted} }}")),
        },
        _ => return None,
    };
    Some(spliced(text, vec![edit]))
}

/// The text without a value of a table.
fn without(text: &str, table: &Item, name: &str) -> Option<String> {
    match table {
        Item::Table(table) => {
            let place = joined(table.key(name)?.span(), table.get(name)?.as_value()?.span())?;
            Some(without_lines(text, &[place]))
        }
        Item::Value(Value::InlineTable(table)) => without_entry(text, table, name),
        _ => None,
    }
}

/// Where the last value of an inline table ends.
fn last_end(table: &InlineTable) -> Option<usize> {
    let end = |(_, value): (&str, &Value)| match value {
        Value::InlineTable(table) if table.is_dotted() => last_end(table),
        value => value.span().map(|span| span.end),
    };
    table.iter().filter_map(end).max()
}

fn with_entry(
    text: &str,
    servers: &InlineTable,
    server: &Server,
) -> Result<Option<String>, Refusal> {
    let mut entry: InlineTable = fields(server).into_iter().collect();
    entry.extend(env(server).map(|env| (ENV, env)));
    let servers = Item::Value(Value::InlineTable(servers.clone()));
    let changed = with_field(text, &servers, NAME, &Value::InlineTable(entry));
    changed.map(Some).ok_or_else(|| by_hand(text, 0))
}

fn without_entry(text: &str, table: &InlineTable, name: &str) -> Option<String> {
    let place = joined(table.key(name)?.span(), table.get(name)?.span())?;
    let before = text[..place.start].trim_end();
    let behind = &text[place.end..];
    let blanks = behind.len() - behind.trim_start().len();
    let edit = if before.ends_with(',') {
        Edit::remove(before.len() - 1..place.end)
    } else if behind[blanks..].starts_with(',') {
        let rest = &behind[blanks + 1..];
        Edit::remove(place.start..text.len() - rest.trim_start().len())
    } else {
        Edit::remove(before.len()..place.end + blanks)
    };
    Some(spliced(text, vec![edit]))
}

/// The places of everything an item is made of: headers, keys with their values.
fn collect(item: &Item, stretches: &mut Vec<Range<usize>>) {
    let Item::Table(table) = item else {
        if let Item::ArrayOfTables(tables) = item {
            for table in tables {
                collect(&Item::Table(table.clone()), stretches);
            }
        }
        return;
    };
    stretches.extend(table.span().filter(|span| !span.is_empty()));
    for (name, item) in table {
        if let (Some(key), Item::Value(value)) = (table.key(name), item) {
            stretches.extend(joined(key.span(), value.span()));
        }
        collect(item, stretches);
    }
}

fn joined(key: Option<Range<usize>>, value: Option<Range<usize>>) -> Option<Range<usize>> {
    Some(key?.start..value?.end)
}

/// The text without the lines these stretches are on. Remarks between lines of one section go with it,
/// as does the empty line before a section.
fn without_lines(text: &str, stretches: &[Range<usize>]) -> String {
    let mut lines: Vec<Range<usize>> = stretches
        .iter()
        .map(|stretch| line_start(text, stretch.start)..line_stop(text, stretch.end))
        .collect();
    lines.sort_by_key(|line| line.start);
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for line in lines {
        match blocks.last_mut() {
            Some(block) if is_remarks(&text[block.end.min(line.start)..line.start]) => {
                block.end = block.end.max(line.end);
            }
            _ => blocks.push(line),
        }
    }
    let edits = blocks.into_iter().map(|mut block| {
        let before = &text[..block.start];
        let is_section = text[block.start..].trim_start_matches([' ', '\t']).starts_with('[');
        let shorter = before.strip_suffix('\n').map(|rest| rest.strip_suffix('\r').unwrap_or(rest));
        if let Some(shorter) = shorter.filter(|rest| is_section && rest.ends_with('\n')) {
            block.start = shorter.len();
        }
        Edit::remove(block)
    });
    spliced(text, edits.collect())
}

fn is_remarks(between: &str) -> bool {
    between.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

fn by_hand(text: &str, at: usize) -> Refusal {
    Refusal {
        line: (at > 0).then(|| line_number(text, at)),
        what: format!("[{SERVERS}.{NAME}] cannot be changed without touching the rest"),
    }
}
