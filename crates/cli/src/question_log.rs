//! `question-log.jsonl`: rows of the ledger, appended to a file other tools append to as well.

use crate::untrusted::one_line;
use backstory_api as api;
use backstory_engine::ledger;
use backstory_model::{DecisionKind, DecisionState, Flavor};
use backstory_store::{LedgerEntry, private_file};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::Path;

/// As long as readers of the file allow.
const MAX_SUMMARY: usize = 200;
const MAX_CHOICE: usize = 64;
const MAX_FREE_TEXT: usize = 300;
/// What readers take for "nobody knows".
const UNKNOWN: &str = "__unknown__";

/// A row as a line of the file.
pub(crate) fn line(entry: &LedgerEntry) -> api::LoggedQuestion {
    let (decision, uid, flavor) = (&entry.decision, entry.session_uid.as_ref(), entry.flavor());
    let label = |option: &backstory_model::DecisionOption| within(&option.label, MAX_CHOICE);
    let recommended = decision.recommended.and_then(|at| decision.options.get(usize::from(at)));
    let session_id = uid.map(|uid| uid.native().to_owned()).or_else(|| entry.hub_session.clone());
    let ts = entry.at.map(|at| at.to_string());
    let of_codex = |value: Option<String>| value.filter(|_| flavor == Some(Flavor::Codex));
    api::LoggedQuestion {
        // As the id was made with it: who reads the file can make it again.
        skill: decision.named_skill().to_owned(),
        question_id: decision.question_id.clone(),
        question_summary: within(&ledger::question(decision), MAX_SUMMARY),
        category: (decision.kind != DecisionKind::Question).then_some("approval"),
        options_count: Some(decision.options.len()).filter(|count| *count > 0),
        user_choice: choice(entry),
        recommended: recommended.map(label),
        followed_recommendation: decision.followed(),
        free_text: decision.free_text.as_deref().map(|text| within(text, MAX_FREE_TEXT)),
        codex_session_id: of_codex(session_id.clone()),
        codex_cwd: of_codex(entry.cwd.clone()),
        codex_ts: of_codex(ts.clone()),
        session_id,
        ts,
        source: decision.source(flavor),
        cwd: entry.cwd.clone(),
        kind: decision.kind.name(),
        state: decision.state.name().to_owned(),
        confidence: decision.confidence,
        latency_ms: decision.latency_ms(),
        question: decision.question.clone(),
        options: decision.options.iter().map(|option| option.label.clone()).collect(),
        project: entry.project.clone(),
        repo: entry.repo.clone(),
        session_uid: uid.map(ToString::to_string),
        seq: decision.seq,
        part: decision.part,
        origin: entry.origin.clone(),
        rationale: entry.rationale.clone(),
    }
}

fn choice(entry: &LedgerEntry) -> String {
    let decision = &entry.decision;
    if decision.state != DecisionState::Answered {
        return UNKNOWN.to_owned();
    }
    let chosen = decision.choice().collect::<Vec<_>>().join(", ");
    let said =
        if chosen.is_empty() { decision.free_text.as_deref() } else { Some(chosen.as_str()) };
    let said = within(said.unwrap_or_default(), MAX_CHOICE);
    if said.is_empty() { UNKNOWN.to_owned() } else { said }
}

/// On one line of at most so many characters.
fn within(text: &str, most: usize) -> String {
    one_line(text).chars().take(most).collect()
}

/// Appends the rows a file does not hold yet, and those that say something else since. Whoever appends
/// beside us waits; what was there is left as it is, but for a torn last line, which is ended.
pub(crate) fn append(path: &Path, entries: &[LedgerEntry]) -> io::Result<api::QuestionLog> {
    let mut file = private_file().read(true).append(true).open(path)?;
    file.file().lock()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut known = known(&bytes);
    let mut report = api::QuestionLog { out: path.display().to_string(), ..Default::default() };
    let mut text = Vec::new();
    if bytes.last().is_some_and(|last| *last != b'\n') {
        text.push(b'\n');
    }
    for entry in entries {
        let logged = line(entry);
        let value = serde_json::to_value(&logged)?;
        let Some(key) = key(&value) else { continue };
        let said = said(&value);
        match known.get(&key) {
            Some(before) if *before == said => {
                report.known += 1;
                continue;
            }
            Some(_) => report.updated += 1,
            None => report.added += 1,
        }
        known.insert(key, said);
        serde_json::to_writer(&mut text, &logged)?;
        text.push(b'\n');
    }
    if report.added + report.updated == 0 {
        return Ok(report);
    }
    if let Err(error) = file.write_all(&text) {
        // A part of a line would be in everybody's way.
        let _ = file.set_len(bytes.len() as u64);
        return Err(error);
    }
    Ok(report)
}

/// What the lines of a file say last of every row. Lines of others, and torn ones, are none of ours.
fn known(bytes: &[u8]) -> HashMap<String, [String; 3]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let read = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    read.filter_map(|line| Some((key(&line)?, said(&line)))).collect()
}

/// What tells rows apart.
fn key(line: &Value) -> Option<String> {
    if let Some(uid) = line["session_uid"].as_str() {
        let part = line["part"].as_u64().unwrap_or(0);
        return Some(format!("{uid}/{}/{part}", line["seq"].as_u64()?));
    }
    line["origin"].as_str().map(|origin| format!("hub/{origin}"))
}

/// What a line says of a row that may change.
fn said(line: &Value) -> [String; 3] {
    ["state", "user_choice", "free_text"]
        .map(|name| line[name].as_str().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::{Decision, DecisionForm, SessionUid};
    use proptest::prelude::*;

    fn row(session: u8, seq: u32, part: u16, state: u8) -> LedgerEntry {
        let hub = session == 0;
        LedgerEntry {
            session_uid: (!hub).then(|| SessionUid::new(Flavor::Codex, &session.to_string())),
            origin: hub.then(|| format!("{seq}-{part}")),
            decision: Decision {
                seq,
                part,
                state: DecisionState::ALL[usize::from(state) % 4],
                form: if hub { DecisionForm::Hub } else { DecisionForm::Tool },
                question: "Why\nnot?".into(),
                free_text: Some("because".into()),
                ..Decision::default()
            },
            ..LedgerEntry::default()
        }
    }

    fn figures(report: &api::QuestionLog) -> (u64, u64, u64) {
        (report.added, report.updated, report.known)
    }

    #[test]
    fn a_row_that_is_answered_later_is_appended_once_more() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("question-log.jsonl");
        let (open, answered) = (row(1, 3, 0, 0), row(1, 3, 0, 1));
        assert_eq!(figures(&append(&path, std::slice::from_ref(&open)).unwrap()), (1, 0, 0));
        assert_eq!(figures(&append(&path, &[open]).unwrap()), (0, 0, 1));
        assert_eq!(figures(&append(&path, std::slice::from_ref(&answered)).unwrap()), (0, 1, 0));
        assert_eq!(figures(&append(&path, &[answered]).unwrap()), (0, 0, 1));
        let text = fs_err::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().last().unwrap().contains("\"user_choice\":\"because\""), "{text}");
        assert!(text.contains("\"question_summary\":\"Why not?\""), "{text}");
        assert!(text.contains("\"codex_session_id\":\"1\""), "{text}");
    }

    #[test]
    fn a_line_has_what_its_id_was_made_of() {
        let mut entry = row(1, 3, 0, 1);
        entry.decision.question = format!("{}\nWhy  not?", "x".repeat(300));
        let option = |label: &str| backstory_model::DecisionOption {
            label: label.into(),
            ..Default::default()
        };
        entry.decision.options = vec![option("a\tb"), option("a")];
        let logged = line(&entry);
        assert_eq!(
            (logged.skill.as_str(), &logged.question),
            ("unknown", &entry.decision.question)
        );
        assert_eq!(logged.options, ["a\tb", "a"]);
        entry.decision.skill = "ship".into();
        assert_eq!(line(&entry).skill, "ship");
    }

    #[test]
    fn lines_of_others_and_torn_ones_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("question-log.jsonl");
        let reordered = "{\"part\":0,\"user_choice\":\"because\",\"free_text\":\"because\",\
            \"seq\":3,\"state\":\"answered\",\"session_uid\":\"codex:1\"}";
        let before =
            format!("{{\"skill\":\"ship\"}}\nnonsense\n{reordered}\n{{\"session_uid\":\"co");
        fs_err::write(&path, &before).unwrap();
        let report = append(&path, &[row(1, 3, 0, 1), row(1, 4, 0, 1)]).unwrap();
        assert_eq!(figures(&report), (1, 0, 1));
        let text = fs_err::read_to_string(&path).unwrap();
        assert_eq!(text.strip_prefix(&before).unwrap().lines().count(), 2, "{text}");
        assert!(text.ends_with("}\n"));
    }

    proptest! {
        #[test]
        fn exporting_twice_adds_nothing(
            rows in prop::collection::vec((0..3_u8, 0..3_u32, 0..2_u16, 0..4_u8), 0..20),
            cut in 0..400_usize,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("question-log.jsonl");
            let mut rows: Vec<LedgerEntry> =
                rows.iter().map(|(session, seq, part, state)| row(*session, *seq, *part, *state)).collect();
            // A ledger has each row once.
            rows.sort_by_key(|entry| (entry.address(), entry.decision.part));
            rows.dedup_by_key(|entry| (entry.address(), entry.decision.part));
            let first = append(&path, &rows).unwrap();
            prop_assert_eq!(first.added, rows.len() as u64);
            let whole = fs_err::read_to_string(&path).unwrap();
            prop_assert_eq!(append(&path, &rows).unwrap().known, rows.len() as u64);
            prop_assert_eq!(&fs_err::read_to_string(&path).unwrap(), &whole);
            // Cut off anywhere, it is completed.
            fs_err::write(&path, &whole[..cut.min(whole.len())]).unwrap();
            append(&path, &rows).unwrap();
            let mended = fs_err::read(&path).unwrap();
            prop_assert_eq!(known(&mended), known(whole.as_bytes()));
            prop_assert_eq!(append(&path, &rows).unwrap().known, rows.len() as u64);
        }
    }
}
