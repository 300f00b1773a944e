//! What surrounds every request: its number, who may ask, how long it may take, how errors look, and the
//! counters.

use crate::refusal::Refusal;
use crate::service::Service;
use axum::body::{Body, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use prometheus_client::metrics::gauge::Gauge;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// Longer numbers of requests are not taken over.
const ID_BYTES: usize = 128;
/// What is read of an error that is not ours.
const ERROR_BYTES: usize = 4096;

/// The number of a request.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub(crate) String);

/// Counts a request as long as it is worked on. Whoever leaves before the answer takes the request along.
struct InFlight(Gauge);

impl InFlight {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Answers a request with everything around it.
pub(crate) async fn around(
    State(service): State<Arc<Service>>,
    mut request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let id = request_id(request.headers());
    let method = request.method().clone();
    let matched = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = matched.unwrap_or_else(|| "other".to_owned());
    request.extensions_mut().insert(RequestId(id.clone()));
    let _counted = InFlight::new(&service.metrics.in_flight);
    let response = match admitted(&service, &route, request.headers()) {
        Err(refusal) => refusal.into_answer(&id),
        Ok(()) => {
            if let Ok(response) =
                tokio::time::timeout(service.options.timeout, next.run(request)).await
            {
                in_our_words(response, &id).await
            } else {
                let message = "the request took too long; try again, or ask for less";
                Refusal::new(StatusCode::GATEWAY_TIMEOUT, message).into_answer(&id)
            }
        }
    };
    service.metrics.answered(&method, &route, response.status(), began.elapsed());
    with_id(response, &id)
}

fn with_id(mut response: Response, id: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// The asker's own number if it is a sane one, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let is_sane = |id: &&str| {
        (1..=ID_BYTES).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
    };
    given.filter(is_sane).map_or_else(new_id, str::to_owned)
}

/// Every state of std's hasher begins with fresh random keys.
pub(crate) fn new_id() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Whether a request may be answered.
fn admitted(service: &Service, route: &str, headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(key) = &service.options.key else { return from_this_machine(headers) };
    if route == "/health" {
        return Ok(());
    }
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text(AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    if [bearer, text(API_KEY)].into_iter().flatten().any(|given| is_same(given, key)) {
        return Ok(());
    }
    let message = "this server needs its key: Authorization: Bearer <key>, or X-API-Key: <key>";
    Err(Refusal::new(StatusCode::UNAUTHORIZED, message))
}

/// Takes the same time wherever the texts differ.
fn is_same(given: &str, key: &str) -> bool {
    let differs = given.bytes().zip(key.bytes()).fold(0, |known, (a, b)| known | (a ^ b));
    given.len() == key.len() && differs == 0
}

/// Without a key a web page must not get at the server: neither by a request of its own nor by a name
/// that suddenly means this machine.
fn from_this_machine(headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(HOST).is_none_or(names_this_machine);
    let origin = text(ORIGIN).is_none_or(|origin| {
        origin.split_once("://").is_some_and(|(_, host)| names_this_machine(host))
    });
    if host && origin {
        return Ok(());
    }
    let message = "without a key the server answers to localhost only: set BACKSTORY_SERVER_KEY";
    Err(Refusal::new(StatusCode::FORBIDDEN, message))
}

fn names_this_machine(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    };
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || host.eq_ignore_ascii_case("localhost")
}

/// Errors of the framework become errors like all others; ours get the number of their request.
async fn in_our_words(mut response: Response, id: &str) -> Response {
    if let Some(refusal) = response.extensions_mut().remove::<Refusal>() {
        return refusal.into_answer(id);
    }
    let status = response.status();
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| {
        kind.to_str().is_ok_and(|kind| kind.contains("json") || kind.contains("event-stream"))
    });
    if !(status.is_client_error() || status.is_server_error()) || is_json {
        return response;
    }
    let body = std::mem::replace(response.body_mut(), Body::empty());
    let bytes = to_bytes(body, ERROR_BYTES).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&bytes).trim().to_owned();
    let said = if said.is_empty() {
        status.canonical_reason().unwrap_or("the request failed").to_lowercase()
    } else {
        said
    };
    Refusal::new(status, said).into_answer(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        for (host, own) in [
            ("127.0.0.1:1933", true),
            ("localhost", true),
            ("LOCALHOST:80", true),
            ("[::1]:1933", true),
            ("evil.example:1933", false),
            ("127.0.0.1.evil.example", false),
            ("192.168.0.2:1933", false),
            ("", false),
        ] {
            assert_eq!(names_this_machine(host), own, "{host}");
        }
    }

    #[test]
    fn keys_are_compared_whole() {
        assert!(is_same("abc", "abc"));
        for other in ["", "ab", "abcd", "abd", "ABC"] {
            assert!(!is_same(other, "abc"), "{other}");
        }
    }
}
