//! Labelled sessions as readable text. `xtask/eval/outcome/README.md` describes the format.

use backstory_model::{Flavor, Outcome};
use serde_json::Value;
use std::fmt;

/// One session and what a human says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Names it in reports.
    pub name: String,
    /// The agent that writes the log.
    pub flavor: Flavor,
    /// The human's verdict.
    pub label: Outcome,
    /// How that agent writes.
    pub dialect: Dialect,
    /// True for a run without a terminal.
    pub is_exec: bool,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// The forms of one agent's logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The usual one.
    #[default]
    Usual,
    /// Codex before turns had ids.
    Old,
    /// Codex with numbered lines and items.
    Paginated,
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A prompt; it begins a turn.
    User(String),
    /// Words put in while the agent works.
    Steer(String),
    /// The agent speaks.
    Say(String),
    /// The agent thinks.
    Think(String),
    /// A command; without exit code the log has no result of it.
    Run {
        /// The command line.
        command: String,
        /// How it ended.
        exit: Option<i32>,
        /// What it printed.
        output: String,
    },
    /// A change of a file.
    Edit {
        /// Which one.
        path: String,
        /// Lines before.
        old: String,
        /// Lines after.
        new: String,
    },
    /// A new file.
    Write {
        /// Which one.
        path: String,
        /// Its content.
        content: String,
    },
    /// The question tool.
    Ask {
        /// The question.
        question: String,
        /// What the human chose, if anything.
        answer: Option<String>,
    },
    /// The question tool, with all it can ask.
    Questions {
        /// As the tool takes them.
        questions: Value,
        /// From a question's text to a label, labels or words; nobody answered without them.
        answers: Option<Value>,
        /// The human dismissed it.
        declined: bool,
    },
    /// A plan put up for approval.
    Plan {
        /// The plan.
        plan: String,
        /// The human said yes.
        approved: bool,
        /// What the human said to it.
        words: Option<String>,
    },
    /// A command the human was asked to permit, and permitted.
    Permit(String),
    /// A sub-agent.
    Agent {
        /// What it was told.
        task: String,
        /// What it reported.
        report: String,
    },
    /// The human refuses a command.
    Deny {
        /// The command line.
        command: String,
        /// What the human said to it.
        words: Option<String>,
    },
    /// The human stops the turn.
    Interrupt,
    /// A request is tried again.
    Retry(String),
    /// The API fails for good.
    Error(String),
    /// The context is compacted.
    Compact(String),
    /// Time passes, in milliseconds.
    Wait(u64),
    /// The turn comes to its end.
    End,
}

impl Step {
    /// True for what only an agent whose turn goes on can do.
    pub(crate) fn is_agents(&self) -> bool {
        matches!(
            self,
            Self::Say(_)
                | Self::Think(_)
                | Self::Run { .. }
                | Self::Edit { .. }
                | Self::Write { .. }
                | Self::Ask { .. }
                | Self::Questions { .. }
                | Self::Plan { .. }
                | Self::Permit(_)
                | Self::Agent { .. }
                | Self::Deny { .. }
        )
    }
}

/// A line that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// 1-based line.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// Reads a file of cases.
pub fn parse(text: &str) -> Result<Vec<Case>, Misread> {
    let mut cases: Vec<Case> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let misread = |what: String| Misread { line: at + 1, what };
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        if let Some(head) = line.strip_prefix("=== ") {
            let case = head_of(head).map_err(misread)?;
            if cases.iter().any(|known| known.name == case.name) {
                return Err(misread(format!("there is a case {:?} already", case.name)));
            }
            cases.push(case);
            continue;
        }
        let Some(case) = cases.last_mut() else {
            return Err(misread("no case has begun".to_owned()));
        };
        read_line(&mut case.steps, line).map_err(misread)?;
    }
    Ok(cases)
}

/// Reads a line: a step, or more of the one above it.
pub(crate) fn read_line(steps: &mut Vec<Step>, line: &str) -> Result<(), String> {
    if !goes_on(steps, line) {
        steps.push(step_of(line)?);
    }
    Ok(())
}

fn head_of(head: &str) -> Result<Case, String> {
    let fields: Vec<&str> = head.split('|').map(str::trim).collect();
    let (name, agent, label, is_exec) = match fields[..] {
        [name, agent, label] => (name, agent, label, false),
        [name, agent, label, "exec"] => (name, agent, label, true),
        _ => return Err("expected `=== name | agent | label`".to_owned()),
    };
    let flavor = Flavor::logged_from_name(agent).ok_or_else(|| format!("no agent {agent:?}"))?;
    let label = Outcome::from_name(label).ok_or_else(|| format!("no outcome {label:?}"))?;
    let dialect = Dialect::Usual;
    Ok(Case { name: name.to_owned(), flavor, label, dialect, is_exec, steps: Vec::new() })
}

/// Adds a line to the step above it; false if it is none that goes on.
fn goes_on(steps: &mut [Step], line: &str) -> bool {
    let (Some(step), Some(mark)) = (steps.last_mut(), line.chars().next()) else {
        return false;
    };
    let rest = &line[mark.len_utf8()..];
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let text = match (mark, step) {
        ('|', Step::Run { output, .. }) => output,
        (
            '|',
            Step::User(text)
            | Step::Steer(text)
            | Step::Say(text)
            | Step::Think(text)
            | Step::Compact(text),
        ) => text,
        ('-', Step::Edit { old, .. }) => old,
        ('+', Step::Edit { new, .. }) => new,
        ('+', Step::Write { content, .. }) => content,
        _ => return false,
    };
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(rest);
    true
}

fn step_of(line: &str) -> Result<Step, String> {
    match line {
        "end" => return Ok(Step::End),
        "interrupt" => return Ok(Step::Interrupt),
        _ => {}
    }
    let Some((verb, rest)) = line.split_once(": ") else {
        return Err(format!("no verb in {line:?}"));
    };
    let own = || rest.to_owned();
    Ok(match verb {
        "user" => Step::User(own()),
        "steer" => Step::Steer(own()),
        "say" => Step::Say(own()),
        "think" => Step::Think(own()),
        "run" => run_of(rest)?,
        "commit" => commit_of(rest),
        "edit" => Step::Edit { path: own(), old: String::new(), new: String::new() },
        "write" => Step::Write { path: own(), content: String::new() },
        "ask" if rest.starts_with('{') => questions_of(rest)?,
        "plan" => plan_of(rest)?,
        "permit" => Step::Permit(own()),
        "ask" => {
            let (question, answer) = pair(rest);
            Step::Ask { question, answer }
        }
        "agent" => {
            let (task, report) = pair(rest);
            Step::Agent { task, report: report.ok_or("a sub-agent needs `=> report`")? }
        }
        "deny" => {
            let (command, words) = pair(rest);
            Step::Deny { command, words }
        }
        "retry" => Step::Retry(own()),
        "error" => Step::Error(own()),
        "compact" => Step::Compact(own()),
        "wait" => Step::Wait(millis(rest).ok_or_else(|| format!("no time span: {rest:?}"))?),
        _ => return Err(format!("no verb {verb:?}")),
    })
}

fn run_of(rest: &str) -> Result<Step, String> {
    let (command, exit) = match rest.rsplit_once(" => ") {
        Some((command, code)) => {
            let code = code.parse().map_err(|_| format!("no exit code: {code:?}"))?;
            (command, Some(code))
        }
        None => (rest, None),
    };
    Ok(Step::Run { command: command.to_owned(), exit, output: String::new() })
}

fn questions_of(rest: &str) -> Result<Step, String> {
    let mut json: Value = serde_json::from_str(rest).map_err(|error| format!("ask: {error}"))?;
    let questions = json["questions"].take();
    if !questions.is_array() {
        return Err("ask: no list of questions".to_owned());
    }
    let answers = Some(json["answers"].take()).filter(Value::is_object);
    Ok(Step::Questions { questions, answers, declined: json["declined"] == Value::Bool(true) })
}

fn plan_of(rest: &str) -> Result<Step, String> {
    let (plan, verdict) = rest.rsplit_once(" => ").ok_or("a plan needs `=> approved`")?;
    let (verdict, words) = match verdict.split_once(": ") {
        Some((verdict, words)) => (verdict, Some(words.to_owned())),
        None => (verdict, None),
    };
    let approved = match verdict {
        "approved" => true,
        "rejected" => false,
        _ => return Err(format!("a plan is approved or rejected, not {verdict:?}")),
    };
    Ok(Step::Plan { plan: plan.to_owned(), approved, words })
}

fn commit_of(subject: &str) -> Step {
    Step::Run {
        command: format!("git add -A && git commit -m \"{subject}\""),
        exit: Some(0),
        output: format!(
            "[main 5c0ffee] {subject}\n 2 files changed, 24 insertions(+), 3 deletions(-)"
        ),
    }
}

fn pair(rest: &str) -> (String, Option<String>) {
    match rest.split_once(" => ") {
        Some((left, right)) => (left.to_owned(), Some(right.to_owned())),
        None => (rest.to_owned(), None),
    }
}

fn millis(span: &str) -> Option<u64> {
    let unit = match span.chars().last()? {
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return None,
    };
    span[..span.len() - 1].parse::<u64>().ok().map(|count| count * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a comment\n\n=== one | codex | fail | exec\nuser: fix it\n| now\n\
        run: echo a => b => 2\n| out\n|  more\nedit: a.rs\n- old\n+ new\n+ newer\n\
        deny: rm x => keep it\nask: which?\nwait: 2h\ncommit: Say so\nrun: sleep 9\nend\n\
        === two | grok | unknown\n";

    #[test]
    fn every_kind_of_line_is_read() -> Result<(), Misread> {
        let cases = parse(TEXT)?;
        let [one, two] = &cases[..] else { panic!("{cases:?}") };
        assert_eq!((one.flavor, one.label, one.is_exec), (Flavor::Codex, Outcome::Fail, true));
        assert_eq!((two.flavor, two.label, two.steps.len()), (Flavor::Grok, Outcome::Unknown, 0));
        let text = |text: &str| text.to_owned();
        assert_eq!(one.steps[0], Step::User(text("fix it\nnow")));
        let ran =
            Step::Run { command: text("echo a => b"), exit: Some(2), output: text("out\n more") };
        assert_eq!(one.steps[1], ran);
        let edited = Step::Edit { path: text("a.rs"), old: text("old"), new: text("new\nnewer") };
        assert_eq!(one.steps[2], edited);
        let denied = Step::Deny { command: text("rm x"), words: Some(text("keep it")) };
        assert_eq!(one.steps[3], denied);
        assert_eq!(one.steps[4], Step::Ask { question: text("which?"), answer: None });
        assert_eq!(one.steps[5], Step::Wait(7_200_000));
        assert!(matches!(&one.steps[6], Step::Run { output, .. } if output.contains("] Say so")));
        assert!(matches!(&one.steps[7], Step::Run { exit: None, .. }));
        assert_eq!(one.steps[8], Step::End);
        Ok(())
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, line) in [
            ("user: early\n", 1),
            ("=== a | claude | won\n", 1),
            ("=== a | emacs | fail\n", 1),
            ("=== a | grok | fail\n\nshout: no\n", 3),
            ("=== a | grok | fail\nrun: x => y\n", 2),
            ("=== a | grok | fail\n| text of nothing\n", 2),
            ("=== a | grok | fail\nend\n=== a | grok | fail\n", 3),
        ] {
            assert_eq!(parse(text).map_err(|misread| misread.line), Err(line), "{text}");
        }
    }
}
