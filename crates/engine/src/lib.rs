//! Use-cases: one file each, options in, report out. No terminal, no environment, no clock.

pub mod hub;
pub mod notices;
mod project;
pub mod spool;
mod stamp;
mod sync;
mod task_ref;

pub use sync::{
    FlavorProgress, PlannedFile, Problem, Progress, Root, SyncError, SyncOptions, SyncReport, sync,
};
