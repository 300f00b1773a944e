//! What the tests of every crate share: real agent CLIs against a scripted loopback model, a real
//! Postgres, a real S3 server, plugins of others as they are published, and planted secrets.

pub mod agents;
pub mod inspector;
pub mod mock;
pub mod plugins;
#[cfg(unix)]
pub mod postgres;
pub mod s3;
pub mod sandbox;
pub mod schemathesis;
pub mod secrets;
mod target;
mod wheel;

pub use wheel::WheelError;
