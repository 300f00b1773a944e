//! Documents: handed in, watched, no longer watched.

use super::{Effect, Spec};
use crate::mcp::answer::{Answer, Lines, Refusal};
use crate::mcp::args::{Arg, Args, Kind};
use crate::mcp::desk::{Desk, Handing};
use backstory_engine::documents::{
    HandedIn, Handover, Origin, UPLOAD_NAME_CHARS, Watch, cancel_watch, hand_in, watches,
};
use std::fmt::Write;
use std::path::PathBuf;

const ADD: &str = "Keep a copy of a document for later sessions: a file, or a folder with its texts, such as a \
    specification, a runbook or notes. The copy lies below backstory://memories/resources/ and is found, \
    read and recalled as memories are; secrets in it are redacted. Adding it again brings the copy up to \
    date; watch_interval does so from time to time. Nothing is fetched from the network: download a page \
    first. Example: {\"path\": \"/home/ann/app/docs\", \"to\": \"app-docs\", \"watch_interval\": 60}";
const WATCHES: &str = "List documents that are copied again from time to time: where the copy is, where it comes \
    from, how often, and whether the last time failed. Takes no arguments.";
const CANCEL: &str = "Stop copying a document again from time to time; its copy stays as it is. Example: \
    {\"to_uri\": \"backstory://memories/resources/app-docs\"}";

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "add_resource",
        about: ADD,
        args: &[
            Arg::may("path", Kind::Text, "The file or folder, as a whole path from the root"),
            Arg::may(
                "temp_file_id",
                Kind::Text,
                "Instead of path: what an upload was answered with",
            ),
            Arg::may("to", Kind::Text, "The name or address of the copy (default its own name)"),
            Arg::may("parent", Kind::Text, "The folder the copy goes into, by name or address"),
            Arg::may(
                "watch_interval",
                Kind::Number,
                "Copy it again after so many minutes (default 0, never)",
            ),
        ],
        effect: Effect::Adds,
        run: add,
    },
    Spec { name: "list_watches", about: WATCHES, args: &[], effect: Effect::Reads, run: list },
    Spec {
        name: "cancel_watch",
        about: CANCEL,
        args: &[Arg::must(
            "to_uri",
            Kind::Text,
            "The address of the copy, as list_watches tells it",
        )],
        effect: Effect::Changes,
        run: cancel,
    },
];

/// A year in minutes: nobody waits longer.
const LONGEST_WAIT: usize = 525_600;

fn add(desk: &Desk, args: &Args) -> Answer {
    let handover = Handover {
        origin: origin(desk, args)?,
        to: args.text(&["to"]),
        parent: args.text(&["parent"]),
        every_minutes: args.number("watch_interval", 0, LONGEST_WAIT) as u32,
    };
    let done = hand_in(&desk.archive.home, &handover, desk.now())?;
    let mut text = told(&done);
    if handover.every_minutes > 0 {
        let every = handover.every_minutes;
        let _ = match handover.origin {
            Origin::Path(_) => writeln!(text, "It is copied again every {every} min."),
            Origin::Upload(_) => writeln!(text, "An upload cannot be watched: upload it again."),
        };
    }
    Ok(text)
}

fn origin(desk: &Desk, args: &Args) -> Result<Origin, Refusal> {
    if let Some(id) = args.text(&["temp_file_id"]) {
        return Ok(Origin::Upload(id));
    }
    let path = args.needed(&["path", "uri", "url"])?;
    if path.contains("://") && !path.starts_with("file://") {
        return Err(Refusal(format!(
            "Nothing is fetched from the network. Download {path} to a file, then add that file."
        )));
    }
    let path = path.strip_prefix("file://").unwrap_or(&path);
    match &desk.handing {
        Handing::Paths => Ok(Origin::Path(PathBuf::from(path))),
        Handing::Uploads(url) => {
            let name = path.rsplit('/').next().unwrap_or_default();
            let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
            let name: String = name.chars().filter(is_plain).take(UPLOAD_NAME_CHARS).collect();
            // What an agent runs must be one word to its shell, whatever the file is called.
            let path = path.replace('\'', r"'\''");
            Err(Refusal(format!(
                "This server reads no files of its machine. Upload it and call add_resource again with \
                 the temp_file_id of the answer:\n  curl --fail --data-binary @'{path}' \
                 '{url}/api/v1/resources/temp_upload?name={name}'\nA server with a key wants the header \
                 `Authorization: Bearer <key>` too. A folder is uploaded file by file."
            )))
        }
    }
}

fn told(done: &HandedIn) -> String {
    let files = if done.files == 1 { "1 file".into() } else { format!("{} files", done.files) };
    let mut text = format!("Added {} ({files}, {} bytes).\n", done.address, done.bytes);
    if done.is_cut {
        text.push_str(
            "There is more than is taken at once: add the folders below it one by one.\n",
        );
    }
    if !done.passed_over.is_empty() {
        text.push_str("Passed over:\n");
    }
    for passed in &done.passed_over {
        let _ = writeln!(text, "- {}: {}", passed.path, passed.why);
    }
    text
}

fn list(desk: &Desk, _args: &Args) -> Answer {
    let all = watches(&desk.archive.home).map_err(|error| Refusal(error.to_string()))?;
    if all.is_empty() {
        return Ok(
            "Nothing is watched. add_resource with watch_interval watches a document.".into()
        );
    }
    let mut lines = Lines::default();
    for Watch { address, path, every_minutes, read_at, error } in &all {
        let failed = error.as_ref().map(|error| format!("; failed: {error}")).unwrap_or_default();
        lines.add(&format!(
            "- {address} from {} every {every_minutes} min, last at {read_at}{failed}",
            path.display()
        ));
    }
    Ok(lines.whole())
}

fn cancel(desk: &Desk, args: &Args) -> Answer {
    let to = args.needed(&["to_uri", "uri", "to"])?;
    if cancel_watch(&desk.archive.home, &to)? {
        return Ok(format!("{to} is no longer watched. Its copy stays; forget removes it."));
    }
    Ok(format!("{to} is not watched. list_watches tells what is."))
}
