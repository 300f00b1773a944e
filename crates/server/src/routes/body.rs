//! Reading what was posted. The type of the content is not asked for: plugins differ, and it is JSON.

use crate::refusal::Refusal;
use axum::body::Bytes;
use backstory_adapters::mended;
use serde::de::DeserializeOwned;

/// The body; one that is empty or null says nothing.
pub(super) fn read<T: DeserializeOwned + Default>(bytes: &Bytes) -> Result<T, Refusal> {
    if matches!(bytes.trim_ascii(), b"" | b"null") {
        return Ok(T::default());
    }
    // What serde says names fields, and plugins take some of these words for an older server.
    serde_json::from_slice(&mended(bytes)).map_err(|error| {
        Refusal::wrong(format!(
            "the body is not the JSON object this asks for (line {}, column {})",
            error.line(),
            error.column()
        ))
    })
}
