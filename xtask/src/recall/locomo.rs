//! LoCoMo's conversations as sessions of Claude Code. The data is read from where the caller has
//! it: its licence lets it be used for evaluation, not be passed on.

use super::set::{self, Gold, Kind, Question};
use crate::corpus::clock::{Millis, midnight};
use crate::eval::case::{Case, Dialect, Step};
use crate::eval::render::{Rendered, Scene, render};
use backstory_model::{Flavor, Outcome};
use fs_err as fs;
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// Above the numbers of the coding set, so that both fit into one archive.
const FIRST_NUMBER: usize = 0x1_0000;

/// Writes `home/` and `questions.jsonl` into a directory.
///
/// A conversation is a project, its sessions are sessions, and every turn is one message. Questions
/// whose evidence names no turn are left out.
pub fn write(locomo_json: &Path, dir: &Path) -> io::Result<()> {
    let all: Vec<Value> = serde_json::from_str(&fs::read_to_string(locomo_json)?)?;
    let mut sessions = Vec::new();
    let mut questions = Vec::new();
    for conversation in &all {
        let project = text(&conversation["sample_id"]);
        let mut turns = HashMap::new();
        for number in 1.. {
            let spoken = &conversation["conversation"][format!("session_{number}")];
            let Some(spoken) = spoken.as_array() else { break };
            let date = &conversation["conversation"][format!("session_{number}_date_time")];
            let began = moment(&text(date))
                .ok_or_else(|| io::Error::other(format!("{project}: no date: {date}")))?;
            let at = FIRST_NUMBER + sessions.len();
            let speaker = &conversation["conversation"]["speaker_a"];
            sessions.push(session(&project, speaker, spoken, (at, began), &mut turns));
        }
        let asked = conversation["qa"].as_array().map_or(&[][..], Vec::as_slice);
        for (at, asked) in asked.iter().enumerate() {
            questions.extend(question(&project, at, asked, &turns));
        }
    }
    set::write(dir, &sessions, &questions)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Renders a session and notes where its turns are.
fn session(
    project: &str,
    first_speaker: &Value,
    spoken: &[Value],
    (number, began): (usize, Millis),
    turns: &mut HashMap<String, Gold>,
) -> Rendered {
    let mut steps = Vec::new();
    for turn in spoken {
        let image = match turn["blip_caption"].as_str() {
            Some(caption) => format!(" [shares an image: {caption}]"),
            None => String::new(),
        };
        let words = format!("{}: {}{image}", text(&turn["speaker"]), text(&turn["text"]));
        let is_first = &turn["speaker"] == first_speaker;
        steps.push(if is_first { Step::User(words) } else { Step::Say(words) });
    }
    let cwd = format!("/home/dev/locomo/{project}");
    let scene = Scene { number, cwd, branch: "main".to_owned(), began, is_bare: true };
    let (name, flavor, label) = (String::new(), Flavor::Claude, Outcome::Unknown);
    let case = Case { name, flavor, label, dialect: Dialect::Usual, is_exec: false, steps };
    let rendered = render(&case, &scene);
    for (at, (turn, step)) in spoken.iter().zip(&case.steps).enumerate() {
        let (Step::User(said) | Step::Say(said)) = step else { continue };
        let session = rendered.uid.to_string();
        let gold = Gold { session, text: said.clone(), turn: Some(at) };
        turns.insert(text(&turn["dia_id"]), gold);
    }
    rendered
}

fn question(
    project: &str,
    at: usize,
    asked: &Value,
    turns: &HashMap<String, Gold>,
) -> Option<Question> {
    let kind = match asked["category"].as_u64()? {
        1 => Kind::MultiHop,
        2 => Kind::Temporal,
        3 => Kind::OpenDomain,
        4 => Kind::SingleHop,
        _ => Kind::Adversarial,
    };
    let mut gold: Vec<Gold> = Vec::new();
    for named in asked["evidence"].as_array()?.iter().flat_map(|named| addresses(&text(named))) {
        if let Some(turn) = turns.get(&named).filter(|turn| !gold.contains(turn)) {
            gold.push(turn.clone());
        }
    }
    let answer = if asked["answer"].is_null() { "adversarial_answer" } else { "answer" };
    (!gold.is_empty()).then(|| Question {
        id: format!("{project}-{}", at + 1),
        project: project.to_owned(),
        question: text(&asked["question"]),
        kind,
        paraphrase: false,
        blind: false,
        gold,
        answer: text(&asked[answer]),
    })
}

/// The turns an evidence names; some name several, and some are written `D:11:26` or `D30:05`.
fn addresses(named: &str) -> Vec<String> {
    named
        .split([' ', ';', ','])
        .filter_map(|one| {
            let (session, turn) = one.strip_prefix('D')?.trim_start_matches(':').split_once(':')?;
            let (session, turn): (u64, u64) = (session.parse().ok()?, turn.parse().ok()?);
            Some(format!("D{session}:{turn}"))
        })
        .collect()
}

/// Reads `1:56 pm on 8 May, 2023`.
fn moment(date: &str) -> Option<Millis> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let (time, day) = date.split_once(" on ")?;
    let (clock, half) = time.trim().split_once(' ')?;
    let (hour, minute) = clock.split_once(':')?;
    let (hour, minute): (u64, u64) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = hour % 12 + if half.eq_ignore_ascii_case("pm") { 12 } else { 0 };
    let (day, year) = day.split_once(',')?;
    let (day, month) = day.trim().split_once(' ')?;
    let month = month.get(..3)?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|known| *known == month)? as u64 + 1;
    let midnight = midnight(year.trim().parse().ok()?, month, day.parse().ok()?);
    Some(midnight + (hour * 60 + minute) * 60_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::clock::iso;

    #[test]
    fn dates_are_read() {
        let read = |date| moment(date).map(iso);
        assert_eq!(read("1:56 pm on 8 May, 2023").as_deref(), Some("2023-05-08T13:56:00.000Z"));
        assert_eq!(
            read("12:09 am on 13 September, 2023").as_deref(),
            Some("2023-09-13T00:09:00.000Z")
        );
        assert_eq!(read("yesterday"), None);
    }

    #[test]
    fn evidence_names_turns_in_several_ways() {
        assert_eq!(addresses("D8:6; D9:17"), ["D8:6", "D9:17"]);
        assert_eq!(addresses("D9:1 D4:4 D4:6"), ["D9:1", "D4:4", "D4:6"]);
        assert_eq!(addresses("D:11:26"), ["D11:26"]);
        assert_eq!(addresses("D30:05"), ["D30:5"]);
        assert!(addresses("D").is_empty());
    }
}
