//! That the server runs, who asks, and how it does.

use crate::refusal::Refusal;
use crate::service::Service;
use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use backstory_api::http::{Answer, Health, SystemStatus};
use std::sync::Arc;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// There is one user, whoever asks.
pub(super) const USER: &str = "default";

/// That the server runs. Needs no key.
#[utoipa::path(get, path = "/health", tag = "system", responses((status = 200, body = Health)))]
pub(super) async fn health(State(service): State<Arc<Service>>) -> Json<Health> {
    Json(Health {
        status: "ok",
        healthy: true,
        version: VERSION,
        auth_mode: if service.options.key.is_some() { "api_key" } else { "dev" },
        account_id: USER,
        user_id: USER,
        role: "user",
    })
}

/// Who the asker is to the server.
#[utoipa::path(
    get, path = "/api/v1/system/status", tag = "system",
    responses((status = 200, body = Answer<SystemStatus>))
)]
pub(super) async fn status() -> Json<Answer<SystemStatus>> {
    Json(Answer::ok(SystemStatus {
        user: USER,
        account: USER,
        initialized: true,
        version: VERSION,
    }))
}

/// How the server does, as OpenMetrics text.
#[utoipa::path(
    get, path = "/metrics", tag = "system",
    responses((status = 200, body = String, content_type = "application/openmetrics-text"))
)]
pub(super) async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, kind)], service.metrics.text()).into_response()
}

/// What is not there.
pub(super) async fn nowhere() -> Refusal {
    Refusal::not_found("there is no such endpoint; /openapi.json lists all")
}
