//! Use-cases: one file each, options in, report out. No terminal, no environment, no clock.

mod archive;
mod commit;
mod distil;
pub mod documents;
mod evict;
mod forget;
pub mod hub;
mod import;
mod index;
mod journal;
pub mod ledger;
pub mod live;
mod migrate;
pub mod notices;
mod peers;
mod project;
pub mod pushed;
pub mod recall;
pub mod search;
pub mod spool;
mod stamp;
mod sync;
mod task_ref;
pub mod tree;
mod versions;

pub use archive::Archive;
pub use commit::{CommitReport, commit, is_any_due};
pub use distil::{DistilReport, distil};
pub use evict::{EvictReport, Evicted, evict};
pub use forget::{ForgetChoice, ForgottenSession, find_to_forget, forget, pin};
pub use import::{ImportReport, Importer};
pub use index::{IndexReport, IndexStatus, index, index_status};
pub use migrate::migrate;
pub use peers::Peers;
pub use project::{Project, project, project_key};
pub use sync::{
    FlavorProgress, PlannedFile, Problem, Progress, Root, SyncError, SyncOptions, SyncReport, sync,
};
pub use versions::{MetVersion, not_warned_of, unknown_versions};
