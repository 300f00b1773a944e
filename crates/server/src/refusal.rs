//! What an asker is told when something cannot be done.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use backstory_api::http::{ErrorAnswer, ErrorBody, ErrorDetails};
use backstory_engine::SyncError;
use backstory_engine::pushed::PushError;
use backstory_engine::tree::TreeError;
use backstory_store::{Fault, StoreError};

/// An error on its way out.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, code: code_of(status), message: message.into() }
    }

    /// The asker got something wrong.
    pub(crate) fn wrong(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// Something that may work later.
    pub(crate) fn for_now(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    pub(crate) fn into_answer(self, trace_id: &str) -> Response {
        let later = [408, 429].contains(&self.status.as_u16()) || self.status.is_server_error();
        let error = ErrorBody {
            code: self.code,
            message: self.message,
            details: ErrorDetails { retryable: later },
            trace_id: trace_id.to_owned(),
        };
        (self.status, Json(ErrorAnswer { status: "error", error })).into_response()
    }
}

/// The stable name of a kind of error.
pub(crate) fn code_of(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        405 => "METHOD_NOT_ALLOWED",
        408 | 504 => "DEADLINE_EXCEEDED",
        409 => "ALREADY_EXISTS",
        413 => "PAYLOAD_TOO_LARGE",
        429 | 507 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

/// The number of the request is added on the way out (`around.rs`).
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<PushError> for Refusal {
    fn from(error: PushError) -> Self {
        match &error {
            PushError::Id(_) => Self::wrong(error.to_string()),
            PushError::Io(_) if error.is_disk_full() => {
                Self::new(StatusCode::INSUFFICIENT_STORAGE, format!("the disk is full: {error}"))
            }
            PushError::Io(_) => Self::for_now(format!("the session cannot be written: {error}")),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Busy(_)
            | StoreError::Packs(_)
            | StoreError::Database { fault: Fault::Passing, .. } => {
                Self::for_now(format!("the archive is out of reach just now: {error}"))
            }
            _ => Self::internal(format!("the archive cannot be used: {error}")),
        }
    }
}

impl From<TreeError> for Refusal {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::NotFound(_) => Self::not_found(error.to_string()),
            TreeError::ReadOnly { .. } => Self::new(StatusCode::FORBIDDEN, error.to_string()),
            TreeError::Store(StoreError::Missing(_)) => {
                Self::not_found("nothing has been taken in yet")
            }
            TreeError::Store(error) => error.into(),
            TreeError::Io(error) => Self::for_now(format!("cannot be read: {error}")),
            _ => Self::wrong(error.to_string()),
        }
    }
}

impl From<SyncError> for Refusal {
    fn from(error: SyncError) -> Self {
        match error {
            SyncError::Store(error) => error.into(),
            other => Self::internal(other.to_string()),
        }
    }
}
