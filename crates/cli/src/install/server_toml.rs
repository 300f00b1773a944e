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
    // Every step brings one field in line; there are three.
    for _ in 0..8 {
        match step(&text, server)? {
            Some(changed) => text = changed,
            None => return Ok(format!("{mark}{text}")),
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
        Some(Item::Value(Value::InlineTable(servers))) => without_entry(text, servers)?,
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
    if server_in(&parse(&removed)?).is_some() {
        return Err(by_hand(text, 0));
    }
    Ok(format!("{mark}{removed}"))
}

fn parse(text: &str) -> Result<Document<&str>, Refusal> {
    Document::parse(text).map_err(|error| Refusal {
        line: error.span().map(|span| line_number(text, span.start)),
        what: format!("not valid TOML: {}", error.message().lines().next().unwrap_or_default()),
    })
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
    let servers = document.get(SERVERS);
    let Some(here) = server_in(&document) else {
        let changed = match servers {
            Some(Item::Value(Value::InlineTable(servers))) => with_entry(text, servers, server)?,
            None | Some(Item::Table(_)) => appended(text, server),
            Some(other) => return Err(by_hand(text, other.span().map_or(0, |span| span.start))),
        };
        // Whatever the rest of the file looks like, ours must be in it now.
        return match parse(&changed) {
            Ok(document) if server_in(&document).is_some() => Ok(Some(changed)),
            _ => Err(by_hand(text, 0)),
        };
    };
    owned(text, here)?;
    let Some(table) = here.as_table_like() else { return Err(by_hand(text, 0)) };
    for (name, wanted) in fields(server) {
        let edit = match (table.get(name), wanted) {
            (None, None) => continue,
            (Some(item), Some(wanted)) if same(item, &wanted) => continue,
            (Some(Item::Value(value)), Some(wanted)) => {
                value.span().map(|span| vec![Edit::replace(span, wanted.to_string())])
            }
            (Some(item), _) => {
                let mut stretches = Vec::new();
                if let (Some(key), Item::Value(value)) = (table.key(name), item) {
                    stretches.extend(joined(key.span(), value.span()));
                }
                collect(item, &mut stretches);
                if matches!(here, Item::Value(_)) || stretches.is_empty() {
                    None
                } else {
                    return Ok(Some(without_lines(text, &stretches)));
                }
            }
            (None, Some(wanted)) => new_field(text, here, name, &wanted),
        };
        return match edit {
            Some(edits) => Ok(Some(spliced(text, edits))),
            None => Err(by_hand(text, here.span().map_or(0, |span| span.start))),
        };
    }
    Ok(None)
}

fn fields(server: &Server) -> [(&'static str, Option<Value>); 3] {
    let args: Value = server.args.iter().map(String::as_str).collect();
    let env: InlineTable = server.env.iter().map(|(name, value)| (name, value.as_str())).collect();
    [
        ("command", Some(Value::from(server.command.as_str()))),
        ("args", Some(args)),
        ("env", (!env.is_empty()).then_some(Value::InlineTable(env))),
    ]
}

/// Compares what is said, not how it is written.
fn same(item: &Item, wanted: &Value) -> bool {
    match wanted {
        Value::String(text) => item.as_str() == Some(text.value().as_str()),
        Value::Array(wanted) => item.as_array().is_some_and(|here| {
            here.iter().map(Value::as_str).eq(wanted.iter().map(Value::as_str))
        }),
        Value::InlineTable(wanted) => item.as_table_like().is_some_and(|here| {
            let all = wanted
                .iter()
                .all(|(name, value)| here.get(name).and_then(Item::as_str) == value.as_str());
            all && here.len() == wanted.len()
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
    for (name, value) in fields(server) {
        if let Some(value) = value {
            let _ = writeln!(section, "{name} = {value}");
        }
    }
    format!("{text}{}", section.replace('\n', line_end(text)))
}

/// A new line below our header, or a new entry of our inline table.
fn new_field(text: &str, here: &Item, name: &str, wanted: &Value) -> Option<Vec<Edit>> {
    let end = line_end(text);
    match here {
        Item::Table(table) => {
            let header = table.span().filter(|span| !span.is_empty())?;
            let stop = line_stop(text, header.end);
            let lead = if text[..stop].ends_with('\n') { "" } else { end };
            Some(vec![Edit::insert(stop, format!("{lead}{name} = {wanted}{end}"))])
        }
        Item::Value(Value::InlineTable(table)) => {
            let last =
                table.iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max()?;
            Some(vec![Edit::insert(last, format!(", {name} = {wanted}"))])
        }
        _ => None,
    }
}

fn with_entry(text: &str, servers: &InlineTable, server: &Server) -> Result<String, Refusal> {
    let mut entry = InlineTable::new();
    for (name, value) in fields(server) {
        entry.extend(value.map(|value| (name, value)));
    }
    let span = servers.span().ok_or_else(|| by_hand(text, 0))?;
    let last = servers.iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max();
    let edit = match last {
        Some(last) => Edit::insert(last, format!(", {NAME} = {entry}")),
        None => Edit::replace(span, format!("{{ {NAME} = {entry} }}")),
    };
    Ok(spliced(text, vec![edit]))
}

fn without_entry(text: &str, servers: &InlineTable) -> Result<String, Refusal> {
    let place = servers.key(NAME).and_then(|key| joined(key.span(), servers.get(NAME)?.span()));
    let Some(place) = place else { return Err(by_hand(text, 0)) };
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
    Ok(spliced(text, vec![edit]))
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
