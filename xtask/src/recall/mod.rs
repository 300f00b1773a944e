//! Histories with questions about them, as files any tool can index: `cargo xtask recall-set`.
//!
//! A set is a directory with `home/`, which holds logs as the agents write them, and
//! `questions.jsonl`, one [`Question`] per line. `xtask/recall/README.md` describes both.

pub mod coding;
mod episode;
mod filler;
pub mod locomo;
mod set;
mod words;

pub use set::{Gold, Kind, Question, read_questions};
pub use words::shared_words;

use clap::Args;
use std::io;
use std::path::PathBuf;

/// What to write.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The directory to write to: `coding/` and, if asked for, `locomo/`.
    #[arg(long)]
    pub out: PathBuf,
    /// LoCoMo's `locomo10.json`, to be written as a set of its own.
    #[arg(long)]
    pub locomo: Option<PathBuf>,
}

/// Writes the sets; gives each one's directory and how many questions it has.
pub fn run(options: &Options) -> io::Result<Vec<(PathBuf, usize)>> {
    let mut written = vec![options.out.join("coding")];
    coding::write(&written[0])?;
    if let Some(source) = &options.locomo {
        let dir = options.out.join("locomo");
        locomo::write(source, &dir)?;
        written.push(dir);
    }
    written.into_iter().map(|dir| read_questions(&dir).map(|all| (dir, all.len()))).collect()
}
