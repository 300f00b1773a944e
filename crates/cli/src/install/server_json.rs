//! Our MCP server in JSON settings: `{"mcpServers": {"backstory": {"command": …, "args": […]}}}`.

use super::Refusal;
use super::command::{Server, is_ours};
use super::json::{Json, data, member, text_of, until_done};
use super::splice::without_mark;
use jsonc_parser::ast::Object;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const SERVERS: &str = "mcpServers";
/// What we are called there.
pub(super) const NAME: &str = "backstory";

/// The server, in the order people write it.
#[derive(Serialize)]
pub(super) struct Written<'a> {
    r#type: &'static str,
    command: &'a str,
    args: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: &'a BTreeMap<String, String>,
}

impl<'a> Written<'a> {
    /// As it is written.
    pub(super) fn new(server: &'a Server) -> Self {
        Self { r#type: "stdio", command: &server.command, args: &server.args, env: &server.env }
    }
}

/// The program a server of ours runs; nothing if there is none.
pub(super) fn found(text: &str) -> Result<Option<PathBuf>, Refusal> {
    let json = Json::parse(without_mark(text).1)?;
    let Some(servers) = json.object(&json.root, SERVERS)? else { return Ok(None) };
    let Some(server) = json.object(servers, NAME)? else { return Ok(None) };
    Ok(Some(owned(&json, server)?))
}

/// The text with our server.
pub(super) fn with_server(text: &str, server: &Server) -> Result<String, Refusal> {
    let written = Written::new(server);
    until_done(text, |json| {
        let Some(servers) = json.object(&json.root, SERVERS)? else {
            let only = BTreeMap::from([(NAME, &written)]);
            return Ok(Some(json.with_member(&json.root, SERVERS, &only)));
        };
        let Some(here) = json.object(servers, NAME)? else {
            return Ok(Some(json.with_member(servers, NAME, &written)));
        };
        owned(json, here)?;
        for (name, value) in [("command", json!(server.command)), ("args", json!(server.args))] {
            if let Some(changed) = with_field(json, here, name, &value) {
                return Ok(Some(changed));
            }
        }
        with_env(json, here, server)
    })
}

/// The text with a member that says this; nothing if it does already.
fn with_field(json: &Json<'_>, of: &Object<'_>, name: &str, value: &Value) -> Option<String> {
    match member(of, name) {
        Some((_, property)) if data(&property.value) == *value => None,
        Some((_, property)) => Some(json.with_value(&property.value, value)),
        None => Some(json.with_member(of, name, value)),
    }
}

/// The same for our variables, one after the other: those of others stay.
fn with_env(
    json: &Json<'_>,
    here: &Object<'_>,
    server: &Server,
) -> Result<Option<String>, Refusal> {
    let Some((at, _)) = member(here, "env") else {
        let is_needed = !server.env.is_empty();
        return Ok(is_needed.then(|| json.with_member(here, "env", &server.env)));
    };
    let Some(env) = json.object(here, "env")? else { return Ok(None) };
    for (name, value) in &server.env {
        if let Some(changed) = with_field(json, env, name, &json!(value)) {
            return Ok(Some(changed));
        }
    }
    let unsaid = server.unsaid().find_map(|name| member(env, name));
    Ok(unsaid.map(|(variable, _)| match env.properties.len() {
        1 => json.without_member(here, at),
        _ => json.without_member(env, variable),
    }))
}

/// The text without our server. A list of servers it leaves empty goes too, unless it was there before.
pub(super) fn without_server(text: &str, before: Option<&str>) -> Result<String, Refusal> {
    let before = before.and_then(|before| Json::parse(without_mark(before).1).ok());
    let was_there = before.is_some_and(|before| before.root.get(SERVERS).is_some());
    let mut removed = false;
    until_done(text, |json| {
        let Some(servers) = json.object(&json.root, SERVERS)? else { return Ok(None) };
        if let (Some((at, _)), Some(here)) = (member(servers, NAME), json.object(servers, NAME)?) {
            if owned(json, here).is_err() {
                return Ok(None);
            }
            removed = true;
            return Ok(Some(json.without_member(servers, at)));
        }
        let emptied = removed && !was_there && servers.properties.is_empty();
        let place = member(&json.root, SERVERS).filter(|_| emptied);
        Ok(place.map(|(at, _)| json.without_member(&json.root, at)))
    })
}

/// The program of a server with our name, which must be ours.
fn owned(json: &Json<'_>, server: &Object<'_>) -> Result<PathBuf, Refusal> {
    match text_of(server, "command") {
        Some(command) if is_ours(Path::new(command)) => Ok(PathBuf::from(command)),
        _ => Err(Refusal {
            line: Some(super::splice::line_number(json.text, server.range.start)),
            what: format!(
                "an MCP server called \"{NAME}\" is there already and is not this program"
            ),
        }),
    }
}
