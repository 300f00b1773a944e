//! Answers to several questions that were put together.

use super::reply::{Reply, by_key, only_asks, read};
use super::reply_keys;
use super::reply_phrases::{agrees, defers, is_thumb, puts_off, skips};
use super::reply_words::{contains, fold};
use backstory_model::Decision;

/// Reads a reply to several questions that were put together, in order.
pub(super) fn share(words: &str, asked: &[&Decision]) -> Vec<Reply> {
    match asked {
        [] => Vec::new(),
        [one] => vec![read(words, one)],
        many => by_number(words, many)
            .or_else(|| for_all(words, many))
            .or_else(|| in_order(words, many))
            .unwrap_or_else(|| by_subject(words, many)),
    }
}

/// `D1: B, D2: A`, `1A 2C`: the questions are named.
fn by_number(words: &str, asked: &[&Decision]) -> Option<Vec<Reply>> {
    let mut places: Vec<(usize, usize, usize)> = Vec::new();
    let bytes = words.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let opens = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        let prefix = usize::from(matches!(bytes[at], b'D' | b'd' | b'Q' | b'q' | b'#'));
        let digits = bytes[at + prefix..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !opens || digits == 0 || digits > 3 || !words.is_char_boundary(at) {
            at += 1;
            continue;
        }
        let end = at + prefix + digits;
        let number = &words[at + prefix..end];
        // Without a `D` only `1A`, `1: A` and the like name a question.
        let rest = words[end..].trim_start_matches([':', '=', ')', '.', '-', ' ']);
        let plain = prefix == 0;
        let lettered = rest.starts_with(|c: char| c.is_ascii_alphabetic())
            && !rest[1..].starts_with(|c: char| c.is_alphanumeric());
        let tight = !words[end..].starts_with(|c: char| c.is_alphanumeric()) || lettered;
        if let Some(which) = which(number, asked).filter(|_| tight && (!plain || lettered)) {
            places.push((at, end, which));
        }
        at = end;
    }
    if places.is_empty() {
        return None;
    }
    let mut replies = vec![Reply::Skipped; asked.len()];
    for (n, (_, end, which)) in places.iter().enumerate() {
        let stop = places.get(n + 1).map_or(words.len(), |(start, ..)| *start);
        let own =
            words[*end..stop].trim().trim_start_matches([':', '=', ')', '.', '-', '—', '–', ' ']);
        let own = own.trim_end_matches([',', ';', ' ', '.', '\n', '/']);
        let own = own.strip_suffix(" and").or(own.strip_suffix(" und")).unwrap_or(own);
        replies[*which] = read(own, asked[*which]);
    }
    if places.iter().all(|(_, _, which)| replies[*which] == Reply::Later) {
        return Some(vec![Reply::Later; asked.len()]);
    }
    Some(replies)
}

/// Which question a number names: by its heading, else by its place.
fn which(number: &str, asked: &[&Decision]) -> Option<usize> {
    let heading = format!("D{number}");
    let by_heading = asked.iter().rposition(|one| one.header == heading);
    let has_headings = asked.iter().any(|one| !one.header.is_empty());
    let place = || number.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < asked.len());
    by_heading.or_else(|| if has_headings { None } else { place() })
}

/// One word for all of them.
fn for_all(words: &str, asked: &[&Decision]) -> Option<Vec<Reply>> {
    let folded = fold(words);
    let yes = agrees(&folded).is_some_and(|rest| {
        matches!(
            rest,
            "" | "to both"
                | "to all"
                | "for both"
                | "for all"
                | "all"
                | "both"
                | "please"
                | "to everything"
        )
    });
    let each =
        |reply: &dyn Fn(&Decision) -> Reply| asked.iter().map(|one| reply(one)).collect::<Vec<_>>();
    if puts_off(&folded) || only_asks(words) {
        return Some(vec![Reply::Later; asked.len()]);
    }
    if is_thumb(words) || yes || defers(&folded) && folded.split(' ').count() <= 12 {
        return Some(each(&|one| {
            one.recommended.map_or(Reply::Later, |at| Reply::Chosen(vec![at], None, 92))
        }));
    }
    if skips(&folded) {
        return Some(vec![Reply::Skipped; asked.len()]);
    }
    let spread = ["both", "all", "each", "everywhere", "every time", "twice", "beide", "alle"]
        .iter()
        .any(|word| contains(&folded, word));
    let keys = reply_keys::read(words, &asked[0].options);
    (spread && keys.chosen.len() == 1)
        .then(|| each(&|one| by_key(words, one).unwrap_or(Reply::Skipped)))
}

/// Answers in the order of the questions.
fn in_order(words: &str, asked: &[&Decision]) -> Option<Vec<Reply>> {
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let listed: Vec<&str> = split_list(words);
    let letters: Vec<&str> = words.split_whitespace().collect();
    [lines, listed, letters].into_iter().find_map(|parts| {
        if parts.len() < 2 || parts.len() > asked.len() {
            return None;
        }
        let mut replies: Vec<Reply> =
            parts.iter().zip(asked).map(|(part, one)| read(unnumbered(part), one)).collect();
        let is_answer = |reply: &Reply| matches!(reply, Reply::Chosen(..) | Reply::Free(_, true));
        let fits = replies.iter().all(is_answer);
        replies.resize(asked.len(), Reply::Skipped);
        fits.then_some(replies)
    })
}

fn unnumbered(part: &str) -> &str {
    let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')', ':']) {
        Some(rest) if rest.len() + 1 < part.len() && !rest.trim().is_empty() => rest.trim(),
        _ => part,
    }
}

fn split_list(words: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = vec![words];
    for joint in [",", ";", " and ", " und ", " then ", " & ", " + ", " / ", ". "] {
        parts = parts.into_iter().flat_map(|part| part.split(joint)).collect();
    }
    parts
        .into_iter()
        .map(|part| part.trim().trim_end_matches('.'))
        .filter(|part| !part.is_empty())
        .collect()
}

/// Each question takes what speaks of it; those nobody speaks of are passed over.
fn by_subject(words: &str, asked: &[&Decision]) -> Vec<Reply> {
    let keys = reply_keys::read(words, &asked[0].options);
    if !keys.chosen.is_empty() {
        // A letter alone is for the first of them.
        let mut replies = vec![Reply::Skipped; asked.len()];
        replies[0] = read(words, asked[0]);
        return replies;
    }
    let replies: Vec<Reply> = asked.iter().map(|one| read(words, one)).collect();
    let any = |fits: fn(&Reply) -> bool| replies.iter().any(fits);
    if any(|reply| matches!(reply, Reply::Chosen(..))) {
        let keep =
            |reply: Reply| if matches!(reply, Reply::Chosen(..)) { reply } else { Reply::Skipped };
        return replies.into_iter().map(keep).collect();
    }
    if any(|reply| *reply == Reply::Later) {
        return vec![Reply::Later; asked.len()];
    }
    replies
}
