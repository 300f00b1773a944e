//! The small files beside the logs: what is known about a session as a whole.

use super::keys::{self, TurnEnd};
use super::paths::{self, Document, Role};
use super::stamp::uid;
use super::usage::{self, Spending, Turn};
use super::wire::Scalar;
use crate::json::recover;
use crate::{Ancestry, Batch, Reader, SessionPatch, TitleRank};
use serde::Deserialize;
use std::path::Path;

/// Reads one small file, whole, whenever it changed.
pub(super) struct DocumentReader {
    document: Document,
    /// The session the path names.
    session: String,
    parent: Option<String>,
}

impl DocumentReader {
    pub(super) fn new(document: Document, path: &Path) -> Self {
        Self {
            document,
            session: paths::session_id(path, Role::Document(document)),
            parent: paths::parent_of_subagent(path).map(str::to_owned),
        }
    }

    /// Maps the file; `false` if it is no JSON object.
    fn read(&self, json: &str, ancestry: &mut dyn Ancestry, out: &mut Batch) -> bool {
        match self.document {
            Document::Summary => self.summary(json, out),
            Document::Signals => self.signals(json, out),
            Document::Subagent => self.subagent(json, out),
            Document::Usage => self.usage(json, ancestry, out),
        }
    }
}

impl Reader for DocumentReader {
    fn begin(&mut self, _head: &[u8]) {}

    fn record(&mut self, bytes: &[u8], ancestry: &mut dyn Ancestry, out: &mut Batch) {
        if bytes.trim_ascii().is_empty() {
            return;
        }
        if std::str::from_utf8(bytes).is_ok_and(|json| self.read(json, ancestry, out)) {
            return;
        }
        let documents = recover(bytes);
        if !documents.iter().any(|json| self.read(json, ancestry, out)) {
            out.bad("not a JSON document", bytes);
        }
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _saved: &[u8]) -> bool {
        true
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SessionFile<'a> {
    #[serde(borrow)]
    info: Option<Info<'a>>,
    session_summary: Scalar<'a>,
    generated_title: Scalar<'a>,
    title_is_manual: Scalar<'a>,
    created_at: Scalar<'a>,
    current_model_id: Scalar<'a>,
    parent_session_id: Scalar<'a>,
    session_kind: Scalar<'a>,
    head_branch: Scalar<'a>,
    agent_name: Scalar<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Info<'a> {
    #[serde(borrow)]
    id: Scalar<'a>,
    cwd: Scalar<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Signals<'a> {
    #[serde(borrow)]
    primary_model_id: Scalar<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChildFile<'a> {
    #[serde(borrow)]
    child_session_id: Scalar<'a>,
    parent_session_id: Scalar<'a>,
    subagent_type: Scalar<'a>,
    effective_model_id: Scalar<'a>,
    child_cwd: Scalar<'a>,
    started_at: Scalar<'a>,
    resumed_from: Scalar<'a>,
    #[serde(alias = "parent_tool_call_id")]
    tool_call_id: Scalar<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Ledger<'a> {
    #[serde(borrow, rename = "sessionId")]
    session_id: Scalar<'a>,
    turns: Option<Vec<LedgerTurn<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LedgerTurn<'a> {
    #[serde(borrow, rename = "promptId", alias = "prompt_id")]
    prompt_id: Scalar<'a>,
    #[serde(rename = "endedAt", alias = "completedAt", alias = "timestamp")]
    ended_at: Scalar<'a>,
    usage: Option<Spending<'a>>,
    #[serde(flatten)]
    flat: Spending<'a>,
}

fn owned(field: &Scalar<'_>) -> Option<String> {
    field.text().map(str::to_owned)
}

impl DocumentReader {
    fn summary(&self, json: &str, out: &mut Batch) -> bool {
        let Ok(summary) = sonic_rs::from_str::<SessionFile<'_>>(json) else { return false };
        let info = summary.info.as_ref();
        let id = info.and_then(|info| info.id.text()).unwrap_or(&self.session);
        let kind = summary.session_kind.text().unwrap_or_default();
        let is_subagent = kind.starts_with("subagent");
        let source = summary.parent_session_id.text().filter(|source| *source != id).map(uid);
        let (parent, forked_from) = if is_subagent { (source, None) } else { (None, source) };
        let patch = SessionPatch {
            cwd: info.and_then(|info| owned(&info.cwd)),
            git_branch: owned(&summary.head_branch),
            model: owned(&summary.current_model_id),
            title: title(&summary),
            parent,
            forked_from,
            agent_name: owned(&summary.agent_name).filter(|_| is_subagent),
            started_at: summary.created_at.moment(),
            cost_in_parent: is_subagent,
            ..SessionPatch::default()
        };
        let session = out.session(&uid(id));
        out.patch(session, patch);
        true
    }

    fn signals(&self, json: &str, out: &mut Batch) -> bool {
        let Ok(signals) = sonic_rs::from_str::<Signals<'_>>(json) else { return false };
        if let Some(model) = owned(&signals.primary_model_id) {
            let session = out.session(&uid(&self.session));
            out.patch(session, SessionPatch { model: Some(model), ..SessionPatch::default() });
        }
        true
    }

    fn subagent(&self, json: &str, out: &mut Batch) -> bool {
        let Ok(meta) = sonic_rs::from_str::<ChildFile<'_>>(json) else { return false };
        let child = meta.child_session_id.text().unwrap_or(&self.session);
        let parent = meta.parent_session_id.text().or(self.parent.as_deref());
        let patch = SessionPatch {
            parent: parent.filter(|parent| *parent != child).map(uid),
            parent_call_id: owned(&meta.tool_call_id),
            agent_name: owned(&meta.subagent_type),
            model: owned(&meta.effective_model_id),
            cwd: owned(&meta.child_cwd),
            started_at: meta.started_at.moment(),
            continues: meta.resumed_from.text().filter(|id| *id != child).map(uid),
            cost_in_parent: true,
            ..SessionPatch::default()
        };
        let session = out.session(&uid(child));
        out.patch(session, patch);
        true
    }

    /// The ledger repeats the turns of `updates.jsonl`, at times with what sub-agents spent later and
    /// with turns inherited from a fork's source. It is therefore asked only for what that log lacks:
    /// all turns of a session without the log, and turns the log ended without stating their tokens.
    fn usage(&self, json: &str, ancestry: &mut dyn Ancestry, out: &mut Batch) -> bool {
        let Ok(ledger) = sonic_rs::from_str::<Ledger<'_>>(json) else { return false };
        let id = ledger.session_id.text().unwrap_or(&self.session);
        let owner = uid(id);
        let has_log = ancestry.has_event(&owner, keys::log_opened());
        for (at, turn) in ledger.turns.iter().flatten().enumerate() {
            let place = format!("turn-{at}");
            let prompt_id = turn.prompt_id.text();
            let is_lacking = match prompt_id {
                _ if !has_log => true,
                Some(prompt_id) => {
                    lacks_tokens(|end| ancestry.has_event(&owner, keys::turn(end, prompt_id)))
                }
                None => false,
            };
            if is_lacking {
                let turn_of = Turn {
                    session: out.session(&owner),
                    session_id: id,
                    prompt_id: prompt_id.unwrap_or(&place),
                    ts: turn.ended_at.moment(),
                };
                usage::report(turn.usage.as_ref().unwrap_or(&turn.flat), turn_of, out);
            }
        }
        true
    }
}

/// Whether the log ended a turn, but only in a way that states no tokens.
fn lacks_tokens(mut has_end: impl FnMut(TurnEnd) -> bool) -> bool {
    !has_end(TurnEnd::Completed) && (has_end(TurnEnd::Interrupted) || has_end(TurnEnd::Failed))
}

fn title(summary: &SessionFile<'_>) -> Option<(TitleRank, String)> {
    let rank =
        if summary.title_is_manual.is_true() { TitleRank::Human } else { TitleRank::Generated };
    let given = owned(&summary.generated_title).map(|title| (rank, title));
    given.or_else(|| owned(&summary.session_summary).map(|title| (TitleRank::Summary, title)))
}
