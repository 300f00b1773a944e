//! `cargo xtask eval search`: questions with known answers, asked of the product's own search.

use super::render::root;
use crate::recall::{self, Question};
use backstory_distill::query::Query;
use backstory_engine::search::{Mode, Scope, SearchOptions, Searcher, Sort};
use backstory_engine::{Root, SyncOptions, sync};
use backstory_index::LocalShelf;
use backstory_model::{EventKind, Flavor, SessionUid, Timestamp};
use backstory_store::{SessionFilter, Vault};
use clap::Args;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::recall_score::{Asked, QuestionClass, Tally};

/// The moment of asking; later than every session.
const NOW: Timestamp = Timestamp(1_800_000_000_000);
/// Sessions and moments looked at per question.
const SESSIONS: usize = 30;
const MOMENTS: usize = 10;

/// Which sets to ask.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// LoCoMo's `locomo10.json`; its licence keeps it out of the repository.
    #[arg(long)]
    pub locomo: Option<PathBuf>,
    /// List the questions whose session is not among the first five of the fused search.
    #[arg(long)]
    pub verbose: bool,
}

/// A set taken into an archive.
struct Haystack {
    vault: Vault,
    projects: HashMap<String, String>,
    /// Seqs of the messages of each session, for gold given by turn.
    messages: HashMap<SessionUid, Vec<u32>>,
}

/// Asks every question in every mode; gives the report, and whether it is good enough.
pub(super) fn run(options: &Options) -> io::Result<(String, bool)> {
    let folder = tempfile::tempdir()?;
    let sets = recall::Options { out: folder.path().to_owned(), locomo: options.locomo.clone() };
    let mut report = String::new();
    let mut is_good = true;
    for (dir, _) in recall::run(&sets)? {
        let name = dir.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let questions = recall::read_questions(&dir)?;
        let haystack = take_in(&dir)?;
        // LoCoMo's conversations know nothing of each other: each is a haystack of its own.
        let is_scoped = true;
        let mut tallies = Vec::new();
        for mode in [Mode::Lexical, Mode::Semantic, Mode::Fused] {
            tallies.push((mode, ask(&haystack, &questions, mode, is_scoped)?));
        }
        let _ = writeln!(report, "{name}: {} questions", questions.len());
        is_good &= super::recall_score::write(&mut report, &name, &tallies);
        if options.verbose {
            list_misses(&mut report, &tallies, &questions);
        }
        report.push('\n');
    }
    Ok((report, is_good))
}

fn take_in(dir: &Path) -> io::Result<Haystack> {
    let options = SyncOptions {
        index: true,
        ..SyncOptions::new(
            backstory_engine::Archive::indexed_at_home(backstory_store_sqlite::home(
                dir.join("archive"),
            )),
            Flavor::LOGGED
                .into_iter()
                .map(|flavor| Root { flavor, dir: dir.join("home").join(root(flavor)) })
                .collect(),
        )
    };
    sync(&options, NOW, &mut |_| {}).map_err(io::Error::other)?;
    let vault = Vault::open(&options.archive.home).map_err(io::Error::other)?;
    let (mut projects, mut messages) = (HashMap::new(), HashMap::new());
    let all = SessionFilter { with_subagents: true, ..SessionFilter::default() };
    for session in vault.sessions(&all).map_err(io::Error::other)? {
        if let (Some(repo), Some(key)) = (session.repo, session.project_key) {
            projects.insert(repo, key);
        }
        let events = vault.events(&session.session_uid).map_err(io::Error::other)?;
        let is_message = |kind| matches!(kind, EventKind::UserMsg | EventKind::AssistantMsg);
        let seqs = events.iter().filter(|event| is_message(event.kind)).map(|event| event.seq);
        messages.insert(session.session_uid, seqs.collect());
    }
    Ok(Haystack { vault, projects, messages })
}

fn ask(
    haystack: &Haystack,
    questions: &[Question],
    mode: Mode,
    is_scoped: bool,
) -> io::Result<Tally> {
    let shelf = LocalShelf::new(haystack.vault.home().dir());
    let searcher = Searcher::open(&haystack.vault, &shelf).map_err(io::Error::other)?;
    let mut tally = Tally::default();
    for question in questions {
        let mut query = Query::parse(&question.question, &|_, _| None);
        if is_scoped {
            query.filters.repos.push(question.project.clone());
        }
        let options = SearchOptions {
            query,
            limit: SESSIONS,
            moments: MOMENTS,
            context: 0,
            sort: Sort::Score,
            mode,
            scope: Scope::Everything,
            project: haystack.projects.get(&question.project).cloned(),
        };
        let began = Instant::now();
        let answer = searcher.search(&options, NOW).map_err(io::Error::other)?;
        let took = began.elapsed();
        let mut asked = Asked { took, ..Asked::default() };
        let golds: Vec<SessionUid> = question
            .gold
            .iter()
            .map(|gold| SessionUid::from_stored(gold.session.clone()))
            .collect();
        asked.session_ranks = ranks(&golds, |uid| {
            answer.sessions.iter().position(|found| found.session.session_uid == *uid)
        });
        let mut moments: Vec<_> = answer
            .sessions
            .iter()
            .flat_map(|found| &found.moments)
            .filter_map(|moment| Some((moment.score, moment.event.as_ref()?)))
            .collect();
        moments.sort_by(|left, right| right.0.total_cmp(&left.0));
        asked.moment_ranks = question
            .gold
            .iter()
            .zip(&golds)
            .map(|(gold, uid)| {
                let seq = gold
                    .turn
                    .and_then(|turn| haystack.messages.get(uid).and_then(|all| all.get(turn)));
                moments.iter().position(|(_, event)| {
                    event.session_uid == *uid
                        && match seq {
                            Some(seq) => event.seq == *seq,
                            None => {
                                haystack.vault.payload(event).is_ok_and(|text| gold.is_in(&text))
                            }
                        }
                })
            })
            .collect();
        asked.class = match (question.paraphrase, question.blind) {
            (false, _) => QuestionClass::Plain,
            (true, false) => QuestionClass::Paraphrase,
            (true, true) => QuestionClass::Blind,
        };
        tally.asked.push(asked);
    }
    Ok(tally)
}

/// The rank of every distinct session.
fn ranks(golds: &[SessionUid], rank: impl Fn(&SessionUid) -> Option<usize>) -> Vec<Option<usize>> {
    let mut seen: Vec<&SessionUid> = Vec::new();
    for gold in golds {
        if !seen.contains(&gold) {
            seen.push(gold);
        }
    }
    seen.into_iter().map(rank).collect()
}

fn list_misses(report: &mut String, tallies: &[(Mode, Tally)], questions: &[Question]) {
    let Some((_, fused)) = tallies.iter().find(|(mode, _)| *mode == Mode::Fused) else { return };
    for (asked, question) in fused.asked.iter().zip(questions) {
        if !asked.has_session_within(5) {
            let _ = writeln!(
                report,
                "  missed {} {:?}: {}",
                question.id, asked.session_ranks, question.question
            );
        }
    }
}
