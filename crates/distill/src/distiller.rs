//! A session's events go in one by one, a digest and signals come out.
//!
//! A session that grows later is carried on from what was saved, so that its earlier events are
//! never needed again.

use crate::moment::Moment;
use backstory_model::{Digest, Session, Signal};
use serde::{Deserialize, Serialize};

/// Version of the rules; a digest made with older ones is made anew while its events exist.
pub const DIGEST_VERSION: u32 = 1;

/// Folds a session.
#[derive(Debug, Default)]
pub struct Distiller {
    digest: Digest,
    signals: Vec<Signal>,
    open: Open,
}

/// What is still undecided between two events; bounded and small.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Open {}

/// What comes out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distilled {
    /// The account of the session.
    pub digest: Digest,
    /// What was noticed.
    pub signals: Vec<Signal>,
    /// What [`Distiller::resume`] needs to go on.
    pub state: Vec<u8>,
}

impl Distiller {
    /// Begins with the first event.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on where an earlier run stopped; nothing if it was made by other rules.
    pub fn resume(saved: Distilled) -> Option<Self> {
        if saved.digest.version != DIGEST_VERSION {
            return None;
        }
        let open = serde_json::from_slice(&saved.state).ok()?;
        Some(Self { digest: saved.digest, signals: saved.signals, open })
    }

    /// Takes the next event, in the order of its seq.
    pub fn event(&mut self, moment: Moment<'_>) {
        let _ = moment;
    }

    /// The account so far; `session` is the row as it stands now.
    pub fn finish(self, session: &Session) -> Distilled {
        let _ = session;
        let mut digest = self.digest;
        digest.version = DIGEST_VERSION;
        let state = serde_json::to_vec(&self.open).unwrap_or_default();
        Distilled { digest, signals: self.signals, state }
    }
}
