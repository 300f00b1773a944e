//! The same thing over many sessions: signals grouped by what they say.

use backstory_model::{Fix, Flavor, SessionUid, Sighting, SignalKind, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Two stretches of this length are compared for the trend.
const TREND_MS: i64 = 14 * 24 * 60 * 60 * 1000;
/// Pointers to evidence kept per pattern, the latest first.
const MAX_EVIDENCE: usize = 5;

/// Is it getting worse?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// First seen in the last two weeks.
    New,
    /// More often in the last two weeks than in the two before.
    Rising,
    /// As often.
    Steady,
    /// Less often.
    Falling,
    /// Not in the last four weeks.
    Quiet,
}

impl Trend {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Rising => "rising",
            Self::Steady => "steady",
            Self::Falling => "falling",
            Self::Quiet => "quiet",
        }
    }
}

/// Where a pattern shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The session.
    pub session_uid: SessionUid,
    /// The event.
    pub seq: u32,
    /// When.
    pub ts: Option<Timestamp>,
}

/// What is known to help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFix {
    /// The session that found it.
    pub session_uid: SessionUid,
    /// What was done, and what was tried before in vain.
    pub fix: Fix,
    /// When.
    pub ts: Option<Timestamp>,
    /// In how many sessions something helped.
    pub sessions: u32,
}

/// One thing that happens again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// What kind of thing.
    pub kind: SignalKind,
    /// Its identity.
    pub fingerprint: u64,
    /// In its latest words.
    pub what: String,
    /// How often in all.
    pub count: u64,
    /// In how many sessions.
    pub sessions: u32,
    /// First seen.
    pub first: Option<Timestamp>,
    /// Last seen.
    pub last: Option<Timestamp>,
    /// Repositories.
    pub repos: Vec<String>,
    /// Agents.
    pub agents: Vec<Flavor>,
    /// Is it getting worse?
    pub trend: Trend,
    /// Output tokens spent between its first and last event of each session, estimated.
    pub tokens: u64,
    /// What is known to help.
    pub fix: Option<KnownFix>,
    /// Where to look.
    pub evidence: Vec<Evidence>,
}

/// Groups sightings, the most widespread first. An error and its fix are one pattern.
pub fn patterns(sightings: &[Sighting], now: Timestamp) -> Vec<Pattern> {
    let mut groups: HashMap<(SignalKind, u64), Vec<&Sighting>> = HashMap::new();
    for sighting in sightings {
        let kind = match sighting.signal.kind {
            SignalKind::ErrorFix => SignalKind::Error,
            kind => kind,
        };
        groups.entry((kind, sighting.signal.fingerprint)).or_default().push(sighting);
    }
    let mut found: Vec<Pattern> = groups
        .into_iter()
        .map(|((kind, fingerprint), group)| pattern(kind, fingerprint, group, now))
        .collect();
    found.sort_by(|one, other| {
        (other.sessions, other.count, other.last)
            .cmp(&(one.sessions, one.count, one.last))
            .then_with(|| (one.kind, one.fingerprint).cmp(&(other.kind, other.fingerprint)))
    });
    found
}

fn pattern(
    kind: SignalKind,
    fingerprint: u64,
    mut group: Vec<&Sighting>,
    now: Timestamp,
) -> Pattern {
    group.sort_by(|one, other| {
        (other.signal.ts, &other.session_uid, other.signal.seq).cmp(&(
            one.signal.ts,
            &one.session_uid,
            one.signal.seq,
        ))
    });
    let sessions: BTreeSet<&SessionUid> =
        group.iter().map(|sighting| &sighting.session_uid).collect();
    let repos: BTreeSet<&str> =
        group.iter().filter_map(|sighting| sighting.repo.as_deref()).collect();
    let agents: BTreeSet<Flavor> =
        group.iter().filter_map(|sighting| sighting.session_uid.flavor()).collect();
    let times = || group.iter().filter_map(|sighting| sighting.signal.ts);
    // An error and its fix are two signals of one event.
    let mut counted: BTreeMap<&SessionUid, u64> = BTreeMap::new();
    for sighting in &group {
        let count = counted.entry(&sighting.session_uid).or_default();
        *count = (*count).max(u64::from(sighting.signal.count));
    }
    let mut evidence: Vec<Evidence> = Vec::new();
    for sighting in &group {
        let place = Evidence {
            session_uid: sighting.session_uid.clone(),
            seq: sighting.signal.seq,
            ts: sighting.signal.ts,
        };
        if evidence.len() < MAX_EVIDENCE && !evidence.contains(&place) {
            evidence.push(place);
        }
    }
    Pattern {
        kind,
        fingerprint,
        what: group.first().map(|sighting| sighting.signal.what.clone()).unwrap_or_default(),
        count: counted.values().sum(),
        sessions: sessions.len() as u32,
        first: times().min(),
        last: times().max(),
        repos: repos.into_iter().map(str::to_owned).collect(),
        agents: agents.into_iter().collect(),
        trend: trend(&group, now),
        tokens: tokens(&group),
        fix: best_fix(&group),
        evidence,
    }
}

fn trend(group: &[&Sighting], now: Timestamp) -> Trend {
    let within = |from: i64, to: i64| {
        let times = group.iter().filter_map(|sighting| sighting.signal.ts);
        times.filter(|ts| ts.0 > now.0 - from && ts.0 <= now.0 - to).count()
    };
    let (recent, before) = (within(TREND_MS, 0), within(2 * TREND_MS, TREND_MS));
    let is_new = recent == group.len();
    match (recent, before) {
        _ if is_new => Trend::New,
        (0, 0) => Trend::Quiet,
        (recent, before) if recent > before => Trend::Rising,
        (recent, before) if recent < before => Trend::Falling,
        _ => Trend::Steady,
    }
}

fn tokens(group: &[&Sighting]) -> u64 {
    let mut spent: BTreeMap<&SessionUid, f64> = BTreeMap::new();
    for sighting in group {
        let signal = &sighting.signal;
        let end = signal.fix.as_ref().map_or(signal.last_seq, |fix| fix.seq).max(signal.last_seq);
        let events = f64::from(end.saturating_sub(signal.seq) + 1);
        let entry = spent.entry(&sighting.session_uid).or_default();
        *entry = entry.max(events * sighting.tokens_per_event);
    }
    spent.values().sum::<f64>() as u64
}

/// The fix found most often, among equals the latest.
fn best_fix(group: &[&Sighting]) -> Option<KnownFix> {
    let fixed: Vec<(&Sighting, &Fix)> = group
        .iter()
        .filter_map(|sighting| sighting.signal.fix.as_ref().map(|fix| (*sighting, fix)))
        .collect();
    let same = |fix: &Fix| fixed.iter().filter(|(_, other)| other.what == fix.what).count();
    // `group` has the latest first; the first of the best is kept.
    let (sighting, fix) = fixed.iter().rev().max_by_key(|(_, fix)| same(fix)).copied()?;
    let sessions: BTreeSet<&SessionUid> =
        fixed.iter().map(|(sighting, _)| &sighting.session_uid).collect();
    Some(KnownFix {
        session_uid: sighting.session_uid.clone(),
        fix: fix.clone(),
        ts: sighting.signal.ts,
        sessions: sessions.len() as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::Signal;

    const DAY: i64 = 24 * 60 * 60 * 1000;
    const NOW: Timestamp = Timestamp(100 * DAY);

    fn sighting(session: &str, kind: SignalKind, day: i64, fix: Option<&str>) -> Sighting {
        Sighting {
            session_uid: SessionUid::new(Flavor::Codex, session),
            repo: Some("teashop".into()),
            tokens_per_event: 10.0,
            signal: Signal {
                kind,
                fingerprint: 7,
                seq: 4,
                last_seq: 5,
                ts: Some(Timestamp(day * DAY)),
                count: 2,
                what: format!("no such table: teas (day {day})"),
                fix: fix.map(|what| Fix { seq: 9, what: what.into(), tried: String::new() }),
            },
        }
    }

    #[test]
    fn an_error_and_its_fixes_are_one_pattern() {
        let seen = [
            sighting("a", SignalKind::Error, 60, None),
            sighting("b", SignalKind::Error, 95, None),
            sighting("b", SignalKind::ErrorFix, 95, Some("ran the migration")),
            sighting("c", SignalKind::ErrorFix, 97, Some("ran the migration")),
            sighting("d", SignalKind::ErrorFix, 98, Some("deleted the cache")),
        ];
        let found = patterns(&seen, NOW);
        assert_eq!(found.len(), 1);
        let pattern = &found[0];
        assert_eq!((pattern.sessions, pattern.count), (4, 8));
        assert_eq!(pattern.what, "no such table: teas (day 98)");
        assert_eq!(pattern.trend, Trend::Rising);
        assert_eq!(pattern.tokens, 20 + 3 * 60);
        let fix = pattern.fix.as_ref().unwrap();
        assert_eq!((fix.fix.what.as_str(), fix.sessions), ("ran the migration", 3));
        assert_eq!(fix.session_uid.native(), "c");
        assert_eq!(pattern.evidence[0].session_uid.native(), "d");
    }

    #[test]
    fn trends_compare_the_last_two_fortnights() {
        let on = |days: &[i64]| {
            let seen: Vec<Sighting> = days
                .iter()
                .map(|day| sighting(&day.to_string(), SignalKind::Thrash, *day, None))
                .collect();
            patterns(&seen, NOW)[0].trend
        };
        assert_eq!(on(&[95, 99]), Trend::New);
        assert_eq!(on(&[10, 20]), Trend::Quiet);
        assert_eq!(on(&[10, 80, 95]), Trend::Steady);
        assert_eq!(on(&[75, 80, 95]), Trend::Falling);
        assert_eq!(on(&[80, 95, 96]), Trend::Rising);
    }
}
