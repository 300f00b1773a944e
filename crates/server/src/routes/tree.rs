//! Reading the one tree over everything that is kept, by address.

use super::system::USER;
use crate::refusal::Refusal;
use crate::service::Service;
use axum::Json;
use axum::extract::{Query, State};
use backstory_api::http::{
    Answer, ErrorAnswer, FileEntry, GrepAnswer, GrepAsk, GrepMatch, Skill, Skills,
};
use backstory_engine::tree::{Entry, GrepOptions, Part, Tree};
use serde::Deserialize;
use std::sync::Arc;

/// Characters told at once.
const MOST_CHARS: usize = 1_000_000;
/// Entries of folders told at once.
const MOST_ENTRIES: usize = 2_000;
/// Folders within folders that are walked through.
const DEPTH: usize = 8;
/// Lines found at once.
const MOST_LINES: u64 = 1_000;
/// Lines found unless asked otherwise.
const USUAL_LINES: u64 = 50;

/// Which part of what.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReadAsk {
    uri: String,
    offset: Option<String>,
    limit: Option<String>,
}

/// What stands at an address.
#[utoipa::path(
    get, path = "/api/v1/content/read", tag = "tree",
    params(
        ("uri" = String, Query, description = "viking://… or backstory://…"),
        ("offset" = Option<i64>, Query, description = "lines passed over"),
        ("limit" = Option<i64>, Query, description = "at most so many lines; -1 for all")
    ),
    responses(
        (status = 200, body = Answer<String>),
        (status = 400, body = ErrorAnswer),
        (status = 404, body = ErrorAnswer)
    )
)]
pub(super) async fn read(
    State(service): State<Arc<Service>>,
    Query(asked): Query<ReadAsk>,
) -> Result<Json<Answer<String>>, Refusal> {
    let (offset, limit) = (number(asked.offset.as_ref()), number(asked.limit.as_ref()));
    let part = match (offset, limit) {
        (None, None) => Part::chars(0, MOST_CHARS),
        (offset, limit) => Part::lines(offset.unwrap_or(0), limit.unwrap_or(usize::MAX)),
    };
    let text = service.blocking(move |service| {
        let mut text = tree(service)?.read(&asked.uri, part)?.text;
        cut(&mut text, MOST_CHARS);
        Ok(text)
    });
    Ok(Json(Answer::ok(text.await?)))
}

/// Which folder, and how deep.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListAsk {
    uri: String,
    recursive: String,
    node_limit: Option<String>,
    abs_limit: Option<String>,
}

/// What is in a folder.
#[utoipa::path(
    get, path = "/api/v1/fs/ls", tag = "tree", operation_id = "list_folder",
    params(
        ("uri" = String, Query, description = "viking://… or backstory://…"),
        ("recursive" = Option<bool>, Query, description = "also the folders below"),
        ("node_limit" = Option<u64>, Query, description = "at most so many entries"),
        ("abs_limit" = Option<u64>, Query, description = "abstracts of at most so many characters"),
        ("output" = Option<String>, Query, description = "ignored: every entry tells everything")
    ),
    responses(
        (status = 200, body = Answer<Vec<FileEntry>>),
        (status = 400, body = ErrorAnswer),
        (status = 404, body = ErrorAnswer)
    )
)]
pub(super) async fn list(
    State(service): State<Arc<Service>>,
    Query(asked): Query<ListAsk>,
) -> Result<Json<Answer<Vec<FileEntry>>>, Refusal> {
    let entries = service.blocking(move |service| {
        if is_users(&asked.uri) {
            return Ok(vec![the_user()]);
        }
        let depth = if matches!(asked.recursive.as_str(), "true" | "1") { DEPTH } else { 1 };
        let limit = entries_wanted(asked.node_limit.as_ref());
        let found = tree(service)?.walk(&asked.uri, depth, limit)?.entries;
        let mut entries = shapes(found);
        if let Some(most) = number(asked.abs_limit.as_ref()) {
            for entry in &mut entries {
                cut(&mut entry.gist, most);
            }
        }
        Ok(entries)
    });
    Ok(Json(Answer::ok(entries.await?)))
}

/// How many skills.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SkillsAsk {
    node_limit: Option<String>,
}

/// The skills there are.
#[utoipa::path(
    get, path = "/api/v1/skills", tag = "tree",
    params(("node_limit" = Option<u64>, Query, description = "at most so many")),
    responses((status = 200, body = Answer<Skills>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn skills(
    State(service): State<Arc<Service>>,
    Query(asked): Query<SkillsAsk>,
) -> Result<Json<Answer<Skills>>, Refusal> {
    let skills = service.blocking(move |service| {
        let found = tree(service)?.skills(entries_wanted(asked.node_limit.as_ref()))?;
        let skills: Vec<Skill> = found.into_iter().map(skill).collect();
        Ok(Skills { total: skills.len(), skills })
    });
    Ok(Json(Answer::ok(skills.await?)))
}

/// Lines below an address that an expression fits.
pub(super) fn grep(service: &Service, asked: &GrepAsk) -> Result<GrepAnswer, Refusal> {
    let pattern = asked.pattern.clone().filter(|pattern| !pattern.is_empty());
    let pattern = pattern.ok_or_else(|| Refusal::wrong("pattern is missing"))?;
    let options = GrepOptions {
        patterns: vec![pattern],
        ignore_case: asked.case_insensitive.unwrap_or(false),
        limit: asked.node_limit.unwrap_or(USUAL_LINES).clamp(1, MOST_LINES) as usize,
        from: None,
    };
    let uri = asked.uri.as_deref().filter(|uri| !uri.is_empty()).unwrap_or("backstory://");
    let hits = tree(service)?.grep(uri, &options)?.hits;
    let shape = |hit: backstory_engine::tree::Hit| GrepMatch {
        uri: hit.address,
        line: hit.line as u64,
        content: hit.text,
    };
    let matches: Vec<GrepMatch> = hits.into_iter().map(shape).collect();
    Ok(GrepAnswer { count: matches.len(), matches })
}

fn tree(service: &Service) -> Result<Tree, Refusal> {
    Ok(Tree::open(&service.archive().home, service.now())?)
}

/// A number; what is none counts as not said.
fn number(text: Option<&String>) -> Option<usize> {
    text.and_then(|text| text.parse().ok())
}

fn entries_wanted(limit: Option<&String>) -> usize {
    number(limit).unwrap_or(MOST_ENTRIES).min(MOST_ENTRIES)
}

fn cut(text: &mut String, most_chars: usize) {
    if let Some((end, _)) = text.char_indices().nth(most_chars) {
        text.truncate(end);
    }
}

/// The folder of all users, which plugins look through for their own.
fn is_users(uri: &str) -> bool {
    uri.trim_end_matches('/') == "viking://user"
}

fn the_user() -> FileEntry {
    FileEntry {
        name: USER.to_owned(),
        uri: format!("viking://user/{USER}"),
        is_dir: true,
        rel_path: USER.to_owned(),
        size: 0,
        gist: String::new(),
    }
}

/// Entries with their paths below the folder that was asked for.
fn shapes(entries: Vec<(usize, Entry)>) -> Vec<FileEntry> {
    let mut above: Vec<String> = Vec::new();
    let shape = |(level, entry): (usize, Entry)| {
        above.truncate(level);
        above.push(entry.name.clone());
        FileEntry {
            rel_path: above.join("/"),
            name: entry.name,
            uri: entry.address,
            is_dir: entry.is_folder,
            size: entry.bytes.unwrap_or(0),
            gist: entry.about.unwrap_or_default(),
        }
    };
    entries.into_iter().map(shape).collect()
}

fn skill(found: backstory_engine::tree::Skill) -> Skill {
    Skill { name: found.name, uri: found.address, description: found.about }
}
