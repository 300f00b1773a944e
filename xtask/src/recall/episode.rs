//! Reads the projects of the coding set. `xtask/recall/README.md` describes the format.

use super::set::Kind;
use super::words::shared_words;
use crate::corpus::clock::{Millis, midnight};
use crate::eval::case::{Misread, Step, read_line};
use backstory_model::Flavor;
use serde_json::Value;

/// A fictitious project: its vocabulary, and what happened in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Project {
    pub(super) name: String,
    pub(super) cwd: String,
    pub(super) branch: String,
    /// Lists filler takes its words from, by the name of their slot.
    pub(super) words: Vec<(String, Vec<String>)>,
    /// Turns that answer nothing.
    pub(super) fillers: Vec<Vec<Step>>,
    pub(super) episodes: Vec<Episode>,
}

/// A session with something worth asking about later.
#[derive(Clone, Debug)]
pub(super) struct Episode {
    pub(super) name: String,
    pub(super) flavor: Flavor,
    pub(super) day: Millis,
    pub(super) steps: Vec<Step>,
    pub(super) asked: Vec<Asked>,
}

/// A question about an episode.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) kind: Kind,
    pub(super) paraphrase: bool,
    pub(super) question: String,
    pub(super) answer: String,
    /// Passages that answer it.
    pub(super) gold: Vec<String>,
}

/// Reads a file of turns without a project.
pub(super) fn fillers(text: &str) -> Result<Vec<Vec<Step>>, Misread> {
    Ok(project(text)?.fillers)
}

/// Reads a project's file.
pub(super) fn project(text: &str) -> Result<Project, Misread> {
    let mut project = Project::default();
    let mut in_filler = false;
    for (at, line) in text.lines().enumerate() {
        let misread = |what: String| Misread { line: at + 1, what };
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        if let Some(head) = line.strip_prefix("=== ") {
            in_filler = false;
            project.episodes.push(head_of(head).map_err(misread)?);
        } else if line == "--- filler" {
            in_filler = true;
            project.fillers.push(Vec::new());
        } else if in_filler && let Some(steps) = project.fillers.last_mut() {
            read_line(steps, line).map_err(misread)?;
        } else if let Some(episode) = project.episodes.last_mut() {
            episode.line(line).map_err(misread)?;
        } else {
            project.setting(line).map_err(misread)?;
        }
    }
    Ok(project)
}

fn head_of(head: &str) -> Result<Episode, String> {
    let fields: Vec<&str> = head.split(" | ").collect();
    let [name, agent, date] = fields[..] else {
        return Err("expected `=== name | agent | date`".to_owned());
    };
    let flavor = Flavor::logged_from_name(agent).ok_or_else(|| format!("no agent {agent:?}"))?;
    let day = day_of(date).ok_or_else(|| format!("no date {date:?}"))?;
    let (steps, asked) = (Vec::new(), Vec::new());
    Ok(Episode { name: name.to_owned(), flavor, day, steps, asked })
}

fn day_of(date: &str) -> Option<Millis> {
    let parts: Vec<u64> = date.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [year, month, day] = parts[..] else { return None };
    Some(midnight(year, month, day))
}

impl Project {
    fn setting(&mut self, line: &str) -> Result<(), String> {
        let (name, value) = line.split_once(": ").ok_or("expected `name: value`")?;
        match name {
            "project" => value.clone_into(&mut self.name),
            "cwd" => value.clone_into(&mut self.cwd),
            "branch" => value.clone_into(&mut self.branch),
            slot => {
                let words = value.split("; ").map(str::to_owned).collect();
                self.words.push((format!("{{{slot}}}"), words));
            }
        }
        Ok(())
    }
}

impl Episode {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let above = self.steps.last();
        let asked = self.asked.last_mut();
        match line.split_at_checked(2) {
            Some((mark @ ("? " | "~ "), rest)) => {
                let passage = above.and_then(passage).ok_or("nothing above answers")?;
                self.asked.push(asked_of(rest, mark == "~ ", passage)?);
            }
            Some(("@ ", text)) => {
                let within = above.is_some_and(|step| says(step, text));
                let gold = asked.and_then(|asked| asked.gold.last_mut());
                let gold = gold.filter(|_| within).ok_or("the step above does not say so")?;
                text.clone_into(gold);
            }
            Some(("& ", text)) => {
                let within = self.steps.iter().any(|step| says(step, text));
                let asked = asked.filter(|_| within).ok_or("no step above says so")?;
                asked.gold.push(text.to_owned());
            }
            _ => read_line(&mut self.steps, line)?,
        }
        Ok(())
    }

    /// Whether no step has a content word of a question. Daily work around them does not count.
    pub(super) fn has_no_word_of(&self, question: &str) -> bool {
        let mut texts = self.steps.iter().flat_map(texts);
        texts.all(|text| shared_words(question, text).is_empty())
    }
}

fn asked_of(rest: &str, paraphrase: bool, passage: String) -> Result<Asked, String> {
    let fields: Vec<&str> = rest.split(" | ").collect();
    let [kind, question, answer] = fields[..] else {
        return Err("expected `kind | question | answer`".to_owned());
    };
    let kind = Kind::from_name(kind).ok_or_else(|| format!("no kind {kind:?}"))?;
    let (question, answer) = (question.to_owned(), answer.to_owned());
    Ok(Asked { kind, paraphrase, question, answer, gold: vec![passage] })
}

/// The whole of what a step says; of a command, the command line.
fn passage(step: &Step) -> Option<String> {
    match step {
        Step::User(text) | Step::Steer(text) | Step::Say(text) | Step::Think(text) => {
            Some(text.clone())
        }
        Step::Run { command, .. } => Some(command.clone()),
        Step::Edit { new, .. } => Some(new.clone()),
        Step::Write { content, .. } => Some(content.clone()),
        _ => None,
    }
}

/// All there is to read in a step.
fn texts(step: &Step) -> Vec<&str> {
    match step {
        Step::User(text)
        | Step::Steer(text)
        | Step::Say(text)
        | Step::Think(text)
        | Step::Retry(text)
        | Step::Error(text)
        | Step::Compact(text)
        | Step::Permit(text) => vec![text],
        Step::Run { command, output, .. } => vec![command, output],
        Step::Edit { path, old, new } => vec![path, old, new],
        Step::Write { path, content } => vec![path, content],
        Step::Ask { question, answer } => vec![question, answer.as_deref().unwrap_or_default()],
        Step::Plan { plan, words, .. } => vec![plan, words.as_deref().unwrap_or_default()],
        Step::Questions { questions, answers, .. } => {
            [Some(questions), answers.as_ref()].into_iter().flatten().flat_map(strings).collect()
        }
        Step::Agent { task, report } => vec![task, report],
        Step::Deny { command, words } => vec![command, words.as_deref().unwrap_or_default()],
        Step::Interrupt | Step::Wait(_) | Step::End => Vec::new(),
    }
}

/// The texts in a JSON value.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().flat_map(strings).collect(),
        Value::Object(map) => map.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

fn says(step: &Step, text: &str) -> bool {
    let printed = matches!(step, Step::Run { output, .. } if output.contains(text));
    printed || passage(step).is_some_and(|passage| passage.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "project: tide\ncwd: /home/dev/tide\nbranch: main\nfile: a.rs; b.rs\n\
        === slow-ci | codex | 2026-02-03\nuser: CI is slow\nrun: make => 2\n| took 40 minutes\n\
        ? root_cause | how slow was it? | 40 minutes\n@ took 40 minutes\n\
        say: Cache the registry.\n~ decision | what made it quick? | caching\n\
        run: make => 0\n| 9 minutes\n& 9 minutes\nend\n--- filler\nuser: rename {file}\n";

    #[test]
    fn a_project_is_read() -> Result<(), Misread> {
        let project = project(TEXT)?;
        assert_eq!(project.words, [("{file}".to_owned(), vec!["a.rs".into(), "b.rs".into()])]);
        assert_eq!((project.fillers.len(), project.episodes.len()), (1, 1));
        let episode = &project.episodes[0];
        assert_eq!((episode.flavor, episode.steps.len()), (Flavor::Codex, 5));
        let [slow, quick] = &episode.asked[..] else { panic!("{:?}", episode.asked) };
        assert_eq!((slow.kind, slow.paraphrase), (Kind::RootCause, false));
        assert_eq!(slow.gold, ["took 40 minutes"]);
        assert_eq!((quick.question.as_str(), quick.paraphrase), ("what made it quick?", true));
        assert_eq!(quick.gold, ["Cache the registry.", "9 minutes"]);
        Ok(())
    }

    #[test]
    fn every_part_of_a_step_counts_for_blindness() -> Result<(), Misread> {
        let text = "=== a | claude | 2026-02-03\nuser: CI is slow\nrun: make => 2\n| ran late\n\
            edit: src/pool.rs\n- old = 1\n+ new = 2\nwrite: notes.md\n+ written\nend\n";
        let episode = &project(text)?.episodes[0];
        for word in ["slow", "make", "late", "pool", "old", "new", "notes", "written"] {
            assert!(!episode.has_no_word_of(&format!("what about {word}?")), "{word}");
        }
        assert!(episode.has_no_word_of("what is it with the pipeline?"));
        Ok(())
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, line) in [
            ("project tide\n", 1),
            ("=== a | claude\n", 1),
            ("=== a | claude | 2026-02\n", 1),
            ("=== a | claude | 2026-02-03\n? path | where? | there\n", 2),
            ("=== a | claude | 2026-02-03\nsay: x\n? place | where? | there\n", 3),
            ("=== a | claude | 2026-02-03\nsay: x\n? path | where? | there\n@ y\n", 4),
            ("=== a | claude | 2026-02-03\nsay: x\n& x\n", 3),
        ] {
            assert_eq!(project(text).map_err(|misread| misread.line).err(), Some(line), "{text}");
        }
    }
}
