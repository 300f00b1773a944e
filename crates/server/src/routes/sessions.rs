//! Pushed sessions: how they stand, closing a stretch, taking one up again.

use super::body::read;
use crate::around::{RequestId, new_id};
use crate::refusal::Refusal;
use crate::service::Service;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use backstory_api::http::{
    Answer, Archive, CommitAsk, Committed, ConfigureAsk, ContextMessage, ContextPart, CreateAsk,
    Created, ErrorAnswer, Removed, SessionContext, SessionInfo, SessionStats, Task,
};
use backstory_engine::pushed::{
    Idle, Message, Part, Resumed, Sealed, Standing, Unasked, any_uid_of, estimate,
};
use backstory_engine::recall::overview_recall;
use backstory_model::Timestamp;
use backstory_store::{StoreError, Vault};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// Tokens an agent has for a session, unless it says otherwise.
const TOKEN_BUDGET: u64 = 128_000;
/// Sessions listed at once.
const LISTED: usize = 500;
/// Characters of an overview made from the archive.
const OVERVIEW_CHARS: usize = 6000;

type Answered<T> = Result<Json<Answer<T>>, Refusal>;

fn answer<T>(result: T) -> Json<Answer<T>> {
    Json(Answer::ok(result))
}

fn no_session(id: &str) -> Refusal {
    Refusal::not_found(format!("nothing was posted of session {id}"))
}

/// The latest pushed sessions.
#[utoipa::path(
    get, path = "/api/v1/sessions", tag = "sessions", operation_id = "list_sessions",
    responses((status = 200, body = Answer<Vec<SessionInfo>>))
)]
pub(super) async fn list(State(service): State<Arc<Service>>) -> Answered<Vec<SessionInfo>> {
    let sessions = service.blocking(|service| {
        let mut ids = service.journal.list();
        ids.sort_by_key(|(_, written)| std::cmp::Reverse(*written));
        let mut sessions = Vec::new();
        for (id, _) in ids.into_iter().take(LISTED) {
            sessions.extend(service.journal.standing(&id)?.map(info));
        }
        Ok(sessions)
    });
    Ok(answer(sessions.await?))
}

/// Begins a session.
#[utoipa::path(
    post, path = "/api/v1/sessions", tag = "sessions", request_body = CreateAsk,
    responses(
        (status = 200, body = Answer<Created>),
        (status = 400, body = ErrorAnswer),
        (status = 409, body = ErrorAnswer)
    )
)]
pub(super) async fn create(State(service): State<Arc<Service>>, body: Bytes) -> Answered<Created> {
    let asked: CreateAsk = read(&body)?;
    let id = asked.session_id.filter(|id| !id.is_empty()).unwrap_or_else(new_id);
    let policy = policy_said(asked.auto_commit_policy);
    let created = service.blocking(move |service| {
        let (standing, is_new) = service.journal.create(&id, policy.as_deref(), service.now())?;
        if is_new {
            return Ok(created_shape(standing));
        }
        let message = format!("session {id} exists; PATCH …/config changes it");
        Err(Refusal::new(StatusCode::CONFLICT, message))
    });
    Ok(answer(created.await?))
}

/// How a session stands.
#[utoipa::path(
    get, path = "/api/v1/sessions/{session_id}", tag = "sessions",
    params(("session_id" = String, Path, description = "as the plugin names it")),
    responses(
        (status = 200, body = Answer<SessionInfo>),
        (status = 400, body = ErrorAnswer),
        (status = 404, body = ErrorAnswer)
    )
)]
pub(super) async fn look(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Answered<SessionInfo> {
    let found = service.blocking(move |service| {
        service.journal.standing(&id)?.map(info).ok_or_else(|| no_session(&id))
    });
    Ok(answer(found.await?))
}

/// Removes what was posted of a session. What the archive has of it stays: `backstory forget` removes that.
#[utoipa::path(
    delete, path = "/api/v1/sessions/{session_id}", tag = "sessions",
    params(("session_id" = String, Path, description = "as the plugin names it")),
    responses((status = 200, body = Answer<Removed>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn remove(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Answered<Removed> {
    let removed = service.blocking(move |service| {
        let removed = service.journal.remove(&id)?;
        Ok(Removed { session_id: id, removed })
    });
    Ok(answer(removed.await?))
}

/// Changes how a session is kept.
#[utoipa::path(
    patch, path = "/api/v1/sessions/{session_id}/config", tag = "sessions",
    params(("session_id" = String, Path, description = "as the plugin names it")),
    request_body = ConfigureAsk,
    responses(
        (status = 200, body = Answer<Created>),
        (status = 400, body = ErrorAnswer),
        (status = 404, body = ErrorAnswer)
    )
)]
pub(super) async fn configure(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Answered<Created> {
    let policy = policy_said(read::<ConfigureAsk>(&body)?.auto_commit_policy);
    let changed = service.blocking(move |service| {
        let standing = match policy {
            Some(policy) => service.journal.configure(&id, &policy, service.now())?,
            None => service.journal.standing(&id)?,
        };
        standing.map(created_shape).ok_or_else(|| no_session(&id))
    });
    Ok(answer(changed.await?))
}

/// Closes the open stretch of a session. Its account can be read at once.
#[utoipa::path(
    post, path = "/api/v1/sessions/{session_id}/commit", tag = "sessions",
    params(("session_id" = String, Path, description = "as the plugin names it")),
    request_body = CommitAsk,
    responses((status = 200, body = Answer<Committed>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn commit(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Extension(RequestId(trace_id)): Extension<RequestId>,
    body: Bytes,
) -> Answered<Committed> {
    let keep = read::<CommitAsk>(&body)?.keep_recent_count;
    let committed = service.blocking(move |service| {
        let reason = if keep.is_some() { "threshold" } else { "asked" };
        match service.journal.seal(&id, keep.unwrap_or(0), reason, service.now())? {
            Sealed::Done(seal, standing) => {
                service.was_sealed();
                let name = archive_id(seal.number);
                Ok(Committed {
                    status: "accepted",
                    task_id: Some(format!("{}-{name}", standing.id)),
                    archive_uri: Some(format!(
                        "viking://user/default/sessions/{}/history/{name}",
                        standing.id
                    )),
                    session_id: standing.id,
                    archived: true,
                    reason: None,
                    trace_id,
                })
            }
            Sealed::Skipped(reason, standing) => Ok(Committed {
                session_id: standing.id,
                status: "skipped",
                task_id: None,
                archive_uri: None,
                archived: false,
                reason: Some(reason),
                trace_id,
            }),
        }
    });
    Ok(answer(committed.await?))
}

/// What may be asked of a context.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ContextAsk {
    token_budget: Option<String>,
}

/// What an agent needs to take a session up again: the account of what was closed, and what came since.
#[utoipa::path(
    get, path = "/api/v1/sessions/{session_id}/context", tag = "sessions",
    params(
        ("session_id" = String, Path, description = "as the plugin names it"),
        ("token_budget" = Option<u64>, Query, description = "at most so many tokens")
    ),
    responses(
        (status = 200, body = Answer<SessionContext>),
        (status = 400, body = ErrorAnswer),
        (status = 404, body = ErrorAnswer)
    )
)]
pub(super) async fn context(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Query(asked): Query<ContextAsk>,
) -> Answered<SessionContext> {
    let budget = asked.token_budget.and_then(|budget| budget.parse().ok()).unwrap_or(TOKEN_BUDGET);
    let context = service.blocking(move |service| {
        let posted = service.journal.resume(&id)?;
        let is_posted = posted.is_some();
        let Resumed { seals, messages, .. } = posted.unwrap_or_default();
        let archives = seals.len();
        if let Some(seal) = seals.into_iter().last() {
            return Ok(shape(messages, seal.overview, archives, budget));
        }
        // Nothing of it was closed here, but its log may have been read, or what was posted before.
        let archived = archived_overview(service, &id)?;
        if archived.is_none() && !is_posted {
            return Err(no_session(&id));
        }
        let overview = archived.unwrap_or_default();
        let archives = usize::from(!overview.is_empty());
        Ok(shape(messages, overview, archives, budget))
    });
    Ok(answer(context.await?))
}

fn archived_overview(service: &Service, id: &str) -> Result<Option<String>, Refusal> {
    let vault = match Vault::open(&service.archive().home) {
        Ok(vault) => vault,
        Err(StoreError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let uid = any_uid_of(id);
    if vault.session(&uid)?.is_none() {
        return Ok(None);
    }
    // Without the marks around it: plugins add their own.
    let recall = overview_recall(&vault, &uid, (OVERVIEW_CHARS, u32::MAX))?;
    Ok(Some(recall.items.into_iter().map(|item| item.text).collect()))
}

/// A closed stretch.
#[utoipa::path(
    get, path = "/api/v1/sessions/{session_id}/archives/{archive_id}", tag = "sessions",
    params(
        ("session_id" = String, Path, description = "as the plugin names it"),
        ("archive_id" = String, Path, description = "archive_001 and so on")
    ),
    responses(
        (status = 200, body = Answer<Archive>),
        (status = 400, body = ErrorAnswer),
        (status = 404, body = ErrorAnswer)
    )
)]
pub(super) async fn archive(
    State(service): State<Arc<Service>>,
    Path((id, wanted)): Path<(String, String)>,
) -> Answered<Archive> {
    let found = service.blocking(move |service| {
        let seals = service.journal.resume(&id)?.ok_or_else(|| no_session(&id))?.seals;
        let seal = seals.into_iter().find(|seal| archive_id(seal.number) == wanted);
        let seal = seal.ok_or_else(|| Refusal::not_found(format!("{id} has no {wanted}")))?;
        Ok(Archive {
            archive_id: wanted,
            created_at: Timestamp(seal.at).to_string(),
            gist: seal.gist,
            overview: seal.overview,
        })
    });
    Ok(answer(found.await?))
}

/// How far a task is: done, because whatever is asked is done when it is answered.
#[utoipa::path(
    get, path = "/api/v1/tasks/{task_id}", tag = "sessions",
    params(("task_id" = String, Path, description = "as a commit named it")),
    responses((status = 200, body = Answer<Task>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn task(Path(task_id): Path<String>) -> Json<Answer<Task>> {
    answer(Task { task_id, status: "completed" })
}

fn archive_id(number: u32) -> String {
    format!("archive_{number:03}")
}

/// When a session is to be sealed by itself: an object, or null for never. Anything else says nothing.
fn policy_said(policy: Option<Value>) -> Option<String> {
    let policy = policy.filter(|policy| policy.is_object() || policy.is_null());
    policy.map(|policy| policy.to_string())
}

fn is_sealed_when_idle(standing: &Standing) -> bool {
    Unasked::of(standing.policy.as_deref()).idle != Idle::Never
}

fn policy_value(policy: Option<String>) -> Option<Value> {
    policy.and_then(|json| serde_json::from_str(&json).ok())
}

fn info(standing: Standing) -> SessionInfo {
    SessionInfo {
        auto_commit_idle_enabled: is_sealed_when_idle(&standing),
        session_uid: any_uid_of(&standing.id).as_str().to_owned(),
        session_id: standing.id,
        created_at: Timestamp(standing.created_at).to_string(),
        updated_at: Timestamp(standing.last_at.max(standing.created_at)).to_string(),
        message_count: standing.open_messages,
        total_message_count: standing.messages,
        commit_count: standing.seals,
        pending_tokens: standing.pending_tokens,
        total_tokens: standing.tokens,
        auto_commit_policy: policy_value(standing.policy),
    }
}

fn created_shape(standing: Standing) -> Created {
    Created {
        auto_commit_idle_enabled: is_sealed_when_idle(&standing),
        session_id: standing.id,
        created_at: Timestamp(standing.created_at).to_string(),
        auto_commit_policy: policy_value(standing.policy),
    }
}

/// The latest messages that fit, then the overview if there is room for all of it.
fn shape(messages: Vec<Message>, overview: String, archives: usize, budget: u64) -> SessionContext {
    let mut active = 0;
    let fitting = messages.iter().rev().take_while(|message| {
        let with_it = active + u64::from(message.tokens);
        let fits = with_it <= budget;
        active = if fits { with_it } else { active };
        fits
    });
    let skipped = messages.len() - fitting.count();
    let archive = u64::from(estimate(&overview));
    let fits = !overview.is_empty() && active + archive <= budget;
    let (overview, archive) = if fits { (overview, archive) } else { (String::new(), 0) };
    SessionContext {
        latest_archive_overview: overview,
        pre_archive_abstracts: Vec::new(),
        messages: messages.into_iter().skip(skipped).map(message_shape).collect(),
        estimated_tokens: active + archive,
        stats: SessionStats {
            total_archives: archives,
            included_archives: usize::from(fits),
            dropped_archives: archives - usize::from(fits).min(archives),
            failed_archives: 0,
            active_tokens: active,
            archive_tokens: archive,
        },
    }
}

fn message_shape(message: Message) -> ContextMessage {
    ContextMessage {
        id: message.id,
        role: message.role,
        created_at: Timestamp(message.at).to_string(),
        parts: message.parts.into_iter().map(part_shape).collect(),
    }
}

fn part_shape(part: Part) -> ContextPart {
    if !part.is_tool() {
        return ContextPart { kind: "text", text: part.text, ..ContextPart::default() };
    }
    let input =
        part.input.map(|input| serde_json::from_str(&input).unwrap_or(Value::String(input)));
    ContextPart {
        kind: "tool",
        text: part.text,
        tool_id: part.tool_id,
        tool_name: part.tool,
        tool_status: part.status,
        tool_input: input,
        tool_output: part.output,
    }
}
