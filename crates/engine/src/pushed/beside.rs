//! What was posted of a session that is read from its log. The log may have ended before its last turn was
//! written; then the posted file alone has it.

use super::file;
use backstory_adapters::hygiene::PUSHED_TRUNCATED;
use backstory_adapters::pushed::{IMAGE, Line, Part};
use backstory_model::{EventKey, Role, SessionUid};
use backstory_store::{PendingSession, StoreError, Vault};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// True if every line and every tool call of a file stands in the archive. What cannot be compared does not.
pub(super) fn is_in_archive(
    path: &Path,
    uid: &SessionUid,
    vault: &Vault,
) -> Result<bool, StoreError> {
    let Some(file) = file::open(path)? else { return Ok(false) };
    let mut archived = Archived::of(uid, vault)?;
    let mut has_all = true;
    file::for_each_line(&file, |line| {
        has_all = match serde_json::from_slice(line) {
            Ok(Line::Message(message)) => message.parts.iter().all(|part| archived.has(part)),
            Ok(Line::Session(_) | Line::Seal(_) | Line::Policy(_)) => true,
            Err(_) => false,
        };
        Ok(has_all)
    })?;
    Ok(has_all)
}

/// What the archive has of a session, as far as posted messages are compared with it.
#[derive(Default)]
struct Archived {
    /// How often each line was said. Agents and plugins cut what is said into pieces of their own, but
    /// neither cuts lines.
    lines: HashMap<EventKey, u32>,
    calls: HashSet<String>,
    answers: HashSet<String>,
}

impl Archived {
    fn of(uid: &SessionUid, vault: &Vault) -> Result<Self, StoreError> {
        let mut archived = Self::default();
        let Some(head) = vault.session_head(uid)? else { return Ok(archived) };
        let whole =
            PendingSession { id: head.id, uid: uid.clone(), from_seq: 0, next_seq: head.next_seq };
        vault.for_each_moment(
            &whole,
            |_| true,
            |event, text| match event.call_id {
                Some(id) if event.role == Role::Assistant => {
                    archived.calls.insert(id);
                }
                Some(id) => {
                    archived.answers.insert(id);
                }
                None => {
                    for line in lines(text) {
                        *archived.lines.entry(line).or_default() += 1;
                    }
                }
            },
        )?;
        Ok(archived)
    }

    /// True if a part is there. What is said twice must be there twice.
    fn has(&mut self, part: &Part) -> bool {
        if part.is_tool() {
            let known = if part.is_answer() { &self.answers } else { &self.calls };
            return part.tool_id.as_ref().is_some_and(|id| known.contains(id));
        }
        let text = part.text.as_deref().unwrap_or_default();
        // Of a line that was cut nobody knows the rest.
        let text = text
            .strip_suffix(PUSHED_TRUNCATED)
            .map_or(text, |cut| cut.rsplit_once('\n').map_or("", |(whole_lines, _)| whole_lines));
        lines(text).all(|line| match self.lines.get_mut(&line) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        })
    }
}

/// What says something of a text, line by line.
fn lines(text: &str) -> impl Iterator<Item = EventKey> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && *line != IMAGE).map(EventKey::of)
}
