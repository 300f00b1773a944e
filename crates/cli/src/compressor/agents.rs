//! How each agent is asked one question without a screen: nothing is written down, nothing is run, and no
//! hook of ours answers to it.

use backstory_distill::capture;
use backstory_distill::recall;
use backstory_distill::recall::compress::{self, Candidate};
use backstory_model::Flavor;
use std::path::Path;
use std::process::Command;

/// An agent that can be asked.
pub(super) struct Headless {
    program: &'static str,
    /// Models that are tried, with how much they think.
    usual: &'static [(&'static str, &'static str)],
    arguments: fn(&Candidate, Option<&str>) -> Vec<String>,
    /// What says where its models are asked.
    base_url: Option<&'static str>,
    /// What it tells those it runs about itself: an agent that reads it takes itself for a part of it.
    own_variables: &'static [&'static str],
}

const CLAUDE: Headless = Headless {
    program: "claude",
    usual: &[("sonnet", "low")],
    arguments: claude,
    base_url: Some("ANTHROPIC_BASE_URL"),
    own_variables: &[
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_ENV_FILE",
        "CLAUDE_PID",
        "CLAUDE_PROJECT_DIR",
    ],
};

const CODEX: Headless = Headless {
    program: "codex",
    usual: &[("gpt-5.3-codex-spark", "default"), ("gpt-5.5", "low")],
    arguments: codex,
    base_url: None,
    own_variables: &[],
};

/// How an agent is asked. Grok is not: its hooks hand over nothing at prompts. Nor is one that only posts.
pub(super) fn of(agent: Flavor) -> Option<Headless> {
    match agent {
        Flavor::Claude => Some(CLAUDE),
        Flavor::Codex => Some(CODEX),
        Flavor::Grok | Flavor::Pushed => None,
    }
}

impl Headless {
    /// The models that are tried unless somebody says otherwise.
    pub(super) fn usual(&self) -> Vec<Candidate> {
        let candidate = |(model, thinking): &(&str, &str)| Candidate::new(model, Some(thinking));
        self.usual.iter().map(candidate).collect()
    }

    /// The command; the question is its input, and the answer its output.
    pub(super) fn command(
        &self,
        candidate: &Candidate,
        base_url: Option<&str>,
        desk: &Path,
    ) -> Command {
        let mut command = Command::new(self.program);
        command.args((self.arguments)(candidate, base_url)).current_dir(desk);
        for name in self.own_variables {
            command.env_remove(name);
        }
        if let (Some(name), Some(url)) = (self.base_url, base_url) {
            command.env(name, url);
        }
        // Its hooks run, if they do, as our own or as a plugin's: both must leave it alone.
        let [hooks, notes, ..] = capture::KNOBS;
        let [at_start, at_prompts, ..] = recall::KNOBS;
        let [compresses, ..] = compress::KNOBS;
        for knob in [hooks, notes, at_start, at_prompts, compresses] {
            command.envs(knob.names().map(|name| (name, "0")));
        }
        command
    }
}

fn claude(candidate: &Candidate, _: Option<&str>) -> Vec<String> {
    let mut words = words(&["-p", "--output-format", "text", "--model", &candidate.model]);
    if let Some(thinking) = &candidate.thinking {
        words.extend(["--effort".to_owned(), thinking.clone()]);
    }
    words.extend(self::words(&[
        "--no-session-persistence",
        "--strict-mcp-config",
        "--tools",
        "",
        "--settings",
        r#"{"disableAllHooks":true}"#,
    ]));
    words
}

fn codex(candidate: &Candidate, base_url: Option<&str>) -> Vec<String> {
    let mut words = words(&["-m", &candidate.model]);
    let mut set =
        |name: &str, value: String| words.extend(["-c".to_owned(), format!("{name}={value}")]);
    if let Some(thinking) = &candidate.thinking {
        set("model_reasoning_effort", quoted(thinking));
    }
    if let Some(url) = base_url {
        set("openai_base_url", quoted(url));
    }
    set("web_search", quoted("disabled"));
    for feature in ["hooks", "shell_tool", "apps", "plugins"] {
        set(&format!("features.{feature}"), "false".to_owned());
    }
    words.extend(self::words(&[
        "--sandbox",
        "read-only",
        "--ask-for-approval",
        "never",
        "exec",
        "--ephemeral",
        // Servers of tools and notifiers are in there; who has logged in is not.
        "--ignore-user-config",
        "--skip-git-repo-check",
        "--color",
        "never",
        "-",
    ]));
    words
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A text as the configuration of Codex has it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn line(agent: Flavor, candidate: &Candidate, base_url: Option<&str>) -> String {
        let command = of(agent).unwrap().command(candidate, base_url, Path::new("/desk"));
        let words = command.get_args().map(|word| match word.to_str().unwrap() {
            "" => "''",
            word => word,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn agents_are_asked_without_tools_and_leave_nothing_behind() {
        assert_eq!(
            line(Flavor::Codex, &Candidate::new("gpt-5.5", Some("low")), Some("http://here/v1")),
            "-m gpt-5.5 -c model_reasoning_effort=\"low\" -c openai_base_url=\"http://here/v1\" \
             -c web_search=\"disabled\" -c features.hooks=false -c features.shell_tool=false \
             -c features.apps=false -c features.plugins=false --sandbox read-only \
             --ask-for-approval never exec --ephemeral --ignore-user-config --skip-git-repo-check \
             --color never -"
        );
        let spark = line(Flavor::Codex, &Candidate::new("spark", Some("default")), None);
        assert!(!spark.contains("effort") && !spark.contains("url"), "{spark}");
        assert_eq!(
            line(Flavor::Claude, &Candidate::new("sonnet", Some("low")), None),
            "-p --output-format text --model sonnet --effort low --no-session-persistence \
             --strict-mcp-config --tools '' --settings {\"disableAllHooks\":true}"
        );
        assert!(of(Flavor::Grok).is_none());
    }

    #[test]
    fn whoever_is_asked_is_left_alone_by_hooks() {
        for agent in [Flavor::Claude, Flavor::Codex] {
            let command = of(agent).unwrap().command(
                &Candidate::new("m", None),
                Some("http://x"),
                Path::new("/"),
            );
            let set = |name: &str| {
                let found = command.get_envs().find(|(known, _)| *known == OsStr::new(name));
                found.and_then(|(_, value)| value).and_then(OsStr::to_str)
            };
            for name in [
                "BACKSTORY_HOOKS",
                "OPENVIKING_MEMORY_ENABLED",
                "OPENVIKING_AUTO_CAPTURE",
                "OPENVIKING_AUTO_RECALL",
                "OPENVIKING_RECALL_COMPRESS",
                "BACKSTORY_RECALL_COMPRESS",
            ] {
                assert_eq!(set(name), Some("0"), "{agent} {name}");
            }
            let claudes = (agent == Flavor::Claude).then_some("http://x");
            assert_eq!(set("ANTHROPIC_BASE_URL"), claudes);
        }
    }
}
