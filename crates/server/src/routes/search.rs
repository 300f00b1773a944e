//! What is remembered about a prompt, in the forms plugins of every age ask for it.

use super::body::read;
use crate::readers::Opened;
use crate::refusal::Refusal;
use crate::service::Service;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use backstory_api::http::{
    Answer, ContextAnswer, ContextEntry, ContextStats, ErrorAnswer, GrepAnswer, GrepAsk,
    ListAnswer, ListItem, SearchAnswer, SearchAsk,
};
use backstory_engine::pushed::{any_uid_of, estimate};
use backstory_engine::recall::{Recall, RecallItem, RecallOptions, recall as recall_for};
use backstory_model::SessionUid;
use backstory_store::Vault;
use std::fmt::Write;
use std::sync::Arc;

/// What the plugin takes for the project.
const PEER: &str = "x-openviking-actor-peer";
/// What a plugin says that wants to be told of other projects too. `actor` is what happens unasked.
const EVERY_PEER: &str = "all";
/// Newer plugins do not shorten a text below this length, which saves the user a model's answer.
const RENDERED_CHARS: usize = 1_500;
/// Things told at most.
const MOST: u64 = 40;
/// Things told in a context.
const USUAL: u64 = 6;
/// A prompt shorter than this says nothing.
const SHORTEST: usize = 3;
/// The longest prompt that is looked at.
const LONGEST: usize = 16_000;

/// What is remembered about a prompt: for an agent to be told, or as a list.
#[utoipa::path(
    post, path = "/api/v1/search/search", tag = "search", request_body = SearchAsk,
    responses((status = 200, body = Answer<SearchAnswer>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn search(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Answer<SearchAnswer>>, Refusal> {
    let asked: SearchAsk = read(&body)?;
    let is_context = asked.mode.as_deref() == Some("context");
    let (asked, found) = look(service, asked, &headers, is_context).await?;
    Ok(Json(Answer::ok(if is_context {
        SearchAnswer::Context(context(&asked, found))
    } else {
        SearchAnswer::List(list(found))
    })))
}

/// The same for an agent to be told, as older plugins ask.
#[utoipa::path(
    post, path = "/api/v1/search/recall", tag = "search", request_body = SearchAsk,
    responses((status = 200, body = Answer<ContextAnswer>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn recall(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Answer<ContextAnswer>>, Refusal> {
    let (asked, found) = look(service, read(&body)?, &headers, true).await?;
    Ok(Json(Answer::ok(context(&asked, found))))
}

/// The same as a list, as the oldest plugins ask.
#[utoipa::path(
    post, path = "/api/v1/search/find", tag = "search", request_body = SearchAsk,
    responses((status = 200, body = Answer<ListAnswer>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn find(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Answer<ListAnswer>>, Refusal> {
    let (_, found) = look(service, read(&body)?, &headers, false).await?;
    Ok(Json(Answer::ok(list(found))))
}

/// Lines below an address that a regular expression fits.
#[utoipa::path(
    post, path = "/api/v1/search/grep", tag = "search", request_body = GrepAsk,
    responses((status = 200, body = Answer<GrepAnswer>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn grep(
    State(service): State<Arc<Service>>,
    body: Bytes,
) -> Result<Json<Answer<GrepAnswer>>, Refusal> {
    let asked: GrepAsk = read(&body)?;
    let found = service.blocking(move |service| super::tree::grep(service, &asked));
    Ok(Json(Answer::ok(found.await?)))
}

async fn look(
    service: Arc<Service>,
    asked: SearchAsk,
    headers: &HeaderMap,
    is_context: bool,
) -> Result<(SearchAsk, Recall), Refusal> {
    let peer = headers.get(PEER).and_then(|peer| peer.to_str().ok()).map(str::trim);
    let peer = peer.filter(|peer| !peer.is_empty()).map(str::to_owned);
    let asker = Arc::clone(&service);
    let question = move |opened: Option<Opened<'_>>| -> Result<(SearchAsk, Recall), Refusal> {
        let found = match opened {
            Some(opened) => remembered(&asker, opened, &asked, peer.as_deref(), is_context)?,
            None => Recall::default(),
        };
        Ok((asked, found))
    };
    service.readers.ask(question).await
}

fn remembered(
    service: &Service,
    Opened { vault, searcher }: Opened<'_>,
    asked: &SearchAsk,
    peer: Option<&str>,
    is_context: bool,
) -> Result<Recall, Refusal> {
    let prompt = asked.query.as_deref().unwrap_or_default().trim();
    if prompt.chars().count() < SHORTEST || wants_skills(asked) {
        return Ok(Recall::default());
    }
    let prompt = prompt.char_indices().nth(LONGEST).map_or(prompt, |(end, _)| &prompt[..end]);
    let id = asked.session_id.as_deref().filter(|id| !id.is_empty());
    let session = id.map(any_uid_of);
    let project = project(service, vault, session.as_ref(), peer)?;
    let mut told = asked.exclude_uris.clone().unwrap_or_default();
    if let (true, Some(id)) = (is_context, id) {
        told.extend(service.told.at_prompt(id, prompt, asked.dedup_turns.unwrap_or(0)));
    }
    let usual = if is_context { USUAL } else { MOST };
    let options = RecallOptions {
        prompt: prompt.to_owned(),
        // Who cannot say where it works is told of every project.
        everywhere: project.is_none() || asked.peer_scope.as_deref() == Some(EVERY_PEER),
        project,
        session,
        limit: asked.limit.unwrap_or(usual).clamp(1, MOST) as usize,
        already_given: told,
        ..RecallOptions::default()
    };
    let found = recall_for(vault, searcher, &options)?;
    if is_context {
        let metrics = &service.metrics;
        let counter = if found.is_empty() { &metrics.nothing_recalled } else { &metrics.recalled };
        counter.inc();
        if let Some(id) = id {
            service.told.remember(id, found.items.iter().map(|item| item.address.as_str()));
        }
    }
    Ok(found)
}

/// Skills are not searched; older plugins ask for them separately.
fn wants_skills(asked: &SearchAsk) -> bool {
    asked.target_uri.as_deref().is_some_and(|uri| uri.trim_end_matches('/').ends_with("/skills"))
}

/// Where the asker works: where its session works, else what the plugin says, whether anybody worked there
/// or not.
fn project(
    service: &Service,
    vault: &Vault,
    session: Option<&SessionUid>,
    peer: Option<&str>,
) -> Result<Option<String>, Refusal> {
    if let Some(session) = session
        && let Some(known) = vault.session(session)?
        && known.project_key.is_some()
    {
        return Ok(known.project_key);
    }
    let Some(peer) = peer else { return Ok(None) };
    Ok(Some(service.projects.of(vault, peer, service.now().0)?))
}

/// Plugins know scores between 0 and 1, and leave out those below 0.35.
fn score(item: &RecallItem) -> f64 {
    let score = f64::from(item.score.max(0.0));
    (score / (score + 1.0)).clamp(0.35, 1.0)
}

fn context(asked: &SearchAsk, found: Recall) -> ContextAnswer {
    let room = asked.max_tokens.map(|tokens| tokens.saturating_mul(4));
    let room = [room, asked.max_chars, Some(RENDERED_CHARS as u64)].into_iter().flatten().min();
    let room = room.unwrap_or(RENDERED_CHARS as u64) as usize;
    let considered = found.considered;
    let (mut entries, mut rendered) = (Vec::new(), String::new());
    for item in found.items {
        let entry = ContextEntry {
            score: score(&item),
            uri: item.address,
            category: item.category.name().to_owned(),
            detail: "abstract",
            text: item.text,
            origin: "self",
        };
        let block = render(&entry);
        // The first is told whatever its length: a text that ends in nothing helps nobody.
        if !rendered.is_empty() && rendered.len() + block.len() > room {
            break;
        }
        rendered.push_str(&block);
        entries.push(entry);
    }
    let rendered = rendered.trim_end().to_owned();
    let stats = ContextStats {
        returned: entries.len(),
        considered,
        used_tokens: estimate(&rendered),
        rewrite: "off",
    };
    ContextAnswer { entries, rendered, digest: String::new(), stats }
}

fn render(entry: &ContextEntry) -> String {
    let mut block = String::new();
    let ContextEntry { uri, category, score, detail, text, .. } = entry;
    let uri = uri.replace('"', "%22");
    // A text must not end the block it stands in.
    let text = text.replace("</memory", "<\u{200b}/memory");
    let _ = writeln!(
        block,
        "<memory uri=\"{uri}\" type=\"{category}\" score=\"{score:.2}\" detail=\"{detail}\">\n{text}\n</memory>"
    );
    block
}

fn list(found: Recall) -> ListAnswer {
    let item = |item: RecallItem| ListItem {
        context_type: "memory",
        level: 2,
        score: score(&item),
        uri: item.address,
        overview: item.text.clone(),
        gist: item.text,
        category: item.category.name().to_owned(),
        match_reason: item.why,
    };
    let memories: Vec<ListItem> = found.items.into_iter().map(item).collect();
    ListAnswer { total: memories.len(), memories, ..ListAnswer::default() }
}
