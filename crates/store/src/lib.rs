//! The archive: rows in a database, bulky payloads in one compressed pack per session.
//!
//! [`Vault`] is the whole API. It owns the home directory, opens every connection with the same
//! pragmas and file modes, and is the only code that knows SQL. Writing goes through [`Writer`]
//! ([`Chunk`] by [`Chunk`]: rows, pack blocks and the source's cursor together); reading never
//! blocks on it.

mod agreement;
mod blob;
mod census;
mod chunk;
mod clauses;
mod cursor;
mod database;
mod decisions;
mod departed;
mod distilled;
mod engine;
mod error;
mod evict;
mod finding;
mod forget;
mod home;
mod indexing;
mod moving;
mod pack;
mod pack_files;
mod packs;
mod payloads;
mod query;
mod report;
mod residence;
mod rows;
mod seals;
mod superseded;
mod transfer;
mod usage;
mod vault;
mod verify;
mod whereabouts;
mod writer;

pub use blob::BlobCompressor;
pub use census::{Census, Recent};
pub use chunk::{
    Block, Chunk, EventRow, QuarantineRow, SecretRow, SessionDelta, Text, UsageRow, UsageRule,
};
pub use cursor::{Cursor, SourceStat, path_key};
pub use database::{Database, EachRow, NewRows, Room, Row, TakeRow, Value};
pub use decisions::{DecisionFilter, HubDecision, LedgerEntry, Recorded};
pub use distilled::{Account, PendingSession, SignalFilter};
pub use engine::{Engine, SweepLock};
pub use error::{Fault, StoreError};
pub use finding::{SessionScope, Standing, Stretch};
pub use forget::Forgotten;
pub use home::{Home, create_private_dir, private_file};
pub use indexing::{IndexDebt, IndexState};
pub use moving::{Moved, Print, move_archive};
pub use pack::{BLOCK_BYTES, BlockCompressor};
pub use pack_files::PackFiles;
pub use packs::{Appended, PackBatch, PackFault, Packs, Piece};
pub use payloads::Payloads;
pub use query::SessionFilter;
pub use report::{FlavorTotals, QuarantineCount, SecretCount, Sizes, SourceProblem, SweepRecord};
pub use residence::{Resident, Tiers};
pub use rows::format_uuid;
pub use transfer::{Passport, Spending};
pub use vault::{KnownEvent, SessionHead, Vault};
pub use verify::Damage;
pub use writer::Writer;
