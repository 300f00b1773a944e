//! Tool calls as Claude Code records them: the input, the text the model sees, and the structured
//! result beside it.

use super::session::Transcript;
use crate::corpus::json::{Json, Raw, Texts, object};
use crate::corpus::work::{Step, diff_lines};

/// A call and its outcome.
#[derive(Debug)]
pub(crate) struct Call {
    /// Joins call and result.
    pub(crate) id: String,
    /// The tool.
    pub(crate) name: &'static str,
    /// Its input, JSON.
    pub(crate) input: String,
    /// What the model sees.
    pub(crate) result: String,
    /// `toolUseResult`, JSON.
    pub(crate) sidecar: String,
    /// Whether it failed.
    pub(crate) error: bool,
    /// The sub-agent it started and the task given to it.
    pub(crate) agent: Option<(String, String)>,
}

impl Transcript<'_, '_> {
    /// The next tool call.
    pub(crate) fn call(&mut self) -> Call {
        let file = self.path.clone();
        if self.bed.writer.rng.below(60) == 0 {
            return self.rejected();
        }
        let id = self.call_id();
        match self.bed.step(&file) {
            Step::Run { command, output, exit_code } => {
                bash(id, &command, output, exit_code, self.bed.writer.rng.percent(60))
            }
            Step::Read { path, content: Some(content) } => read(id, &path, &content),
            Step::Read { path, content: None } => {
                let result = format!("File does not exist. {path}");
                let input = object(|json| {
                    json.put("file_path", &path);
                });
                failed(id, "Read", input, result)
            }
            Step::Edit { path, old, new, original } => edit(id, &path, &old, &new, &original),
            Step::Write { path, content } => write(id, &path, &content),
            Step::Search { pattern, output } => grep(id, &pattern, output),
        }
    }

    /// An id as the API gives them.
    pub(crate) fn call_id(&mut self) -> String {
        format!("toolu_01{}", self.bed.writer.rng.alnum(22))
    }

    fn rejected(&mut self) -> Call {
        let id = self.call_id();
        let command = self.bed.writer.command();
        let input = object(|json| {
            json.put("command", &command).put("description", "Run it");
        });
        let result = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";
        failed(id, "Bash", input, result.to_owned())
    }
}

fn failed(id: String, name: &'static str, input: String, result: String) -> Call {
    let mut sidecar = String::new();
    crate::corpus::json::Value::write(&format!("Error: {result}").as_str(), &mut sidecar);
    Call { id, name, input, result, sidecar, error: true, agent: None }
}

fn bash(id: String, command: &str, output: String, exit_code: u64, described: bool) -> Call {
    let input = object(|json| {
        json.put("command", command);
        if described {
            json.put("description", "Run the command and look at its output");
        }
    });
    if exit_code > 0 {
        return failed(id, "Bash", input, format!("Exit code {exit_code}\n{output}"));
    }
    let sidecar = object(|json| {
        json.put("stdout", &output).put("stderr", "").put("interrupted", false);
        json.put("isImage", false);
    });
    Call { id, name: "Bash", input, result: output, sidecar, error: false, agent: None }
}

fn read(id: String, path: &str, content: &str) -> Call {
    use std::fmt::Write as _;
    let mut numbered = String::with_capacity(content.len() * 5 / 4);
    let mut lines = 0_u64;
    for line in content.lines() {
        lines += 1;
        // Writing to a String cannot fail.
        let _ = writeln!(numbered, "{lines:>6}→{line}");
    }
    let input = object(|json| {
        json.put("file_path", path);
    });
    let sidecar = object(|json| {
        json.put("type", "text").open_in("file").put("filePath", path).put("content", content);
        json.put("numLines", lines).put("startLine", 1_u64).put("totalLines", lines).close();
    });
    Call { id, name: "Read", input, result: numbered, sidecar, error: false, agent: None }
}

fn patch(json: &mut Json, old: &str, new: &str) {
    let lines = diff_lines(old, new);
    json.list_in("structuredPatch").open().put("oldStart", 12_u64);
    json.put("oldLines", old.lines().count() as u64).put("newStart", 12_u64);
    json.put("newLines", new.lines().count() as u64).put("lines", Texts(&lines));
    json.close().end_list();
}

fn edit(id: String, path: &str, old: &str, new: &str, original: &str) -> Call {
    let input = object(|json| {
        json.put("file_path", path).put("old_string", old).put("new_string", new);
    });
    let shown: String = new.lines().take(12).flat_map(|line| ["    12→", line, "\n"]).collect();
    let result = format!(
        "The file {path} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n{shown}"
    );
    let sidecar = object(|json| {
        json.put("filePath", path).put("oldString", old).put("newString", new);
        json.put("originalFile", original);
        patch(json, old, new);
        json.put("userModified", false).put("replaceAll", false);
    });
    Call { id, name: "Edit", input, result, sidecar, error: false, agent: None }
}

fn write(id: String, path: &str, content: &str) -> Call {
    let input = object(|json| {
        json.put("file_path", path).put("content", content);
    });
    let sidecar = object(|json| {
        json.put("type", "create").put("filePath", path).put("content", content);
        json.put("structuredPatch", Raw("[]")).put("originalFile", None::<u64>);
    });
    let result = format!("File created successfully at: {path}");
    Call { id, name: "Write", input, result, sidecar, error: false, agent: None }
}

fn grep(id: String, pattern: &str, output: String) -> Call {
    let input = object(|json| {
        json.put("pattern", pattern).put("path", "src").put("output_mode", "content");
    });
    let sidecar = object(|json| {
        json.put("mode", "content").put("numFiles", 0_u64).put("filenames", Raw("[]"));
        json.put("content", &output).put("numLines", output.lines().count() as u64);
    });
    Call { id, name: "Grep", input, result: output, sidecar, error: false, agent: None }
}
