//! Every tool: what a model reads about it, its arguments, and what carries it out.

mod finding;
mod handing;
mod knowing;
mod reading;
mod upkeep;
mod writing;

use super::answer::Answer;
use super::args::{Arg, Args};
use super::desk::Desk;

/// A tool.
#[derive(Clone, Copy)]
pub(super) struct Spec {
    pub(super) name: &'static str,
    /// When to use it, what it answers, an example.
    pub(super) about: &'static str,
    pub(super) args: &'static [Arg],
    pub(super) effect: Effect,
    pub(super) run: fn(&Desk, &Args) -> Answer,
}

/// What a tool does to what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    Reads,
    /// It adds something.
    Adds,
    /// It may replace or remove something.
    Changes,
}

/// Every tool, in the order they are listed. The last ones are other names of former ones, which plugins
/// and their prompts use.
pub(super) fn all() -> impl Iterator<Item = &'static Spec> {
    const ALL: [&[Spec]; 6] = [
        finding::TOOLS,
        reading::TOOLS,
        knowing::TOOLS,
        writing::TOOLS,
        handing::TOOLS,
        upkeep::TOOLS,
    ];
    ALL.into_iter().flatten()
}

/// The tool with this name.
pub(super) fn named(name: &str) -> Option<&'static Spec> {
    all().find(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::args::schema;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_tool_is_told_to_a_model_once_and_flatly() {
        let mut names = HashSet::new();
        for spec in all() {
            assert!(names.insert(spec.name), "{} is there twice", spec.name);
            assert!(spec.about.len() > 60, "{} says too little", spec.name);
            let text = serde_json::to_string(&schema(spec.args)).unwrap();
            for word in ["anyOf", "oneOf", "$ref", "null"] {
                assert!(!text.contains(word), "{}: {text}", spec.name);
            }
            for arg in spec.args {
                assert!(arg.about.len() > 10, "{} {}", spec.name, arg.name);
            }
        }
        for name in [
            "search",
            "recall",
            "read",
            "list",
            "tree",
            "grep",
            "glob",
            "sessions",
            "session",
            "errors",
            "decisions",
            "patterns",
            "remember",
            "forget",
            "commit_pending",
            "health",
            "find",
            "memory_recall",
            "write",
            "edit",
            "add_resource",
            "list_watches",
            "cancel_watch",
            "openviking_commit_pending",
        ] {
            assert!(names.contains(name), "{name} is missing");
        }
    }
}
