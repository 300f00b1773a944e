//! What the agents are told to run: our hooks and our MCP server, and how ours are told from others'.

use super::version::Version;
use backstory_model::Flavor;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Seconds for a hook that may hand something back.
const RECALL: u32 = 10;
/// Seconds for a hook that only notes something down.
const CAPTURE: u32 = 5;
/// Codex gives no more to hooks that run while it ends, and agents are waited for by people.
const AT_THE_END: u32 = 3;

/// A hook an agent has, and how long it may take.
type Event = (&'static str, u32);

const CLAUDE: &[Event] = &[
    ("SessionStart", RECALL),
    ("UserPromptSubmit", RECALL),
    ("PostToolUse", RECALL),
    ("PostToolUseFailure", RECALL),
    ("PreCompact", CAPTURE),
    ("PostCompact", CAPTURE),
    ("Stop", CAPTURE),
    ("SubagentStart", RECALL),
    ("SubagentStop", CAPTURE),
    ("SessionEnd", AT_THE_END),
];
const CODEX: &[Event] = &[
    ("SessionStart", RECALL),
    ("UserPromptSubmit", RECALL),
    ("PostToolUse", RECALL),
    ("PreCompact", CAPTURE),
    ("PostCompact", CAPTURE),
    ("Stop", CAPTURE),
    ("SubagentStart", RECALL),
    ("SubagentStop", CAPTURE),
    ("SessionEnd", AT_THE_END),
    ("Interrupt", AT_THE_END),
];
const GROK: &[Event] = &[
    ("SessionStart", CAPTURE),
    ("UserPromptSubmit", CAPTURE),
    ("PostToolUse", RECALL),
    ("PreCompact", CAPTURE),
    ("PostCompact", CAPTURE),
    ("Stop", CAPTURE),
    ("SubagentStart", CAPTURE),
    ("SubagentStop", CAPTURE),
    ("SessionEnd", AT_THE_END),
];

/// Events Claude Code has not always had. One it does not know makes it ignore all of the file.
const SINCE: [(&str, Version); 3] = [
    ("SubagentStart", Version(2, 0, 43)),
    ("PostToolUseFailure", Version(2, 0, 56)),
    ("PostCompact", Version(2, 1, 76)),
];

/// The hooks of an agent.
const fn events(flavor: Flavor) -> &'static [Event] {
    match flavor {
        Flavor::Claude => CLAUDE,
        Flavor::Codex => CODEX,
        Flavor::Grok => GROK,
        Flavor::Pushed => &[],
    }
}

/// Seconds an agent gives to a hook of ours. One we do not register was registered by somebody who wants
/// something handed over.
pub(crate) fn seconds_granted(agent: Option<Flavor>, event: &str) -> u32 {
    let known = agent.map_or(&[][..], events).iter().find(|(known, _)| *known == event);
    known.map_or(RECALL, |(_, seconds)| *seconds)
}

/// One hook to be registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hook {
    pub(super) event: &'static str,
    pub(super) command: String,
    /// Seconds.
    pub(super) timeout: u32,
}

/// The MCP server to be registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    /// Agents hand few of their own variables on.
    pub(super) env: BTreeMap<String, String>,
}

/// This program, as agents are to run it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Where it lies.
    pub(super) path: String,
    /// Where the archive lies, if that is not where it lies by default.
    pub(super) home: Option<String>,
    /// Variables it must see when an agent hands on none of its own.
    pub(super) variables: BTreeMap<String, String>,
    /// The Claude Code it is installed for, if that is known.
    pub(super) claude: Option<Version>,
}

impl Program {
    /// The hooks of an agent.
    pub(super) fn hooks(&self, flavor: Flavor) -> Vec<Hook> {
        let hook = |(event, timeout): &Event| {
            let mut command = format!("{} hook {flavor} {event}", quoted(&self.path));
            if let Some(home) = &self.home {
                command.push_str(" --home ");
                command.push_str(&quoted(home));
            }
            Hook { event, command, timeout: *timeout }
        };
        let lacking = self.lacking(flavor);
        events(flavor).iter().filter(|(event, _)| !lacking.contains(event)).map(hook).collect()
    }

    /// Events the agent is too old for.
    pub(super) fn lacking(&self, flavor: Flavor) -> Vec<&'static str> {
        let Some(version) = self.claude.filter(|_| flavor == Flavor::Claude) else {
            return Vec::new();
        };
        let later = SINCE.iter().filter(|(_, since)| version < *since);
        later.map(|(event, _)| *event).collect()
    }

    /// The events an agent of whatever version has hooks for.
    pub(super) fn events(flavor: Flavor) -> impl Iterator<Item = &'static str> {
        let is_young = move |event: &str| {
            flavor == Flavor::Claude && SINCE.iter().any(|(young, _)| *young == event)
        };
        events(flavor).iter().map(|(event, _)| *event).filter(move |event| !is_young(event))
    }

    /// The MCP server.
    pub(super) fn server(&self) -> Server {
        let mut env = self.variables.clone();
        if let Some(home) = &self.home {
            env.insert(crate::env::BACKSTORY_HOME.to_owned(), home.clone());
        }
        Server { command: self.path.clone(), args: vec!["mcp".into()], env }
    }
}

/// A command of ours that is registered as a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Registered {
    /// As it stands there.
    pub(super) command: String,
    /// The program it runs.
    pub(super) program: PathBuf,
}

impl Registered {
    /// Understands a command, if it is one of ours, of whatever version, wherever it lies.
    pub(super) fn read(command: &str) -> Option<Self> {
        let (program, rest) = first_word(command.trim_start())?;
        let mut words = rest.split_whitespace();
        let is_hook = words.next() == Some("hook") && words.next().is_some();
        let program = PathBuf::from(program);
        (is_hook && is_ours(&program)).then(|| Self { command: command.to_owned(), program })
    }
}

/// True for a program with our name.
pub(super) fn is_ours(program: &Path) -> bool {
    // On Windows paths are written with either slash; elsewhere a backslash is a letter like others.
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    matches!(name.rsplit('\\').next(), Some("backstory" | "backstory.exe"))
}

/// A word no shell looks into.
#[cfg(not(windows))]
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(windows)]
fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}

/// The first word of a command as a shell takes it, and the rest.
fn first_word(command: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut letters = command.char_indices();
    let mut quote = None;
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (None, blank) if blank.is_whitespace() => return Some((word, &command[at..])),
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), letter) if letter == open => quote = None,
            (None, '\\') => word.push(letters.next()?.1),
            (_, letter) => word.push(letter),
        }
    }
    (quote.is_none() && !word.is_empty()).then_some((word, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &str, home: Option<&str>) -> Program {
        let home = home.map(Into::into);
        Program { path: path.into(), home, variables: BTreeMap::new(), claude: None }
    }

    #[cfg(not(windows))]
    #[test]
    fn a_command_is_recognised_wherever_the_program_lies() {
        for path in ["/usr/bin/backstory", "/my tools/it's/backstory", "/a\"b\\/$x/backstory"] {
            for hook in program(path, Some("/some where/else")).hooks(Flavor::Claude) {
                let registered = Registered::read(&hook.command).unwrap();
                assert_eq!(registered.program, Path::new(path));
                assert_eq!(registered.command, hook.command);
            }
        }
        for ours in [
            "backstory hook codex Stop",
            "\"/opt/backstory\" hook grok Stop --home x",
            r#""C:\Program Files\backstory.exe" hook claude Stop"#,
        ] {
            assert!(Registered::read(ours).is_some(), "{ours}");
        }
        for others in [
            "",
            "backstory",
            "backstory hook",
            "backstory sync",
            "notbackstory hook claude Stop",
            "/usr/bin/env backstory-like hook claude Stop",
            "'unfinished hook claude Stop",
            "echo backstory hook claude Stop",
        ] {
            assert_eq!(Registered::read(others), None, "{others}");
        }
    }

    #[test]
    fn every_agent_is_given_the_events_it_has() {
        let names = |flavor| {
            let hooks = program("/b", None).hooks(flavor);
            hooks.iter().map(|hook| hook.event).collect::<Vec<_>>()
        };
        assert!(names(Flavor::Claude).contains(&"PostToolUseFailure"));
        for flavor in [Flavor::Codex, Flavor::Grok] {
            assert!(!names(flavor).contains(&"PostToolUseFailure"), "{flavor} has no such event");
        }
        assert!(names(Flavor::Codex).contains(&"Interrupt"));
        for flavor in Flavor::LOGGED {
            let hooks = program("/b", None).hooks(flavor);
            let slow =
                hooks.iter().filter(|hook| ["SessionEnd", "Interrupt"].contains(&hook.event));
            assert!(slow.map(|hook| hook.timeout).all(|seconds| seconds <= 3), "{flavor}");
        }
    }

    #[test]
    fn an_older_claude_code_is_spared_what_it_does_not_know() {
        let mut program = program("/b", None);
        for (version, lacking) in [
            (Version(2, 0, 42), &["SubagentStart", "PostToolUseFailure", "PostCompact"][..]),
            (Version(2, 1, 63), &["PostCompact"]),
            (Version(2, 1, 76), &[]),
        ] {
            program.claude = Some(version);
            assert_eq!(program.lacking(Flavor::Claude), lacking);
            let hooks = program.hooks(Flavor::Claude);
            assert_eq!(hooks.len(), CLAUDE.len() - lacking.len());
            assert!(Program::events(Flavor::Claude).all(|e| hooks.iter().any(|h| h.event == e)));
            assert_eq!(program.hooks(Flavor::Codex).len(), CODEX.len());
        }
    }

    #[test]
    fn the_server_sees_the_home_that_hooks_are_told() {
        let program = program("/b/backstory", Some("/h"));
        assert_eq!(program.server().env["BACKSTORY_HOME"], "/h");
        assert!(program.hooks(Flavor::Grok)[0].command.contains("--home"));
    }
}
