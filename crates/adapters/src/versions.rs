//! The versions of the agents' programs whose logs were checked, in one place.
//!
//! Another version is read all the same: its logs most likely look like those of its neighbours. It
//! is only worth a word to whoever reads them.

use backstory_model::Flavor;

/// Claude Code: measured from 1.0.24 on, run up to 2.1.325.
const CLAUDE: &[&str] = &["1.0.24-1.0.128", "2.0.x", "2.1.0-2.1.325"];
/// Codex: read in its source and measured up to 0.148, later ones were run.
const CODEX: &[&str] = &["0.32.x-0.148.x", "0.153.x", "0.160.x", "0.166.x"];
/// Grok: run as 1.0.41. Its logs do not tell the version.
const GROK: &[&str] = &["0.2.x", "1.0.x"];

/// The checked versions of an agent: `0.166.x`, or two of them with a dash between.
pub const fn known(flavor: Flavor) -> &'static [&'static str] {
    match flavor {
        Flavor::Claude => CLAUDE,
        Flavor::Codex => CODEX,
        Flavor::Grok => GROK,
        Flavor::Pushed => &[],
    }
}

/// Whether a version of an agent was checked. Agents without a list have no unknown versions.
pub fn is_known(flavor: Flavor, version: &str) -> bool {
    let patterns = known(flavor);
    if patterns.is_empty() {
        return true;
    }
    let Some(version) = parts(version) else { return false };
    patterns.iter().any(|pattern| {
        let (first, last) = pattern.split_once('-').unwrap_or((pattern, pattern));
        bound(first, 0).is_some_and(|first| first <= version)
            && bound(last, u32::MAX).is_some_and(|last| version <= last)
    })
}

/// The numbers of a version; what follows them (`-alpha.8`) does not count.
fn parts(version: &str) -> Option<[u32; 3]> {
    let plain = version.trim().trim_start_matches('v');
    let end = plain.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(plain.len());
    bound(&plain[..end], 0)
}

/// The numbers of a version or a pattern, `x` and what is missing being `open`.
fn bound(pattern: &str, open: u32) -> Option<[u32; 3]> {
    let mut numbers = [open; 3];
    for (at, part) in pattern.split('.').enumerate() {
        let number = numbers.get_mut(at)?;
        if part != "x" {
            *number = part.parse().ok()?;
        }
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_what_they_say() {
        for (flavor, version, expected) in [
            (Flavor::Codex, "0.166.0", true),
            (Flavor::Codex, "0.166.7", true),
            (Flavor::Codex, "0.167.0", false),
            (Flavor::Codex, "0.34.0", true),
            (Flavor::Codex, "0.126.0-alpha.8", true),
            (Flavor::Codex, "0.148.9", true),
            (Flavor::Codex, "0.149.0", false),
            (Flavor::Codex, "0.9.0", false),
            (Flavor::Codex, "1.0.0", false),
            (Flavor::Claude, "2.1.325", true),
            (Flavor::Claude, "2.1.326", false),
            (Flavor::Claude, "2.0.0", true),
            (Flavor::Claude, "1.0.24", true),
            (Flavor::Claude, "1.0.23", false),
            (Flavor::Claude, "3.0.0", false),
            (Flavor::Claude, "", false),
            (Flavor::Claude, "latest", false),
            (Flavor::Grok, "v1.0.41", true),
            (Flavor::Grok, "2.0.0", false),
            (Flavor::Pushed, "9.9", true),
        ] {
            assert_eq!(is_known(flavor, version), expected, "{flavor:?} {version}");
        }
    }

    #[test]
    fn every_pattern_can_be_read() {
        for flavor in Flavor::ALL {
            for pattern in known(flavor) {
                let (first, last) = pattern.split_once('-').unwrap_or((pattern, pattern));
                let (first, last) = (bound(first, 0).unwrap(), bound(last, u32::MAX).unwrap());
                assert!(first <= last, "{pattern}");
            }
        }
    }
}
