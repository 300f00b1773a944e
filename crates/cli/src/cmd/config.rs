//! `backstory config`: every setting in force and where it came from.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::settings::{Origin, Settings, Token};
use crate::table::{Cell, Column, Table};
use crate::ui::{DIM, Ui, paint};
use backstory_api as api;
use serde_json::Value as Json;

struct Entry {
    key: String,
    value: Json,
    origin: Origin,
}

/// Runs the command.
pub(crate) fn run(context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let entries = entries(&settings);
    if ui.json {
        for entry in entries {
            ui.json_line(&api::Setting {
                key: entry.key,
                value: entry.value,
                origin: entry.origin.name(),
                origin_detail: entry.origin.detail(),
            })?;
        }
        return Ok(Exit::Success);
    }
    let file = context.short_path(&settings.file.display().to_string());
    let note = if settings.file_exists { "" } else { "  (does not exist: defaults are in force)" };
    ui.line(format!("{file}{}\n", paint(DIM, note)))?;
    let mut table = Table::new(&[Column::left("KEY"), Column::left("FROM"), Column::left("VALUE")]);
    for entry in entries {
        let from = match &entry.origin {
            Origin::File(path, line) => {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                Cell::from(format!("{}:{line}", name.unwrap_or_default()))
            }
            Origin::Default => Cell::styled(DIM, "default"),
            origin => origin.to_string().into(),
        };
        let mut values = shown(&entry.value, context).into_iter();
        let first = values.next().unwrap_or_else(|| "none".into());
        table.row(vec![entry.key.into(), from, first.into()]);
        for value in values {
            table.row(vec![Cell::default(), Cell::default(), value.into()]);
        }
    }
    table.write(ui.out(), None).map_err(Failure::output)?;
    Ok(Exit::Success)
}

fn entries(settings: &Settings) -> Vec<Entry> {
    let mut entries = vec![Entry {
        key: "home".into(),
        value: settings.home.value.display().to_string().into(),
        origin: settings.home.origin.clone(),
    }];
    if let Some(state) = &settings.state {
        entries.push(Entry {
            key: "state".into(),
            value: state.value.display().to_string().into(),
            origin: state.origin.clone(),
        });
    }
    for (key, value, origin) in settings.store.entries() {
        entries.push(Entry { key: format!("store.{key}"), value: value.into(), origin });
    }
    for (key, value) in settings.retention.entries() {
        let key = format!("session_memory.retention.{key}");
        entries.push(Entry { key, value: value.value, origin: value.origin });
    }
    for (flavor, folders) in &settings.sources {
        let paths = folders.value.iter().map(|dir| Json::from(dir.display().to_string()));
        entries.push(Entry {
            key: format!("session_memory.sources.{flavor}"),
            value: paths.collect(),
            origin: folders.origin.clone(),
        });
    }
    entries.push(Entry {
        key: "session_memory.domains".into(),
        value: settings
            .domains
            .value
            .iter()
            .map(|(repo, domain)| (repo.clone(), domain.clone().into()))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        origin: settings.domains.origin.clone(),
    });
    entries.push(Entry {
        key: "session_memory.task_ref.patterns".into(),
        value: settings.task_ref_patterns.value.iter().cloned().map(Json::from).collect(),
        origin: settings.task_ref_patterns.origin.clone(),
    });
    entries.push(Entry {
        key: "decisions.marker".into(),
        value: settings.marker.value.clone().into(),
        origin: settings.marker.origin.clone(),
    });
    let url = settings.hub.url.clone();
    entries.push(Entry {
        key: "hub.url".into(),
        value: url.as_ref().map(|url| url.value.clone()).into(),
        origin: url.map_or(Origin::Default, |url| url.origin),
    });
    for (key, value, origin) in settings.server.entries() {
        entries.push(Entry { key: format!("server.{key}"), value: value.into(), origin });
    }
    if settings.hub.token.is_some() {
        let key = "hub.token".into();
        entries.push(Entry { key, value: "(hidden)".into(), origin: Token::origin() });
    }
    entries
}

/// A value as people read it, one line per entry of a list.
fn shown(value: &Json, context: &Context) -> Vec<String> {
    match value {
        Json::Null => Vec::new(),
        Json::String(text) => vec![context.short_path(text)],
        Json::Array(list) => list.iter().flat_map(|entry| shown(entry, context)).collect(),
        Json::Object(map) => map
            .iter()
            .map(|(key, value)| format!("{key} = {}", shown(value, context).join(" ")))
            .collect(),
        other => vec![other.to_string()],
    }
}
