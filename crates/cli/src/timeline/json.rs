//! A session as JSON Lines: the session first, then one event per line.

use super::{Teller, Told};
use crate::error::Failure;
use backstory_api as api;
use backstory_model::{Session, SessionEvent};
use serde::Serialize;
use std::io::Write;

/// Tells for programs.
#[derive(Debug)]
pub(crate) struct JsonTeller {
    /// With the full content of every event.
    pub(crate) with_payload: bool,
}

impl Teller for JsonTeller {
    fn begin(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), Failure> {
        writeln!(out, "{}", to_line(&api::Session::from(session))?).map_err(Failure::output)
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
