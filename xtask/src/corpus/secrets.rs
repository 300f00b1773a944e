//! Secrets to plant, and the places they are planted in.

use super::rng::Rng;
use super::truth::Secret;

/// A secret and a text it naturally stands in.
#[derive(Clone, Debug)]
pub(crate) struct Planted {
    /// Its kind.
    pub(crate) kind: &'static str,
    /// The value that must never be stored.
    pub(crate) secret: String,
    /// The value within its usual surroundings.
    pub(crate) text: String,
}

/// Where in a session a secret stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// In a prompt.
    Prompt,
    /// In the input of a tool.
    ToolInput,
    /// In the output of a tool.
    ToolOutput,
    /// In the title of a session.
    Title,
    /// In the path of a file.
    Path,
    /// In a JSON document that is a string of another one.
    JsonInJson,
    /// In a prompt, with some of its characters written as escapes.
    Escaped,
}

impl Position {
    const ALL: [Self; 7] = [
        Self::Prompt,
        Self::ToolInput,
        Self::ToolOutput,
        Self::Title,
        Self::Path,
        Self::JsonInJson,
        Self::Escaped,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::ToolInput => "tool_input",
            Self::ToolOutput => "tool_output",
            Self::Title => "title",
            Self::Path => "path",
            Self::JsonInJson => "json_in_json",
            Self::Escaped => "escaped",
        }
    }

    /// Whether a value that spans lines or needs surroundings can stand here.
    fn suits(self, planted: &Planted) -> bool {
        match self {
            Self::Title | Self::Path => {
                planted.text == planted.secret && !planted.secret.contains(['/', '\n', ':'])
            }
            Self::Escaped => !planted.secret.contains(['\n', '"', '\\']),
            _ => true,
        }
    }
}

/// Secrets of every kind, as they are usually written.
pub(crate) fn planted(seed: u64) -> Vec<Planted> {
    let made_up = backstory_testkit::secrets::planted(seed).into_iter();
    made_up
        .map(|planted| Planted {
            kind: planted.kind,
            text: if planted.self_evident { planted.secret.clone() } else { planted.line },
            secret: planted.secret,
        })
        .filter(|planted| planted.text.contains(&planted.secret))
        .collect()
}

/// A multiplier whose products look random in their upper half.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The secrets of one family of sessions that are still to be planted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stash {
    waiting: Vec<(Position, Planted)>,
    placed: Vec<Secret>,
}

impl Stash {
    /// Secrets for one family. Kinds and positions go round over families, so that every kind
    /// meets every position in a larger corpus.
    pub(crate) fn new(seed: u64, family: u64, count: usize) -> Self {
        let all = planted(Rng::new(seed, family ^ 0x5ec2).next());
        let waiting = (0..count)
            .filter_map(|at| {
                let turn = family as usize * count + at;
                let position = Position::ALL[turn % Position::ALL.len()];
                // Scattered, so that every kind meets every position.
                let start = ((turn as u64).wrapping_mul(SCATTER) >> 33) as usize % all.len();
                let found =
                    all.iter().cycle().skip(start).take(all.len()).find(|p| position.suits(p))?;
                Some((position, found.clone()))
            })
            .collect();
        Self { waiting, placed: Vec::new() }
    }

    /// The next secret for a position; it counts as planted in `file`.
    pub(crate) fn take(&mut self, position: Position, file: &str) -> Option<Planted> {
        let at = self.waiting.iter().position(|(wanted, _)| *wanted == position)?;
        let (_, planted) = self.waiting.remove(at);
        self.placed.push(Secret {
            kind: planted.kind.to_owned(),
            secret: planted.secret.clone(),
            position: position.name().to_owned(),
            file: file.to_owned(),
        });
        Some(planted)
    }

    /// A file got another name after secrets were planted in it.
    pub(crate) fn renamed(&mut self, from: &str, to: &str) {
        for secret in self.placed.iter_mut().filter(|secret| secret.file == from) {
            to.clone_into(&mut secret.file);
        }
    }

    /// What was planted.
    pub(crate) fn into_placed(self) -> Vec<Secret> {
        self.placed
    }
}

/// A JSON document with another one inside as a string, and the secret in that.
pub(crate) fn json_in_json(planted: &Planted) -> String {
    let inner = serde_json::json!({"status": "ok", "config": planted.text}).to_string();
    serde_json::json!({"level": "info", "body": inner}).to_string()
}

/// The secret with every third character as a `\uXXXX` escape, for the inside of a JSON string.
pub(crate) fn split_over_escapes(secret: &str) -> String {
    secret
        .chars()
        .enumerate()
        .map(|(at, c)| if at % 3 == 1 { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_kinds_in_every_position() {
        let kinds: std::collections::BTreeSet<_> = planted(1).into_iter().map(|p| p.kind).collect();
        assert!(kinds.len() >= 25, "{}", kinds.len());
        let mut seen = std::collections::BTreeSet::new();
        for family in 0..50 {
            for (position, planted) in Stash::new(1, family, 8).waiting {
                seen.insert((position.name(), planted.kind));
                assert!(planted.text.contains(&planted.secret));
            }
        }
        for position in ["prompt", "tool_input", "tool_output", "json_in_json"] {
            assert!(seen.iter().filter(|(p, _)| *p == position).count() >= 20, "{position}");
        }
        assert!(seen.contains(&("json_in_json", "private-key")), "{seen:?}");
    }

    #[test]
    fn escapes_decode_to_the_secret() -> Result<(), serde_json::Error> {
        let json = format!("\"{}\"", split_over_escapes("AKIAQWERTY"));
        assert!(!json.contains("AKIA"));
        assert_eq!(serde_json::from_str::<String>(&json)?, "AKIAQWERTY");
        Ok(())
    }
}
