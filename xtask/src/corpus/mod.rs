//! A synthetic history of the three agents with known totals: `cargo xtask corpus`.
//!
//! The same options give the same bytes, whatever the number of threads: a family of sessions
//! depends only on the seed and its number.

mod claude;
pub(crate) mod clock;
mod codex;
mod family;
mod grok;
mod json;
mod plan;
pub(crate) mod rng;
mod secrets;
mod templates;
mod text;
mod truth;
mod words;
mod work;
mod write;

pub use truth::{Agent, Records, Secret, Session, Tokens, Truth};

use clap::Args;
use std::io;
use std::path::PathBuf;

/// What to generate.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Total size, e.g. 20MB or 1GB.
    #[arg(long, value_parser = parse_size, default_value = "100MB")]
    pub size: u64,
    /// Instead of a size: so many tiny sessions.
    #[arg(long, conflicts_with_all = ["size", "single"])]
    pub many: Option<u64>,
    /// Instead of a mixture: one session of this size.
    #[arg(long, value_parser = parse_size, conflicts_with = "size")]
    pub single: Option<u64>,
    /// Corpora of the same seed are byte for byte the same.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Worker threads; 0 takes what the machine has.
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
    /// The directory to write to: `home/` and `truth.json`.
    #[arg(long)]
    pub out: PathBuf,
}

/// Generates a corpus.
pub fn run(options: &Options) -> io::Result<Truth> {
    write::corpus(options)
}

/// Reads `48MB`, `1GB`, `500kB` or a plain number of bytes.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        other => return Err(format!("unknown unit {other:?}; use kB, MB or GB")),
    };
    let number: f64 =
        digits.parse().map_err(|_| format!("{text:?} is not a size such as 20MB or 1GB"))?;
    Ok((number * unit) as u64)
}
