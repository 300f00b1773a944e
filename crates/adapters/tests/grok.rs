//! The Grok adapter, through the seam everyone uses.

#[path = "grok/kinds.rs"]
mod kinds;
#[path = "grok/lineage.rs"]
mod lineage;
// Marked as test code, so that its helpers may unwrap as tests do.
#[cfg(test)]
#[path = "grok/reading.rs"]
mod reading;
#[path = "grok/robust.rs"]
mod robust;
#[path = "grok/story.rs"]
mod story;
#[path = "grok/tokens.rs"]
mod tokens;
