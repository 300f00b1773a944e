//! Development tasks.

mod fuzz;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let done = match args.next().as_deref() {
        Some("fuzz") => fuzz::run(args.next().and_then(|text| text.parse().ok()).unwrap_or(60)),
        _ => Err("usage: cargo xtask fuzz [SECONDS]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            #[expect(clippy::print_stderr, reason = "the task's only way to say what went wrong")]
            {
                eprintln!("{message}");
            }
            ExitCode::FAILURE
        }
    }
}
