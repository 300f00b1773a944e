//! Every notice reaches the hub, in order, whatever the hub does meanwhile.

use super::*;
use crate::notices::{Event, Notice, record};
use backstory_model::Timestamp;

const BUDGET: Duration = Duration::from_secs(2);

fn scratch() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = backstory_store_sqlite::home(dir.path().join("home"));
    (dir, home)
}

fn note(home: &Home, number: u64) {
    let event = Event::Tier2OverCap { bytes: number, cap: 0 };
    record(home, &Notice { at: Timestamp(0), event }).unwrap();
}

/// Delivers to a hub that takes so many, and says which.
fn tell(home: &Home, takes: usize) -> (Vec<u64>, Delivery) {
    let mut told = Vec::new();
    let delivery = deliver(home, BUDGET, &mut |notice, _| {
        if told.len() == takes {
            return Err("full".into());
        }
        let notice: Notice = serde_json::from_str(notice).unwrap();
        let Event::Tier2OverCap { bytes, .. } = notice.event else { panic!("{notice:?}") };
        told.push(bytes);
        Ok(())
    });
    (told, delivery.unwrap())
}

#[test]
fn each_notice_is_told_once_and_what_failed_again() {
    let (_dir, home) = scratch();
    assert_eq!(tell(&home, 9), (vec![], Delivery::default()));
    assert!(!home.dir().exists(), "nothing to tell leaves nothing behind");
    note(&home, 1);
    note(&home, 2);
    note(&home, 3);
    let (told, delivery) = tell(&home, 1);
    assert_eq!(told, [1]);
    assert_eq!((delivery.delivered, delivery.waiting), (1, 2));
    assert_eq!(delivery.failure.as_deref(), Some("full"));
    note(&home, 4);
    assert_eq!(tell(&home, 0).0, [0_u64; 0]);
    assert_eq!(tell(&home, 9).0, [2, 3, 4]);
    assert_eq!(tell(&home, 9).0, [0_u64; 0]);
}

#[test]
fn a_rotated_log_loses_nothing() {
    let (_dir, home) = scratch();
    note(&home, 1);
    assert_eq!(tell(&home, 9).0, [1]);
    note(&home, 2);
    fs::rename(home.events(), notices::rotated(&home)).unwrap();
    note(&home, 3);
    assert_eq!(tell(&home, 9).0, [2, 3]);
    fs::rename(home.events(), notices::rotated(&home)).unwrap();
    assert_eq!(tell(&home, 9).0, [0_u64; 0], "no log yet");
    note(&home, 4);
    assert_eq!(tell(&home, 9).0, [4]);
}

#[test]
fn a_half_written_line_waits_until_it_is_whole() {
    let (_dir, home) = scratch();
    note(&home, 1);
    let line = fs::read(home.events()).unwrap();
    fs::write(home.events(), [&line[..], &line[..9]].concat()).unwrap();
    assert_eq!(tell(&home, 9).0, [1]);
    note(&home, 2);
    assert_eq!(tell(&home, 9).0, [2], "and a torn one is passed over");
}

#[test]
fn the_queue_keeps_the_newest() {
    let (_dir, home) = scratch();
    for number in 0..1003 {
        note(&home, number);
    }
    let (_, delivery) = tell(&home, 0);
    assert_eq!((delivery.dropped, delivery.waiting), (3, MAX_WAITING));
    let (told, _) = tell(&home, 2000);
    assert_eq!((told.len(), told[0]), (1000, 3));
}

#[test]
fn the_budget_ends_the_telling() {
    let (_dir, home) = scratch();
    note(&home, 1);
    note(&home, 2);
    let mut left = Vec::new();
    let delivery = deliver(&home, Duration::from_millis(500), &mut |_, rest| {
        left.push(rest);
        std::thread::sleep(Duration::from_millis(600));
        Ok(())
    });
    let delivery = delivery.unwrap();
    assert_eq!((delivery.delivered, delivery.waiting), (1, 1));
    assert_eq!(delivery.failure.as_deref(), Some("it is too slow"));
    assert!(left[0] <= Duration::from_millis(500));
}

#[test]
fn two_processes_do_not_tell_the_same_twice() {
    let (_dir, home) = scratch();
    note(&home, 1);
    let mut inner = None;
    deliver(&home, BUDGET, &mut |_, _| {
        inner = Some(tell(&home, 9));
        Ok(())
    })
    .unwrap();
    assert_eq!(inner, Some((vec![], Delivery::default())));
    assert_eq!(tell(&home, 9).0, [0_u64; 0]);
}
