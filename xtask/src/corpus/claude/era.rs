//! Versions of Claude Code and what each of them writes.

use crate::corpus::family::Seedbed;

/// A version, comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) u64, pub(crate) u64, pub(crate) u64);

/// One version of the agent.
#[derive(Clone, Debug)]
pub(crate) struct Era {
    version: Version,
    /// As it stands in the log.
    pub(crate) text: String,
    /// Share of the corpus' span in which it was used, in 1/1000.
    pub(crate) span: (u64, u64),
    /// The model it talks to.
    pub(crate) model: &'static str,
}

impl Era {
    /// The version in use at the seedbed's age.
    pub(crate) fn of(bed: &mut Seedbed<'_>) -> Self {
        let rng = &mut bed.writer.rng;
        let (version, span, models): (_, _, [&str; 2]) = match bed.age {
            0..150 => (
                Version(1, 0, rng.range(24, 57)),
                (0, 150),
                ["claude-opus-4-20250514", "claude-sonnet-4-20250514"],
            ),
            150..400 => {
                let version = match rng.below(3) {
                    0 => Version(1, 0, 128),
                    _ => Version(2, 0, rng.range(14, 77)),
                };
                (version, (150, 400), ["claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805"])
            }
            400..620 => (
                Version(2, 1, rng.range(2, 82)),
                (400, 620),
                ["claude-opus-4-5-20251101", "claude-opus-4-6"],
            ),
            620..780 => (
                Version(2, 1, rng.range(91, 157)),
                (620, 780),
                ["claude-opus-4-6", "claude-sonnet-4-6"],
            ),
            _ => {
                let patch = if rng.percent(30) { rng.range(300, 326) } else { rng.range(157, 230) };
                (Version(2, 1, patch), (780, 1_000), ["claude-opus-5-5", "claude-sonnet-5"])
            }
        };
        let model = rng.pick(&models);
        let text = format!("{}.{}.{}", version.0, version.1, version.2);
        Self { version, text, span, model }
    }

    fn from(&self, major: u64, minor: u64, patch: u64) -> bool {
        self.version >= Version(major, minor, patch)
    }

    fn between(&self, first: u64, last: u64) -> bool {
        self.version >= Version(2, 1, first) && self.version <= Version(2, 1, last)
    }

    /// The envelope stands behind the message.
    pub(crate) fn envelope_last(&self) -> bool {
        self.from(2, 1, 91)
    }
    /// Records name the branch.
    pub(crate) fn git_branch(&self) -> bool {
        self.from(1, 0, 55)
    }
    /// Cache writes are told apart by their life.
    pub(crate) fn cache_split(&self) -> bool {
        self.from(1, 0, 128)
    }
    /// Prompts carry the thinking level.
    pub(crate) fn thinking_metadata(&self) -> bool {
        self.cache_split() && self.version <= Version(2, 1, 45)
    }
    /// Sub-agents have files of their own.
    pub(crate) fn agent_files(&self) -> bool {
        self.from(2, 0, 28)
    }
    /// These files lie beside the main one.
    pub(crate) fn flat_agents(&self) -> bool {
        !self.from(2, 1, 16)
    }
    /// Long sub-agent ids, and a `.meta.json` beside the file.
    pub(crate) fn agent_meta(&self) -> bool {
        self.from(2, 1, 91)
    }
    /// The tool that starts a sub-agent.
    pub(crate) fn agent_tool(&self) -> &'static str {
        if self.from(2, 1, 62) { "Agent" } else { "Task" }
    }
    /// File backups are recorded.
    pub(crate) fn snapshots(&self) -> bool {
        self.from(2, 0, 55)
    }
    /// Progress of tools is recorded.
    pub(crate) fn progress(&self) -> bool {
        self.between(12, 81)
    }
    /// Attachments are recorded.
    pub(crate) fn attachments(&self) -> bool {
        self.from(2, 1, 91)
    }
    /// Titles are `summary` records at the head of the file.
    pub(crate) fn summaries(&self) -> bool {
        self.version <= Version(2, 1, 19)
    }
    /// Titles are `ai-title` records.
    pub(crate) fn ai_titles(&self) -> bool {
        self.from(2, 1, 123)
    }
    /// Titles are given by people, and few sessions have one.
    pub(crate) fn custom_titles(&self) -> bool {
        self.between(78, 119)
    }
    /// Sessions have a readable slug.
    pub(crate) fn slug(&self) -> bool {
        self.from(2, 0, 55) && self.version <= Version(2, 1, 119)
    }
    /// Prompts carry the permission mode.
    pub(crate) fn permission_mode(&self) -> bool {
        self.from(2, 1, 15)
    }
    /// Results name the record of their call.
    pub(crate) fn source_uuid(&self) -> bool {
        self.from(2, 1, 2)
    }
    /// Turns are timed.
    pub(crate) fn turn_duration(&self) -> bool {
        self.from(2, 1, 2)
    }
    /// Stop hooks are summed up.
    pub(crate) fn stop_hooks(&self) -> bool {
        self.from(2, 0, 64)
    }
    /// The last prompt and the permission mode are written again and again.
    pub(crate) fn last_prompt(&self) -> bool {
        self.from(2, 1, 96)
    }
    /// The mode, too.
    pub(crate) fn mode(&self) -> bool {
        self.from(2, 1, 157)
    }
    /// Where a prompt came from.
    pub(crate) fn prompt_source(&self) -> bool {
        self.from(2, 1, 168)
    }
    /// The session id a second time, in snake case.
    pub(crate) fn snake_session_id(&self) -> bool {
        self.from(2, 1, 199)
    }
    /// Requests to the model are recorded.
    pub(crate) fn requests(&self) -> bool {
        self.from(2, 1, 300)
    }
    /// Usage carries server tools.
    pub(crate) fn server_tools(&self) -> bool {
        self.from(2, 0, 76)
    }
    /// Usage carries iterations.
    pub(crate) fn iterations(&self) -> bool {
        self.from(2, 1, 38)
    }
    /// Every record of a response carries the final usage, nearly always.
    pub(crate) fn final_usage(&self) -> bool {
        self.from(2, 1, 91)
    }
    /// Compactions are marked.
    pub(crate) fn compact_boundary(&self) -> bool {
        self.from(2, 0, 14)
    }
    /// The dialect, for the ground truth.
    pub(crate) fn generation(&self) -> &'static str {
        match () {
            () if self.mode() => "claude-e",
            () if self.attachments() => "claude-d",
            () if self.source_uuid() => "claude-c",
            () if self.cache_split() => "claude-b",
            () => "claude-a",
        }
    }
}
