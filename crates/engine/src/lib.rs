//! Use-cases: one file each, options in, report out. No terminal, no environment, no clock.

mod sync;

pub use sync::{
    FlavorProgress, PlannedFile, Problem, Progress, Root, SyncError, SyncOptions, SyncReport, sync,
};
