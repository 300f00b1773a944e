//! What `/metrics` tells.

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::time::Duration;

/// A kind of request.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    method: String,
    route: String,
}

/// A kind of request and how it ended.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Ended {
    method: String,
    route: String,
    status: u16,
}

/// Counters of one server.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Ended, Counter>,
    durations: Family<Route, Histogram>,
    /// Requests being worked on.
    pub(crate) in_flight: Gauge,
    /// Messages stored.
    pub(crate) added: Counter,
    /// Messages posted again.
    pub(crate) repeated: Counter,
    /// Stretches closed.
    pub(crate) sealed: Counter,
    /// Sweeps that took in what was posted.
    pub(crate) sweeps: Counter,
    /// Prompts something was recalled for.
    pub(crate) recalled: Counter,
    /// Prompts nothing was recalled for.
    pub(crate) nothing_recalled: Counter,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("backstory");
        let requests = Family::<Ended, Counter>::default();
        let durations = Family::<Route, Histogram>::new_with_constructor(|| {
            Histogram::new(exponential_buckets(0.0005, 2.0, 16))
        });
        registry.register("http_requests", "Requests answered", requests.clone());
        registry.register("http_request_seconds", "Time to answer", durations.clone());
        let in_flight = Gauge::default();
        registry.register("http_in_flight", "Requests being worked on", in_flight.clone());
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let added = counter("messages_added", "Messages stored");
        let repeated = counter("messages_repeated", "Messages posted again and left out");
        let sealed = counter("sessions_sealed", "Stretches of sessions closed");
        let sweeps = counter("sweeps", "Sweeps run by the server");
        let recalled = counter("prompts_recalled", "Prompts something was recalled for");
        let nothing_recalled = counter("prompts_not_recalled", "Prompts nothing was recalled for");
        Self {
            registry,
            requests,
            durations,
            in_flight,
            added,
            repeated,
            sealed,
            sweeps,
            recalled,
            nothing_recalled,
        }
    }

    /// Counts a request that was answered.
    pub(crate) fn answered(
        &self,
        method: &Method,
        route: &str,
        status: StatusCode,
        took: Duration,
    ) {
        let (method, route) = (label(method).to_owned(), route.to_owned());
        let ended = Ended { method: method.clone(), route: route.clone(), status: status.as_u16() };
        self.requests.get_or_create(&ended).inc();
        self.durations.get_or_create(&Route { method, route }).observe(took.as_secs_f64());
    }

    /// Everything, as OpenMetrics text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Anybody can make up methods: each would be a counter of its own for as long as the server runs.
fn label(method: &Method) -> &str {
    match *method {
        Method::GET
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE
        | Method::HEAD
        | Method::OPTIONS => method.as_str(),
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_methods_are_counted_as_one() {
        let metrics = Metrics::new();
        let answered = |method: &Method| {
            metrics.answered(method, "other", StatusCode::UNAUTHORIZED, Duration::ZERO);
        };
        answered(&Method::PATCH);
        answered(&Method::CONNECT);
        for number in 0..50 {
            answered(&Method::from_bytes(format!("MADEUP{number}").as_bytes()).unwrap());
        }
        let text = metrics.text();
        for (method, count) in [("PATCH", 1), ("other", 51)] {
            let line = format!("{{method=\"{method}\",route=\"other\",status=\"401\"}} {count}\n");
            assert!(text.contains(&line), "{text}");
        }
        assert_eq!(text.matches("http_requests_total{").count(), 2, "{text}");
    }
}
