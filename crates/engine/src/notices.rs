//! `events.jsonl`: what happened to Backstory itself and must not go unnoticed.
//!
//! One JSON object per line, appended and never changed. Whoever may lose or outgrow something calls
//! [`record`]; `status` shows what is recent, and a configured hub is told.

use crate::journal::Journal;
use crate::stamp;
use backstory_model::Timestamp;
use backstory_store::Home;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// A log of this size is set aside; one older log is kept.
pub const ROTATE_BYTES: u64 = 8 << 20;

/// One notable event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// When it happened.
    #[serde(with = "stamp")]
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event")]
pub enum Event {
    /// A session left the archive before it was analysed.
    #[serde(rename = "session_memory.data_loss")]
    DataLoss {
        /// The session.
        session_uid: String,
        /// When it began.
        #[serde(with = "stamp::optional", default)]
        started_at: Option<Timestamp>,
        /// How much of it was stored.
        bytes: u64,
        /// Why it had to go.
        reason: String,
    },
    /// Distilled knowledge outgrew its cap; nothing of it was dropped.
    #[serde(rename = "session_memory.tier2_over_cap")]
    Tier2OverCap {
        /// What it takes.
        bytes: u64,
        /// What it should take at most.
        cap: u64,
    },
}

/// The log before the present one.
pub fn rotated(home: &Home) -> PathBuf {
    journal(home, ROTATE_BYTES).rotated()
}

fn journal(home: &Home, rotate_bytes: u64) -> Journal {
    Journal::new(home.dir(), "events", rotate_bytes)
}

/// Appends one notice: one write, so that lines of several processes never mix.
pub fn record(home: &Home, notice: &Notice) -> io::Result<()> {
    let mut line = serde_json::to_vec(notice)?;
    line.push(b'\n');
    journal(home, ROTATE_BYTES).append(&line)
}

/// The notices at or after a moment, as they were recorded. Lines this version does not understand
/// are passed over: a newer one may have written them.
pub fn read_recent(home: &Home, since: Timestamp) -> io::Result<Vec<Notice>> {
    let mut notices: Vec<Notice> = journal(home, ROTATE_BYTES).read()?;
    notices.retain(|notice| notice.at >= since);
    Ok(notices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fs_err as fs;

    fn loss(at: i64, reason: &str) -> Notice {
        Notice {
            at: Timestamp(at),
            event: Event::DataLoss {
                session_uid: "claude:1".into(),
                started_at: Some(Timestamp(1)),
                bytes: 7,
                reason: reason.into(),
            },
        }
    }

    fn scratch() -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let home = backstory_store_sqlite::home(dir.path().join("home"));
        (dir, home)
    }

    #[test]
    fn a_line_is_what_the_documentation_says() {
        let (_dir, home) = scratch();
        record(&home, &loss(0, "hard cap")).unwrap();
        let over = Notice { at: Timestamp(5), event: Event::Tier2OverCap { bytes: 9, cap: 8 } };
        record(&home, &over).unwrap();
        assert_eq!(
            fs::read_to_string(home.events()).unwrap(),
            "{\"at\":\"1970-01-01T00:00:00.000Z\",\"event\":\"session_memory.data_loss\",\
             \"session_uid\":\"claude:1\",\"started_at\":\"1970-01-01T00:00:00.001Z\",\"bytes\":7,\
             \"reason\":\"hard cap\"}\n\
             {\"at\":\"1970-01-01T00:00:00.005Z\",\"event\":\"session_memory.tier2_over_cap\",\
             \"bytes\":9,\"cap\":8}\n"
        );
        assert_eq!(read_recent(&home, Timestamp(0)).unwrap(), [loss(0, "hard cap"), over.clone()]);
        assert_eq!(read_recent(&home, Timestamp(1)).unwrap(), [over]);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let (_dir, home) = scratch();
        record(&home, &loss(0, "")).unwrap();
        assert_eq!(fs::metadata(home.events()).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_torn_line_costs_nothing_but_itself() {
        let (_dir, home) = scratch();
        record(&home, &loss(1, "a")).unwrap();
        let whole = fs::read(home.events()).unwrap();
        for cut in 1..whole.len() {
            fs::write(home.events(), [&whole[..], &whole[..cut]].concat()).unwrap();
            record(&home, &loss(2, "b")).unwrap();
            let read = read_recent(&home, Timestamp(0)).unwrap();
            assert_eq!(read.first(), Some(&loss(1, "a")), "cut at {cut}");
            assert_eq!(read.last(), Some(&loss(2, "b")), "cut at {cut}");
            // A line that lacks nothing but its end is whole.
            assert_eq!(read.len(), if cut == whole.len() - 1 { 3 } else { 2 }, "cut at {cut}");
        }
    }

    #[test]
    fn a_full_log_makes_room_and_both_are_read() {
        let (_dir, home) = scratch();
        let line = |at: i64| [serde_json::to_vec(&loss(at, "x")).unwrap(), b"\n".to_vec()].concat();
        let limit = line(0).len() as u64 * 2;
        for at in 0..5 {
            journal(&home, limit).append(&line(at)).unwrap();
        }
        let ats =
            |notices: Vec<Notice>| notices.iter().map(|notice| notice.at.0).collect::<Vec<_>>();
        assert_eq!(ats(read_recent(&home, Timestamp(0)).unwrap()), [2, 3, 4]);
        assert_eq!(fs::metadata(home.events()).unwrap().len(), line(0).len() as u64);
    }

    #[test]
    fn writers_at_the_same_time_lose_no_line() {
        let (_dir, home) = scratch();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let home = &home;
                scope.spawn(move || {
                    for at in 0..200 {
                        record(home, &loss(thread * 1000 + at, "together")).unwrap();
                    }
                });
            }
        });
        let mut ats: Vec<i64> =
            read_recent(&home, Timestamp(0)).unwrap().iter().map(|notice| notice.at.0).collect();
        ats.sort_unstable();
        assert_eq!(ats.len(), 800);
        ats.dedup();
        assert_eq!(ats.len(), 800);
    }

    #[test]
    fn strangers_are_passed_over() {
        let (_dir, home) = scratch();
        record(&home, &loss(1, "a")).unwrap();
        let mut text = fs::read_to_string(home.events()).unwrap();
        text.push_str("{\"at\":\"2026-01-01T00:00:00Z\",\"event\":\"later.version\"}\n\n[]\n");
        fs::write(home.events(), text).unwrap();
        assert_eq!(read_recent(&home, Timestamp(0)).unwrap(), [loss(1, "a")]);
    }
}
