//! Replaces secrets before anything is written.
//!
//! One pass over the text finds short anchors ([`anchors`]); at each of them a hand-written matcher
//! looks at the neighbourhood and decides. Clean text costs that one pass and nothing else. Texts with
//! JSON character escapes are scanned a second time as they would be decoded ([`escape`]).

mod anchors;
mod assign;
mod charset;
mod commands;
mod entropy;
mod escape;
mod forms;
mod headers;
mod keys;
mod pem;
mod placeholder;
mod rules;
mod scan;
mod tokens;
mod urls;
mod value;

use std::borrow::Cow;
use std::sync::LazyLock;

use backstory_model::SecretFinding;

use anchors::Anchors;
use escape::View;
use rules::Action;
pub use rules::Rule;
use scan::{Certainty, Scan};

/// Replacing one secret can uncover another (its neighbour now starts a word). Nobody writes more than
/// a few of those in a row; the bound keeps hostile input linear.
const MOST_PASSES: usize = 8;

/// Finds and replaces secrets. Build once, share freely.
pub struct Redactor {
    anchors: Anchors<Action>,
}

/// A secret in the text at hand.
struct Found {
    start: usize,
    end: usize,
    rank: (Certainty, usize),
    finding: SecretFinding,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

impl Redactor {
    /// A redactor with all rules.
    pub fn new() -> Self {
        Self { anchors: Anchors::new(rules::anchors()) }
    }

    /// The one of this process, for whoever redacts a text now and then.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Redactor> = LazyLock::new(Redactor::new);
        &SHARED
    }

    /// All kinds of secrets that are recognised.
    pub fn rules() -> &'static [Rule] {
        rules::RULES
    }

    /// Appends `text` to `out` with every secret replaced by `[REDACTED:<kind>:<fingerprint>]`, and
    /// what was replaced to `findings`. Returns whether anything was replaced.
    ///
    /// Text that was redacted before comes out unchanged.
    pub fn redact_into(
        &self,
        text: &str,
        out: &mut String,
        findings: &mut Vec<SecretFinding>,
    ) -> bool {
        let clean = self.replaced(text, findings);
        out.push_str(clean.as_deref().unwrap_or(text));
        clean.is_some()
    }

    /// `text` with every secret replaced, borrowed when there is none.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.replaced(text, &mut Vec::new()).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    fn replaced(&self, text: &str, findings: &mut Vec<SecretFinding>) -> Option<String> {
        let mut clean: Option<String> = None;
        for _ in 0..MOST_PASSES {
            let current = clean.as_deref().unwrap_or(text);
            let found = self.find(current);
            if found.is_empty() {
                break;
            }
            clean = Some(render(current, found, findings));
        }
        clean
    }

    /// The secrets of `text`, in order and without overlaps.
    fn find(&self, text: &str) -> Vec<Found> {
        let mut found = self.scan(text.as_bytes());
        if let Some(view) = View::of(text.as_bytes()) {
            found.extend(self.scan(&view.text).into_iter().map(|mut hit| {
                (hit.start, hit.end) = view.source(hit.start, hit.end);
                hit
            }));
        }
        merged(text, found)
    }

    fn scan(&self, text: &[u8]) -> Vec<Found> {
        let mut scan = Scan::new(text);
        self.anchors.scan(text, |action, at| {
            if at >= scan.settled {
                action.run(&mut scan, at);
            }
        });
        let spans = scan.spans.iter().map(|span| Found {
            start: span.start,
            end: span.end,
            rank: (span.certainty, span.end - span.start),
            finding: SecretFinding {
                kind: span.kind,
                fingerprint: placeholder::fingerprint(&text[span.start..span.end], span.origin),
            },
        });
        spans.collect()
    }
}

/// Joins overlapping finds; the surest of them gives the name.
fn merged(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|hit| hit.start);
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    for mut hit in found {
        hit.start = text.floor_char_boundary(hit.start);
        hit.end = text.ceil_char_boundary(hit.end);
        match merged.last_mut() {
            Some(last) if hit.start < last.end => {
                last.end = last.end.max(hit.end);
                if hit.rank > last.rank {
                    last.rank = hit.rank;
                    last.finding = hit.finding;
                }
            }
            _ => merged.push(hit),
        }
    }
    merged
}

fn render(text: &str, found: Vec<Found>, findings: &mut Vec<SecretFinding>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for hit in found {
        out.push_str(&text[copied..hit.start]);
        out.push_str(placeholder::OPEN);
        out.push_str(hit.finding.kind);
        out.push(':');
        out.push_str(&hit.finding.fingerprint);
        out.push(']');
        copied = hit.end;
        findings.push(hit.finding);
    }
    out.push_str(&text[copied..]);
    out
}
