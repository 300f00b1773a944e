//! What is remembered about a prompt, in the forms plugins of every age ask for it.

use super::body::read;
use super::telling::{context, files, list, narrows, wanted};
use crate::projects::peer;
use crate::readers::Opened;
use crate::refusal::Refusal;
use crate::service::Service;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use backstory_api::http::{
    Answer, ContextAnswer, ErrorAnswer, GrepAnswer, GrepAsk, ListAnswer, SearchAnswer, SearchAsk,
};
use backstory_engine::pushed::any_uid_of;
use backstory_engine::recall::{
    Occasion, Recall, RecallOptions, recall as recall_for, record, unnamed,
};
use backstory_engine::tree::{Below, Tree, TreeError};
use backstory_model::SessionUid;
use backstory_store::Vault;
use std::sync::Arc;

/// What a plugin says that wants to be told of other projects too. `actor` is what happens unasked.
const EVERY_PEER: &str = "all";
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
    responses(
        (status = 200, body = Answer<SearchAnswer>),
        (status = 400, body = ErrorAnswer),
        (status = 404, body = ErrorAnswer)
    )
)]
pub(super) async fn search(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Answer<SearchAnswer>>, Refusal> {
    let asked: SearchAsk = read(&body)?;
    Ok(Json(Answer::ok(if asked.mode.as_deref() == Some("context") {
        SearchAnswer::Context(told(service, asked, peer(&headers), "HTTP search").await?)
    } else {
        SearchAnswer::List(listed(service, asked, peer(&headers)).await?)
    })))
}

/// The same for an agent to be told, as older plugins ask.
#[utoipa::path(
    post, path = "/api/v1/search/recall", tag = "search", request_body = SearchAsk,
    responses(
        (status = 200, body = Answer<ContextAnswer>),
        (status = 400, body = ErrorAnswer),
        (status = 404, body = ErrorAnswer)
    )
)]
pub(super) async fn recall(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Answer<ContextAnswer>>, Refusal> {
    let told = told(service, read(&body)?, peer(&headers), "HTTP recall");
    Ok(Json(Answer::ok(told.await?)))
}

/// The same as a list, as the oldest plugins ask.
#[utoipa::path(
    post, path = "/api/v1/search/find", tag = "search", request_body = SearchAsk,
    responses(
        (status = 200, body = Answer<ListAnswer>),
        (status = 400, body = ErrorAnswer),
        (status = 404, body = ErrorAnswer)
    )
)]
pub(super) async fn find(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Answer<ListAnswer>>, Refusal> {
    Ok(Json(Answer::ok(listed(service, read(&body)?, peer(&headers)).await?)))
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

/// What an agent is told; `event` is what that goes on record as.
async fn told(
    service: Arc<Service>,
    asked: SearchAsk,
    peer: Option<String>,
    event: &'static str,
) -> Result<ContextAnswer, Refusal> {
    let asker = Arc::clone(&service);
    let question = move |opened: Option<Opened<'_>>| -> Result<ContextAnswer, Refusal> {
        let below = below(&asked)?;
        let (Some(opened), Some(prompt)) = (opened, prompt(&asked)) else {
            return Ok(context(&asked, Recall::default()).0);
        };
        // Skills and documents are listed, and told of where nobody asks for them alone.
        if matches!(below, Below::Skills | Below::Resources) {
            return Ok(context(&asked, Recall::default()).0);
        }
        let mut given = asked.exclude_uris.clone().unwrap_or_default();
        let id = asked.session_id.as_deref().filter(|id| !id.is_empty());
        if let Some(id) = id {
            given.extend(asker.told.at_prompt(id, prompt, asked.dedup_turns.unwrap_or(0)));
        }
        let (most, peer) = (most(&asked, USUAL), peer.as_deref());
        let found = remembered(&asker, opened, (&asked, prompt, below), peer, (given, most))?;
        let (answer, told) = context(&asked, wanted(&asked, found, most));
        let metrics = &asker.metrics;
        if told.items.is_empty() {
            metrics.nothing_recalled.inc();
            return Ok(answer);
        }
        metrics.recalled.inc();
        if let Some(id) = id {
            asker.told.remember(id, told.items.iter().map(|item| item.address.as_str()));
        }
        let session = id.map_or_else(unnamed, any_uid_of);
        let occasion = Occasion { session: &session, event, at: asker.now() };
        // What cannot be put on record is told all the same.
        let _ = record(&asker.archive().home, &occasion, prompt, &told);
        Ok(answer)
    };
    service.readers.ask(question).await
}

/// What is listed.
async fn listed(
    service: Arc<Service>,
    asked: SearchAsk,
    peer: Option<String>,
) -> Result<ListAnswer, Refusal> {
    let below = below(&asked)?;
    if matches!(below, Below::Skills | Below::Resources | Below::Folder) {
        return service.blocking(move |service| listed_files(service, &asked, &below)).await;
    }
    let asker = Arc::clone(&service);
    let question = move |opened: Option<Opened<'_>>| -> Result<ListAnswer, Refusal> {
        let (Some(opened), Some(prompt)) = (opened, prompt(&asked)) else {
            return Ok(ListAnswer::default());
        };
        let given = asked.exclude_uris.clone().unwrap_or_default();
        let (most, peer) = (most(&asked, MOST), peer.as_deref());
        let found = remembered(&asker, opened, (&asked, prompt, below), peer, (given, most))?;
        Ok(list(wanted(&asked, found, most)))
    };
    service.readers.ask(question).await
}

/// Skills, documents or memories of a folder that have the words of the prompt.
fn listed_files(
    service: &Service,
    asked: &SearchAsk,
    below: &Below,
) -> Result<ListAnswer, Refusal> {
    let (Some(prompt), Some(address)) = (prompt(asked), &asked.target_uri) else {
        return Ok(ListAnswer::default());
    };
    let tree = Tree::open(&service.archive().home, service.now())?;
    let found = tree.find_memories(address, prompt, most(asked, MOST));
    let found = match found {
        // Nothing lies in a folder that nobody made.
        Err(TreeError::NotFound(_)) => Vec::new(),
        Err(TreeError::IsFile(_)) => return Err(Refusal::wrong("target_uri names no folder")),
        found => found?,
    };
    let kind = match below {
        Below::Skills => "skill",
        Below::Resources => "resource",
        _ => "memory",
    };
    let found = files(asked, kind, found);
    let answer = ListAnswer { total: found.len(), ..ListAnswer::default() };
    Ok(match below {
        Below::Skills => ListAnswer { skills: found, ..answer },
        Below::Resources => ListAnswer { resources: found, ..answer },
        _ => ListAnswer { memories: found, ..answer },
    })
}

/// What is to be looked for; nothing if it says nothing.
fn prompt(asked: &SearchAsk) -> Option<&str> {
    let prompt = asked.query.as_deref().unwrap_or_default().trim();
    let end = prompt.char_indices().nth(LONGEST).map_or(prompt.len(), |(end, _)| end);
    (prompt.chars().count() >= SHORTEST).then_some(&prompt[..end])
}

/// Where to look. Nothing of the address is repeated: plugins take some words for an older server.
fn below(asked: &SearchAsk) -> Result<Below, Refusal> {
    let address = asked.target_uri.as_deref().unwrap_or_default();
    Below::of(address).map_err(|_| Refusal::wrong("target_uri is no address here"))
}

/// At most so many.
fn most(asked: &SearchAsk, usual: u64) -> usize {
    asked.limit.unwrap_or(usual).clamp(1, MOST) as usize
}

fn remembered(
    service: &Service,
    Opened { vault, searcher }: Opened<'_>,
    (asked, prompt, below): (&SearchAsk, &str, Below),
    peer: Option<&str>,
    (given, most): (Vec<String>, usize),
) -> Result<Recall, Refusal> {
    let id = asked.session_id.as_deref().filter(|id| !id.is_empty());
    let session = id.map(any_uid_of);
    let project = project(service, vault, session.as_ref(), peer)?;
    let only = match below {
        Below::Session(name) => Some(named(service, &name)?),
        _ => None,
    };
    let options = RecallOptions {
        prompt: prompt.to_owned(),
        // Who cannot say where it works is told of every project.
        everywhere: project.is_none() || asked.peer_scope.as_deref() == Some(EVERY_PEER),
        project,
        session,
        only,
        // Others take the place of what a quota or an address leaves out.
        limit: if narrows(asked) { MOST as usize } else { most },
        already_given: given,
        ..RecallOptions::default()
    };
    Ok(recall_for(vault, searcher, &options)?)
}

/// The session that goes by this name.
fn named(service: &Service, name: &str) -> Result<SessionUid, Refusal> {
    let tree = Tree::open(&service.archive().home, service.now())?;
    let found = tree.named_session(name).ok().flatten();
    let found = found.ok_or_else(|| Refusal::not_found("target_uri names no session"))?;
    Ok(found.session_uid)
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
