//! Saying what is recalled in fewer words, by the agent's own model: asked through its own command line,
//! behind its back, only where that is switched on.

mod agents;
mod process;

use crate::hook::Log;
use crate::open;
use crate::settings::Settings;
use backstory_distill::recall::compress::{self, Candidate, Knobs};
use backstory_engine::recall::Compress;
use backstory_engine::recall::compress::{answer_asked, detect, is_known_to_fail};
use backstory_model::{Flavor, Timestamp};
use backstory_store::{Home, create_private_dir};
use std::time::Duration;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Errand {
    /// Find out which model answers
    Detect,
    /// Answer what hooks asked
    Compress,
}

/// The models that are tried for an agent, the first choice first; none where nothing is to be compressed.
pub(crate) fn order(agent: Flavor, knobs: &Knobs) -> Vec<Candidate> {
    let usual = agents::of(agent).map(|headless| headless.usual());
    usual.map_or_else(Vec::new, |usual| compress::order(knobs, &usual))
}

/// How what an agent is told is put into fewer words.
pub(crate) fn wanted(
    home: &Home,
    agent: Flavor,
    knobs: &Knobs,
    now: Timestamp,
) -> Option<Compress> {
    let order = order(agent, knobs);
    (!order.is_empty()).then(|| Compress {
        bullets: knobs.max_bullets,
        min_chars: knobs.min_chars,
        asks: !is_known_to_fail(home, agent, &order, knobs, now),
    })
}

/// The same for somebody who only looks.
pub(crate) fn known(knobs: &Knobs) -> Option<Compress> {
    let (bullets, min_chars) = (knobs.max_bullets, knobs.min_chars);
    knobs.is_on().then_some(Compress { bullets, min_chars, asks: false })
}

/// Does what a hook left to do. Nobody waits for it, and nobody is told but the log.
pub(crate) fn run(agent: Flavor, errand: Errand, settings: &Settings, now: Timestamp) {
    let log = Log::new(&settings.home.value, settings.capture.debug, now);
    let done = work(agent, errand, settings, now);
    let (Ok(what) | Err(what)) = done;
    log.line(&format!("{agent} {errand:?}: {what}"));
}

fn work(
    agent: Flavor,
    errand: Errand,
    settings: &Settings,
    now: Timestamp,
) -> Result<String, String> {
    let knobs = &settings.compress;
    let order = order(agent, knobs);
    let Some(headless) = agents::of(agent).filter(|_| !order.is_empty()) else {
        return Ok("nothing is to be compressed".into());
    };
    let archive = open::archive(settings).map_err(|failure| failure.message)?;
    // A place of its own: the agent finds no project there to read instructions from.
    let desk = archive.home.state().join("compressor").join("desk");
    create_private_dir(&desk).map_err(|error| error.to_string())?;
    let mut ask = |candidate: &Candidate, question: &str, patience: Duration| {
        let command = headless.command(candidate, knobs.base_url.as_deref(), &desk);
        process::ask(command, question, patience)
    };
    let tried = (order.as_slice(), knobs);
    let home = &archive.home;
    match errand {
        Errand::Detect => {
            let found = detect(home, agent, tried, &mut ask, now).map_err(|e| e.to_string())?;
            Ok(match found {
                Some(profile) => match (profile.model, profile.trouble) {
                    (Some(model), _) => format!("{model} answers"),
                    (None, trouble) => format!("no model answers: {}", trouble.unwrap_or_default()),
                },
                None => "somebody else is asking".into(),
            })
        }
        Errand::Compress => {
            let done =
                answer_asked(home, agent, tried, &mut ask, now).map_err(|e| e.to_string())?;
            Ok(format!("{done:?}"))
        }
    }
}
