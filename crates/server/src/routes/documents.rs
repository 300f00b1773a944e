//! Uploading a document, which is then handed in by the tool `add_resource`.

use crate::refusal::Refusal;
use crate::service::Service;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Query, State};
use backstory_api::http::{Answer, ErrorAnswer, Uploaded};
use backstory_engine::documents::keep_upload;
use serde::Deserialize;
use std::sync::Arc;

/// What is uploaded.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UploadAsk {
    name: String,
}

/// Keeps a text for a day, until `add_resource` makes a document of it. The body is the text itself.
#[utoipa::path(
    post, path = "/api/v1/resources/temp_upload", tag = "tree",
    params(("name" = String, Query, description = "letters, digits, dots, dashes and underscores")),
    request_body(content = String, content_type = "text/plain"),
    responses(
        (status = 200, body = Answer<Uploaded>),
        (status = 400, body = ErrorAnswer),
        (status = 413, body = ErrorAnswer)
    )
)]
pub(super) async fn upload(
    State(service): State<Arc<Service>>,
    Query(asked): Query<UploadAsk>,
    body: Bytes,
) -> Result<Json<Answer<Uploaded>>, Refusal> {
    let kept = service.blocking(move |service| {
        let temp_file_id = keep_upload(&service.archive().home, &asked.name, body.to_vec())?;
        Ok(Uploaded { temp_file_id })
    });
    Ok(Json(Answer::ok(kept.await?)))
}
