//! The shapes of `search --json`.

use super::commands::Ran;
use backstory_api as api;
use backstory_engine::search::{FoundMoment, FoundSession, SearchAnswer};

/// The first line.
pub(crate) fn head(query: &str, hints: &[String], answer: &SearchAnswer) -> api::SearchHead {
    api::SearchHead {
        query: query.to_owned(),
        hints: hints.to_vec(),
        paths: api::SearchPaths {
            lexical: answer.paths.lexical,
            semantic: answer.paths.semantic,
            notes: answer.paths.notes.clone(),
        },
        more: answer.more,
    }
}

/// A session with its moments.
pub(crate) fn session(found: &FoundSession) -> api::FoundSession {
    let moment = |moment: &FoundMoment| {
        let snippet = api::FoundSnippet::new(&moment.snippet.text, &moment.snippet.marks);
        let uid = &found.session.session_uid;
        api::FoundMoment::new(uid, moment.event.as_ref(), moment.score, snippet)
            .between(&moment.before, &moment.after)
    };
    api::FoundSession {
        session: api::Session::from(&found.session),
        score: found.score,
        is_evicted: found.is_evicted,
        moments: found.moments.iter().map(moment).collect(),
    }
}

/// A command that ran.
pub(crate) fn command(ran: &Ran<'_>) -> api::FoundCommand {
    let mut shape = api::FoundCommand::new(ran.command.clone(), ran.event, ran.exit_code);
    shape.runs = ran.runs;
    shape
}
