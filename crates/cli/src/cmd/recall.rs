//! `backstory recall`: exactly what an agent would be told, at a prompt or when a session begins.

use crate::context::Context;
use crate::env::Env;
use crate::error::{Exit, Failure};
use crate::figures::{count, plural};
use crate::ui::{DIM, Ui, paint};
use crate::untrusted::one_line;
use crate::{compressor, open, typed};
use backstory_api as api;
use backstory_distill::recall::{MAX_BYTES, tokens};
use backstory_engine::project_key;
use backstory_engine::recall::{
    Recall, RecallItem, RecallOptions, StartOptions, recall, start_recall,
};
use backstory_engine::search::Searcher;
use backstory_store::Vault;
use std::path::{Path, PathBuf};

/// A longer prompt asks for nothing more.
const MAX_INPUT: u64 = 256 * 1024;

/// Arguments of `recall`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// The prompt; `-` reads it from stdin; without one, what a session is told when it begins
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// Of the project in this folder, instead of the one you stand in
    #[arg(long, value_name = "DIR", conflicts_with = "all")]
    pub(crate) project: Option<PathBuf>,
    /// Of every project, as with BACKSTORY_RECALL_EVERYWHERE=1
    #[arg(long, requires = "prompt")]
    pub(crate) all: bool,
    /// At most so many things, instead of BACKSTORY_RECALL_LIMIT
    #[arg(long, short = 'n', value_name = "N", requires = "prompt")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(crate) limit: Option<u8>,
    /// At most so many bytes, instead of BACKSTORY_RECALL_MAX_BYTES
    #[arg(long, value_name = "BYTES")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=MAX_BYTES as i64))]
    pub(crate) max_bytes: Option<u16>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let archive = open::archive(&settings)?;
    let vault = Vault::open(&archive.home)?;
    let prompt = match args.prompt.as_slice() {
        [only] if only == "-" => typed::from_stdin(MAX_INPUT)?,
        words => words.join(" "),
    };
    let dir = args.project.as_deref().unwrap_or(Path::new(""));
    // What hooks are tuned with counts here too; only who says otherwise gets something else.
    let knobs = &settings.recall;
    let options = RecallOptions {
        project: project_key(&Env::absolute(dir)),
        everywhere: args.all || knobs.everywhere,
        max_bytes: args.max_bytes.map_or(knobs.max_bytes, usize::from),
        limit: args.limit.map_or(knobs.limit, usize::from),
        prompt,
        compress: compressor::known(&settings.compress),
        ..RecallOptions::default()
    };
    let found = if args.prompt.is_empty() {
        let begun = StartOptions {
            project: options.project.clone(),
            session: None,
            with_sessions: true,
            max_bytes: options.max_bytes,
        };
        start_recall(&vault, &begun)?
    } else {
        recall(&vault, &Searcher::open(&vault, &*archive.index)?, &options)?
    };
    if ui.json {
        ui.json_line(&shape(&options, &found))?;
    } else if !found.is_empty() {
        ui.line(&found.text)?;
    }
    if found.is_empty() {
        nothing(&options, ui);
        return Ok(Exit::NothingFound);
    }
    if !ui.json {
        let many = plural(found.items.len() as u64, "thing");
        let (bytes, tokens) = (count(found.text.len() as u64), count(tokens(&found.text).into()));
        ui.status(paint(DIM, format_args!("{many}, {bytes} bytes, about {tokens} tokens")));
        if let Some(wording) = &found.wording {
            ui.status(paint(DIM, format_args!("in words of {}", one_line(&wording.by))));
        }
        let told = if ui.is_verbose() { found.items.as_slice() } else { &[] };
        for (item, number) in told.iter().zip(1..) {
            let RecallItem { score, why, .. } = item;
            ui.status(paint(DIM, format_args!("{number}. {score:.2}: {}", one_line(why))));
        }
    }
    Ok(Exit::Success)
}

fn shape(options: &RecallOptions, found: &Recall) -> api::Recall {
    api::Recall {
        prompt: options.prompt.clone(),
        project: options.project.clone().filter(|_| !options.everywhere),
        considered: found.considered,
        items: found.items.iter().map(item).collect(),
        text: found.text.clone(),
        bytes: found.text.len(),
        tokens: tokens(&found.text),
    }
}

fn item(item: &RecallItem) -> api::RecalledItem {
    api::RecalledItem {
        category: item.category.name().to_owned(),
        address: item.address.clone(),
        text: item.text.clone(),
        score: item.score,
        why: item.why.clone(),
        tokens: item.tokens,
    }
}

fn nothing(options: &RecallOptions, ui: &mut Ui) {
    ui.status("nothing relevant is known: an agent would be told nothing");
    if !options.everywhere && !options.prompt.is_empty() {
        ui.status("  --all looks in every project");
    }
}
