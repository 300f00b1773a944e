//! HTTP and MCP: the archive for agents and their plugins.
//!
//! The server speaks the protocol of the OpenViking plugins, so that they work with it unmodified, on the
//! same archive as every other command. `routes/` has one file per group of endpoints; a handler reads
//! what was asked, hands the work to `Service::blocking`, and shapes the answer. What surrounds every
//! request stands in `around.rs`: its number, who may ask, how long it may take, how errors look.

mod around;
mod connections;
pub mod mcp;
mod metrics;
mod posted;
mod projects;
mod readers;
mod refusal;
mod routes;
mod serve;
mod service;
mod shared_index;
mod told;
mod upkeep;

pub use routes::openapi;
pub use serve::{run, serve};
pub use service::{Options, Service, TakeIn};
