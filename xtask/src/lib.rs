//! Development tasks, as a library so that tests can run them.

pub mod audit;
pub mod bench;
pub mod corpus;
pub mod eval;
pub mod fuzz;
mod programs;
pub mod recall;
pub mod test;
pub mod tidy;
