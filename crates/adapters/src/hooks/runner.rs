//! Which agent runs a hook: it need not be the one the hook was installed for.

use super::fields::Fields;
use backstory_model::Flavor;
use std::ffi::OsString;
use std::path::Path;

/// A name in Grok's own spelling, which no other agent uses.
const GROK_SPELLING: &str = "hookEventName";

/// The agent a call surely comes from, by signs that are not passed on to agents it starts.
pub(super) fn certain(
    fields: &Fields<'_>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<Flavor> {
    if fields.has_spelt(GROK_SPELLING) || is_session(fields, env("GROK_SESSION_ID")) {
        return Some(Flavor::Grok);
    }
    let transcript = fields.text("transcript_path")?;
    let file = Path::new(&transcript).file_name()?.to_str()?;
    file.starts_with("rollout-").then_some(Flavor::Codex)
}

/// The agent a call comes from, if nobody said which.
pub(super) fn likely(
    fields: &Fields<'_>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<Flavor> {
    if let Some(runner) = certain(fields, env) {
        return Some(runner);
    }
    // A plugin serves Claude and Codex with one file. Codex counts turns; Claude names its session in
    // the environment, which an agent started by a tool of Claude's inherits.
    if fields.has("turn_id") {
        return Some(Flavor::Codex);
    }
    if fields.has("prompt_id") || is_session(fields, env("CLAUDE_CODE_SESSION_ID")) {
        return Some(Flavor::Claude);
    }
    // What Codex alone sets for the hooks of a plugin.
    if env("PLUGIN_ROOT").is_some() {
        return Some(Flavor::Codex);
    }
    env("CLAUDECODE").or_else(|| env("CLAUDE_PROJECT_DIR")).map(|_| Flavor::Claude)
}

fn is_session(fields: &Fields<'_>, named: Option<OsString>) -> bool {
    let named = named.filter(|named| !named.is_empty());
    named.is_some_and(|named| fields.text("session_id").is_some_and(|id| *id == *named))
}
