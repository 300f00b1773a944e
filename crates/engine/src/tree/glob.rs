//! Addresses by a pattern: `*` within a name, `**` over folders, `?`, `[ab]`, `{a,b}`.

use super::address::Address;
use super::{Tree, TreeError};
use regex::Regex;
use std::ops::ControlFlow;

/// Places looked at for one pattern.
const MOST_VISITED: usize = 50_000;

impl Tree {
    /// Addresses of files below a folder that fit a pattern, at most so many behind those passed over, and
    /// whether there are more.
    pub fn glob(
        &self,
        address: &str,
        pattern: &str,
        (offset, limit): (usize, usize),
    ) -> Result<(Vec<String>, bool), TreeError> {
        let folder = Address::parse(address)?;
        let root = folder.child("");
        // A pattern may be a whole address.
        let pattern = pattern.strip_prefix(&root).unwrap_or(pattern).trim_start_matches('/');
        let fits = compiled(pattern)?;
        let depth = if pattern.contains("**") { usize::MAX } else { pattern.split('/').count() };
        let (mut found, mut visited, mut is_cut) = (Vec::new(), 0, false);
        let mut passed = 0;
        let _ = self.visit(&folder, depth, 0, &mut |_, entry| {
            visited += 1;
            let path = entry.address.strip_prefix(&root).unwrap_or(&entry.address);
            let fits = !entry.is_folder && fits.is_match(path);
            let is_found = fits && passed == offset;
            passed += usize::from(fits && passed < offset);
            if visited > MOST_VISITED || (is_found && found.len() == limit) {
                is_cut = true;
                return ControlFlow::Break(());
            }
            if is_found {
                found.push(entry.address.clone());
            }
            ControlFlow::Continue(())
        })?;
        Ok((found, is_cut))
    }
}

fn compiled(pattern: &str) -> Result<Regex, TreeError> {
    let refuse = || TreeError::Refused(format!("{pattern:?} is no pattern of names"));
    if pattern.len() > 500 {
        return Err(refuse());
    }
    let mut text = String::from("^(?s:");
    let mut open = 0;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.next_if_eq(&'*').is_some() => {
                // `**/` is also no folder at all.
                text.push_str(if chars.next_if_eq(&'/').is_some() { "(?:.*/)?" } else { ".*" });
            }
            '*' => text.push_str("[^/]*"),
            '?' => text.push_str("[^/]"),
            '[' => {
                let class: String = std::iter::from_fn(|| chars.next_if(|c| *c != ']')).collect();
                chars.next().ok_or_else(refuse)?;
                let (sign, class) = match class.strip_prefix(['!', '^']) {
                    Some(rest) => ("^/", rest),
                    None => ("", class.as_str()),
                };
                let class = class.replace('\\', "\\\\").replace('[', "\\[").replace('&', "\\&");
                text.extend(["[", sign, &class, "]"]);
            }
            '{' => {
                open += 1;
                text.push_str("(?:");
            }
            '}' if open > 0 => {
                open -= 1;
                text.push(')');
            }
            ',' if open > 0 => text.push('|'),
            c => text.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    text.push_str(")$");
    Regex::new(&text).map_err(|_| refuse())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (pattern, path, fits) in [
            ("*.md", "a.md", true),
            ("*.md", "a/b.md", false),
            ("**/*.md", "a/b/c.md", true),
            ("**/*.md", "c.md", true),
            ("memories/**", "memories/a/b.md", true),
            ("sessions/claude:*/digest.md", "sessions/claude:1/digest.md", true),
            ("sessions/{claude,grok}:*/digest.md", "sessions/codex:1/digest.md", false),
            ("?.md", "ü.md", true),
            ("[!a]x", "bx", true),
            ("[!a]x", "ax", false),
            ("a.md", "aXmd", false),
        ] {
            assert_eq!(compiled(pattern).unwrap().is_match(path), fits, "{pattern} {path}");
        }
    }

    proptest! {
        #[test]
        fn no_pattern_panics(pattern in "[a*?{},!^\\[\\]\\-&\\\\/ü.]{0,20}") {
            let _ = compiled(&pattern);
        }
    }
}
