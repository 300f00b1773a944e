//! `cargo xtask`: development tasks.

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask::corpus;

/// Development tasks of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", version, about)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write a synthetic history of the three agents with known totals.
    Corpus(corpus::Options),
}

fn main() -> ExitCode {
    let result: Result<(), String> = match Cli::parse().task {
        Task::Corpus(options) => {
            corpus::run(&options).map(|_| ()).map_err(|error| error.to_string())
        }
    };
    if let Err(error) = result {
        use std::io::Write as _;
        // Nothing is left to do if standard error is closed.
        let _ = writeln!(std::io::stderr(), "error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
