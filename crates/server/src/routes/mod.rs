//! Every endpoint, and the document that describes them.

mod body;
mod documents;
mod messages;
mod search;
mod sessions;
mod system;
mod telling;
mod tree;

use crate::around::around;
use crate::mcp::{self, Hosts};
use crate::service::Service;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::{Json, Router};
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What the document says of itself.
#[derive(OpenApi)]
#[openapi(info(
    title = "Backstory",
    description = "The memory of coding-agent sessions, in the protocol of the OpenViking plugins.",
))]
struct Document;

fn endpoints() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(system::health))
        .routes(routes!(system::status))
        .routes(routes!(system::metrics))
        .routes(routes!(messages::add))
        .routes(routes!(messages::add_batch))
        .routes(routes!(sessions::list, sessions::create))
        .routes(routes!(sessions::look, sessions::remove))
        .routes(routes!(sessions::configure))
        .routes(routes!(sessions::commit))
        .routes(routes!(sessions::context))
        .routes(routes!(sessions::archive))
        .routes(routes!(sessions::task))
        .routes(routes!(search::search))
        .routes(routes!(search::recall))
        .routes(routes!(search::find))
        .routes(routes!(search::grep))
        .routes(routes!(tree::read))
        .routes(routes!(tree::list))
        .routes(routes!(tree::skills))
        .routes(routes!(documents::upload))
}

/// The document that describes every endpoint, as JSON.
pub fn openapi() -> String {
    let (_, document) = endpoints().split_for_parts();
    let mut text = document.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// The whole server.
pub(crate) fn router(service: &Arc<Service>) -> Router {
    let (router, document) = endpoints().split_for_parts();
    let document = Arc::new(document);
    let hosts = if service.options.key.is_some() { Hosts::Any } else { Hosts::Loopback };
    let agents = mcp::router(Arc::new(service.options.desk.clone()), hosts);
    let describe = move || async move { Json(document.as_ref().clone()) };
    router
        .route("/openapi.json", axum::routing::get(describe))
        .with_state(Arc::clone(service))
        .merge(agents)
        .fallback(system::nowhere)
        .layer(DefaultBodyLimit::max(service.options.body_bytes))
        .layer(from_fn_with_state(Arc::clone(service), around))
}
