//! Turns around what is asked for: daily work in the project's own words that answers nothing.

use super::episode::Project;
use crate::corpus::rng::Rng;
use crate::eval::case::Step;

/// Turns of a project, each shape at most once per session.
#[derive(Debug)]
pub(super) struct Filler<'a> {
    project: &'a Project,
    /// Shapes not used yet.
    left: Vec<&'a [Step]>,
}

impl<'a> Filler<'a> {
    /// Turns for one session, of every project's shapes and the project's own.
    pub(super) fn new(project: &'a Project, everywhere: &'a [Vec<Step>]) -> Self {
        let left = project.fillers.iter().chain(everywhere).map(Vec::as_slice).collect();
        Self { project, left }
    }

    /// A turn, with its words chosen.
    pub(super) fn turn(&mut self, rng: &mut Rng) -> Vec<Step> {
        if self.left.is_empty() {
            return Vec::new();
        }
        let shape = self.left.swap_remove(rng.below(self.left.len()));
        let words = self.words(rng);
        shape.iter().map(|step| filled(step, &words)).collect()
    }

    /// One choice per slot, so that a turn speaks of one thing.
    fn words(&self, rng: &mut Rng) -> Vec<(String, String)> {
        let mut words = Vec::new();
        for (slot, list) in &self.project.words {
            let first = rng.below(list.len());
            let second = (first + 1 + rng.below(list.len().saturating_sub(1))) % list.len();
            words.push((slot.clone(), list[first].clone()));
            words.push((slot.replace('}', "2}"), list[second].clone()));
        }
        for slot in ["{n}", "{n2}"] {
            words.push((slot.to_owned(), rng.range(11, 97).to_string()));
        }
        words
    }
}

fn filled(step: &Step, words: &[(String, String)]) -> Step {
    let fill = |text: &String| {
        words.iter().fold(text.clone(), |text, (slot, word)| text.replace(slot.as_str(), word))
    };
    match step {
        Step::User(text) => Step::User(fill(text)),
        Step::Say(text) => Step::Say(fill(text)),
        Step::Think(text) => Step::Think(fill(text)),
        Step::Run { command, exit, output } => {
            Step::Run { command: fill(command), exit: *exit, output: fill(output) }
        }
        Step::Edit { path, old, new } => {
            Step::Edit { path: fill(path), old: fill(old), new: fill(new) }
        }
        Step::Write { path, content } => Step::Write { path: fill(path), content: fill(content) },
        other => other.clone(),
    }
}
