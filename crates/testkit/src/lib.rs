//! What the tests of every crate share: real agent CLIs against a scripted loopback model.

pub mod agents;
pub mod mock;
pub mod sandbox;
