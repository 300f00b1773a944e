//! What of what was found is told, and in which form.

use backstory_api::http::{
    ContextAnswer, ContextEntry, ContextStats, ListAnswer, ListItem, SearchAsk,
};
use backstory_engine::pushed::estimate;
use backstory_engine::recall::{Recall, RecallItem};
use backstory_engine::tree::{Below, Memory, is_below};
use std::fmt::Write;

/// Newer plugins do not shorten a text below this length, which saves the user a model's answer. Whoever
/// says how much it takes is told as much.
const RENDERED_CHARS: u64 = 1_500;
/// Nobody is told more at once.
const MOST_TOKENS: u64 = 32_000;
/// Characters of a token.
const TOKEN_CHARS: u64 = 4;
/// What plugins leave out unless they are told otherwise. What is told at all is relevant, so nothing has less.
const LEAST: f64 = 0.35;

/// A relevance between 0 and 1, as plugins know it.
fn score(item: &RecallItem) -> f64 {
    let score = f64::from(item.score.max(0.0));
    (score / (score + 1.0)).clamp(LEAST, 1.0)
}

/// True for what is relevant enough to whoever asks.
fn is_wanted(asked: &SearchAsk, score: f64) -> bool {
    [asked.score_threshold, asked.min_score].into_iter().flatten().all(|least| score >= least)
}

/// True for what lies at or below an address that was excluded.
fn is_excluded(asked: &SearchAsk, address: &str) -> bool {
    let unwanted = asked.exclude_uris.as_deref().unwrap_or_default();
    unwanted.iter().any(|above| is_below(address, above))
}

/// The folder of memories that alone is asked for.
fn folder(asked: &SearchAsk) -> Option<&str> {
    let target = asked.target_uri.as_deref()?;
    matches!(Below::of(target), Ok(Below::Folder)).then_some(target)
}

/// True for what lies where it was asked for.
fn is_asked_for(asked: &SearchAsk, address: &str) -> bool {
    folder(asked).is_none_or(|folder| is_below(address, folder)) && !is_excluded(asked, address)
}

/// True if not all that is relevant may be told.
pub(super) fn narrows(asked: &SearchAsk) -> bool {
    let excludes = asked.exclude_uris.as_ref().is_some_and(|unwanted| !unwanted.is_empty());
    asked.quotas.is_some() || excludes || folder(asked).is_some()
}

/// At most so many characters.
fn room(asked: &SearchAsk) -> usize {
    let tokens = asked.max_tokens.map(|tokens| tokens.min(MOST_TOKENS) * TOKEN_CHARS);
    let chars = asked.max_chars.map(|chars| chars.min(MOST_TOKENS * TOKEN_CHARS));
    [tokens, chars].into_iter().flatten().min().unwrap_or(RENDERED_CHARS) as usize
}

/// Which of the plugin's categories a thing is of: memories lie in folders of these names. What is known from
/// sessions is of none of them.
fn category(item: &RecallItem) -> Option<&str> {
    let (folder, _) = item.address.strip_prefix("backstory://memories/")?.split_once('/')?;
    Some(folder)
}

/// What is left of what was found: relevant enough, and of each category no more than its quota.
pub(super) fn wanted(asked: &SearchAsk, found: Recall, most: usize) -> Recall {
    let mut quotas = asked.quotas.clone().unwrap_or_default();
    let mut items = found.items;
    items.retain(|item| {
        if !is_wanted(asked, score(item)) || !is_asked_for(asked, &item.address) {
            return false;
        }
        let quota = category(item).and_then(|category| quotas.get_mut(category));
        match quota {
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
            None => true,
        }
    });
    items.truncate(most);
    Recall { items, considered: found.considered, ..Recall::default() }
}

/// As much as fits into one text, and what of it was found there.
pub(super) fn context(asked: &SearchAsk, found: Recall) -> (ContextAnswer, Recall) {
    let room = room(asked);
    let (mut entries, mut told, mut chars) = (Vec::new(), Recall::default(), 0);
    for item in found.items {
        let entry = ContextEntry {
            score: score(&item),
            uri: item.address.clone(),
            category: item.category.name().to_owned(),
            detail: "abstract",
            text: item.text.clone(),
            origin: "self",
        };
        let block = render(&entry);
        chars += block.chars().count();
        // The first is told whatever its length: a text that ends in nothing helps nobody.
        if !entries.is_empty() && chars > room {
            break;
        }
        told.text.push_str(&block);
        told.items.push(item);
        entries.push(entry);
    }
    told.text.truncate(told.text.trim_end().len());
    let stats = ContextStats {
        returned: entries.len(),
        considered: found.considered,
        used_tokens: estimate(&told.text),
        rewrite: "off",
    };
    let rendered = told.text.clone();
    (ContextAnswer { entries, rendered, digest: String::new(), stats }, told)
}

fn render(entry: &ContextEntry) -> String {
    let mut block = String::new();
    let ContextEntry { uri, category, score, detail, text, .. } = entry;
    let uri = uri.replace('"', "%22");
    // A text must not end the block it stands in.
    let text = text.replace("</memory", "<\u{200b}/memory");
    let _ = writeln!(
        block,
        "<memory uri=\"{uri}\" type=\"{category}\" score=\"{score:.2}\" detail=\"{detail}\">\n{text}\n</memory>"
    );
    block
}

/// What was found as a list.
pub(super) fn list(found: Recall) -> ListAnswer {
    let item = |item: RecallItem| ListItem {
        context_type: "memory",
        level: 2,
        score: score(&item),
        uri: item.address,
        overview: item.text.clone(),
        gist: item.text,
        category: item.category.name().to_owned(),
        match_reason: item.why,
    };
    let memories: Vec<ListItem> = found.items.into_iter().map(item).collect();
    ListAnswer { total: memories.len(), memories, ..ListAnswer::default() }
}

/// Files as items of a list, of one kind all of them.
pub(super) fn files(asked: &SearchAsk, kind: &'static str, found: Vec<Memory>) -> Vec<ListItem> {
    let item = |file: Memory| ListItem {
        context_type: kind,
        level: 2,
        score: f64::from(file.score).clamp(LEAST, 1.0),
        uri: file.address,
        overview: file.about.clone(),
        gist: file.about,
        category: kind.to_owned(),
        match_reason: format!("{:.0} % of the words", file.score * 100.0),
    };
    let items = found.into_iter().map(item);
    items.filter(|item| is_wanted(asked, item.score) && !is_excluded(asked, &item.uri)).collect()
}
