//! One event, in full.

use super::address::Address;
use super::text::plain;
use super::{Tree, TreeError, session, transcript};
use backstory_model::{Session, SessionEvent, address};
use backstory_store::Stretch;
use std::fmt::Write;

impl Tree {
    /// One event of a session with all of its content.
    pub(super) fn event(
        &self,
        asked: &Address,
        session: &Session,
        seq: u32,
    ) -> Result<String, TreeError> {
        let vault = self.vault()?;
        let uid = &session.session_uid;
        let head = vault.session_head(uid)?;
        let head = head.ok_or_else(|| TreeError::NotFound(asked.text()))?;
        let found = vault.stretches(&[Stretch::one(head.id, uid, seq)])?;
        let Some(event) = found.into_iter().flatten().next() else {
            if session.watermarks.evicted_at.is_some() && seq < head.next_seq {
                let digest = session::document(uid, "digest.md");
                return Err(TreeError::Refused(format!(
                    "event {seq} of {uid} has left the archive; what is kept of it: {digest}"
                )));
            }
            return Err(TreeError::NotFound(asked.text()));
        };
        let content = vault.payload(&event)?;
        Ok(told(session, &event, head.next_seq, &content))
    }
}

/// What was said comes first: plugins cut what they read after a few lines.
fn told(session: &Session, event: &SessionEvent, next_seq: u32, content: &str) -> String {
    let uid = &session.session_uid;
    let when = event.ts.map(|at| format!(", {}", session::moment(at))).unwrap_or_default();
    let mut text = format!("# {}{when}\n\n{}", transcript::name(event), plain(content));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let _ = writeln!(text, "\n- this: {}", address(uid, event.seq));
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "- {name}: {value}");
        }
    };
    add("took", event.duration_ms.map(|ms| format!("{ms} ms")));
    add("files", (!event.files.is_empty()).then(|| event.files.join(", ")));
    let overview = session::document(uid, "overview.md");
    add("session", Some(format!("{} ({overview})", session::title(session))));
    add("before", event.seq.checked_sub(1).map(|seq| address(uid, seq)));
    add("behind", Some(event.seq + 1).filter(|seq| *seq < next_seq).map(|seq| address(uid, seq)));
    text
}
