//! What every command is given: environment, global flags, the moment and the time zone.

use crate::cmd::Global;
use crate::env::{Env, HOME};
use crate::error::Failure;
use crate::open;
use crate::settings::Settings;
use crate::ui::Ui;
use crate::when::{self, End};
use backstory_model::Timestamp;
use backstory_store::Vault;
use jiff::tz::TimeZone;
use std::cell::OnceCell;

/// The surroundings of one run.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) env: Env,
    pub(crate) global: Global,
    /// One moment for the whole run.
    pub(crate) now: Timestamp,
    zone: OnceCell<TimeZone>,
}

impl Context {
    /// Reads the clock once.
    pub(crate) fn new(env: Env, global: Global) -> Result<Self, Failure> {
        let now = env.now()?;
        Ok(Self { env, global, now, zone: OnceCell::new() })
    }

    /// The same in a fixed time zone.
    #[cfg(test)]
    pub(crate) fn in_utc(self) -> Self {
        Self { zone: OnceCell::from(TimeZone::UTC), ..self }
    }

    /// The time zone of the times on screen.
    pub(crate) fn zone(&self) -> &TimeZone {
        self.zone.get_or_init(TimeZone::system)
    }

    /// A path on screen: the home directory is `~`.
    pub(crate) fn short_path(&self, path: &str) -> String {
        let Some(home) = self.env.get(HOME) else { return path.to_owned() };
        let home = home.to_string_lossy();
        match path.strip_prefix(home.trim_end_matches('/')) {
            Some(rest) if home.len() > 1 && (rest.is_empty() || rest.starts_with('/')) => {
                format!("~{rest}")
            }
            _ => path.to_owned(),
        }
    }

    /// A moment as people type it.
    pub(crate) fn moment(
        &self,
        text: Option<&str>,
        end: End,
    ) -> Result<Option<Timestamp>, Failure> {
        let Some(text) = text else { return Ok(None) };
        when::parse(text, end, self.now, self.zone()).map(Some).ok_or_else(|| {
            Failure::usage(format!("{text:?} is no moment"))
                .hint("try 2026-11-01, 2026-11-01T10:00:00Z, 7d, 3h, today or yesterday")
        })
    }

    /// The effective settings; warnings about the file are shown.
    pub(crate) fn settings(&self, ui: &mut Ui) -> Result<Settings, Failure> {
        let settings =
            Settings::load(&self.env, self.global.home.as_deref(), self.global.store.as_deref())?;
        for warning in &settings.warnings {
            ui.warning(warning);
        }
        Ok(settings)
    }

    /// The archive, for reading.
    pub(crate) fn vault(&self, ui: &mut Ui) -> Result<Vault, Failure> {
        let settings = self.settings(ui)?;
        Ok(Vault::open(&open::archive(&settings)?.home)?)
    }
}
