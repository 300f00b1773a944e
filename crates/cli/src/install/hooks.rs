//! Hooks in an agent's JSON settings: `{"hooks": {Event: [{"hooks": [{"command": …}]}]}}`, the shape all
//! three agents read.

use super::Refusal;
use super::command::{Hook, Registered};
use super::json::{Json, member, text_of, until_done};
use super::splice::without_mark;
use jsonc_parser::ast::{Array, Object, Value};
use serde::Serialize;

const HOOKS: &str = "hooks";

/// What is run, in the order people write it.
#[derive(Serialize)]
struct Handler<'a> {
    r#type: &'static str,
    command: &'a str,
    timeout: u32,
}

/// Handlers of one kind of occasion; ours come alone and on every occasion.
#[derive(Serialize)]
struct Group<'a> {
    hooks: [Handler<'a>; 1],
}

/// A handler of ours, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The event it is registered for.
    pub(super) event: String,
    /// What it runs.
    pub(super) registered: Registered,
    group: usize,
    handler: usize,
}

/// Every handler of ours in a text.
pub(super) fn found(text: &str) -> Result<Vec<Found>, Refusal> {
    found_in(&Json::parse(without_mark(text).1)?)
}

/// The text with these hooks of ours and no others of ours. Where somebody runs us and more in one command,
/// that stays as it is and takes the place of ours: two would note everything twice.
pub(super) fn with_hooks(text: &str, wanted: &[Hook]) -> Result<String, Refusal> {
    until_done(text, |json| {
        let (others, found): (Vec<Found>, Vec<Found>) =
            found_in(json)?.into_iter().partition(|here| here.registered.does_more);
        let is_done = |event: &str| others.iter().any(|other| other.event == event);
        let wanted = || wanted.iter().filter(|hook| !is_done(hook.event));
        if let Some(stale) = found.iter().enumerate().find_map(|(at, here)| {
            let is_wanted = wanted().any(|hook| hook.event == here.event);
            let is_first = found[..at].iter().all(|earlier| earlier.event != here.event);
            (!is_wanted || !is_first).then_some(here)
        }) {
            return Ok(Some(without(json, stale)?));
        }
        for hook in wanted() {
            match found.iter().find(|here| here.event == hook.event) {
                None => return with_hook(json, hook).map(Some),
                Some(here) if here.registered.command != hook.command => {
                    return with_command(json, here, &hook.command).map(Some);
                }
                Some(_) => {}
            }
        }
        Ok(None)
    })
}

/// The text without any hook that is ours alone. What it leaves empty goes too, unless it was there before.
pub(super) fn without_hooks(text: &str, before: Option<&str>) -> Result<String, Refusal> {
    let mut emptied: Vec<String> = Vec::new();
    let before = before.and_then(|before| Json::parse(without_mark(before).1).ok());
    until_done(text, |json| {
        if let Some(here) = found_in(json)?.iter().find(|here| !here.registered.does_more) {
            emptied.push(here.event.clone());
            return without(json, here).map(Some);
        }
        let Some((place, _)) = member(&json.root, HOOKS).filter(|_| !emptied.is_empty()) else {
            return Ok(None);
        };
        let Some(hooks) = json.object(&json.root, HOOKS)? else { return Ok(None) };
        let earlier = before.as_ref().and_then(|before| before.root.get_object(HOOKS));
        for event in &emptied {
            let is_empty =
                json.array(hooks, event)?.is_some_and(|groups| groups.elements.is_empty());
            let was_there = earlier.is_some_and(|earlier| earlier.get(event).is_some());
            if let Some((at, _)) = member(hooks, event).filter(|_| is_empty && !was_there) {
                return Ok(Some(json.without_member(hooks, at)));
            }
        }
        if hooks.properties.is_empty() && earlier.is_none() {
            return Ok(Some(json.without_member(&json.root, place)));
        }
        Ok(None)
    })
}

fn found_in(json: &Json<'_>) -> Result<Vec<Found>, Refusal> {
    let mut found = Vec::new();
    let Some(hooks) = json.object(&json.root, HOOKS)? else { return Ok(found) };
    for property in &hooks.properties {
        let event = property.name.as_str();
        let Some(groups) = json.array(hooks, event)? else { continue };
        for (group, value) in groups.elements.iter().enumerate() {
            for (handler, value) in
                handlers(value).into_iter().flat_map(|list| &list.elements).enumerate()
            {
                let command = value.as_object().and_then(|object| text_of(object, "command"));
                if let Some(registered) = command.and_then(Registered::read) {
                    found.push(Found { event: event.to_owned(), registered, group, handler });
                }
            }
        }
    }
    Ok(found)
}

fn with_hook(json: &Json<'_>, hook: &Hook) -> Result<String, Refusal> {
    let handler = Handler { r#type: "command", command: &hook.command, timeout: hook.timeout };
    let group = Group { hooks: [handler] };
    let Some(hooks) = json.object(&json.root, HOOKS)? else {
        let only = std::collections::BTreeMap::from([(hook.event, [group])]);
        return Ok(json.with_member(&json.root, HOOKS, &only));
    };
    // At the end: Codex remembers by their number which hooks it may run.
    Ok(match json.array(hooks, hook.event)? {
        Some(groups) => json.with_element(groups, &group),
        None => json.with_member(hooks, hook.event, &[group]),
    })
}

fn with_command(json: &Json<'_>, here: &Found, command: &str) -> Result<String, Refusal> {
    let changed = place(json, here)?.and_then(|(_, _, handler)| {
        let (_, property) = member(handler, "command")?;
        Some(json.with_value(&property.value, &command))
    });
    Ok(changed.unwrap_or_else(|| json.text.to_owned()))
}

fn without(json: &Json<'_>, here: &Found) -> Result<String, Refusal> {
    Ok(match place(json, here)? {
        Some((groups, list, _)) if list.elements.len() == 1 => {
            json.without_element(groups, here.group)
        }
        Some((_, list, _)) => json.without_element(list, here.handler),
        None => json.text.to_owned(),
    })
}

/// The groups of an event, the handlers of the group and the handler itself.
fn place<'b, 'a>(
    json: &'b Json<'a>,
    here: &Found,
) -> Result<Option<(&'b Array<'a>, &'b Array<'a>, &'b Object<'a>)>, Refusal> {
    let Some(hooks) = json.object(&json.root, HOOKS)? else { return Ok(None) };
    let Some(groups) = json.array(hooks, &here.event)? else { return Ok(None) };
    let list = groups.elements.get(here.group).and_then(handlers);
    Ok(list.and_then(|list| {
        let handler = list.elements.get(here.handler)?.as_object()?;
        Some((groups, list, handler))
    }))
}

fn handlers<'b, 'a>(group: &'b Value<'a>) -> Option<&'b Array<'a>> {
    let (_, property) = member(group.as_object()?, HOOKS)?;
    property.value.as_array()
}
