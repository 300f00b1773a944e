//! Our MCP server in JSON settings: `{"mcpServers": {"backstory": {"command": …, "args": […]}}}`.

use super::Refusal;
use super::command::{Server, is_ours};
use super::json::{Json, data, member, text_of, until_done};
use super::splice::without_mark;
use jsonc_parser::ast::Object;
use serde::Serialize;
use serde_json::json;
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
        for (name, value) in [
            ("command", json!(server.command)),
            ("args", json!(server.args)),
            ("env", json!(server.env)),
        ] {
            let is_nothing = value.as_object().is_some_and(serde_json::Map::is_empty);
            match member(here, name) {
                Some((at, _)) if is_nothing => return Ok(Some(json.without_member(here, at))),
                Some((_, property)) if data(&property.value) != value => {
                    return Ok(Some(json.with_value(&property.value, &value)));
                }
                None if !is_nothing => return Ok(Some(json.with_member(here, name, &value))),
                _ => {}
            }
        }
        Ok(None)
    })
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
