//! Which notices a hub still has to be told, and telling it.
//!
//! The queue is one small file, replaced as a whole: how far `events.jsonl` has been taken into it, and
//! the notices that wait. So a notice is queued exactly once, whatever dies in between, and leaves only
//! after the hub took it.

use crate::notices;
use backstory_store::{Home, create_private_dir, private_file};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::fs::TryLockError;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::xxh3_64;

/// Notices that wait at most; older ones go first, and stay in `events.jsonl`.
pub const MAX_WAITING: usize = 1000;

/// What became of the queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Notices the hub took.
    pub delivered: usize,
    /// Notices that wait for the next time.
    pub waiting: usize,
    /// Notices that were too many.
    pub dropped: usize,
    /// Why some wait.
    pub failure: Option<String>,
}

/// Gives one notice, as JSON, to the hub within the time left, or says why not.
pub type Send<'a> = dyn FnMut(&str, Duration) -> Result<(), String> + 'a;

/// How far the log has been taken into the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    /// Which log: the hash of its first line.
    log: u64,
    offset: u64,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Queue {
    place: Option<Place>,
    waiting: Vec<String>,
}

/// Queues what is new in the log and tells the hub what it can within the budget. After the first
/// failure the rest waits: the hub would refuse it too.
pub fn deliver(home: &Home, budget: Duration, send: &mut Send<'_>) -> io::Result<Delivery> {
    let began = Instant::now();
    let file = home.state().join("hub-queue.jsonl");
    if !home.events().exists() && !file.exists() {
        return Ok(Delivery::default());
    }
    create_private_dir(&home.state())?;
    let lock = private_file().open(home.state().join("hub.lock"))?;
    match lock.file().try_lock() {
        Ok(()) => {}
        // Another process is at it; what is new waits for the next sweep.
        Err(TryLockError::WouldBlock) => return Ok(Delivery::default()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let mut queue = load(&file)?;
    let place = queue.place;
    gather(home, &mut queue)?;
    let dropped = queue.waiting.len().saturating_sub(MAX_WAITING);
    queue.waiting.drain(..dropped);
    if queue.place != place {
        save(&file, &queue)?;
    }
    let (mut delivered, mut failure) = (0, None);
    for notice in &queue.waiting {
        let left = budget.saturating_sub(began.elapsed());
        let sent = if left.is_zero() { Err("it is too slow".into()) } else { send(notice, left) };
        if let Err(reason) = sent {
            failure = Some(reason);
            break;
        }
        delivered += 1;
    }
    if delivered > 0 {
        queue.waiting.drain(..delivered);
        save(&file, &queue)?;
    }
    Ok(Delivery { delivered, waiting: queue.waiting.len(), dropped, failure })
}

fn load(file: &Path) -> io::Result<Queue> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Queue::default()),
        Err(error) => return Err(error),
    };
    let mut lines = text.lines();
    let place = lines.next().and_then(|line| serde_json::from_str(line).ok());
    Ok(Queue { place, waiting: lines.map(str::to_owned).collect() })
}

fn save(file: &Path, queue: &Queue) -> io::Result<()> {
    let mut text = serde_json::to_string(&queue.place)?;
    for notice in &queue.waiting {
        text.push('\n');
        text.push_str(notice);
    }
    text.push('\n');
    let unfinished = file.with_extension("tmp");
    let mut open = private_file().truncate(true).open(&unfinished)?;
    open.write_all(text.as_bytes())?;
    open.sync_all()?;
    drop(open);
    fs::rename(unfinished, file)
}

/// Takes what the log holds beyond the known place, across one rotation.
fn gather(home: &Home, queue: &mut Queue) -> io::Result<()> {
    let before = print(&notices::rotated(home))?;
    let now = print(&home.events())?;
    let known = queue.place;
    let from = |log: Option<u64>| match known {
        Some(place) if Some(place.log) == log => Some(place.offset),
        _ => None,
    };
    // A log before the present one was missed only if the known place is not in the present one.
    if known.is_some() && from(now).is_none() && before.is_some() {
        take(&notices::rotated(home), from(before).unwrap_or(0), queue)?;
    }
    if let Some(log) = now {
        let end = take(&home.events(), from(now).unwrap_or(0), queue)?;
        queue.place = Some(Place { log, offset: end });
    }
    Ok(())
}

/// Which log it is; `None` while it has no whole line.
fn print(path: &Path) -> io::Result<Option<u64>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut line = Vec::new();
    BufReader::new(file).read_until(b'\n', &mut line)?;
    Ok(line.ends_with(b"\n").then(|| xxh3_64(&line)))
}

/// Queues the whole lines from an offset on, and says where they end.
fn take(path: &Path, from: u64, queue: &mut Queue) -> io::Result<u64> {
    let mut file = fs::File::open(path)?;
    // A log that shrank was tampered with; what is left of it is taken.
    let from = if from > file.metadata()?.len() { 0 } else { from };
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    for line in bytes[..end].split(|byte| *byte == b'\n') {
        let is_object = serde_json::from_slice::<serde_json::Map<_, _>>(line).is_ok();
        if let (true, Ok(line)) = (is_object, std::str::from_utf8(line)) {
            queue.waiting.push(line.to_owned());
        }
    }
    Ok(from + end as u64)
}

#[cfg(test)]
#[path = "hub_tests.rs"]
mod tests;
