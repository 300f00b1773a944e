//! The Model Context Protocol: what agents ask Backstory by themselves, over stdio and HTTP.
//!
//! Tools are data ([`tools`]): a name, what a model reads about it, its arguments, a function from
//! arguments to one text. Every text is bounded and says how to go on.

mod answer;
mod args;
mod desk;
mod handler;
mod http;
mod resources;
mod stdio;
mod tools;

pub use desk::{Clock, Commit, Desk, Handing, ReadMoment};
pub use handler::Mcp;
pub use http::{Hosts, router};
pub use stdio::run_stdio;
