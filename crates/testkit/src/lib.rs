//! What the tests of every crate share: real agent CLIs against a scripted loopback model, and
//! planted secrets.

pub mod agents;
pub mod mock;
pub mod sandbox;
pub mod secrets;
