//! A tool call as the judgement needs it: what ran, on what, and what would be the same again.

use crate::clip;
use crate::shell::{self, Rank};
use backstory_model::{EventKind, SessionEvent};
use memchr::memmem;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_64;

/// The longest command line kept.
const SHOWN_MAX: usize = 120;
const TOOL_MAX: usize = 40;

/// One call; kept until its result is seen, so it is small and can be saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Hash of the call id.
    pub id: u64,
    /// The event of the call.
    pub seq: u32,
    /// When it began, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ts: Option<i64>,
    /// The tool.
    pub tool: String,
    /// The telling command of a shell line; the file for others.
    pub shown: String,
    /// Program and subcommand; empty if this is no shell call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub family: String,
    /// Hash of what it acts on.
    pub args: u64,
    /// Acts on everything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broad: bool,
    /// Its exit code may be another command's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// How much it matters, see [`Call::rank`].
    #[serde(default)]
    pub rank: u8,
    /// Changes files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edit: bool,
    /// The files it changes: path, lines added, lines removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, u32, u32)>,
    /// The edit in a few words, or the subject of the commit it makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Call {
    /// Reads the call of an event, if it is one.
    pub(crate) fn read(event: &SessionEvent, text: &str) -> Option<(Self, Option<String>)> {
        if !event.kind.is_call() {
            return None;
        }
        let tool = event.tool.as_deref().unwrap_or_default();
        let command = command_of(tool, text);
        let mut call = Self {
            id: event.call_id.as_deref().map_or(0, |id| xxh3_64(id.as_bytes())),
            seq: event.seq,
            ts: event.ts.map(|ts| ts.0),
            tool: clip::line(tool, TOOL_MAX),
            edit: event.kind == EventKind::Edit || is_edit_tool(tool),
            ..Self::default()
        };
        if let Some(command) = &command {
            let line = shell::read(command);
            call.shown = clip::line(&line.shown, SHOWN_MAX);
            call.family = clip::line(&line.family, 60);
            call.args = line.args;
            call.broad = line.broad;
            call.masked = line.masked;
            call.rank = line.rank as u8;
            if event.kind == EventKind::TestRun {
                call.rank = Rank::Test as u8;
            }
            call.note = commit_subject(command);
            call.edit = call.edit && memmem::find(command.as_bytes(), b"*** Begin Patch").is_some();
        } else {
            let file = event.files.first().map_or("", String::as_str);
            call.shown = clip::path(file, SHOWN_MAX);
            call.args = xxh3_64(file.as_bytes());
        }
        Some((call, command.map(Cow::into_owned)))
    }

    /// True for a shell call.
    pub(crate) fn is_shell(&self) -> bool {
        !self.family.is_empty()
    }

    /// True if it runs tests.
    pub(crate) fn is_test(&self) -> bool {
        self.rank == Rank::Test as u8
    }

    /// True if its success or failure says something: not just a look around.
    pub(crate) fn is_telling(&self) -> bool {
        self.rank >= Rank::Act as u8
    }

    /// True if it changes what later commands find.
    pub(crate) fn is_change(&self) -> bool {
        self.edit || self.rank == Rank::Change as u8
    }

    /// True if this call checks at least what another, known by its parts, checked.
    pub(crate) fn covers(&self, family: &str, args: u64) -> bool {
        self.family == family && (self.args == args || self.broad)
    }

    /// Subject of the commit it makes, empty if the line does not tell.
    pub(crate) fn commit(&self) -> Option<&str> {
        self.note.as_deref().filter(|_| self.is_shell() && !self.edit)
    }

    /// What was called, in a few words.
    pub(crate) fn name(&self) -> String {
        match (self.is_shell(), self.shown.is_empty()) {
            (true, _) => self.shown.clone(),
            (false, true) => self.tool.clone(),
            (false, false) => format!("{} {}", self.tool, base(&self.shown)),
        }
    }
}

/// The last component of a path.
pub(crate) fn base(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

fn is_edit_tool(tool: &str) -> bool {
    matches!(
        tool,
        "Edit"
            | "Write"
            | "MultiEdit"
            | "NotebookEdit"
            | "apply_patch"
            | "search_replace"
            | "write"
            | "write_file"
            | "edit_file"
            | "create_file"
            | "str_replace_editor"
    )
}

#[derive(Deserialize)]
struct ShellInput<'a> {
    #[serde(borrow, default, alias = "cmd", alias = "script")]
    command: Option<CommandText<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CommandText<'a> {
    Line(#[serde(borrow)] Cow<'a, str>),
    Words(#[serde(borrow)] Vec<Cow<'a, str>>),
}

/// The shell line of a call, if the tool is a shell.
fn command_of<'a>(tool: &str, input: &'a str) -> Option<Cow<'a, str>> {
    let shell = matches!(
        tool,
        "Bash"
            | "bash"
            | "shell"
            | "exec_command"
            | "local_shell"
            | "local_shell_call"
            | "container.exec"
            | "shell_command"
            | "run_terminal_command"
            | "run_terminal_cmd"
            | "terminal"
            | "execute_command"
            | "unified_exec"
            | "PowerShell"
    );
    if tool == "exec" {
        return scripted_command(input).map(Cow::Owned);
    }
    if !shell {
        return None;
    }
    if !input.trim_start().starts_with('{') {
        return Some(Cow::Borrowed(input));
    }
    let parsed: ShellInput<'a> = serde_json::from_str(input).ok()?;
    Some(match parsed.command? {
        CommandText::Line(line) => line,
        CommandText::Words(words) => match words.as_slice() {
            [shell, flag, line]
                if matches!(base(shell), "bash" | "sh" | "zsh") && flag.starts_with('-') =>
            {
                Cow::Owned(line.to_string())
            }
            _ => Cow::Owned(words.join(" ")),
        },
    })
}

/// The first command a script hands to `exec_command`.
fn scripted_command(script: &str) -> Option<String> {
    let script = clip::head(script, clip::LOOK_BYTES);
    let at = memmem::find(script.as_bytes(), b"exec_command(")?;
    let rest = &script[at..];
    let at = rest.find("cmd")?;
    let rest = rest[at + 3..].trim_start_matches(['"', ' ', ':', '\n']);
    let start = &script[script.len() - rest.len() - 1..];
    let mut read = serde_json::Deserializer::from_str(start).into_iter::<String>();
    read.next()?.ok()
}

/// Subject of the commit a shell line makes, as far as the line tells.
fn commit_subject(command: &str) -> Option<String> {
    // Asked of every shell line: most of them never get to be cut.
    memmem::find(command.as_bytes(), b" commit")?;
    let segments = shell::segments(clip::head(command, 8 * 1024));
    let rest = segments.iter().find(|segment| segment.family().0 == "git commit")?.text;
    let message = [" -m ", " -am ", " --message ", " --message=", " -qm ", " -qam "]
        .iter()
        .filter_map(|flag| rest.find(flag).map(|found| found + flag.len()))
        .min()
        .map(|found| &rest[found..]);
    let Some(message) = message else { return Some(String::new()) };
    let message = message.trim_start();
    let inner = match message.strip_prefix("\"$(cat <<") {
        Some(heredoc) => heredoc.split_once('\n').map_or("", |(_, body)| body),
        None => message,
    };
    let quote = inner.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let inner = quote.map_or(inner, |quote| inner.trim_start_matches(quote));
    let line = inner.trim_start().lines().next().unwrap_or_default();
    let line = quote.map_or(line, |quote| line.split(quote).next().unwrap_or_default());
    Some(clip::line(line, 90))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_lines_are_found_in_every_dialect() {
        let cases = [
            ("Bash", r#"{"command":"ls -l","description":"x"}"#, "ls -l"),
            ("shell", r#"{"command":["bash","-lc","go test"],"workdir":"/x"}"#, "go test"),
            ("shell", r#"{"command":["ls","-l"]}"#, "ls -l"),
            ("exec_command", r#"{"cmd":"ls\n","yield_time_ms":1}"#, "ls\n"),
            ("exec", r#"const r = await tools.exec_command({"cmd":"a \"b\"","w":1});"#, "a \"b\""),
            ("exec", r#"await tools.exec_command({cmd: "a b", w: 1});"#, "a b"),
        ];
        for (tool, input, command) in cases {
            assert_eq!(command_of(tool, input).as_deref(), Some(command), "{input}");
        }
        assert_eq!(command_of("Read", "{}"), None);
        assert_eq!(command_of("Bash", "{broken"), None);
    }

    #[test]
    fn commit_subjects_are_read_from_the_line() {
        let subject = |line| commit_subject(line);
        assert_eq!(subject("git add . && git commit -m 'Fix it'").as_deref(), Some("Fix it"));
        assert_eq!(subject("git -C x commit -am \"A b\" -m c").as_deref(), Some("A b"));
        let heredoc = "git commit -m \"$(cat <<'EOF'\nAdd a thing\n\nBody\nEOF\n)\"";
        assert_eq!(subject(heredoc).as_deref(), Some("Add a thing"));
        assert_eq!(subject("git commit --amend --no-edit").as_deref(), Some(""));
        assert_eq!(subject("git log --grep 'git commit'"), None);
    }
}
