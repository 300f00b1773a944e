//! A family: a session with its sub-agents and forks. Families know nothing of each other, so that
//! any number of threads gives the same bytes.

use super::clock::{DAY, FIRST, LAST, Millis};
use super::plan::LARGEST;
use super::rng::Rng;
use super::secrets::Stash;
use super::text::Writer;
use super::truth::{Secret, Session};
use super::words::Words;

/// One file of a family.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// Below the home directory.
    pub(crate) path: String,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
    /// Lines before compression.
    pub(crate) lines: u64,
    /// When it was last written to.
    pub(crate) modified: Millis,
}

impl Written {
    /// A plain text file.
    pub(crate) fn text(path: String, text: String, modified: Millis) -> Self {
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
        Self { path, bytes: text.into_bytes(), lines, modified }
    }
}

/// The files of a family and what is known about them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Family {
    /// Files.
    pub(crate) files: Vec<Written>,
    /// Sessions.
    pub(crate) sessions: Vec<Session>,
    /// Secrets planted.
    pub(crate) secrets: Vec<Secret>,
}

/// What every session of a family is made from.
#[derive(Clone, Debug)]
pub(crate) struct Seedbed<'a> {
    /// Text of the project.
    pub(crate) writer: Writer<'a>,
    /// Secrets still to be planted.
    pub(crate) stash: Stash,
    /// The project's directory.
    pub(crate) cwd: String,
    /// The branch worked on.
    pub(crate) branch: String,
    /// Bytes the main session shall have.
    pub(crate) target: usize,
    /// When it begins, as a share of the whole span in 1/1000.
    pub(crate) age: u64,
    /// True for a session of a handful of lines.
    pub(crate) tiny: bool,
}

const PROJECTS: u64 = 60;
/// Secrets go into this many families …
const FAMILIES_WITH_SECRETS: u64 = 90;
/// … this many into each.
const SECRETS_PER_FAMILY: usize = 7;

impl<'a> Seedbed<'a> {
    /// The seedbed of a family.
    pub(crate) fn new(words: &'a Words, seed: u64, family: u64, target: usize, tiny: bool) -> Self {
        let mut rng = Rng::new(seed, family + 1);
        let project = rng.range(0, PROJECTS);
        let mut names = Rng::new(seed ^ 0x00c0_ffee, project);
        let user = ["dev", "mira", "jonas", "ops"][names.below(4)];
        let home = ["/home", "/Users"][names.below(2)];
        let cwd = format!(
            "{home}/{user}/code/{}-{}",
            Words::plain_noun(&mut names),
            Words::plain_noun(&mut names)
        );
        let branch = match rng.below(4) {
            0 | 1 => "main".to_owned(),
            2 => format!("feat/{}-{}", rng.range(100, 9_000), Words::plain_noun(&mut rng)),
            _ => format!("fix/{}-{}", Words::plain_verb(&mut rng), Words::plain_noun(&mut rng)),
        };
        let stash = if family < FAMILIES_WITH_SECRETS && !tiny {
            Stash::new(seed, family, SECRETS_PER_FAMILY)
        } else {
            Stash::default()
        };
        let age = rng.range(0, 1_000);
        let writer = Writer::new(words, seed ^ project.wrapping_mul(0x1234_5677), rng);
        Self { writer, stash, cwd, branch, target, age, tiny }
    }

    /// A moment in a share of the whole span, from and to in 1/1000.
    pub(crate) fn moment(&mut self, from: u64, to: u64) -> Millis {
        let days = (LAST - FIRST) / DAY;
        let at = FIRST + (from * days / 1_000) * DAY;
        let span = ((to - from) * days / 1_000).max(1);
        at + self.writer.rng.range(0, span) * DAY + self.writer.rng.range(25_000_000, 70_000_000)
    }

    /// A session without sub-agents and forks: a tiny one, or one that shall be a single huge file.
    pub(crate) fn is_alone(&self) -> bool {
        self.tiny || self.target > LARGEST
    }

    /// The absolute path of a file of the project.
    pub(crate) fn file(&mut self) -> String {
        format!("{}/{}", self.cwd, self.writer.path())
    }
}
