//! Whatever is done to two archives in the same order, they answer the same.

use crate::answers::{Asked, answers};
use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, ODD, chunk};
use backstory_model::{
    Decision, DecisionState, Digest, EventKey, EventKind, Judgement, Outcome, Role, Seal,
    SealReason, Signal, SignalKind, Timestamp, Usage,
};
use backstory_store::{
    Account, Chunk, HubDecision, PendingSession, QuarantineRow, SecretRow, SessionDelta, UsageRow,
    UsageRule, Vault, Writer,
};
use proptest::prelude::*;
use std::collections::HashMap;

/// Sessions there are: few, so that they are met again.
const SESSIONS: i64 = 4;
/// Keys of responses and roots.
const KEYS: u64 = 6;

/// Something done to an archive.
#[derive(Clone, Debug)]
enum Step {
    Store(Box<Stretch>),
    Commit,
    /// The process dies: what was not committed never was.
    Crash,
    Evict(i64),
    Forget(i64),
    Pin(i64, bool),
    Distil(Outcome, u64),
    SettleIndex(u64),
    RenewIndex,
    LosePayloads(i64),
}

/// What a chunk says of one session.
#[derive(Clone, Debug)]
struct Stretch {
    id: i64,
    events: Vec<(usize, u8, Option<i64>)>,
    refresh: bool,
    texts: [u8; 6],
    rank: u8,
    times: (Option<i64>, Option<i64>),
    usage: Vec<(u64, u64, bool, Option<i64>)>,
    findings: u64,
    restarts: bool,
    grown: i64,
}

/// Texts that are alike, odd, or nothing.
fn text(number: u8) -> Option<String> {
    let texts = ["shop", "Shop", "main", "opus", "Ö", "a b", "", "'", ODD];
    texts.get(usize::from(number)).map(|&text| text.to_owned())
}

fn time() -> impl Strategy<Value = Option<i64>> {
    proptest::option::of(0..100_i64)
}

fn stretch() -> impl Strategy<Value = Stretch> {
    let events = proptest::collection::vec((0..14_usize, 0..9_u8, time()), 0..5);
    let usage = proptest::collection::vec((0..KEYS, 0..99_u64, any::<bool>(), time()), 0..3);
    let session = (1..=SESSIONS, events, proptest::bool::weighted(0.2));
    let about = (any::<[u8; 6]>().prop_map(|texts| texts.map(|text| text % 12)), 0..4_u8);
    let rest = ((time(), time()), usage, 0..4_u64, any::<bool>(), -50..50_i64);
    (session, about, rest).prop_map(
        |((id, events, refresh), (texts, rank), (times, usage, findings, restarts, grown))| {
            Stretch { id, events, refresh, texts, rank, times, usage, findings, restarts, grown }
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let outcome = proptest::sample::select(&Outcome::ALL);
    prop_oneof![
        8 => stretch().prop_map(|stretch| Step::Store(Box::new(stretch))),
        5 => Just(Step::Commit),
        1 => Just(Step::Crash),
        1 => (1..=SESSIONS).prop_map(Step::Evict),
        1 => (1..=SESSIONS).prop_map(Step::Forget),
        1 => (1..=SESSIONS, any::<bool>()).prop_map(|(id, on)| Step::Pin(id, on)),
        2 => (outcome, any::<u64>()).prop_map(|(outcome, print)| Step::Distil(outcome, print)),
        1 => (0..9_u64).prop_map(Step::SettleIndex),
        1 => Just(Step::RenewIndex),
        1 => (1..=SESSIONS).prop_map(Step::LosePayloads),
    ]
}

/// The uid of a session; the third is of Grok, the fourth a sub-agent of the first.
fn name(id: i64) -> String {
    ["claude:s1", "claude:S2", "grok:s3", "claude:s1/agent-4"][id as usize - 1].to_owned()
}

fn decision(print: u64, seq: u32) -> Decision {
    let at = |place: u64| Some(Timestamp((print >> place) as i64 & 63));
    Decision {
        seq,
        asked_at: at(3).filter(|_| !print.is_multiple_of(5)),
        state: DecisionState::ALL[print as usize % 4],
        question: text((print % 9) as u8).unwrap_or_default(),
        ..crate::decisions::full()
    }
}

fn delta(stretch: &Stretch, known: Option<u32>) -> SessionDelta {
    let [repo, branch, model, title, cwd, version] = stretch.texts.map(text);
    let mut delta = SessionDelta {
        id: stretch.id,
        uid: name(stretch.id),
        flavor: if stretch.id == 3 { "grok" } else { "claude" },
        project_key: repo.clone(),
        repo,
        git_branch: branch,
        models: model.into_iter().filter(|model| !model.is_empty()).collect(),
        title: title.map(|title| (stretch.rank, title)),
        cwd,
        cli_version: version,
        started_at: stretch.times.0.map(Timestamp),
        ended_at: stretch.times.1.map(Timestamp),
        turns: stretch.findings as u32,
        next_seq: known.unwrap_or(0),
        cost_in_parent: stretch.id == 4 && stretch.rank == 3,
        source_path: format!("/logs/{}.jsonl", stretch.id),
        ..SessionDelta::default()
    };
    if stretch.id == 4 {
        delta.lineage.parent_session_uid = Some(uid(&name(1)));
    }
    if stretch.rank == 2 {
        delta.lineage.forked_from_uid = Some(uid(&name(2)));
    }
    delta
}

/// The chunk of a stretch: new events behind those that are known, or those that are known anew.
fn told(stretch: &Stretch, next_seq: u32) -> Chunk {
    let first = if stretch.refresh { 0 } else { next_seq };
    let count = if stretch.refresh { next_seq as usize } else { stretch.events.len() };
    let events: Vec<Event> = (first..)
        .zip(&stretch.events)
        .take(count)
        .map(|(seq, (kind, odd, ts))| Event {
            // Also keys with the top bit set.
            key: u64::from(seq) ^ (u64::from(seq % 2) << 63),
            kind: EventKind::ALL[*kind],
            role: Role::ALL[*kind % 4],
            ts: ts.map(Timestamp),
            native_id: text(*odd),
            tool: text(*odd / 2),
            summary: text(*odd).unwrap_or_default(),
            payload: (kind % 3 > 0).then(|| format!("payload {seq} {odd}")),
            exit_code: (kind % 5 == 0).then_some(i32::from(*odd) - 4),
            tokens: u64::from(*odd),
            refresh: stretch.refresh,
            ..Event::new(seq)
        })
        .collect();
    let mut chunk = chunk(delta(stretch, Some(next_seq)), &events);
    chunk.cursor.flavor = if stretch.id == 3 { "grok" } else { "claude" };
    chunk.cursor.messages = stretch.findings;
    chunk.cursor.state = vec![stretch.rank; 5];
    chunk.restarts = stretch.restarts;
    chunk.grown_bytes = stretch.grown;
    for (key, tokens, is_last, usd) in &stretch.usage {
        let model = text(stretch.rank).map(|name| chunk.text(&name));
        chunk.usage.push(UsageRow {
            session_id: stretch.id,
            key: EventKey(key << 61),
            ts: usd.map(Timestamp),
            model,
            usage: Usage { input: *tokens, output: 99 - tokens, ..Usage::default() },
            // Sums of these are exact, in whatever order they are made.
            usd: usd.map(|usd| usd as f64 / 4.0),
            rule: if *is_last { UsageRule::Last } else { UsageRule::Max },
        });
        chunk.roots.push((EventKey(key << 61), stretch.id));
    }
    for line in 0..stretch.findings {
        let type_name = text(line as u8).unwrap_or_default();
        let raw = chunk.text(&type_name);
        let cli_version = text(stretch.rank);
        chunk.quarantine.push(QuarantineRow { line, cli_version, type_name, reason: None, raw });
        chunk.secrets.push(SecretRow { line, kind: "token", fingerprint: "f".into() });
    }
    chunk
}

/// An archive something is done to.
struct Subject {
    archive: Archive,
    writer: Option<Writer>,
    /// Next seqs of sessions with events not yet committed.
    open: HashMap<i64, u32>,
}

impl Subject {
    fn new(archive: Archive) -> Self {
        let writer = Some(archive.writer());
        Self { archive, writer, open: HashMap::new() }
    }

    fn writer(&mut self) -> &mut Writer {
        self.writer.get_or_insert_with(|| Writer::open(&self.archive.home).unwrap())
    }

    /// The next seq of a session; none if it is forgotten.
    fn next_seq(&self, id: i64) -> Option<u32> {
        if let Some(next_seq) = self.open.get(&id) {
            return Some(*next_seq);
        }
        let head = self.archive.vault().session_head(&uid(&name(id))).unwrap();
        head.map_or(Some(0), |head| (!head.is_forgotten).then_some(head.next_seq))
    }

    /// Does it; true if everything is committed then.
    fn take(&mut self, step: &Step) -> bool {
        match step {
            Step::Store(stretch) => {
                let Some(next_seq) = self.next_seq(stretch.id) else { return false };
                let chunk = told(stretch, next_seq);
                self.open.insert(stretch.id, chunk.sessions[0].next_seq);
                self.writer().apply(&chunk, NOW).unwrap();
                return false;
            }
            Step::Commit => self.writer().commit().unwrap(),
            Step::Crash => self.writer = None,
            Step::Evict(id) => {
                self.writer().evict(&[*id], NOW).unwrap();
                self.writer().reclaim().unwrap();
            }
            Step::Forget(id) => {
                self.writer().forget(*id, NOW).unwrap();
                self.writer().reclaim().unwrap();
            }
            Step::Pin(id, on) => {
                self.writer().pin(&uid(&name(*id)), on.then_some(NOW)).unwrap();
                return false;
            }
            Step::Distil(outcome, print) => self.distil(*outcome, *print),
            Step::SettleIndex(batch) => {
                self.writer().commit().unwrap();
                let debts = self.archive.vault().index_debts(0, 2).unwrap();
                self.writer().settle_index(&debts, *batch).unwrap();
            }
            Step::RenewIndex => self.writer().renew_index("index-v1").unwrap(),
            Step::LosePayloads(id) => {
                self.writer().commit().unwrap();
                let pack = self.archive.pack(*id);
                if let Ok(bytes) = fs_err::read(&pack) {
                    fs_err::write(&pack, &bytes[..bytes.len() * 2 / 3]).unwrap();
                }
                Vault::mark_lost_payloads(&self.archive.home).unwrap();
            }
        }
        self.open.clear();
        true
    }

    fn distil(&mut self, outcome: Outcome, print: u64) {
        self.writer().commit().unwrap();
        let pending: Vec<PendingSession> = self.archive.vault().pending(false).unwrap();
        for session in &pending {
            let judgement = Judgement { outcome, confidence: 1, evidence: vec![(0, ODD.into())] };
            let signal = Signal {
                kind: SignalKind::ALL[print as usize % 16],
                fingerprint: print,
                seq: session.from_seq,
                last_seq: session.next_seq,
                ts: None,
                count: 2,
                what: ODD.into(),
                fix: None,
            };
            let account = Account {
                digest: Digest { judgement, ..Digest::default() },
                signals: vec![signal],
                decisions: (0..print % 3).map(|seq| decision(print, seq as u32)).collect(),
                state: print.to_le_bytes().to_vec(),
            };
            self.writer().put_account(session, &account, NOW).unwrap();
            let seal = Seal {
                number: print as u32 % 3 + 1,
                last_seq: session.next_seq,
                sealed_at: NOW,
                reason: SealReason::ALL[print as usize % 5],
                abstract_text: ODD.into(),
                overview: ODD.repeat(40),
            };
            self.writer().put_seal(session.id, &seal).unwrap();
            let recorded = HubDecision {
                origin: (print % 4).to_string(),
                project: text((print % 9) as u8),
                session: Some(name(session.id)),
                decision: decision(print, 0),
                ..HubDecision::default()
            };
            self.writer().record_hub_decision(&recorded).unwrap();
        }
        self.writer().commit().unwrap();
    }

    fn answers(&self) -> String {
        let ids: Vec<i64> = (1..=SESSIONS).collect();
        let keys: Vec<u64> = (0..KEYS).flat_map(|key| [key, key << 61]).collect();
        let paths: Vec<i64> = ids.iter().map(|id| id * 1000).collect();
        answers(&self.archive.vault(), &Asked { ids: &ids, keys: &keys, paths: &paths })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_engine_answers_the_same(steps in proptest::collection::vec(step(), 1..16)) {
        let mut local = Subject::new(Archive::sqlite());
        let mut remote = Subject::new(Archive::postgres());
        for step in steps.iter().chain([&Step::Commit]) {
            let is_committed = local.take(step);
            prop_assert_eq!(remote.take(step), is_committed);
            if is_committed {
                let (local, remote) = (local.answers(), remote.answers());
                for (local, remote) in local.lines().zip(remote.lines()) {
                    prop_assert_eq!(local, remote);
                }
                prop_assert_eq!(local.lines().count(), remote.lines().count());
            }
        }
    }
}
