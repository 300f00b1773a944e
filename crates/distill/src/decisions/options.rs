//! Options of a brief: lettered or numbered lines, and which of them is recommended.

use super::rows::{OPTIONS, bound_option};
use super::visible::Line;
use backstory_model::DecisionOption;

/// Bytes of an explanation from which on lines are not added to it: more than is kept of one.
const EXPLAINED: usize = 4096;

/// How writers say that an option is recommended, in small letters.
const RECOMMENDED: &[&str] = &[
    "recommended",
    "recommend",
    "my pick",
    "preferred",
    "empfohlen",
    "empfehlung",
    "recommandé",
    "recomendad",
    "consigliat",
    "рекоменд",
    "推荐",
    "推薦",
    "推奨",
    "おすすめ",
    "お勧め",
    "추천",
    "권장",
    "aanbevolen",
    "zalecan",
];

/// How a line begins that names the recommended option.
const RECOMMENDATION: &[&str] = &[
    "recommendation",
    "my recommendation",
    "our recommendation",
    "recommended",
    "recommend",
    "i recommend",
    "i'd recommend",
    "i would recommend",
    "empfehlung",
    "meine empfehlung",
    "ich empfehle",
    "recommandation",
    "je recommande",
    "recomendación",
    "recomendação",
    "recomiendo",
    "raccomandazione",
    "consiglio",
    "рекомендация",
    "推荐",
    "推薦",
    "建议",
    "建議",
    "推奨",
    "おすすめ",
    "お勧め",
    "추천",
    "권장",
    "aanbeveling",
    "zalecenie",
    "rekomendacja",
    "rekommendation",
    "öneri",
    "doporučení",
    "recomendacion",
];

/// The options found in some lines.
#[derive(Debug, Default)]
pub(super) struct Options {
    /// In order.
    pub(super) list: Vec<DecisionOption>,
    /// Those marked as recommended.
    pub(super) marked: Vec<u16>,
    /// The lines they take, explanations included.
    pub(super) lines: std::ops::Range<usize>,
}

/// Finds the options in the lines of a brief: the lettered ones, else the numbered ones. They are within the
/// bounds of a row, since every one of them is compared with every other.
pub(super) fn find(lines: &[Line]) -> Options {
    let lettered = sequence(lines, false);
    let mut found = if lettered.list.len() >= 2 { lettered } else { sequence(lines, true) };
    found.list.iter_mut().for_each(bound_option);
    found
}

fn sequence(lines: &[Line], numbered: bool) -> Options {
    let mut found = Options::default();
    let (mut indent, mut item, mut gap) = (0, false, false);
    for (at, line) in lines.iter().enumerate() {
        let due = key_at(found.list.len(), numbered);
        if let Some(rest) = due.as_deref().and_then(|due| after_key(&line.clean, due)) {
            if found.list.is_empty() {
                found.lines.start = at;
            }
            found.lines.end = at + 1;
            (indent, item, gap) = (line.indent, line.item, false);
            take(&mut found, rest, numbered);
            continue;
        }
        if found.list.is_empty() {
            continue;
        }
        if line.is_blank() {
            gap = true;
            continue;
        }
        let nested = line.indent > indent || line.item && !item || is_weighed(&line.clean);
        if nested && !is_recommendation(&line.clean) {
            found.lines.end = at + 1;
            if let Some(option) = found.list.last_mut() {
                explain(option, &line.clean);
            }
        } else if gap && found.list.len() >= 2 && line.heading {
            break;
        }
    }
    if found.list.len() < 2 { Options::default() } else { found }
}

/// Pros and cons.
fn is_weighed(line: &str) -> bool {
    ["✅", "❌", "✔", "✗", "👍", "👎", "➕", "➖", "Pro:", "Con:", "Pros:", "Cons:"]
        .iter()
        .any(|mark| line.starts_with(mark))
}

fn explain(option: &mut DecisionOption, more: &str) {
    if option.description.len() > EXPLAINED {
        return;
    }
    if !option.description.is_empty() {
        option.description.push('\n');
    }
    option.description.push_str(more);
}

/// The key of the option at a place; there are no more than a question may have.
fn key_at(at: usize, numbered: bool) -> Option<String> {
    let number = u8::try_from(at).ok().filter(|_| at < OPTIONS)?;
    if numbered {
        return Some((number + 1).to_string());
    }
    let letter = b'A'.checked_add(number).filter(u8::is_ascii_uppercase)?;
    Some(char::from(letter).to_string())
}

/// What follows the key of an option at the beginning of a line.
fn after_key<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let line = strip_word(line, &["options:", "choices:", "optionen:", "選択肢：", "选项："]);
    if let Some(cells) = line.strip_prefix('|') {
        let (first, rest) = cells.split_once('|')?;
        let rest = rest.trim().trim_end_matches('|').trim();
        return (strip_key(first.trim(), key)?.is_empty() && !rest.is_empty()).then_some(rest);
    }
    let worded = strip_word(line, &["option ", "choice ", "variante "]);
    let is_worded = worded.len() < line.len();
    for (open, close) in [("(", ")"), ("[", "]"), ("（", "）")] {
        let inside = worded.strip_prefix(open).and_then(|rest| strip_key(rest, key));
        if let Some(rest) = inside.and_then(|rest| rest.strip_prefix(close)) {
            return words(rest);
        }
    }
    let rest = strip_key(worded, key)?;
    let spaced = |mark: char| rest.strip_prefix(mark).filter(|rest| rest.starts_with(' '));
    let dashed = rest.trim_start().strip_prefix(['—', '–', '-']);
    let found = rest
        .strip_prefix([')', '）', '、', '．', '：'])
        .or_else(|| spaced('.'))
        .or_else(|| spaced(':'))
        .or_else(|| dashed.filter(|after| rest.starts_with(' ') && after.starts_with(' ')))
        .or_else(|| Some(rest).filter(|rest| is_worded && rest.starts_with(' ')))?;
    words(found)
}

fn words(rest: &str) -> Option<&str> {
    let rest = rest.trim().trim_start_matches([':', '—', '–', '-', '：']).trim();
    rest.chars().any(char::is_alphanumeric).then_some(rest)
}

fn strip_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let head = text.get(..key.len())?;
    head.eq_ignore_ascii_case(key).then(|| &text[key.len()..])
}

fn strip_word<'a>(text: &'a str, words: &[&str]) -> &'a str {
    words
        .iter()
        .find_map(|word| {
            let head = text.get(..word.len())?;
            (head.to_lowercase() == *word).then(|| text[word.len()..].trim_start())
        })
        .unwrap_or(text)
}

/// Takes the option a line begins with, and those behind it in the same line.
fn take(found: &mut Options, rest: &str, numbered: bool) {
    let mut rest = rest;
    loop {
        let key = key_at(found.list.len(), numbered).unwrap_or_default();
        let next = key_at(found.list.len() + 1, numbered);
        let cut = next.and_then(|next| inline(rest, &next));
        let own = cut.map_or(rest, |(at, _)| &rest[..at]);
        let (option, is_marked) = option(&key, own);
        if is_marked {
            found.marked.push(found.list.len() as u16);
        }
        found.list.push(option);
        let Some((_, more)) = cut else { return };
        rest = more;
    }
}

/// Where the next option begins within a line, and what follows its key.
fn inline<'a>(text: &'a str, key: &str) -> Option<(usize, &'a str)> {
    for form in [format!(" {key}) "), format!(" ({key}) "), format!(" **{key})** ")] {
        if let Some(at) = text.find(&form) {
            let more = text[at + form.len()..].trim();
            return (!more.is_empty()).then_some((at, more));
        }
    }
    None
}

fn option(key: &str, text: &str) -> (DecisionOption, bool) {
    let text = text.trim().trim_end_matches([',', ';', '/', '|']).trim_end();
    let text = [" or", " and", " oder", " und"]
        .iter()
        .find_map(|word| text.strip_suffix(word))
        .unwrap_or(text);
    let (text, is_marked) = unmark(text.trim_end_matches([',', ';']));
    let (label, description) = explained(&text);
    let label = label.trim().trim_end_matches([':', '：']).trim();
    let option = DecisionOption {
        key: key.to_owned(),
        label: label.to_owned(),
        description: description.trim().to_owned(),
    };
    (option, is_marked)
}

/// The label of an option without the remark that it is recommended, and whether it had one.
pub(super) fn unmark(text: &str) -> (String, bool) {
    for (open, close) in [('(', ')'), ('[', ']'), ('（', '）')] {
        let mut from = 0;
        while let Some(start) = text[from..].find(open).map(|at| from + at) {
            let Some(end) = text[start..].find(close).map(|at| start + at) else { break };
            let inner = text[start + open.len_utf8()..end].trim().to_lowercase();
            let inner = inner.trim_matches(|c: char| !c.is_alphanumeric());
            if RECOMMENDED.iter().any(|word| inner.starts_with(word)) {
                let before = text[..start].trim_end().trim_end_matches(['*', '_', '⭐', '★']);
                let after = text[end + close.len_utf8()..].trim_start_matches(['*', '_']);
                let rest = format!("{}{after}", before.trim_end());
                return (rest.trim().to_owned(), true);
            }
            from = end;
        }
    }
    let lower = text.to_lowercase();
    for word in RECOMMENDED {
        let Some(before) = lower.strip_suffix(word) else { continue };
        let Some(before) = text.get(..before.len()) else { continue };
        let label = before.trim_end().trim_end_matches(['—', '–', '-', '←', '⭐', '★', ',', '✅']);
        if label.len() < before.trim_end().len() && !label.trim().is_empty() {
            return (label.trim().to_owned(), true);
        }
    }
    if let Some(label) = text.strip_prefix("⭐").or(text.strip_suffix("⭐")) {
        return (label.trim().to_owned(), true);
    }
    (text.to_owned(), false)
}

/// A label and the explanation behind it, which a dash or a colon begins.
fn explained(text: &str) -> (&str, &str) {
    let (mut depth, mut code) = (0_i32, false);
    for (at, c) in text.char_indices() {
        match c {
            '`' => code = !code,
            '(' | '[' | '„' | '（' if !code => depth += 1,
            ')' | ']' | '“' | '）' if !code => depth = (depth - 1).max(0),
            _ => {}
        }
        if code || depth > 0 || at == 0 {
            continue;
        }
        let rest = &text[at..];
        for mark in [" — ", " – ", " - ", " -- ", ": ", "：", " | "] {
            if let Some(explanation) = rest.strip_prefix(mark) {
                return (&text[..at], explanation);
            }
        }
    }
    (text, "")
}

/// True for a line that recommends.
pub(super) fn is_recommendation(line: &str) -> bool {
    recommends(line).is_some()
}

/// What a line recommends, if it does.
pub(super) fn recommends(line: &str) -> Option<&str> {
    let lower = line.to_lowercase();
    if lower.len() != line.len() {
        // Rare letters change their length; then only the plain form is known.
        return line.strip_prefix("Recommendation:").map(str::trim);
    }
    let word = RECOMMENDATION
        .iter()
        .filter(|word| lower.starts_with(**word))
        .max_by_key(|word| word.len())?;
    let rest = line[word.len()..].trim_start();
    let rest = match rest.strip_prefix('(') {
        // A remark in between.
        Some(remark) => remark.split_once(')')?.1.trim_start(),
        None => rest,
    };
    let marked = rest.strip_prefix([':', '：', '—', '–', '-', '→']);
    let is_sentence = word.contains(' ') || word.ends_with("le") || word.ends_with("do");
    match marked {
        Some(what) => Some(what.trim()),
        None if is_sentence => Some(rest),
        None => None,
    }
    .filter(|what| !what.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::visible::lines;
    use super::*;

    #[test]
    fn options_are_bounded_while_they_are_found() {
        let bullets = "   - and one more reason\n".repeat(50);
        let many: String = (1..60)
            .map(|n| format!("{n}. {}\n{bullets}", "word ".repeat(90)))
            .collect::<Vec<_>>()
            .concat();
        let in_a_line: String = (1..60).map(|n| format!("{n}) red ")).collect::<Vec<_>>().concat();
        for text in [&many, &in_a_line] {
            let found = find(&lines(text, "qid"));
            assert_eq!(found.list.len(), OPTIONS);
            for option in &found.list {
                assert!(option.label.chars().count() <= 200);
                assert!(option.description.chars().count() <= 500);
            }
        }
        let mut option = DecisionOption::default();
        (0..500).for_each(|_| explain(&mut option, &"x".repeat(100)));
        assert!(option.description.len() < EXPLAINED + 200);
    }
}
