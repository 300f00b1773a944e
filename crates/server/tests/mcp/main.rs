//! MCP as clients speak it: every tool listed and called, over a line and over HTTP.
#![expect(clippy::unwrap_used, reason = "a test that cannot prepare itself has failed")]

mod http;
mod line;
mod resources;
mod tools;
mod world;
