//! `cargo xtask`: development tasks.

use clap::{Parser, Subcommand};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use xtask::{audit, bench, corpus, eval, fuzz, recall, test, tidy};

/// Development tasks of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", about)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compare what the log readers yield with an independent count of the JSON, file by file.
    Audit(audit::Options),
    /// Check the repository's own rules.
    Tidy,
    /// Write a synthetic history of the three agents with known totals.
    Corpus(corpus::Options),
    /// Compare judgements with those of people.
    #[command(subcommand)]
    Eval(eval::Task),
    /// Write the histories and questions that recall is measured with, for any tool to index.
    #[command(hide = true)]
    RecallSet(recall::Options),
    /// Run everything continuous integration runs.
    Test,
    /// Fuzz the log readers.
    Fuzz {
        /// Seconds per reader.
        #[arg(default_value_t = 60)]
        seconds: u64,
    },
    /// Measure the product beside floors and a peer.
    Bench(bench::Options),
    /// One floor, run by `bench` in a process of its own.
    #[command(hide = true)]
    BenchStage(bench::StageOptions),
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Audit(options) => run_audit(&options),
        Task::Tidy => run_tidy(),
        Task::Corpus(options) => run_corpus(&options),
        Task::Eval(task) => run_eval(&task),
        Task::RecallSet(options) => run_recall_set(&options),
        Task::Test => test::run().map(|()| true).map_err(io::Error::other),
        Task::Fuzz { seconds } => fuzz::run(seconds).map(|()| true).map_err(io::Error::other),
        Task::Bench(options) => bench::run(&options),
        Task::BenchStage(options) => bench::run_stage(&options).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Nothing is left to do if standard error is closed.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_tidy() -> io::Result<bool> {
    let findings = tidy::check(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))?;
    for finding in &findings {
        writeln!(io::stdout(), "{finding}")?;
    }
    Ok(findings.is_empty())
}

fn run_corpus(options: &corpus::Options) -> io::Result<bool> {
    let truth = corpus::run(options)?;
    writeln!(
        io::stdout(),
        "{} sessions in {} files, {} lines, {} bytes, {} secrets planted: {}",
        truth.sessions.len(),
        truth.files,
        truth.lines,
        truth.bytes,
        truth.secrets.len(),
        options.out.display()
    )?;
    Ok(true)
}

fn run_eval(task: &eval::Task) -> io::Result<bool> {
    let (text, is_good) = eval::run(task)?;
    write!(io::stdout(), "{text}")?;
    Ok(is_good)
}

fn run_recall_set(options: &recall::Options) -> io::Result<bool> {
    for (set, questions) in recall::run(options)? {
        writeln!(io::stdout(), "{questions} questions: {}", set.display())?;
    }
    Ok(true)
}

fn run_audit(options: &audit::Options) -> io::Result<bool> {
    let audit = audit::run(options)?;
    let mut out = io::stdout();
    for lost in &audit.lost {
        writeln!(out, "LOST {lost}")?;
    }
    for made_up in &audit.made_up {
        writeln!(out, "MADE UP {made_up}")?;
    }
    for (type_name, count) in &audit.unknown {
        writeln!(out, "unknown {type_name}: {count}")?;
    }
    writeln!(
        out,
        "{} files, {} unreadable records, {} uncounted\nfound   {:?}\ncounted {:?}",
        audit.files, audit.bad, audit.uncounted, audit.found, audit.counted
    )?;
    Ok(audit.lost.is_empty() && audit.made_up.is_empty())
}
