//! Memories: remembered, written, changed, forgotten.

use super::{Effect, Spec};
use crate::mcp::answer::{Answer, Refusal};
use crate::mcp::args::{Arg, Args, Kind};
use crate::mcp::desk::Desk;
use backstory_engine::tree::{Note, WriteMode};

const REMEMBER: &str = "Keep something for later sessions of any agent: a fact, a decision, a preference of the \
    user, how something is done here. Call it when the user says to remember something, or when you \
    found out something that was hard to find. Write it so that it is understood without this \
    conversation. Secrets are redacted. Example: {\"content\": \"Deploys go through heron-7, never by \
    hand.\", \"category\": \"preferences\"}";
const WRITE: &str = "Write a memory file as a whole, below backstory://memories/. Use remember for a new note; \
    use this to keep a file of your own up to date. Example: {\"uri\": \
    \"backstory://memories/projects/app.md\", \"content\": \"# app\\n…\"}";
const EDIT: &str = "Replace an exact text in a memory file with another. The text must stand there once, unless \
    replace_all is true. Example: {\"uri\": \"backstory://memories/ports.md\", \"old_string\": \"7411\", \
    \"new_string\": \"7412\"}";
const FORGET: &str = "Remove a memory file, or a folder of them, for good. Only what is below \
    backstory://memories/ can be forgotten here; sessions are removed by the user with `backstory \
    forget`. Example: {\"uri\": \"backstory://memories/notes/2026-11-01-port.md\"}";

const URI: Arg =
    Arg::must("uri", Kind::Text, "The address of the file, below backstory://memories/");

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "remember",
        about: REMEMBER,
        args: &[
            Arg::may("content", Kind::Text, "What to remember, as Markdown or plain text"),
            Arg::may("title", Kind::Text, "What it is about, in a few words"),
            Arg::may(
                "category",
                Kind::Text,
                "The folder: preferences, entities, events or any other word (default notes)",
            ),
            Arg::may("messages", Kind::Messages, "Instead of content: messages of a conversation"),
        ],
        effect: Effect::Adds,
        run: remember,
    },
    Spec {
        name: "write",
        about: WRITE,
        args: &[
            URI,
            Arg::must("content", Kind::Text, "The text to write"),
            Arg::may(
                "mode",
                Kind::Choice(&["replace", "append", "create"]),
                "replace (default), append to what is there, or create only if nothing is",
            ),
        ],
        effect: Effect::Changes,
        run: write,
    },
    Spec {
        name: "edit",
        about: EDIT,
        args: &[
            URI,
            Arg::must("old_string", Kind::Text, "The text that stands there"),
            Arg::must("new_string", Kind::Text, "The text to put in its place"),
            Arg::may("replace_all", Kind::Flag, "Replace it wherever it stands"),
        ],
        effect: Effect::Changes,
        run: edit,
    },
    Spec {
        name: "forget",
        about: FORGET,
        args: &[URI, Arg::may("recursive", Kind::Flag, "A whole folder with all that is in it")],
        effect: Effect::Changes,
        run: forget,
    },
];

fn remember(desk: &Desk, args: &Args) -> Answer {
    let messages = args.messages("messages");
    let told = || {
        let told = messages.iter().map(|(role, content)| match role.as_str() {
            "" | "user" => content.clone(),
            role => format!("{role}: {content}"),
        });
        told.collect::<Vec<_>>().join("\n\n")
    };
    let text = args.text(&["content", "text", "memory"]).unwrap_or_else(told);
    if text.trim().is_empty() {
        return Err(Refusal::new("The argument `content` is missing: say what to remember."));
    }
    let note = Note {
        title: args.text(&["title"]).unwrap_or_default(),
        text,
        folder: args.text(&["category", "folder"]).unwrap_or_default(),
    };
    let address = desk.tree()?.remember(&note)?;
    if messages.is_empty() {
        return Ok(format!("Remembered as {address}"));
    }
    Ok(format!("Stored {} message(s) and committed as {address}", messages.len()))
}

fn write(desk: &Desk, args: &Args) -> Answer {
    let address = args.needed(&["uri", "path"])?;
    let Some(content) = args.raw("content") else {
        return Err(Refusal::new("The argument `content` is missing."));
    };
    let mode = match args.text(&["mode"]).as_deref() {
        None | Some("replace") => WriteMode::Replace,
        Some("append") => WriteMode::Append,
        Some("create") => WriteMode::Create,
        Some(other) => return Err(Refusal(format!("mode: there is no {other:?}."))),
    };
    let bytes = desk.tree()?.write(&address, content, mode)?;
    Ok(format!("Wrote {bytes} bytes to {address}"))
}

fn edit(desk: &Desk, args: &Args) -> Answer {
    let address = args.needed(&["uri", "path"])?;
    let (Some(old), Some(new)) = (args.raw("old_string"), args.raw("new_string")) else {
        return Err(Refusal::new("The arguments `old_string` and `new_string` are needed."));
    };
    let replaced = desk.tree()?.edit(&address, old, new, args.flag("replace_all"))?;
    Ok(format!("Replaced {replaced} time(s) in {address}"))
}

fn forget(desk: &Desk, args: &Args) -> Answer {
    let address = args.needed(&["uri", "path"])?;
    let files = desk.tree()?.forget(&address, args.flag("recursive"))?;
    let many = if files == 1 { String::new() } else { format!(" ({files} files)") };
    Ok(format!("Deleted: {address}{many}"))
}
