//! Sessions for tests, written as short stories.

use crate::{Distilled, Distiller, Moment};
use backstory_model::{
    Cost, EventKind, Flavor, Lineage, Outcome, Role, Session, SessionEvent, SessionUid, Signal,
    SignalKind, Timestamp, Watermarks,
};

/// A session being told.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub events: Vec<(SessionEvent, String)>,
    pub session: Session,
    now: i64,
    call: usize,
}

impl Script {
    pub(crate) fn new() -> Self {
        Self { events: Vec::new(), session: session(), now: 1_000_000, call: 0 }
    }

    fn push(
        &mut self,
        kind: EventKind,
        role: Role,
        tool: Option<&str>,
        text: &str,
    ) -> &mut SessionEvent {
        self.now += 1000;
        let event = SessionEvent {
            session_uid: self.session.session_uid.clone(),
            seq: self.events.len() as u32,
            parent_seq: None,
            native_id: None,
            ts: Some(Timestamp(self.now)),
            kind,
            role,
            tool: tool.map(str::to_owned),
            call_id: None,
            summary: String::new(),
            payload_ref: None,
            tokens: 0,
            is_sidechain: false,
            exit_code: None,
            duration_ms: None,
            files: Vec::new(),
        };
        self.events.push((event, text.to_owned()));
        let last = self.events.len() - 1;
        &mut self.events[last].0
    }

    pub(crate) fn user(&mut self, text: &str) -> &mut Self {
        self.push(EventKind::UserMsg, Role::User, None, text);
        self
    }

    pub(crate) fn says(&mut self, text: &str) -> &mut Self {
        self.push(EventKind::AssistantMsg, Role::Assistant, None, text);
        self
    }

    pub(crate) fn interjects(&mut self, text: &str) -> &mut Self {
        self.push(EventKind::HumanIntervention, Role::User, Some("queued_command"), text);
        self
    }

    pub(crate) fn interrupt(&mut self) -> &mut Self {
        self.interjects("[Request interrupted by user]")
    }

    pub(crate) fn compaction(&mut self) -> &mut Self {
        self.push(EventKind::Compaction, Role::System, None, "compacted");
        self
    }

    pub(crate) fn completion(&mut self) -> &mut Self {
        self.push(EventKind::Completion, Role::System, None, "");
        self
    }

    pub(crate) fn api_error(&mut self, text: &str) -> &mut Self {
        self.push(EventKind::Error, Role::Assistant, None, text);
        self
    }

    pub(crate) fn asks(&mut self, text: &str) -> &mut Self {
        self.push(EventKind::Decision, Role::Assistant, Some("AskUserQuestion"), text);
        self
    }

    pub(crate) fn bash(&mut self, command: &str) -> &mut Self {
        let input = serde_json::json!({ "command": command }).to_string();
        self.calls(EventKind::ToolCall, "Bash", &input)
    }

    pub(crate) fn edit(&mut self, path: &str, old: &str, new: &str) -> &mut Self {
        let input = serde_json::json!({"file_path": path, "old_string": old, "new_string": new});
        self.calls(EventKind::Edit, "Edit", &input.to_string());
        let last = self.events.len() - 1;
        self.events[last].0.files = vec![path.to_owned()];
        self
    }

    pub(crate) fn calls(&mut self, kind: EventKind, tool: &str, input: &str) -> &mut Self {
        self.call = self.events.len();
        let id = format!("call-{}", self.call);
        self.push(kind, Role::Assistant, Some(tool), input).call_id = Some(id);
        self
    }

    fn result(&mut self, kind: EventKind, code: Option<i32>, text: &str) -> &mut Self {
        let (tool, id) = {
            let call = &self.events[self.call].0;
            (call.tool.clone(), call.call_id.clone())
        };
        let event = self.push(kind, Role::Tool, tool.as_deref(), text);
        event.call_id = id;
        event.exit_code = code;
        self
    }

    pub(crate) fn works(&mut self, output: &str) -> &mut Self {
        self.result(EventKind::ToolResult, Some(0), output)
    }

    pub(crate) fn fails(&mut self, code: i32, output: &str) -> &mut Self {
        self.result(EventKind::Error, Some(code), output)
    }

    pub(crate) fn denied(&mut self) -> &mut Self {
        self.result(EventKind::HumanIntervention, None, "The user doesn't want to proceed.")
    }

    /// Whose session it is.
    pub(crate) fn agent(&mut self, flavor: &str) -> &mut Self {
        self.session.session_uid = SessionUid::from_stored(format!("{flavor}:test"));
        self
    }

    /// What came back from the last call, whatever it is.
    pub(crate) fn answers(&mut self, kind: EventKind, role: Role, text: &str) -> &mut Self {
        if self.events.is_empty() {
            return self;
        }
        self.result(kind, None, text);
        let last = self.events.len() - 1;
        self.events[last].0.role = role;
        self
    }

    /// Bookkeeping of the harness.
    pub(crate) fn note(&mut self, name: &str, text: &str) -> &mut Self {
        self.push(EventKind::Lifecycle, Role::System, Some(name), text);
        self
    }

    /// Bookkeeping about the last call.
    pub(crate) fn note_of_call(&mut self, name: &str, text: &str) -> &mut Self {
        let id = self.events[self.call].0.call_id.clone();
        self.push(EventKind::Lifecycle, Role::System, Some(name), text).call_id = id;
        self
    }

    /// How long the last thing took.
    pub(crate) fn waited(&mut self, ms: u64) -> &mut Self {
        let last = self.events.len() - 1;
        self.events[last].0.duration_ms = Some(ms);
        self
    }

    pub(crate) fn wait_ms(&mut self, ms: i64) -> &mut Self {
        self.now += ms;
        self
    }

    /// One pass over everything.
    pub(crate) fn distill(&self) -> Distilled {
        self.distill_split(&[])
    }

    /// Saved and resumed before each of these places.
    pub(crate) fn distill_split(&self, splits: &[usize]) -> Distilled {
        let mut distiller = Distiller::new();
        for (at, (event, text)) in self.events.iter().enumerate() {
            if splits.contains(&at) {
                distiller = Distiller::resume(distiller.finish(&self.session)).unwrap();
            }
            distiller.event(Moment { event, text });
        }
        distiller.finish(&self.session)
    }

    pub(crate) fn signals(&self, kind: SignalKind) -> Vec<Signal> {
        self.distill().signals.into_iter().filter(|signal| signal.kind == kind).collect()
    }
}

pub(crate) fn session() -> Session {
    Session {
        session_uid: SessionUid::from_stored("claude:test".to_owned()),
        flavor: Flavor::Claude,
        native_session_id: "test".into(),
        lineage: Lineage::default(),
        repo: None,
        project_key: None,
        domain: None,
        cwd: Some("/p".into()),
        git_branch: None,
        model: None,
        models: Vec::new(),
        cli_version: None,
        title: None,
        started_at: None,
        ended_at: None,
        outcome: Outcome::Unknown,
        outcome_reason: None,
        cost: Cost::default(),
        cost_in_parent: false,
        task_ref: None,
        source_path: String::new(),
        source_bytes: 0,
        events: 0,
        schema_version: 1,
        watermarks: Watermarks::default(),
    }
}
