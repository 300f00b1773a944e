//! Briefs in what an agent says: a marker, or a heading `D3 — title` with options below it.

use super::options::{self, Options};
use super::reply_labels::named;
use super::retold;
use super::visible::{Line, lines};
use crate::clip;
use backstory_model::{Decision, DecisionForm};

/// Questions one message may ask.
const PARTS: usize = 32;

/// Certainty of a marker, of a brief that recommends, and of one that only asks; in percent.
const MARKED: u8 = 97;
const COMPLETE: u8 = 90;
const ASKING: u8 = 75;

/// A stretch of a message that may ask one question.
struct Block<'a> {
    /// Its lines; the first is the heading, if it has one.
    lines: &'a [Line],
    /// The line before it that says something.
    before: Option<&'a Line>,
    /// Number, skill and title of its heading.
    heading: Option<Heading>,
    /// The marker it was given by a line before it.
    marker: Option<String>,
}

/// `D3 (ship) — title`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Heading {
    pub(super) number: String,
    pub(super) skill: String,
    pub(super) title: String,
}

/// The questions of a message.
pub(super) fn read(message: &str, marker: &str) -> Vec<Decision> {
    let message = clip::head(message, clip::LOOK_BYTES);
    // Most messages have neither.
    let may_have = message.contains(&format!("<{marker}:")) || has_number(message);
    if !may_have {
        return Vec::new();
    }
    let lines = lines(message, marker);
    let mut found: Vec<Decision> = blocks(&lines).iter().filter_map(question).take(PARTS).collect();
    for (part, row) in found.iter_mut().enumerate() {
        row.part = part as u16;
    }
    found
}

/// True if a `D` with a number stands somewhere.
fn has_number(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| pair[0] == b'D' && pair[1].is_ascii_digit())
}

fn blocks(lines: &[Line]) -> Vec<Block<'_>> {
    let headings: Vec<(usize, Heading)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, heading(&line.clean)?)))
        .collect();
    if headings.is_empty() {
        return marked_blocks(lines);
    }
    let mut blocks = Vec::new();
    for (n, (at, heading)) in headings.iter().enumerate() {
        let next = headings.get(n + 1).map_or(lines.len(), |(next, _)| *next);
        // A marker on its own right before a heading is the heading's.
        let lead = |at: usize| {
            let before =
                lines[..at].iter().rposition(|line| !line.is_blank() || line.marker.is_some());
            before.filter(|before| lines[*before].is_blank())
        };
        let end = lead(next).filter(|lead| next < lines.len() && lead > at).unwrap_or(next);
        let lead_in = lead(*at);
        let before = lines[..lead_in.unwrap_or(*at)].iter().rfind(|line| !line.is_blank());
        blocks.push(Block {
            lines: &lines[*at..end],
            before,
            heading: Some(heading.clone()),
            marker: lead_in.and_then(|at| lines[at].marker.clone()),
        });
    }
    // Markers before the first heading ask questions of their own.
    let first = headings.first().map_or(0, |(at, _)| *at);
    let claimed = blocks.first().is_some_and(|block| block.marker.is_some());
    if !claimed && lines[..first].iter().any(|line| line.marker.is_some()) {
        let mut own = marked_blocks(&lines[..first]);
        own.append(&mut blocks);
        return own;
    }
    blocks
}

/// Blocks without headings: each marker has one.
fn marked_blocks(lines: &[Line]) -> Vec<Block<'_>> {
    let marks: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].marker.is_some()).collect();
    let mut blocks = Vec::new();
    let mut floor = 0;
    for (n, at) in marks.iter().enumerate() {
        let next = marks.get(n + 1).copied().unwrap_or(lines.len());
        let mut start = *at;
        if lines[*at].is_blank() {
            // It follows its question, or stands before it.
            let above = lines[floor..*at].iter().rposition(|line| !line.is_blank());
            let above = above.map(|above| floor + above);
            let asks = |at: &usize| lines[*at].heading || lines[*at].clean.contains('?');
            let below = (*at + 1..next).find(|at| !lines[*at].is_blank());
            start = match (above.filter(|at| asks(at)), below.filter(|at| asks(at))) {
                (Some(above), _) => above,
                (None, Some(_)) => *at,
                (None, None) => above.unwrap_or(*at),
            };
            let stretch = &lines[floor..*at];
            if options::find(&lines[start..next]).list.is_empty()
                && !options::find(stretch).list.is_empty()
            {
                // It closes a question with its options.
                start = floor + stretch.iter().position(|line| !line.is_blank()).unwrap_or(0);
            }
        }
        blocks.push(Block {
            lines: &lines[start..next],
            before: lines[..start].iter().rfind(|line| !line.is_blank()),
            heading: None,
            marker: lines[*at].marker.clone(),
        });
        floor = (*at + 1).min(next);
    }
    blocks
}

fn question(block: &Block<'_>) -> Option<Decision> {
    let inner = block.lines.iter().find_map(|line| line.marker.clone());
    let marker = block.marker.clone().or(inner);
    let body = if block.heading.is_some() { block.lines.get(1..)? } else { block.lines };
    let options = options::find(body);
    let recommended = recommended(body, &options);
    if is_retold(block, body, &options) {
        return None;
    }
    let outside = |at: &usize| !options.lines.contains(at);
    let asks = (0..body.len()).filter(outside).any(|at| is_asking(&body[at].clean))
        || block.heading.as_ref().is_some_and(|heading| is_asking(&heading.title));
    let text = wording(block, body, &options)?;
    let (form, confidence) = match (&marker, &block.heading) {
        (Some(_), Some(_)) => (DecisionForm::Marker, MARKED),
        (Some(_), None) => {
            let line = block.lines.iter().find(|line| line.clean.starts_with(&text));
            if options.list.is_empty() && !is_asking(&text) && is_remark(&text, line, block) {
                return None;
            }
            (DecisionForm::Marker, MARKED)
        }
        (None, Some(_)) if options.list.is_empty() => return None,
        (None, Some(_)) if recommended.is_some() => (DecisionForm::Pattern, COMPLETE),
        (None, Some(_)) if has_recommendation(body) => (DecisionForm::Pattern, COMPLETE),
        (None, Some(_)) if asks => (DecisionForm::Pattern, ASKING),
        (None, _) => return None,
    };
    let (header, skill) = block
        .heading
        .as_ref()
        .map(|heading| (heading.number.clone(), heading.skill.clone()))
        .unwrap_or_default();
    Some(Decision {
        form,
        question_id: marker.unwrap_or_default(),
        skill,
        header,
        question: text,
        options: options.list,
        recommended,
        confidence,
        ..Decision::default()
    })
}

/// True if words with a marker only speak of it: a marker names what is asked, or a heading.
fn is_remark(text: &str, line: Option<&Line>, block: &Block<'_>) -> bool {
    const ASKING: [&str; 12] = [
        "tell me",
        "please",
        "pick",
        "choose",
        "name ",
        "let me know",
        "give me",
        "say ",
        "decide",
        "i need",
        "enter",
        "sag mir",
    ];
    let lower = text.to_lowercase();
    if ASKING.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let is_midway = block.lines.iter().any(|line| line.midway);
    let is_heading = line.is_some_and(|line| line.heading);
    let is_item = line.is_some_and(|line| line.item);
    let is_statement = text.ends_with(['.', '!', ':']) || text.split(' ').count() > 12;
    is_midway || !is_heading && (is_item || is_statement)
}

fn has_recommendation(body: &[Line]) -> bool {
    body.iter().any(|line| options::is_recommendation(&line.clean))
}

/// True if a line asks something.
fn is_asking(line: &str) -> bool {
    line.ends_with(['?', '？']) || line.contains("? ") || line.contains('？')
}

/// The question in words.
fn wording(block: &Block<'_>, body: &[Line], options: &Options) -> Option<String> {
    if let Some(heading) = &block.heading {
        return Some(heading.title.clone());
    }
    let head = if options.list.is_empty() { body } else { &body[..options.lines.start] };
    let marked = head.iter().find(|line| line.marker.is_some() && !line.is_blank());
    let first = || head.iter().find(|line| !line.is_blank());
    let asking = || head.iter().find(|line| is_asking(&line.clean));
    let line = marked.or_else(asking).or_else(first)?;
    Some(line.clean.trim_end_matches(':').trim().to_owned())
}

/// Which option the brief recommends.
fn recommended(body: &[Line], options: &Options) -> Option<u16> {
    let line = body.iter().find_map(|line| options::recommends(&line.clean));
    let named = line.and_then(|line| named(line, &options.list));
    match (named, options.marked.as_slice()) {
        (Some(at), _) => Some(at),
        (None, [at]) => Some(*at),
        _ => None,
    }
}

/// True if the block tells of a decision instead of asking for one.
fn is_retold(block: &Block<'_>, body: &[Line], options: &Options) -> bool {
    let title = block.heading.as_ref().map_or("", |heading| heading.title.as_str());
    block.before.is_some_and(|line| retold::introduces(&line.clean))
        || retold::is_closed(title)
        || options.list.iter().any(retold::is_taken)
        || (0..body.len()).filter(|at| !options.lines.contains(at)).any(|at| {
            let line = &body[at].clean;
            let behind = at >= options.lines.end || options::is_recommendation(line);
            retold::settles(line, behind)
        })
}

/// Reads a heading.
pub(super) fn heading(line: &str) -> Option<Heading> {
    let line = line.trim();
    let numbered = line.split_once(['.', ')']).filter(|(number, _)| {
        !number.is_empty() && number.len() <= 2 && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let line = numbered.map_or(line, |(_, rest)| rest.trim_start());
    let line = ["Decision ", "Question ", "Brief ", "Entscheidung "]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    let rest = line.strip_prefix('D')?;
    let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let number = rest[..digits].trim_end_matches('.');
    if !(1..=4).contains(&number.len()) || !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut rest = rest[number.len()..].trim_start_matches(['.', ')', '*']);
    let spaced = rest.starts_with(' ');
    rest = rest.trim_start();
    let mut skill = "";
    if let Some(inside) = rest.strip_prefix('(') {
        (skill, rest) = inside.split_once(')')?;
        rest = rest.trim_start();
    }
    let title = match rest.chars().next()? {
        '—' | '–' | '―' | '−' | ':' | '：' => {
            rest.trim_start_matches(['—', '–', '―', '−', ':', '：'])
        }
        '-' => {
            let title = rest.trim_start_matches('-');
            // `D1-x` is a name.
            Some(title).filter(|title| spaced || title.starts_with(' '))?
        }
        _ => return None,
    };
    let title = title.trim().trim_end_matches('*').trim_end_matches([':', '：']).trim();
    if !title.chars().any(char::is_alphanumeric) {
        return None;
    }
    Some(Heading {
        number: format!("D{number}"),
        skill: skill.trim().to_owned(),
        title: title.to_owned(),
    })
}
