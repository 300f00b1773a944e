//! What a session is about and how its last turn went, told event by event.
//!
//! Everything is kept in the order of telling: numbers of events only point at evidence, for one
//! agent's logs are told by time and not by number.

use super::rules;
use super::trail::closing;
use crate::beat::{Beat, Status};
use crate::clip;
use crate::shell::Rank;
use crate::words::{self, Claims, Tone, Wish};
use backstory_model::{EventKind, Outcome, Role};
use memchr::memmem;
use serde::{Deserialize, Serialize};

/// Bytes kept of last words, as evidence.
const WORDS: usize = 80;

/// The human's last words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Human {
    /// Where.
    pub seq: u32,
    /// What they make of the work so far.
    pub tone: Tone,
    /// They want something more.
    pub more: bool,
    /// They want the work taken back.
    pub undoes: bool,
    /// How things stood when they spoke.
    pub before: Outcome,
    /// The words, cut.
    pub words: String,
}

/// The agent's last words of the turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agent {
    /// Where.
    pub seq: u32,
    /// As much of them as is listened to; read only when a judgement is due.
    pub heard: String,
    /// Work went on after them.
    pub passed: bool,
    /// The words, cut.
    pub words: String,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum End {
    /// It did not, as far as the log goes.
    #[default]
    Open,
    /// The agent came to its end.
    Completed,
    /// The human stopped it.
    Stopped,
    /// The human refused a call.
    Denied,
    /// A request failed.
    Failed,
    /// A question waits for its answer.
    Asking,
}

/// A command that proves or disproves the work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Check {
    /// Where.
    pub seq: u32,
    /// It failed.
    pub red: bool,
    /// It is a test or a build and told what is wrong, as opposed to any command.
    pub proves: bool,
    /// Something was changed after it.
    pub stale: bool,
    /// What ran.
    pub what: String,
}

/// The story so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Story {
    /// What the human wants.
    pub wish: Wish,
    /// The human's last words.
    pub human: Option<Human>,
    /// The agent's last words since then.
    pub agent: Option<Agent>,
    /// The agent's last call or result since the human's words.
    pub work: Option<u32>,
    /// Files or the world were changed since the human's words.
    pub mended: bool,
    /// The same since the wish.
    pub changed: bool,
    /// How the turn ended, and where.
    pub end: End,
    /// Where it ended.
    pub end_seq: u32,
    /// A refused call that nothing was done about, and how it was refused.
    pub denied: Option<(u32, Tone)>,
    /// The last proof since the wish.
    pub check: Option<Check>,
    /// The last commit, push or pull request since the wish.
    pub shipped: Option<u32>,
}

impl Story {
    /// Takes the next event.
    pub(crate) fn event(&mut self, beat: &Beat<'_>) {
        let event = beat.event;
        match event.kind {
            EventKind::UserMsg | EventKind::HumanIntervention if event.role == Role::User => {
                self.human_event(beat);
            }
            EventKind::HumanIntervention => self.deny(beat),
            EventKind::AssistantMsg if !beat.text.trim().is_empty() => {
                self.agent = Some(Agent {
                    seq: beat.seq(),
                    heard: words::audible(beat.text),
                    passed: false,
                    words: closing(beat.text),
                });
                self.go_on();
            }
            EventKind::Completion if self.end == End::Open => {
                self.finish(End::Completed, beat.seq());
            }
            EventKind::Decision if event.role == Role::Assistant => {
                self.at_work(beat.seq());
                self.finish(End::Asking, beat.seq());
            }
            EventKind::Decision => self.at_work(beat.seq()),
            EventKind::Error if event.role == Role::Tool && is_refusal(beat.text) => {
                self.deny(beat);
            }
            EventKind::Error if beat.is_api_failure() => self.finish(End::Failed, beat.seq()),
            _ if beat.is_call() => self.at_work(beat.seq()),
            _ if beat.status != Status::None => self.result(beat),
            _ => {}
        }
    }

    fn finish(&mut self, end: End, seq: u32) {
        self.end = end;
        self.end_seq = seq;
    }

    /// The agent is active: whatever ended before did not end for good.
    fn go_on(&mut self) {
        self.end = End::Open;
    }

    fn at_work(&mut self, seq: u32) {
        self.go_on();
        self.work = Some(seq);
        if let Some(agent) = &mut self.agent {
            agent.passed = true;
        }
    }

    /// What the agent's last words of the turn claim.
    pub(crate) fn claims(&self) -> Claims {
        self.agent.as_ref().map_or(Claims::default(), |agent| words::claims(&agent.heard))
    }

    /// True if the agent's last words wait for an answer.
    pub(crate) fn is_asking(&self) -> bool {
        let claims = self.claims();
        claims.has(Claims::NEEDS) || claims.has(Claims::ASKS) && !claims.has(Claims::DONE)
    }

    /// True if the agent did or said anything since the human's words.
    pub(crate) fn is_answered(&self) -> bool {
        self.agent.is_some() || self.work.is_some()
    }

    fn human_event(&mut self, beat: &Beat<'_>) {
        let interjected = beat.event.kind == EventKind::HumanIntervention;
        if interjected && beat.text.trim_start().starts_with('{') {
            // A record of the harness: a refused permission, or a turn that was stopped.
            if memmem::find(clip::head(beat.text, 600).as_bytes(), b"permission").is_some() {
                self.denied = Some((beat.seq(), Tone::Neutral));
            } else {
                self.finish(End::Stopped, beat.seq());
            }
        } else if beat.is_interrupt() {
            self.finish(End::Stopped, beat.seq());
        } else if let Some(text) = beat.human_words() {
            self.human_says(text, beat.seq(), interjected);
        }
    }

    fn human_says(&mut self, text: &str, seq: u32, interjected: bool) {
        let first = self.human.is_none();
        let before = if first { Outcome::Unknown } else { rules::judge(self).outcome };
        let claims = self.claims();
        let tone = match (first || interjected, interjected && words::tone(text) == Tone::GivesUp) {
            (_, true) => Tone::GivesUp,
            (true, _) => Tone::Neutral,
            _ => settle(words::verdict(text), text, before, claims),
        };
        let goes_on = words::goes_on(text);
        let fresh = tone == Tone::Neutral || tone == Tone::Happy && words::asks_more(text);
        if first || self.wish == Wish::Nothing {
            self.wish = words::wish(text);
        } else if fresh && !goes_on && !interjected {
            let wish = words::wish(text);
            if before == Outcome::Success || wish == Wish::Work {
                self.wish = if wish == Wish::Nothing { self.wish } else { wish };
            }
            if before == Outcome::Success {
                self.changed = false;
                self.check = None;
                self.shipped = None;
            }
        }
        self.human = Some(Human {
            seq,
            tone,
            more: words::asks_more(text),
            undoes: !first && words::undoes(text),
            before,
            words: clip::line(text, WORDS),
        });
        self.agent = None;
        self.work = None;
        self.mended = false;
        self.denied = None;
        self.end = End::Open;
    }

    fn deny(&mut self, beat: &Beat<'_>) {
        self.at_work(beat.seq());
        let said = clip::tail(beat.text, 400).split_once("said:").map(|(_, words)| words.trim());
        let tone = said.map_or(Tone::Neutral, words::verdict);
        self.denied = Some((beat.seq(), tone));
        self.finish(End::Denied, beat.seq());
    }

    fn result(&mut self, beat: &Beat<'_>) {
        let seq = beat.seq();
        self.at_work(seq);
        let Some(call) = beat.answered() else { return };
        if beat.status == Status::Running {
            return;
        }
        if beat.status == Status::Ok && (call.is_change() || call.is_telling()) {
            self.denied = None;
        }
        let proves =
            call.is_test() && beat.test_verdict().is_some() || call.rank >= Rank::Build as u8;
        let red = beat.test_verdict().map_or(beat.status.is_failure(), |(_, passed)| !passed);
        let looks_red = red && !call.is_telling() && is_status_report(&call.family);
        if call.is_telling() && !call.edit || looks_red {
            // A green side step proves nothing about a red test.
            let keeps = self
                .check
                .as_ref()
                .is_some_and(|check| check.red && check.proves && !check.stale && !proves);
            if !keeps {
                let what = clip::line(&call.shown, WORDS);
                self.check = Some(Check { seq, red, proves, stale: false, what });
            }
        }
        if beat.status != Status::Ok {
            return;
        }
        if call.is_change() || call.commit().is_some() {
            self.changed = true;
            self.mended = true;
            if call.edit
                && let Some(check) = &mut self.check
            {
                check.stale = true;
            }
        }
        if call.commit().is_some()
            || matches!(call.family.as_str(), "git push" | "gh pr create" | "gh pr merge")
        {
            self.changed = true;
            self.shipped = Some(seq);
        }
    }
}

/// What a tone comes to, given how things stood and what the agent said.
fn settle(tone: Tone, text: &str, before: Outcome, claims: Claims) -> Tone {
    let asked = before == Outcome::Abandoned;
    match (tone, before) {
        (Tone::Nods, _) if asked => Tone::Neutral,
        (Tone::Nods | Tone::Declines, Outcome::Success) => Tone::Happy,
        (Tone::Nods | Tone::Declines | Tone::Courteous, Outcome::Fail) => Tone::Courteous,
        (Tone::Declines, _) if asked => Tone::GivesUp,
        (Tone::Nods | Tone::Declines, _) => Tone::Waits,
        (Tone::Happy, Outcome::Fail) if !words::confirms(text) => Tone::Courteous,
        (Tone::Happy, Outcome::Abandoned) if claims.has(Claims::NEEDS) => Tone::Neutral,
        // A bare "no" to an offer leaves the work as it is.
        (Tone::Unhappy, Outcome::Success)
            if claims.has(Claims::ASKS) && text.trim().trim_end_matches(['.', '!']).len() <= 4 =>
        {
            Tone::Happy
        }
        // Praise has few words and they are known; trouble has as many as there are things.
        (Tone::Neutral, Outcome::Success) if !words::is_wish(text) => {
            if text.len() < 16 && text.is_ascii() { Tone::Happy } else { Tone::Unhappy }
        }
        (Tone::Neutral, Outcome::Unknown) if !words::is_wish(text) => Tone::Waits,
        (tone, _) => tone,
    }
}

fn is_refusal(text: &str) -> bool {
    let text = clip::head(text, 600);
    ["by user", "user rejected", "user did not", "user declined", "user denied", "user refused"]
        .iter()
        .any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some())
}

/// Looks whose exit code is a verdict on the work.
fn is_status_report(family: &str) -> bool {
    matches!(family, "gh pr checks" | "gh run" | "gh run watch" | "gh run view")
}
