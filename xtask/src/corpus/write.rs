//! Generates families on several threads and writes them in their order.

use super::Options;
use super::family::{Family, Seedbed, Written};
use super::plan::{Agent, Plan, Planned};
use super::truth::Truth;
use super::words::Words;
use super::{claude, codex, grok};
use crossbeam_channel::{Receiver, Sender, bounded};
use fs_err as fs;
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Writes `home/` and `truth.json` into the output directory.
pub(crate) fn corpus(options: &Options) -> io::Result<Truth> {
    let home = options.out.join("home");
    if home.exists() {
        let text = format!("{} exists; remove it or choose another --out", home.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    fs::create_dir_all(&home)?;
    let mut truth = Truth { seed: options.seed, ..Truth::default() };
    generate(options, |family| {
        for file in &family.files {
            write_file(&home, file)?;
            truth.file(&file.path, file.bytes.len() as u64, file.lines);
        }
        truth.secrets.extend(family.secrets);
        family.sessions.into_iter().for_each(|session| truth.session(session));
        Ok(match (options.many, options.single) {
            (Some(count), _) => truth.sessions.len() as u64 >= count,
            (_, Some(_)) => true,
            _ => truth.bytes >= options.size,
        })
    })?;
    let file = fs::File::create(options.out.join("truth.json"))?;
    let mut file = io::BufWriter::new(file);
    serde_json::to_writer_pretty(&mut file, &truth)?;
    file.flush()?;
    Ok(truth)
}

/// Hands families over in their order until `enough` says so.
fn generate(
    options: &Options,
    mut enough: impl FnMut(Family) -> io::Result<bool>,
) -> io::Result<()> {
    let words = Words::new();
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        threads => threads,
    };
    let mut plan = Plan::new(options);
    let (to_do, jobs) = bounded::<Planned>(threads * 2);
    let (done, results) = bounded::<(u64, Family)>(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (jobs, done, words) = (jobs.clone(), done.clone(), &words);
            scope.spawn(move || work(words, options.seed, &jobs, &done));
        }
        drop((jobs, done));
        // Owned here, so that leaving early ends the workers.
        let (to_do, results) = (to_do, results);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        // Always so many families are under way: the queue has room for all of them.
        for _ in 0..threads * 2 {
            if to_do.send(plan.next()).is_err() {
                break;
            }
        }
        while let Ok((number, family)) = results.recv() {
            waiting.insert(number, family);
            while let Some(family) = waiting.remove(&next) {
                next += 1;
                if enough(family)? {
                    return Ok(());
                }
            }
            // The workers have ended only if this scope is ending.
            if to_do.send(plan.next()).is_err() {
                break;
            }
        }
        Ok(())
    })
}

fn work(words: &Words, seed: u64, jobs: &Receiver<Planned>, done: &Sender<(u64, Family)>) {
    while let Ok(job) = jobs.recv() {
        let family = family(words, seed, job);
        if done.send((job.number, family)).is_err() {
            return;
        }
    }
}

/// Generates one family.
pub(crate) fn family(words: &Words, seed: u64, job: Planned) -> Family {
    let mut bed = Seedbed::new(words, seed, job.number, job.target, job.tiny);
    let mut family = match job.agent {
        Agent::Claude => claude::family(&mut bed),
        Agent::Codex => codex::family(&mut bed),
        Agent::Grok => grok::family(&mut bed),
    };
    family.secrets = bed.stash.into_placed();
    family
}

fn write_file(home: &Path, file: &Written) -> io::Result<()> {
    let path = home.join(&file.path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut out = fs::File::create(&path)?;
    out.write_all(&file.bytes)?;
    let modified = SystemTime::UNIX_EPOCH + Duration::from_millis(file.modified);
    out.file().set_modified(modified)
}
