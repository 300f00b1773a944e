//! Reading by address: documents, folders, lines.

use super::{Effect, Spec};
use crate::mcp::answer::{Answer, Lines, MAX_CHARS, Refusal};
use crate::mcp::args::{Arg, Args, Kind};
use crate::mcp::desk::Desk;
use backstory_engine::tree::{Entry, GrepOptions, Part, Tree};
use std::fmt::Write;

const READ: &str = "Read what is behind one or more addresses that other tools answered with: a session's \
    overview, digest or transcript, one event in full, a known error, a memory. Long texts come in parts; \
    the answer says with which offset to go on. Example: {\"uris\": [\"backstory://claude:1f2e/12\"]}";
const LIST: &str = "List what is in a folder of the memory. The root backstory:// holds sessions, memories, \
    errors, decisions, patterns and skills. Example: {\"uri\": \"backstory://memories\", \"recursive\": true}";
const TREE: &str = "Show folders within folders as an indented tree, to get an overview of what is kept \
    below an address. Example: {\"uri\": \"backstory://memories\", \"level_limit\": 3}";
const GREP: &str = "Find exact text or a regular expression, line by line, below an address: in memories, in \
    one session (backstory://sessions/<id>) or, the latest first, in all. Use it for exact strings; use \
    search for topics. Example: {\"pattern\": \"ECONNREFUSED\", \"uri\": \"backstory://sessions\"}";
const GLOB: &str = "Find documents by their names: * within a name, ** over folders. Example: {\"pattern\": \
    \"**/*.md\", \"uri\": \"backstory://memories\"}";

const URI: Arg = Arg::may("uri", Kind::Text, "The address of the folder; backstory:// is the root");
const OFFSET: Arg =
    Arg::may("offset", Kind::Number, "Pass over so many entries, to see those behind");

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "read",
        about: READ,
        args: &[
            Arg::must("uris", Kind::Texts, "Addresses, backstory://… or viking://…"),
            Arg::may("offset", Kind::Number, "Pass over so many characters (default 0)"),
            Arg::may("limit", Kind::Number, "At most so many characters (default and most 20000)"),
        ],
        effect: Effect::Reads,
        run: read,
    },
    Spec {
        name: "list",
        about: LIST,
        args: &[
            URI,
            Arg::may("recursive", Kind::Flag, "Also what is in the folders below"),
            Arg::may("limit", Kind::Number, "At most so many entries (default 200)"),
            OFFSET,
        ],
        effect: Effect::Reads,
        run: list,
    },
    Spec {
        name: "tree",
        about: TREE,
        args: &[
            URI,
            Arg::may("level_limit", Kind::Number, "So many levels deep (default 3)"),
            Arg::may("node_limit", Kind::Number, "At most so many entries (default 200)"),
            Arg::may("include_abstract", Kind::Flag, "Also what each is about, in a line"),
            OFFSET,
        ],
        effect: Effect::Reads,
        run: tree,
    },
    Spec {
        name: "grep",
        about: GREP,
        args: &[
            Arg::must(
                "pattern",
                Kind::Texts,
                "A regular expression or plain text; several may be given",
            ),
            Arg::may("uri", Kind::Text, "Where to look (default backstory://, everything)"),
            Arg::may("case_insensitive", Kind::Flag, "In upper or lower case alike"),
            Arg::may("node_limit", Kind::Number, "At most so many lines (default 20, at most 200)"),
            Arg::may("from", Kind::Text, "Go on from here: what an earlier answer ended with"),
        ],
        effect: Effect::Reads,
        run: grep,
    },
    Spec {
        name: "glob",
        about: GLOB,
        args: &[
            Arg::must("pattern", Kind::Text, "The pattern, below the folder"),
            URI,
            Arg::may("node_limit", Kind::Number, "At most so many names (default 100)"),
            OFFSET,
        ],
        effect: Effect::Reads,
        run: glob,
    },
];

/// Where nothing is said, everything is meant.
fn folder(args: &Args) -> String {
    args.text(&["uri", "path", "target_uri"]).unwrap_or_else(|| "backstory://".into())
}

fn read(desk: &Desk, args: &Args) -> Answer {
    let addresses = args.texts(&["uris", "uri", "address", "path"]);
    let offset = args.number("offset", 0, usize::MAX);
    let tree = desk.tree()?;
    match addresses.as_slice() {
        [] => Err(Refusal::new("The argument `uris` is missing: give an address.")),
        [only] => part(&tree, only, offset, args.number("limit", MAX_CHARS, MAX_CHARS)),
        many => {
            let fair = MAX_CHARS / many.len().min(20);
            let limit = args.number("limit", fair, fair);
            let mut text = String::new();
            for address in many.iter().take(20) {
                let told = part(&tree, address, offset, limit.saturating_sub(address.len() + 10));
                let told = told.unwrap_or_else(|Refusal(why)| why);
                let _ = write!(text, "=== {address} ===\n{}\n\n", told.trim_end());
            }
            if many.len() > 20 {
                let left = many.len() - 20;
                let _ = writeln!(text, "({left} more were not read: ask for them again)");
            }
            Ok(text)
        }
    }
}

/// A part of a document, with how to go on.
pub(super) fn part(tree: &Tree, address: &str, offset: usize, limit: usize) -> Answer {
    // The note on how to go on has its place too.
    let limit = limit.clamp(1, MAX_CHARS - 200);
    let reading = tree.read(address, Part::chars(offset, limit))?;
    Ok(match reading.next {
        None if reading.text.is_empty() && offset > 0 => {
            format!("(it ends before character {offset})")
        }
        None => reading.text,
        Some(next) => format!("{}\n(more: read it again with offset={next})", reading.text),
    })
}

fn line(entry: &Entry, name: &str) -> String {
    let kind = if entry.is_folder { "dir" } else { "file" };
    let about = entry.about.as_deref().map(|about| format!("  — {about}")).unwrap_or_default();
    format!("[{kind}] {name}{about}")
}

fn list(desk: &Desk, args: &Args) -> Answer {
    let tree = desk.tree()?;
    let at = folder(args);
    let limit = args.number("limit", 200, 2000).max(1);
    let offset = args.number("offset", 0, usize::MAX);
    let is_recursive = args.flag("recursive");
    let entries: Vec<Entry> = if is_recursive {
        let walked = tree.walk(&at, usize::MAX, offset.saturating_add(limit).saturating_add(1))?;
        walked.entries.into_iter().map(|(_, entry)| entry).collect()
    } else {
        tree.list(&at)?
    };
    let mut lines = Lines::default();
    for entry in entries.iter().skip(offset).take(limit) {
        lines.add(&line(entry, if is_recursive { &entry.address } else { &entry.name }));
    }
    if entries.is_empty() {
        return Ok(format!("{at} is empty."));
    }
    if lines.told() == 0 {
        return Ok(format!("{at} has {} entries: there is none from {offset} on.", entries.len()));
    }
    Ok(lines.paged(offset, entries.len() > offset.saturating_add(limit)))
}

fn tree(desk: &Desk, args: &Args) -> Answer {
    let at = folder(args);
    let levels = args.number("level_limit", 3, 16).max(1);
    let limit = args.number("node_limit", 200, 1000).max(1);
    let offset = args.number("offset", 0, usize::MAX);
    let walked = desk.tree()?.walk(&at, levels, offset.saturating_add(limit))?;
    let mut lines = Lines::default();
    lines.add_beside(&at);
    for (level, entry) in walked.entries.iter().skip(offset) {
        let indent = "  ".repeat(level + 1);
        let slash = if entry.is_folder { "/" } else { "" };
        let bytes = entry.bytes.map(|bytes| format!(" ({bytes} bytes)")).unwrap_or_default();
        let about = entry.about.as_deref().filter(|_| args.flag("include_abstract"));
        let about = about.map(|about| format!("  — {about}")).unwrap_or_default();
        lines.add(&format!("{indent}{}{slash}{bytes}{about}", entry.name));
    }
    Ok(lines.paged(offset, walked.is_cut))
}

fn grep(desk: &Desk, args: &Args) -> Answer {
    let patterns = args.texts(&["pattern", "patterns", "query"]);
    if patterns.is_empty() {
        return Err(Refusal::new("The argument `pattern` is missing."));
    }
    let is_one = patterns.len() == 1;
    let options = GrepOptions {
        patterns,
        ignore_case: args.flag("case_insensitive"),
        limit: args.number("node_limit", 20, 200).max(1),
        from: args.text(&["from"]),
    };
    let found = desk.tree()?.grep(&folder(args), &options)?;
    let mut lines = Lines::default();
    let (mut last, mut next) = ("", found.next);
    for hit in &found.hits {
        let pattern = if is_one { String::new() } else { format!(" [{}]", hit.pattern) };
        let heading =
            if hit.address == last { String::new() } else { format!("{}\n", hit.address) };
        let told = lines.told();
        lines.add(&format!("{heading}  L{}{pattern}: {}", hit.line, hit.text));
        if lines.told() == told {
            next = Some(format!("{}#L{}", hit.address, hit.line));
            break;
        }
        last = &hit.address;
    }
    let left = match found.sessions_left {
        0 => String::new(),
        1 => " (1 session is left)".into(),
        left => format!(" ({left} sessions are left)"),
    };
    let more = next.map(|next| format!("(more: ask again with from={next}{left})\n"));
    let more = more.unwrap_or_default();
    match lines.told() {
        0 => Ok(format!("No matches found.\n{more}")),
        told => Ok(format!("Found {told} match(es):\n{}{more}", lines.whole())),
    }
}

fn glob(desk: &Desk, args: &Args) -> Answer {
    let pattern = args.needed(&["pattern"])?;
    let limit = args.number("node_limit", 100, 500).max(1);
    let offset = args.number("offset", 0, usize::MAX);
    let (found, is_cut) = desk.tree()?.glob(&folder(args), &pattern, (offset, limit))?;
    if found.is_empty() {
        return Ok("No files found.".into());
    }
    let mut lines = Lines::default();
    for address in &found {
        lines.add(address);
    }
    Ok(format!("Found {} file(s):\n{}", lines.told(), lines.paged(offset, is_cut)))
}
