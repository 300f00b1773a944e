//! One event as the distillers see it.

use backstory_model::SessionEvent;

/// An event and its full content.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The event's row.
    pub event: &'a SessionEvent,
    /// What the payload says: message text, tool input as JSON, tool output as text.
    pub text: &'a str,
}
