//! The same history in a file and on a real Postgres, side by side: taking in, searching, a sync with
//! nothing to do.

use super::measure::{self, Cost};
use super::place::Place;
use super::queries;
use super::report::{Goal, verdict};
use super::say;
use super::search::time;
use crate::programs;
use backstory_engine::Archive;
use backstory_engine::search::Searcher;
use backstory_packs_object::ObjectPacks;
use backstory_store::{Home, Vault};
use backstory_store_postgres::{Address, Postgres, PostgresShelf, Speaker};
use backstory_testkit::postgres::{Database, Server};
use clap::Args;
use fs_err as fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Queries per class.
const QUERIES: usize = 30;
const TENANT: &str = "bench";
/// A server as one is set up for use, not for tests: durable, looking after itself, with memory for what
/// is asked often.
const SERVER: [(&str, &str); 6] = [
    ("fsync", "on"),
    ("synchronous_commit", "on"),
    ("full_page_writes", "on"),
    ("autovacuum", "on"),
    ("shared_buffers", "2GB"),
    ("max_wal_size", "4GB"),
];

/// What to measure.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Numbers of events at which to compare; goals hold for the first.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000_000, 4_000_000])]
    events: Vec<u64>,
    /// Size of a part of the history; parts are taken in one after the other.
    #[arg(long, default_value = "1GB")]
    part: String,
    /// Measure a Postgres that runs already, at this address, and leave what it was given there.
    #[arg(long, requires = "store")]
    server: Option<String>,
    /// Keep both stores at this place, or go on with those an earlier run left there.
    #[arg(long, requires = "server")]
    store: Option<PathBuf>,
}

/// One of the two stores.
struct Side {
    name: &'static str,
    dir: PathBuf,
    url: Option<String>,
    /// What all syncs cost so far.
    taken_in: Vec<Cost>,
    idle: f64,
}

impl Side {
    fn product(&self, place: &Place, logs: &Path) -> Command {
        let mut command = place.product(logs, &self.dir);
        command.env("BACKSTORY_TENANT", TENANT).env("BACKSTORY_OWNER", TENANT);
        command.envs(self.url.as_ref().map(|url| ("BACKSTORY_STORE", url)));
        command
    }

    fn archive(&self) -> io::Result<Archive> {
        let Some(url) = &self.url else {
            return Ok(Archive::indexed_at_home(backstory_store_sqlite::home(&self.dir)));
        };
        let speaker = Speaker { tenant: TENANT.into(), owner: TENANT.into() };
        let engine = Postgres::new(Address::parse(url).map_err(io::Error::other)?, speaker);
        let index = Arc::new(PostgresShelf::beside(&engine));
        let objects = self.dir.join("objects").display().to_string();
        let packs = ObjectPacks::open(&objects, TENANT, &[]).map_err(io::Error::other)?;
        let home = Home::new(&self.dir, Arc::new(engine)).with_packs(Arc::new(packs));
        Ok(Archive { home, index })
    }

    fn wall(&self) -> f64 {
        self.taken_in.iter().map(|cost| cost.wall).sum()
    }
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    programs::install_postgres().map_err(io::Error::other)?;
    let place = Place::prepare()?;
    let own = match &options.server {
        None => Some(own_server()?),
        Some(_) => None,
    };
    let url = options.server.clone().or_else(|| own.as_ref().map(|(_, own)| own.url.clone()));
    let mut sides = Vec::new();
    for (name, url) in [("SQLite", None), ("Postgres", url)] {
        let folder = format!("store-{}", name.to_lowercase());
        let dir = match &options.store {
            Some(kept) => kept.join(folder),
            None => place.fresh(&folder)?,
        };
        sides.push(Side { name, dir, url, taken_in: Vec::new(), idle: 0.0 });
    }
    let (mut is_good, mut parts) = (true, 0);
    let mut events = count(&sides[0])?;
    for (at, wanted) in options.events.iter().enumerate() {
        while events < *wanted {
            parts += 1;
            grow(&place, options, &mut sides, 100 + parts)?;
            events = count(&sides[0])?;
        }
        is_good &= compare(&sides, events, at == 0)?;
    }
    Ok(is_good)
}

fn grow(place: &Place, options: &Options, sides: &mut [Side], seed: u64) -> io::Result<()> {
    let corpus = place.corpus(&options.part, &["--size", &options.part], seed)?;
    let logs = corpus.join("home");
    for side in sides {
        side.taken_in.push(measure::run(side.product(place, &logs).arg("sync"))?);
        let idle = (0..5).map(|_| measure::run(side.product(place, &logs).arg("sync")));
        let idle = idle.collect::<io::Result<Vec<Cost>>>()?;
        side.idle = measure::median(idle.iter().map(|cost| cost.wall));
    }
    fs::remove_dir_all(&corpus)
}

fn own_server() -> io::Result<(Server, Database)> {
    let server = Server::private(&SERVER).map_err(io::Error::other)?;
    let database = server.database().map_err(io::Error::other)?;
    Ok((server, database))
}

fn count(side: &Side) -> io::Result<u64> {
    let home = side.archive()?.home;
    if !home.engine().exists().map_err(io::Error::other)? {
        return Ok(0);
    }
    let totals = Vault::open(&home).and_then(|vault| vault.totals()).map_err(io::Error::other)?;
    Ok(totals.iter().map(|flavor| flavor.events).sum())
}

/// Prints both sides; goals count if they are asked for.
fn compare(sides: &[Side], events: u64, has_goals: bool) -> io::Result<bool> {
    let [local, server] = sides else { return Ok(false) };
    if count(server)? != events {
        return Err(io::Error::other("the two stores do not hold the same number of events"));
    }
    say(&format!("\n{events} events"))?;
    for side in sides {
        say(&format!(
            "{:<9} takes in {:.0} events/s ({:.1} s, {:.1} CPU s of the client); idle sync {:.0} ms",
            side.name,
            events as f64 / side.wall(),
            side.wall(),
            side.taken_in.iter().map(|cost| cost.cpu).sum::<f64>(),
            side.idle * 1e3
        ))?;
    }
    let goal = |goal: Goal| if has_goals { goal } else { Goal::AtLeast(0.0) };
    let rate = local.wall() / server.wall();
    let mut goals =
        vec![verdict("rate on Postgres over that on SQLite", rate, goal(Goal::AtLeast(0.4)))?];
    let archives = [local.archive()?, server.archive()?];
    let [here, there] = archives.each_ref().map(|archive| Vault::open(&archive.home));
    let (here, there) = (here.map_err(io::Error::other)?, there.map_err(io::Error::other)?);
    let near = Searcher::open(&here, &*archives[0].index).map_err(io::Error::other)?;
    let far = Searcher::open(&there, &*archives[1].index).map_err(io::Error::other)?;
    let (mut all_near, mut all_far) = (Vec::new(), Vec::new());
    for class in queries::make(&here, &[], QUERIES)? {
        if class.queries.is_empty() {
            continue;
        }
        let (near, far) = (time(&near, &class)?, time(&far, &class)?);
        say(&format!(
            "{:<8} p50 {:>6.1} / {:>6.1} ms, p99 {:>6.1} / {:>6.1} ms: {:.1} x",
            class.name,
            near.0,
            far.0,
            near.1,
            far.1,
            far.0 / near.0
        ))?;
        all_near.push(near.0);
        all_far.push(far.0);
    }
    let middle = measure::median(all_far) / measure::median(all_near);
    goals.push(verdict("search p50 over that on SQLite", middle, goal(Goal::AtMost(5.0)))?);
    Ok(goals.iter().all(|met| *met))
}
