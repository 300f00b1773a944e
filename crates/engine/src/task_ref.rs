//! Work-item references in branches and prompts.

use regex::Regex;

/// Finds references by configured patterns.
#[derive(Debug, Default)]
pub(crate) struct TaskRefs {
    patterns: Vec<Regex>,
}

impl TaskRefs {
    /// Compiles the patterns; on failure names the one that is wrong, and why.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, (String, String)> {
        let compile = |pattern: &String| {
            Regex::new(pattern).map_err(|error| (pattern.clone(), error.to_string()))
        };
        Ok(Self { patterns: patterns.iter().map(compile).collect::<Result<_, _>>()? })
    }

    /// The first reference in a text: the first capture group, or the whole match.
    pub(crate) fn find(&self, text: &str) -> Option<String> {
        self.patterns.iter().find_map(|pattern| {
            let found = pattern.captures(text)?;
            found.get(1).or_else(|| found.get(0)).map(|reference| reference.as_str().to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_tried_in_order() {
        let refs = TaskRefs::new(&["[A-Z]+-WP-\\d+-T\\d+".into(), "issue-(\\d+)".into()]).unwrap();
        assert_eq!(refs.find("do AGENTIC-WP-0002-T01 now").unwrap(), "AGENTIC-WP-0002-T01");
        assert_eq!(refs.find("fix/issue-42-crash").unwrap(), "42");
        assert_eq!(refs.find("main"), None);
        assert_eq!(TaskRefs::new(&["(".into()]).unwrap_err().0, "(");
    }
}
