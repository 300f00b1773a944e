//! `backstory hook`: what the hooks of agents run. It reads the agent's JSON, answers in the agent's own
//! form, always exits 0 and never takes longer than its budget.

use crate::compressor::{self, Errand};
use crate::context::Context;
use crate::error::Exit;
use crate::hook;
use crate::settings::Settings;
use crate::ui::Ui;
use backstory_model::Flavor;

/// Arguments of `hook`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Whose hook it is: claude, codex or grok
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
    /// What happened, as the agent names it; without it, what the JSON says
    #[arg(value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Do what a hook left to do, behind the agent's back
    #[arg(long, value_name = "ERRAND", hide = true, conflicts_with = "event")]
    pub(crate) behind: Option<Errand>,
}

/// Runs the command. Whatever goes wrong, the agent goes on.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Exit {
    if let Some(errand) = args.behind {
        behind(&args.agent, errand, context);
        return Exit::Success;
    }
    let answer = hook::answer(&args.agent, args.event.as_deref().unwrap_or_default(), context);
    // An agent that does not listen any more is not to be told so.
    let _ = ui.line(answer).and_then(|()| ui.finish());
    Exit::Success
}

fn behind(agent: &str, errand: Errand, context: &Context) {
    let (home, store) = (context.global.home.as_deref(), context.global.store.as_deref());
    let settings = Settings::load(&context.env, home, store);
    if let (Some(agent), Ok(settings)) = (Flavor::from_name(agent), settings) {
        compressor::run(agent, errand, &settings, context.now);
    }
}
