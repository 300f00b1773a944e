//! The same over HTTP: every request stands by itself, no session is kept.

use super::{Desk, Mcp};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use backstory_adapters::mended;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;

/// Longer requests are refused.
const MAX_BODY: usize = 4 << 20;

/// Which `Host` a request may name: a page in a browser must not reach a server on this machine by
/// another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// Names of this machine alone.
    Loopback,
    /// Any, where a key is asked for.
    Any,
}

type Service = StreamableHttpService<Mcp, NeverSessionManager>;

/// The routes of the protocol, to be merged into those of a server.
pub fn router(desk: Arc<Desk>, hosts: Hosts) -> Router {
    let local = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY)
        .with_allowed_origins(local)
        .enforce_origin_validation();
    let config = match hosts {
        Hosts::Loopback => config,
        Hosts::Any => config.disable_allowed_hosts(),
    };
    // One for all requests, so that what one finds out is known to the next.
    let mcp = Mcp::new(desk);
    let service: Service =
        StreamableHttpService::new(move || Ok(mcp.clone()), Arc::default(), config);
    Router::new().route("/mcp", any(answer)).with_state(service)
}

async fn answer(State(service): State<Service>, request: Request) -> Response {
    let (mut head, body) = request.into_parts();
    // Who posts JSON here means this protocol, whatever else it says it wants.
    let both = HeaderValue::from_static("application/json, text/event-stream");
    head.headers.insert(ACCEPT, both);
    head.headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        let message = format!("a request may have {MAX_BODY} bytes at most");
        return (StatusCode::PAYLOAD_TOO_LARGE, message).into_response();
    };
    // What was mended may have another length.
    head.headers.remove(CONTENT_LENGTH);
    let body = Body::from(mended(&body).into_owned());
    service.handle(Request::from_parts(head, body)).await.map(Body::new)
}
