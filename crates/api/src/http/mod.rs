//! What the server takes and answers. Names are those the plugins know; what they may leave out or get
//! wrong is optional, and what is not known is ignored.

mod asked;
mod found;
mod sessions;

pub use asked::{AddMessage, AddMessages, CommitAsk, ConfigureAsk, CreateAsk, GrepAsk, SearchAsk};
pub use found::{
    ContextAnswer, ContextEntry, ContextStats, FileEntry, GrepAnswer, GrepMatch, ListAnswer,
    ListItem, SearchAnswer, Skill, Skills, Uploaded,
};
pub use sessions::{
    Added, Archive, Committed, ContextMessage, ContextPart, Created, Removed, SessionContext,
    SessionInfo, SessionStats, Task,
};

use serde::Serialize;
use utoipa::ToSchema;

/// Every answer that is not an error.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Answer<T> {
    /// `ok`.
    pub status: &'static str,
    /// What was asked for.
    pub result: T,
}

impl<T> Answer<T> {
    /// An answer.
    pub const fn ok(result: T) -> Self {
        Self { status: "ok", result }
    }
}

/// Every error.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorAnswer {
    /// `error`.
    pub status: &'static str,
    /// What went wrong.
    pub error: ErrorBody,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// A stable name, e.g. `NOT_FOUND`.
    pub code: &'static str,
    /// In words, with what to do about it.
    pub message: String,
    /// What a program may want to know of it.
    pub details: ErrorDetails,
    /// The number of the request.
    pub trace_id: String,
}

/// What a program may want to know of an error.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ErrorDetails {
    /// The same request may work later.
    pub retryable: bool,
}

/// That the server runs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Health {
    /// `ok`.
    pub status: &'static str,
    /// `true`.
    pub healthy: bool,
    /// Version of Backstory.
    pub version: &'static str,
    /// `dev` if everybody on this machine may ask, `api_key` if a key is needed.
    pub auth_mode: &'static str,
    /// Whose memory it is.
    pub account_id: &'static str,
    /// Whose memory it is.
    pub user_id: &'static str,
    /// What the asker may do.
    pub role: &'static str,
}

/// Who the asker is to the server.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SystemStatus {
    /// The one user there is.
    pub user: &'static str,
    /// The one account there is.
    pub account: &'static str,
    /// `true`.
    pub initialized: bool,
    /// Version of Backstory.
    pub version: &'static str,
}

/// Where the server listens, as `backstory serve --json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Serving {
    /// Its address.
    pub url: String,
    /// A key is needed.
    pub needs_key: bool,
}
