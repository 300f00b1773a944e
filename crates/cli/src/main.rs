//! The `backstory` binary: parse → run → exit code.

mod behind;
mod checkup;
mod cmd;
mod compressor;
mod context;
mod dashes;
mod demo;
mod digest;
mod env;
mod error;
mod figures;
mod found;
mod hook;
mod hub;
mod hub_list;
mod ids;
mod install;
mod label;
mod open;
mod pattern;
mod progress;
mod question_log;
mod schedule;
mod settings;
mod sweep;
mod table;
mod timeline;
mod typed;
mod ui;
mod untrusted;
mod upkeep;
mod usage;
mod watch;
mod when;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Not every crate that writes for us lets us choose the mode of its files.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match cmd::Cli::read(&words) {
        Ok(cli) => cli,
        // An agent takes the exit code of wrong usage for a veto.
        Err(error) if error.use_stderr() && cmd::is_hook(&words) => {
            hook::hear_out();
            return ExitCode::SUCCESS;
        }
        Err(error) => error.exit(),
    };
    let is_hook = matches!(cli.command, Some(cmd::Command::Hook(_)));
    let env = env::Env::process();
    let mut ui = ui::Ui::new(&cli.global, &env);
    let done = context::Context::new(env, cli.global)
        .and_then(|context| cmd::run(cli.command, &context, &mut ui))
        .and_then(|exit| ui.finish().map(|()| exit));
    match done {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(failure) => {
            ui.failure(&failure);
            if is_hook {
                hook::hear_out();
                return ExitCode::SUCCESS;
            }
            ExitCode::from(failure.kind.code())
        }
    }
}
