//! What the agents are told to run: our hooks and our MCP server, and how ours are told from others'.

use super::version::Version;
use crate::dashes;
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

impl Server {
    /// What an earlier installation may have said and this one does not: it must not outlive that. Any
    /// other variable is the user's.
    pub(super) fn unsaid(&self) -> impl Iterator<Item = &'static str> {
        let named = [crate::env::BACKSTORY_HOME, crate::env::BACKSTORY_STATE_DIR];
        let ours = named.into_iter().chain(super::PASSED_ON);
        ours.filter(|name| !self.env.contains_key(*name))
    }
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
    /// True if more is done than that (`… && echo done`): that is somebody else's, so we neither change
    /// nor remove the command.
    pub(super) does_more: bool,
}

impl Registered {
    /// Understands a command, if it is one of ours, of whatever version, wherever it lies.
    pub(super) fn read(command: &str) -> Option<Self> {
        let (words, does_more) = words(command);
        let program = PathBuf::from(words.first()?);
        let at = dashes::command_at(&words)?;
        let is_hook = words[at] == "hook" && words.len() > at + 1;
        let command = command.to_owned();
        (is_hook && is_ours(&program)).then_some(Self { command, program, does_more })
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

/// The words of a command as a shell takes them, up to whatever is not a word of it; true if there is
/// such a thing: another command, a redirection, a remark.
fn words(command: &str) -> (Vec<String>, bool) {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.trim().chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, ';' | '&' | '|' | '<' | '>' | '(' | ')' | '\n') => {
                words.extend(word);
                return (words, true);
            }
            (None, '#') if word.is_none() => return (words, true),
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), letter) if letter == open => quote = None,
            (None, '\\') => word.get_or_insert_default().extend(letters.next()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    (words, false)
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
            "backstory --home /x hook claude Stop",
            "  backstory --home='/some where' -q --color never hook claude Stop",
            "backstory hook claude Stop --home '/a; b && c > d # e'",
        ] {
            let registered = Registered::read(ours).unwrap_or_else(|| panic!("{ours}"));
            assert!(!registered.does_more, "{ours}");
        }
        for tail in ["&& echo hi", "; true", "| tee log", "2>/dev/null", "&", "# mine", "\ntrue"] {
            let command = format!("'/my tools/backstory' hook claude Stop {tail}");
            let registered = Registered::read(&command).unwrap_or_else(|| panic!("{command}"));
            assert_eq!(registered.program, Path::new("/my tools/backstory"));
            assert!(registered.does_more, "{command}");
        }
        for others in [
            "",
            "backstory",
            "backstory hook",
            "backstory sync",
            "backstory --home hook claude Stop",
            "backstory hook && claude Stop",
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
