//! A year of work in fictitious projects, with questions about it. The same bytes every time.

use super::episode::{self, Episode, Project};
use super::filler::Filler;
use super::set::{self, Gold, Question};
use crate::corpus::clock::{DAY, Millis, midnight};
use crate::corpus::rng::Rng;
use crate::eval::case::{Case, Dialect, Step};
use crate::eval::render::{Rendered, Scene, render};
use backstory_model::{Flavor, Outcome};
use std::io;
use std::path::Path;

/// Work that is the same in every project.
const EVERYWHERE: &str = include_str!("../../recall/coding/everywhere.txt");

/// The projects, by file name.
const PROJECTS: [(&str, &str); 8] = [
    ("basalt-infra.txt", include_str!("../../recall/coding/basalt-infra.txt")),
    ("ferrypost.txt", include_str!("../../recall/coding/ferrypost.txt")),
    ("gristmill.txt", include_str!("../../recall/coding/gristmill.txt")),
    ("kilnctl.txt", include_str!("../../recall/coding/kilnctl.txt")),
    ("lanternweb.txt", include_str!("../../recall/coding/lanternweb.txt")),
    ("ledgerlens.txt", include_str!("../../recall/coding/ledgerlens.txt")),
    ("tidepool.txt", include_str!("../../recall/coding/tidepool.txt")),
    ("wrenfield.txt", include_str!("../../recall/coding/wrenfield.txt")),
];

/// Sessions of a project in which nothing is asked for.
const IDLE_SESSIONS: u64 = 6;
/// The year the set covers begins here.
const FIRST_DAY: Millis = midnight(2025, 11, 3);
const SEED: u64 = 20_251_103;

/// Writes `home/` and `questions.jsonl` into a directory.
pub fn write(dir: &Path) -> io::Result<()> {
    let mut sessions = Vec::new();
    let mut questions = Vec::new();
    let everywhere = episode::fillers(EVERYWHERE)
        .map_err(|misread| io::Error::other(format!("everywhere.txt: {misread}")))?;
    for (file, text) in PROJECTS {
        let project = episode::project(text)
            .map_err(|misread| io::Error::other(format!("{file}: {misread}")))?;
        for episode in &project.episodes {
            let mut rng = Rng::new(SEED, lane(&project.name, &episode.name));
            let mut filler = Filler::new(&project, &everywhere);
            let steps = surrounded(&episode.steps, &mut filler, &mut rng);
            let number = sessions.len() + 1;
            let rendered =
                session(&project, episode.flavor, (number, episode.day), steps, &mut rng);
            questions.extend(asked(&project, episode, &rendered));
            sessions.push(rendered);
        }
        for at in 0..IDLE_SESSIONS {
            let mut rng = Rng::new(SEED, lane(&project.name, &at.to_string()));
            let mut filler = Filler::new(&project, &everywhere);
            let turns = rng.range(3, 7);
            let steps = (0..turns).flat_map(|_| filler.turn(&mut rng)).collect();
            let flavor = rng.pick(&[Flavor::Claude, Flavor::Codex]);
            let day = FIRST_DAY + rng.range(0, 360) * DAY;
            let number = sessions.len() + 1;
            sessions.push(session(&project, flavor, (number, day), steps, &mut rng));
        }
    }
    set::write(dir, &sessions, &questions)
}

fn asked(project: &Project, episode: &Episode, rendered: &Rendered) -> Vec<Question> {
    let session = rendered.uid.to_string();
    let gold = |text: &String| Gold { session: session.clone(), text: text.clone(), turn: None };
    let numbered = episode.asked.iter().enumerate();
    numbered
        .map(|(at, asked)| Question {
            id: format!("{}-{}-{}", project.name, episode.name, at + 1),
            project: project.name.clone(),
            question: asked.question.clone(),
            kind: asked.kind,
            paraphrase: asked.paraphrase,
            blind: asked.paraphrase && episode.has_no_word_of(&asked.question),
            gold: asked.gold.iter().map(gold).collect(),
            answer: asked.answer.clone(),
        })
        .collect()
}

/// An episode among other work: mostly it comes first, as what the session was opened for.
fn surrounded(steps: &[Step], filler: &mut Filler<'_>, rng: &mut Rng) -> Vec<Step> {
    let mut all = if rng.percent(25) { filler.turn(rng) } else { Vec::new() };
    for (at, step) in steps.iter().enumerate() {
        if at > 0 && matches!(step, Step::User(_)) && rng.percent(20) {
            all.extend(filler.turn(rng));
        }
        all.push(step.clone());
    }
    for _ in 0..rng.range(1, 4) {
        all.extend(filler.turn(rng));
    }
    all
}

/// Renders a session that begins in the working hours of a day.
fn session(
    project: &Project,
    flavor: Flavor,
    (number, day): (usize, Millis),
    steps: Vec<Step>,
    rng: &mut Rng,
) -> Rendered {
    let scene = Scene {
        number,
        cwd: project.cwd.clone(),
        branch: project.branch.clone(),
        began: day + rng.range(8 * 3_600, 18 * 3_600) * 1_000,
        is_bare: false,
    };
    let (name, label) = (String::new(), Outcome::Unknown);
    render(&Case { name, flavor, label, dialect: Dialect::Usual, is_exec: false, steps }, &scene)
}

/// Random numbers of its own for every session, so that a new episode changes no other.
fn lane(project: &str, name: &str) -> u64 {
    // FNV-1a.
    project.bytes().chain([b'/']).chain(name.bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
