//! `backstory serve` and `backstory mcp` as programs nobody here wrote see them: a maker of requests, an
//! inspector of the protocol, and plugins as they are published.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod document;
mod inspector;
mod machine;
mod plugins;
