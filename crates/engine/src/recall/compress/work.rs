//! Answering the questions hooks left, behind the agent's back.

use super::Wording;
use super::profile::Profile;
use super::shelf::{Asked, MAX_ASKED, Said, Shelf};
use crate::tree::{Part, Tree};
use backstory_distill::Redactor;
use backstory_distill::recall::compress::{Candidate, Knobs, Source, accept, request};
use backstory_model::{Flavor, Timestamp};
use backstory_store::Home;
use std::io;
use std::time::Duration;

/// Asks a model by the agent's own command line, without tools, and waits no longer than so long; its last
/// words, or why there are none.
pub type Headless<'a> = &'a mut dyn FnMut(&Candidate, &str, Duration) -> Result<String, String>;

/// Of each thing a model is shown at least so many characters.
const MIN_SOURCE_CHARS: usize = 500;

/// What came of some questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// How many have words now.
    pub worded: usize,
    /// Why others have none.
    pub declined: Vec<String>,
    /// Why no more were asked.
    pub trouble: Option<String>,
}

/// Answers what an agent's hooks asked, once nobody else asks models. Whoever does so for long will find
/// these questions too.
pub fn answer_asked(
    home: &Home,
    agent: Flavor,
    (order, knobs): (&[Candidate], &Knobs),
    headless: Headless<'_>,
    now: Timestamp,
) -> io::Result<Answered> {
    let shelf = Shelf::of(home);
    let mut answered = Answered::default();
    let patience = Duration::from_millis(knobs.timeout_ms);
    let Some(_held) = shelf.lock(patience)? else { return Ok(answered) };
    let known = Profile::known(home, agent, order, knobs.detect_ttl_ms, now);
    // Nothing known is no reason not to try: the first choice is asked as it is.
    let candidate = known.map_or_else(|| order.first().cloned(), |known| known.model);
    let tree = Tree::open(home, now).ok();
    for (key, asked) in shelf.asked(agent.name()).into_iter().take(MAX_ASKED) {
        shelf.settle(&key);
        let Some(candidate) = &candidate else { continue };
        let sources = sources(tree.as_ref(), &asked, knobs.max_input_chars);
        let question = request(&asked.prompt, &sources, asked.bullets);
        match headless(candidate, &question, patience) {
            Ok(words) => {
                let by = format!("{agent} ({candidate})");
                let lines = taken(&words, &sources, &asked).unwrap_or_else(|why| {
                    answered.declined.push(why);
                    Vec::new()
                });
                answered.worded += usize::from(!lines.is_empty());
                shelf.say(&key, &Said { at: now, wording: Wording { by, lines } })?;
            }
            Err(why) => {
                let why = format!("{candidate}: {why}");
                // Whoever fails is not asked again before somebody found out that it answers.
                let (order, trouble) = (order.to_vec(), Some(why.clone()));
                Profile { at: now, order, model: None, trouble }.write(home, agent)?;
                answered.trouble = Some(why);
                break;
            }
        }
    }
    shelf.keep_within(now)?;
    Ok(answered)
}

/// What of a model's words is told, secrets redacted.
fn taken(words: &str, sources: &[Source], asked: &Asked) -> Result<Vec<String>, String> {
    let words = Redactor::shared().redact(words);
    accept(&words, sources, &asked.prompt, (asked.bullets, asked.bytes))
        .map_err(|refused| refused.why().to_owned())
}

/// What a model is shown: more of each thing than a line of the digest has.
fn sources(tree: Option<&Tree>, asked: &Asked, max_chars: usize) -> Vec<Source> {
    let each = (max_chars / asked.items.len().max(1)).max(MIN_SOURCE_CHARS);
    let source = |item: &super::shelf::AskedItem| {
        let whole = tree.and_then(|tree| tree.read(&item.address, Part::chars(0, each)).ok());
        // The line itself stays: it has the day, and what was chosen of a long text.
        let text = match whole {
            Some(whole) => format!("{}\n{}", item.text, Redactor::shared().redact(&whole.text)),
            None => item.text.clone(),
        };
        Source { address: item.address.clone(), category: item.category.clone(), text }
    };
    asked.items.iter().map(source).collect()
}
