//! The judgement: rules in order, the first that fits decides.
//!
//! The human's verdict comes first, then how the last turn ended, then what the agent says against
//! what its checks say.

use super::story::{Check, End, Human, Story};
use crate::clip;
use crate::words::{Claims, Tone, Wish};
use backstory_model::{Judgement, Outcome};

use Outcome::{Abandoned, Fail, Success, Unknown};

/// What a rule says: outcome, confidence, and the evidence it stands on.
type Said = Option<(Outcome, u8, u32, String)>;

/// The verdict on a session.
pub(crate) fn judge(story: &Story) -> Judgement {
    let claims = story.claims();
    let rules: [fn(&Story, Claims) -> Said; 8] =
        [nothing, unanswered, verdict, ending, refusal, silence, words, proof];
    let Some((outcome, confidence, seq, why)) = rules.iter().find_map(|rule| rule(story, claims))
    else {
        return Judgement { outcome: Unknown, confidence: 20, evidence: Vec::new() };
    };
    let mut evidence = vec![(seq, clip::line(&why, 110))];
    let mut confidence = confidence;
    if outcome == Success {
        if let Some(check) = story.check.as_ref().filter(|check| check.proves && !check.red) {
            evidence.push((check.seq, clip::line(&format!("passed: {}", check.what), 110)));
            confidence += 6;
        }
        if let Some(seq) = story.shipped {
            evidence.push((seq, "committed or pushed".to_owned()));
            confidence += 4;
        }
    } else if outcome == Fail
        && let Some(check) = red(story, claims).filter(|check| check.seq != seq)
    {
        evidence.push((check.seq, clip::line(&format!("failed: {}", check.what), 110)));
        confidence += 4;
    }
    Judgement { outcome, confidence: confidence.min(96), evidence }
}

fn quoted(human: &Human) -> String {
    format!("the human: {}", human.words)
}

fn nothing(story: &Story, _: Claims) -> Said {
    let nobody = story.human.is_none() && !story.is_answered();
    (nobody && story.end != End::Failed).then(|| (Unknown, 60, 0, "nothing was said".to_owned()))
}

/// The human had the last word.
fn unanswered(story: &Story, _: Claims) -> Said {
    let human = story.human.as_ref().filter(|_| !story.is_answered())?;
    let told = |outcome, confidence| Some((outcome, confidence, human.seq, quoted(human)));
    match human.tone {
        Tone::Happy if human.more && story.end == End::Stopped => {}
        Tone::Happy => return told(Success, 88),
        Tone::Unhappy | Tone::Courteous => return told(Fail, 86),
        Tone::GivesUp => return told(Abandoned, 86),
        Tone::Waits if human.before == Fail => return told(Fail, 60),
        Tone::Waits => return told(Unknown, 60),
        Tone::Neutral | Tone::Nods | Tone::Declines => {}
    }
    match story.end {
        // The last wish that was worked on decides.
        End::Failed if human.before == Success => {
            Some((Success, 55, human.seq, "done before the request that failed".to_owned()))
        }
        End::Failed => Some((Fail, 84, story.end_seq, "the request failed".to_owned())),
        End::Stopped => {
            Some((Abandoned, 88, story.end_seq, "interrupted before any answer".to_owned()))
        }
        _ => Some((Abandoned, 72, human.seq, format!("no answer to: {}", human.words))),
    }
}

/// The human's verdict, if the agent has only talked since.
fn verdict(story: &Story, claims: Claims) -> Said {
    let human = story.human.as_ref()?;
    let told = |outcome, confidence| Some((outcome, confidence, human.seq, quoted(human)));
    let talked = story.work.is_none();
    match human.tone {
        Tone::GivesUp if !story.mended || !human.more => told(Abandoned, 82),
        Tone::Unhappy if human.undoes && claims.has(Claims::TAKES_BACK) => told(Fail, 84),
        Tone::Happy if talked && (!human.more || claims.has(Claims::ASKS)) => told(Success, 86),
        Tone::Unhappy | Tone::Courteous if talked => told(Fail, 74),
        Tone::Waits if talked && !human.more => told(Unknown, 55),
        _ => None,
    }
}

/// The last turn was cut short.
fn ending(story: &Story, claims: Claims) -> Said {
    let spoke = story.agent.as_ref().filter(|agent| !agent.passed);
    let told =
        |outcome, confidence, why: &str| Some((outcome, confidence, story.end_seq, why.to_owned()));
    match story.end {
        End::Stopped => told(Abandoned, 86, "interrupted by the human at the end"),
        End::Asking => told(Abandoned, 84, "a question to the human was never answered"),
        End::Failed => {
            let done = spoke.is_some() && claims.has(Claims::DONE);
            let before = story.human.as_ref().is_some_and(|human| human.before == Success);
            if done {
                told(Success, 55, "reported done before the request failed")
            } else if before && story.work.is_none() {
                told(Success, 50, "done before the request that failed")
            } else {
                told(Fail, 84, "the last request failed")
            }
        }
        _ => None,
    }
}

/// The human refused a call and nothing was done about it.
fn refusal(story: &Story, claims: Claims) -> Said {
    let (seq, tone) = story.denied?;
    let spoke = story.agent.as_ref().is_some_and(|agent| !agent.passed);
    match tone {
        Tone::Unhappy => Some((Fail, 70, seq, "a call was denied with a complaint".to_owned())),
        _ if spoke && claims.has(Claims::DONE) && story.changed => None,
        _ => Some((Abandoned, 78, seq, "a call was denied and nothing followed".to_owned())),
    }
}

/// The log ends in the middle of the work.
fn silence(story: &Story, claims: Claims) -> Said {
    let seq = story.work?;
    if story.agent.as_ref().is_some_and(|agent| !agent.passed) {
        return None;
    }
    if story.end != End::Completed {
        return Some((Abandoned, 74, seq, "broken off in the middle of a turn".to_owned()));
    }
    match red(story, claims) {
        Some(check) => Some((Fail, 60, check.seq, format!("failed: {}", check.what))),
        None if story.changed => Some((Success, 50, seq, "the turn came to its end".to_owned())),
        None => Some((Abandoned, 50, seq, "the turn ended without a word".to_owned())),
    }
}

/// What the agent says, against what its checks say.
fn words(story: &Story, claims: Claims) -> Said {
    let agent = story.agent.as_ref()?;
    let told = |outcome, confidence| {
        Some((outcome, confidence, agent.seq, format!("the agent: {}", agent.words)))
    };
    if story.wish == Wish::Nothing && story.work.is_none() {
        return told(Unknown, 60);
    }
    let wants_words = story.wish == Wish::Words;
    if story.changed
        && claims.has(Claims::UNTRIED)
        && red(story, claims).is_none_or(|red| !red.proves)
    {
        return told(Unknown, 58);
    }
    if let Some(check) = red(story, claims).filter(|_| !wants_words) {
        return Some((Fail, 72, check.seq, format!("failed: {}", check.what)));
    }
    if claims.has(Claims::RUNNING) && !wants_words {
        return told(Unknown, 56);
    }
    if claims.has(Claims::GUESSES) {
        return told(Unknown, 52);
    }
    if claims.has(if wants_words { Claims::GIVES_UP } else { Claims::STUCK }) {
        let some = story.changed && claims.has(Claims::DONE);
        return if some { told(Unknown, 45) } else { told(Fail, 76) };
    }
    if claims.has(Claims::UNTRIED) {
        return told(if wants_words { Unknown } else { Fail }, 50);
    }
    if claims.has(Claims::PARTIAL) && !wants_words {
        return told(Unknown, 50);
    }
    if claims.has(Claims::TRADES) && !story.changed {
        return told(Unknown, 45);
    }
    let blocks = claims.has(Claims::NEEDS) && !claims.has(Claims::DONE)
        || claims.has(Claims::ASKS) && !wants_words && !story.changed;
    if blocks {
        return told(Abandoned, 70);
    }
    if claims.has(Claims::ANNOUNCES) && !claims.has(Claims::DONE) {
        return told(Abandoned, 64);
    }
    None
}

/// Nothing speaks against it.
fn proof(story: &Story, claims: Claims) -> Said {
    let agent = story.agent.as_ref()?;
    let confidence = if claims.has(Claims::DONE) { 76 } else { 66 };
    Some((Success, confidence, agent.seq, format!("the agent: {}", agent.words)))
}

/// The last check, if it is red and nothing excuses it.
fn red(story: &Story, claims: Claims) -> Option<&Check> {
    let excused = claims.has(Claims::EXCUSES);
    let allowed = story.wish == Wish::RedWork;
    story.check.as_ref().filter(|check| check.red && !check.stale && !excused && !allowed)
}
