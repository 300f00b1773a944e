//! `cargo xtask bench`: what the product costs, beside the floors and a peer, in the same run.

mod append;
mod budget;
mod distil;
mod extract;
mod floor;
mod hooks;
mod ingest;
mod lines;
mod measure;
mod needles;
mod peer;
mod place;
mod queries;
mod report;
mod scale;
mod search;
mod serving;
mod start;
mod stolen;
mod store;
mod sweep;

pub use floor::{Stage, StageOptions, run as run_stage};

use clap::{Args, Subcommand};
use std::io::{self, Write as _};

/// Which bench.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand, Clone, Debug)]
enum Bench {
    /// A cold sync beside the floors and agentsview.
    Ingest(ingest::Options),
    /// A corpus four times the size, and one huge session.
    Scale(scale::Options),
    /// A sync with nothing to do, beside `find`.
    Sweep(sweep::Options),
    /// Ten records more in a large and in an ordinary session.
    Append(append::Options),
    /// Distilling beside taking in.
    Distil(distil::Options),
    /// A corpus in parts, kept within a small budget.
    Budget(budget::Options),
    /// Search over archives of growing size.
    Search(search::Options),
    /// The same history in a file and on Postgres.
    Store(store::Options),
    /// Hooks and the server on a large archive.
    Hooks(hooks::Options),
    /// How long a start takes.
    Start(start::Options),
}

/// Runs a bench; true when every goal was met.
pub fn run(options: &Options) -> io::Result<bool> {
    match &options.bench {
        Bench::Ingest(options) => ingest::run(options),
        Bench::Scale(options) => scale::run(options),
        Bench::Sweep(options) => sweep::run(options),
        Bench::Append(options) => append::run(options),
        Bench::Distil(options) => distil::run(options),
        Bench::Budget(options) => budget::run(options),
        Bench::Search(options) => search::run(options),
        Bench::Store(options) => store::run(options),
        Bench::Hooks(options) => hooks::run(options),
        Bench::Start(options) => start::run(options),
    }
}

/// Writes a line to standard output.
fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}
