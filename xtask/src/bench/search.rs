//! Search over archives of growing size: every class of query, needles, and the whole command.

use super::needles::{self, Needles};
use super::place::{Place, size_of};
use super::queries::{self, Class};
use super::report::{Goal, verdict};
use super::{measure, say};
use crate::programs;
use backstory_distill::query::Query;
use backstory_engine::search::{Mode, Scope, SearchAnswer, SearchOptions, Searcher, Sort};
use backstory_index::{LocalShelf, Shelf as _};
use backstory_model::Timestamp;
use backstory_store::{SessionFilter, Vault};
use clap::Args;
use fs_err as fs;
use std::io;
use std::path::Path;
use std::time::Instant;

/// Queries per class, and how often each is asked.
const QUERIES: usize = 50;
const ROUNDS: usize = 3;
/// Starts of the whole command.
const COMMANDS: usize = 21;
/// Moment of the searches; later than every session.
const NOW: Timestamp = Timestamp(1_800_000_000_000);

/// What to measure.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Numbers of events at which to search.
    #[arg(long, value_delimiter = ',', default_values_t = [500_000, 2_000_000, 10_000_000])]
    events: Vec<u64>,
    /// Size of a part of the history; parts are taken in one after the other.
    #[arg(long, default_value = "1GB")]
    part: String,
    /// Keep the archive at this place, or go on from one an earlier run left there; what a cold sync
    /// costs is not measured then.
    #[arg(long)]
    store: Option<std::path::PathBuf>,
}

/// An archive that grows.
struct History {
    source_bytes: u64,
    events: u64,
    parts: usize,
    needles: Vec<Needles>,
    /// Seconds `rg` took for one word over everything so far; none if some of it was taken in before.
    rg_seconds: Option<f64>,
    peak_rss: u64,
}

impl History {
    /// What a store holds already.
    fn of(store: &Path) -> io::Result<Self> {
        let mut history = Self {
            source_bytes: 0,
            events: 0,
            parts: 0,
            needles: Vec::new(),
            rg_seconds: Some(0.0),
            peak_rss: 0,
        };
        let home = backstory_store_sqlite::home(store);
        if home.engine().exists().map_err(io::Error::other)? {
            let vault = Vault::open(&home).map_err(io::Error::other)?;
            let all = SessionFilter { with_subagents: true, ..SessionFilter::default() };
            let sessions = vault.sessions(&all).map_err(io::Error::other)?;
            history.source_bytes = sessions.iter().map(|session| session.source_bytes).sum();
            history.events = sessions.iter().map(|session| u64::from(session.events)).sum();
            let is_in = |needles: &Needles| {
                sessions.iter().any(|session| session.session_uid.as_str() == needles.session)
            };
            history.needles = (1..=sessions.len()).map(needles::of).take_while(is_in).collect();
            history.parts = history.needles.len();
            history.rg_seconds = None;
        }
        Ok(history)
    }
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    programs::install(&[("rg", "ripgrep")]).map_err(io::Error::other)?;
    let place = Place::prepare()?;
    let (store, mut is_good) = match &options.store {
        Some(store) => (store.clone(), true),
        None => (place.fresh("store-search")?, cold(&place, options)?),
    };
    let mut history = History::of(&store)?;
    for wanted in &options.events {
        while history.events < *wanted {
            grow(&place, options, &store, &mut history)?;
        }
        is_good &= search(&place, &store, &history, *wanted)?;
    }
    Ok(is_good)
}

/// What indexing adds to a cold sync.
fn cold(place: &Place, options: &Options) -> io::Result<bool> {
    let corpus = place.corpus(&options.part, &["--size", &options.part], 1)?;
    let home = corpus.join("home");
    let source = size_of(&home) as f64;
    let (mut plain, mut indexed) = (Vec::new(), Vec::new());
    let (mut rss, mut index, mut stored) = (0, 0, 0);
    for _ in 0..5 {
        let store = place.fresh("store-plain")?;
        plain.push(measure::run(place.product(&home, &store).args(["sync", "--no-index"]))?.cpu);
        fs::remove_dir_all(&store)?;
        let store = place.fresh("store-indexed")?;
        let cost = measure::run(place.product(&home, &store).arg("sync"))?;
        indexed.push(cost.cpu);
        rss = rss.max(cost.rss);
        index = LocalShelf::new(&store).bytes();
        stored = size_of(&store);
        fs::remove_dir_all(&store)?;
    }
    let (plain, indexed) = (median(&mut plain), median(&mut indexed));
    say(&format!(
        "cold sync of {:.0} MB: {plain:.2} CPU s, with index {indexed:.2}",
        source / 1e6
    ))?;
    let goals = [
        verdict("CPU of a sync with index over one without", indexed / plain, Goal::AtMost(1.75))?,
        verdict("its peak memory, MB", rss as f64 / 1e6, Goal::AtMost(256.0))?,
        verdict("index over source, %", index as f64 * 100.0 / source, Goal::AtMost(12.0))?,
        verdict(
            "all that is stored over source, %",
            stored as f64 * 100.0 / source,
            Goal::AtMost(42.0),
        )?,
    ];
    Ok(goals.iter().all(|met| *met))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Takes in one part more; its logs are removed again, for they would fill the disk.
fn grow(place: &Place, options: &Options, store: &Path, history: &mut History) -> io::Result<()> {
    history.parts += 1;
    let seed = 100 + history.parts as u64;
    let corpus = place.corpus(&options.part, &["--size", &options.part], seed)?;
    let home = corpus.join("home");
    let planted = needles::plant(&home, history.parts)?;
    for arguments in [&["sync", "--no-distil"][..], &["index"][..]] {
        let cost = measure::run(place.product(&home, store).args(arguments))?;
        history.peak_rss = history.peak_rss.max(cost.rss);
    }
    let (counts, took) = needles::ask_rg(&home, &planted.words)?;
    if counts.iter().any(|count| *count != 1) {
        return Err(io::Error::other(format!("rg finds the needles {counts:?} times")));
    }
    history.rg_seconds = history.rg_seconds.map(|seconds| seconds + took);
    history.source_bytes += size_of(&home);
    history.needles.push(planted);
    let vault = Vault::open(&backstory_store_sqlite::home(store)).map_err(io::Error::other)?;
    let totals = vault.totals().map_err(io::Error::other)?;
    history.events = totals.iter().map(|flavor| flavor.events).sum();
    drop(vault);
    fs::remove_dir_all(&corpus)
}

fn search(place: &Place, store: &Path, history: &History, wanted: u64) -> io::Result<bool> {
    let vault = Vault::open(&backstory_store_sqlite::home(store)).map_err(io::Error::other)?;
    let shelf = LocalShelf::new(store);
    let searcher = Searcher::open(&vault, &shelf).map_err(io::Error::other)?;
    let index = shelf.bytes();
    say(&format!(
        "\n{} events of {} MB in {} parts; index {:.1} % of source; peak memory of taking in {} MB",
        history.events,
        history.source_bytes / 1_000_000,
        history.parts,
        index as f64 * 100.0 / history.source_bytes as f64,
        history.peak_rss / 1_000_000,
    ))?;
    let words: Vec<String> =
        history.needles.iter().flat_map(|needles| needles.words.clone()).collect();
    let found = found_needles(&searcher, history)?;
    let mut goals = vec![verdict("needles found, of those planted", found, Goal::AtLeast(1.0))?];
    let (p50, p99) = if wanted > 2_000_000 { (10.0, 150.0) } else { (5.0, 50.0) };
    let classes = queries::make(&vault, &words, QUERIES)?;
    for class in &classes {
        let (middle, slow) = time(&searcher, class)?;
        goals.push(verdict(&format!("{}: p50, ms", class.name), middle, Goal::AtMost(p50))?);
        goals.push(verdict(&format!("{}: p99, ms", class.name), slow, Goal::AtMost(p99))?);
    }
    let command = whole_command(place, store, &classes)?;
    let limit = if wanted > 2_000_000 { 150.0 } else { 60.0 };
    goals.push(verdict("the whole command, ms", command, Goal::AtMost(limit))?);
    match history.rg_seconds {
        Some(seconds) => say(&format!("rg over the raw logs, one word: {:.0} ms", seconds * 1e3))?,
        None => say("rg: logs taken in by an earlier run are gone, so there is no comparison")?,
    }
    Ok(goals.iter().all(|met| *met))
}

fn options_of(text: &str) -> SearchOptions {
    SearchOptions {
        query: Query::parse(text, &|_, _| None),
        limit: 10,
        moments: 3,
        context: 0,
        sort: Sort::Score,
        mode: Mode::Fused,
        scope: Scope::Everything,
        project: None,
    }
}

fn ask(searcher: &Searcher<'_>, text: &str) -> io::Result<SearchAnswer> {
    searcher.search(&options_of(text), NOW).map_err(io::Error::other)
}

fn found_needles(searcher: &Searcher<'_>, history: &History) -> io::Result<f64> {
    let (mut found, mut all) = (0, 0);
    for needles in &history.needles {
        for word in &needles.words {
            all += 1;
            let answer = ask(searcher, word)?;
            let first = answer.sessions.first();
            let is_there = first.is_some_and(|first| {
                first.session.session_uid.as_str() == needles.session
                    && first
                        .moments
                        .first()
                        .is_some_and(|moment| moment.snippet.text.contains(word))
            });
            if is_there {
                found += 1;
            } else {
                say(&format!("  not found first: {word}"))?;
            }
        }
    }
    Ok(f64::from(found) / f64::from(all.max(1)))
}

/// Median and 99th percentile of a class, in milliseconds.
pub(super) fn time(searcher: &Searcher<'_>, class: &Class) -> io::Result<(f64, f64)> {
    let mut took = Vec::new();
    for round in 0..=ROUNDS {
        for query in &class.queries {
            let began = Instant::now();
            ask(searcher, query)?;
            // The first round warms up.
            if round > 0 {
                took.push(began.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    took.sort_by(f64::total_cmp);
    let at = |share: f64| took.get((took.len() as f64 * share) as usize).copied().unwrap_or(0.0);
    Ok((at(0.5), at(0.99)))
}

fn whole_command(place: &Place, store: &Path, classes: &[Class]) -> io::Result<f64> {
    let home = store.join("no-logs");
    let mut took = Vec::new();
    for at in 0..COMMANDS {
        let class = &classes[at % classes.len()];
        let Some(query) = class.queries.get(at) else { continue };
        let mut command = place.product(&home, store);
        took.push(measure::run(command.args(["search", "--", query]))?.wall * 1000.0);
    }
    Ok(median(&mut took))
}
