//! A session as JSON Lines: the session first, then its digest if raw events have left, then one
//! event per line.

use super::{Background, Teller, Told};
use crate::error::Failure;
use backstory_api as api;
use backstory_model::{Session, SessionEvent};
use serde::Serialize;
use std::io::Write;

/// Tells for programs.
#[derive(Debug)]
pub(crate) struct JsonTeller<'a> {
    /// With the full content of every event.
    pub(crate) with_payload: bool,
    pub(crate) background: &'a Background,
}

impl Teller for JsonTeller<'_> {
    fn begin(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), Failure> {
        let seal = self.background.seal.as_ref().map(|seal| (seal.sealed_at, seal.reason));
        let shape = api::Session::from(session).sealed(seal);
        writeln!(out, "{}", to_line(&shape)?).map_err(Failure::output)?;
        match &self.background.digest {
            Some(digest) if session.watermarks.evicted_at.is_some() => {
                let shape = api::Digest::new(&session.session_uid, digest);
                writeln!(out, "{}", to_line(&shape)?).map_err(Failure::output)
            }
            _ => Ok(()),
        }
    }

    fn event(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure> {
        let mut shape = api::Event::from(event);
        if self.with_payload {
            shape.payload = Some(told.content(event));
        }
        told.write(format_args!("{}\n", to_line(&shape)?))
    }
}

fn to_line(shape: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(shape).map_err(|error| Failure::output(error.into()))
}
