//! What a session as a whole is found by.

use backstory_index::SessionCard;
use backstory_model::{Digest, Session, SessionUid, Signal, Timestamp};
use backstory_store::{Account, Vault};

/// The card of a session; of a digest that cannot be read `doctor` tells.
pub(super) fn card_of(vault: &Vault, uid: &SessionUid) -> SessionCard {
    let Ok(Some(session)) = vault.session(uid) else { return SessionCard::default() };
    let account = vault.account(uid).ok().flatten();
    card(&session, account.as_ref())
}

pub(super) fn card(session: &Session, account: Option<&Account>) -> SessionCard {
    SessionCard {
        title: session.title.clone().unwrap_or_default(),
        text: card_text(session, account.map(|account| (&account.digest, &account.signals[..]))),
        ts: session.ended_at.or(session.started_at),
    }
}

/// Days, digest and signals in words.
pub(crate) fn card_text(session: &Session, account: Option<(&Digest, &[Signal])>) -> String {
    let days = [session.started_at, session.ended_at].into_iter().flatten().map(day);
    let mut lines: Vec<String> = days.collect();
    lines.dedup();
    let Some((digest, signals)) = account else { return lines.join("\n") };
    let mut add = |line: &str| lines.push(line.to_owned());
    digest.goal.iter().for_each(|goal| add(&goal.text));
    digest.snippets.iter().for_each(|snippet| add(&snippet.text));
    digest.files.iter().for_each(|file| add(&file.path));
    digest.commands.iter().for_each(|command| add(&command.command));
    digest.tests.iter().for_each(|test| add(&test.command));
    digest.commits.iter().for_each(|commit| add(&commit.subject));
    for signal in signals {
        add(&signal.what);
        if let Some(fix) = &signal.fix {
            add(&fix.what);
            add(&fix.tried);
        }
    }
    lines.join("\n")
}

/// A day as people ask for it: `Friday 8 May 2026 2026-05-08`.
fn day(at: Timestamp) -> String {
    let day = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    day.strftime("%A %-d %B %Y %F").to_string()
}
