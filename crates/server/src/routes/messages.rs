//! Posting messages. What is answered has been written; posting it again adds nothing.

use super::body::read;
use crate::posted::incoming;
use crate::refusal::Refusal;
use crate::service::Service;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use backstory_api::http::{AddMessage, AddMessages, Added, Answer, ErrorAnswer};
use backstory_engine::pushed::{Sealed, Standing, Unasked};
use std::sync::Arc;

/// Adds one message; the session begins with its first.
#[utoipa::path(
    post, path = "/api/v1/sessions/{session_id}/messages", tag = "sessions",
    params(("session_id" = String, Path, description = "as the plugin names it")),
    request_body = AddMessage,
    responses((status = 200, body = Answer<Added>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn add(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Answer<Added>>, Refusal> {
    append(service, id, move || Ok(vec![read::<AddMessage>(&body)?])).await
}

/// Adds several messages at once: all of them are written, or none.
#[utoipa::path(
    post, path = "/api/v1/sessions/{session_id}/messages/batch", tag = "sessions",
    params(("session_id" = String, Path, description = "as the plugin names it")),
    request_body = AddMessages,
    responses((status = 200, body = Answer<Added>), (status = 400, body = ErrorAnswer))
)]
pub(super) async fn add_batch(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Answer<Added>>, Refusal> {
    append(service, id, move || Ok(read::<AddMessages>(&body)?.messages)).await
}

async fn append(
    service: Arc<Service>,
    id: String,
    posted: impl FnOnce() -> Result<Vec<AddMessage>, Refusal> + Send + 'static,
) -> Result<Json<Answer<Added>>, Refusal> {
    let added = service.blocking(move |service| {
        let messages = posted()?.iter().map(incoming).collect::<Result<Vec<_>, _>>()?;
        let done = service.journal.append(&id, &messages, service.now())?;
        service.metrics.added.inc_by(done.added);
        service.metrics.repeated.inc_by(done.repeated);
        let standing = sealed_if_due(service, done.standing);
        Ok(Added {
            session_id: standing.id,
            message_count: standing.open_messages,
            added: done.added,
            duplicates: done.repeated,
            ignored: done.empty,
            pending_tokens: standing.pending_tokens,
        })
    });
    Ok(Json(Answer::ok(added.await?)))
}

/// Seals a session that its plugin wants sealed by now.
fn sealed_if_due(service: &Service, standing: Standing) -> Standing {
    let unasked = Unasked::of(standing.policy.as_deref());
    if !unasked.is_due(&standing) {
        return standing;
    }
    match service.journal.seal(&standing.id, unasked.keep, "threshold", service.now()) {
        Ok(Sealed::Done(_, sealed)) => {
            service.was_sealed();
            sealed
        }
        // What was posted is stored all the same, and the next message tries again.
        Ok(Sealed::Skipped(..)) | Err(_) => standing,
    }
}
