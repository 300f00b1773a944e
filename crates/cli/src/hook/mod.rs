//! A hook of an agent: note what happened, hand over what helps, never keep the agent waiting.
//!
//! Noting comes first and is one or two small files; recalling only reads. Both run in a thread of their
//! own, and when the budget is spent the agent gets the empty answer. What is noted is complete by then or
//! left to the next sync, which reads the agent's log anyway.

mod capture;
mod log;
mod recalling;
mod worker;

pub(crate) use log::Log;

use crate::compressor::{self, Errand};
use crate::context::Context;
use crate::env::Env;
use crate::install;
use crate::open;
use crate::settings::Settings;
use backstory_adapters::hooks::{self, Answer, HookCall, HookEvent};
use backstory_engine::Archive;
use backstory_engine::recall::Recall;
use backstory_model::{Flavor, Timestamp};
use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A hook that only notes something is done in milliseconds, unless the disk is stuck.
const CAPTURE_BUDGET: Duration = Duration::from_secs(1);
/// What is left of the time an agent gives to a hook, for starting this program and hearing its answer.
const MARGIN: Duration = Duration::from_secs(1);
/// What an agent sends is read up to here: tool outputs may be long, and their end is not needed.
const MAX_INPUT: u64 = 16 << 20;
/// The answer that says nothing, to every agent.
const NOTHING: &str = "{}";

/// What a hook knows before it reads what the agent sends.
struct Hook {
    agent: String,
    event: String,
    env: Env,
    home: Option<PathBuf>,
    store: Option<String>,
    now: Timestamp,
    settings: Settings,
    ends: Instant,
}

/// What happened, and where it is noted.
struct Scene<'a> {
    call: &'a HookCall,
    archive: &'a Archive,
    settings: &'a Settings,
    now: Timestamp,
    /// Nothing is waited for after this.
    ends: Instant,
}

/// What the agent is answered.
pub(crate) fn answer(agent: &str, event: &str, context: &Context) -> String {
    let (home, store) = (context.global.home.clone(), context.global.store.clone());
    // `doctor` tells what is wrong with settings that cannot be read.
    let settings = Settings::load(&context.env, home.as_deref(), store.as_deref()).ok();
    let Some(settings) = settings.filter(|settings| settings.capture.hooks) else {
        hear_out();
        return NOTHING.to_owned();
    };
    let budget = budget(agent, event, settings.recall.timeout_ms);
    let hook = Hook {
        agent: agent.to_owned(),
        event: event.to_owned(),
        env: context.env.clone(),
        home,
        store,
        now: context.now,
        settings,
        ends: Instant::now() + budget,
    };
    let (tell, told) = mpsc::channel();
    // Whatever this thread waits for (standard input, a disk, a server), the agent does not.
    std::thread::spawn(move || tell.send(hook.run()));
    told.recv_timeout(budget).unwrap_or_else(|_| NOTHING.to_owned())
}

/// Takes in all the agent has to say and does nothing about it: if nobody listens, its writing fails, and
/// agents count that as a failure of the hook.
pub(crate) fn hear_out() {
    let input = io::stdin();
    if input.is_terminal() {
        return;
    }
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(io::copy(&mut input.lock(), &mut io::sink())));
    // Whoever never ends is not waited for.
    let _ = told.recv_timeout(CAPTURE_BUDGET);
}

/// How long a hook may take: as long as somebody would wait for recall, but never until its agent ends it.
/// Whoever is ended has told nothing, and agents count it as a failure.
fn budget(agent: &str, event: &str, timeout_ms: u64) -> Duration {
    let event = HookEvent::from_name(event).name();
    let granted = install::seconds_granted(Flavor::logged_from_name(agent), event);
    let granted = Duration::from_secs(granted.into()).saturating_sub(MARGIN);
    Duration::from_millis(timeout_ms).max(CAPTURE_BUDGET).min(granted)
}

impl Hook {
    fn run(self) -> String {
        let log = Log::new(&self.settings.home.value, self.settings.capture.debug, self.now);
        match self.heard(&log) {
            Ok(answer) => answer,
            Err(why) => {
                log.line(&format!("{} {}: {why}", self.agent, self.event));
                NOTHING.to_owned()
            }
        }
    }

    /// Takes in what the agent sent; the answer, or why there is none.
    fn heard(&self, log: &Log) -> Result<String, String> {
        let mut sent = Vec::new();
        let mut input = io::stdin().lock();
        let read = input.by_ref().take(MAX_INPUT).read_to_end(&mut sent);
        let read = read.and_then(|_| io::copy(&mut input, &mut io::sink()));
        read.map_err(|error| format!("standard input: {error}"))?;
        let flavor = Flavor::logged_from_name(&self.agent);
        let call = hooks::read(flavor, &self.event, &sent, &|name| self.env.get(name))
            .map_err(|declined| declined.to_string())?;
        let archive = open::archive(&self.settings).map_err(|failure| failure.message)?;
        let scene = Scene {
            call: &call,
            archive: &archive,
            settings: &self.settings,
            now: self.now,
            ends: self.ends,
        };
        if self.settings.capture.notes {
            match capture::note(&scene) {
                Ok(true) => worker::seal(self, log),
                Ok(false) => {}
                // What cannot be noted must not keep the agent from what is known.
                Err(error) => log.line(&format!("{}: {error}", call.event_name)),
            }
        }
        if let Err(error) = recalling::forget_compacted(&scene) {
            log.line(&format!("{}: {error}", call.event_name));
        }
        if call.event == HookEvent::SessionStart && self.settings.compress.detect_on_startup {
            self.behind(call.agent, Errand::Detect, log);
        }
        let handed = if hooks::takes_context(call.agent, call.event) {
            recalling::handed(&scene).map_err(|failure| failure.message)?
        } else {
            Recall::default()
        };
        if handed.compressible.is_some() {
            self.behind(call.agent, Errand::Compress, log);
        }
        let context = Some(handed.text).filter(|text| !text.is_empty());
        let bytes = context.as_ref().map_or(0, String::len);
        log.line(&format!("{} {} {}: {bytes} bytes", call.agent, call.event_name, call.session_id));
        let answer = Answer { context, message: None };
        Ok(hooks::answer(call.agent, &call.event, &call.event_name, &answer))
    }

    /// Has a model asked behind the agent's back, where that is wanted.
    fn behind(&self, agent: Flavor, errand: Errand, log: &Log) {
        if !compressor::order(agent, &self.settings.compress).is_empty() {
            worker::compress(self, agent, errand, log);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hook_outlives_what_its_agent_gives_it() {
        for (agent, event, seconds) in [
            ("claude", "UserPromptSubmit", 9),
            ("codex", "session_start", 9),
            ("grok", "SessionStart", 4),
            ("claude", "Stop", 4),
            ("codex", "SessionEnd", 2),
            ("codex", "Interrupt", 2),
            ("claude", "PreToolUse", 9),
        ] {
            let within = |timeout_ms| budget(agent, event, timeout_ms);
            assert_eq!(within(120_000), Duration::from_secs(seconds), "{agent} {event}");
            assert_eq!(within(1_500), Duration::from_millis(1_500), "{agent} {event}");
            assert_eq!(within(0), CAPTURE_BUDGET, "{agent} {event}");
        }
    }
}
