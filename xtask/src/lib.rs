//! Development tasks, as a library so that tests can run them.

pub mod corpus;
