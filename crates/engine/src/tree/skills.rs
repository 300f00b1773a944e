//! Skills as agents are told of them: by the name and the description in front of their texts.

use super::recollect::about;
use super::text::one_line;
use super::{Entry, Part, Tree, TreeError};

/// The file of a skill that is a folder.
const FILE: &str = "SKILL.md";
/// What is told of one.
const ABOUT_CHARS: usize = 300;

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// What it is called.
    pub name: String,
    /// Where its text is read.
    pub address: String,
    /// What it is for.
    pub about: String,
}

impl Tree {
    /// The first so many skills.
    pub fn skills(&self, limit: usize) -> Result<Vec<Skill>, TreeError> {
        let entries = match self.list("backstory://skills") {
            // Nobody wrote one yet.
            Err(TreeError::NotFound(_)) => Vec::new(),
            entries => entries?,
        };
        Ok(entries.into_iter().take(limit).map(|entry| self.skill(entry)).collect())
    }

    fn skill(&self, entry: Entry) -> Skill {
        let inside = format!("{}/{FILE}", entry.address);
        let address = if entry.is_folder { inside } else { entry.address.clone() };
        let plain = entry.name.trim_end_matches(".md").to_owned();
        // A folder without the file is one all the same.
        let Ok(reading) = self.read(&address, Part::WHOLE) else {
            let about = entry.about.unwrap_or_default();
            return Skill { name: plain, address: entry.address, about };
        };
        let said = |name: &str| field(&reading.text, name).filter(|said| !said.is_empty());
        let about = said("description").map(|about| one_line(&about, ABOUT_CHARS));
        Skill {
            name: said("name").unwrap_or(plain),
            address,
            about: about.unwrap_or_else(|| self::about(&reading.text, ABOUT_CHARS)),
        }
    }
}

/// A field of the front matter of a text, on one line or on several that are indented.
fn field(text: &str, name: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines();
    lines.next().filter(|first| first.trim_end() == "---")?;
    let mut lines = lines.take_while(|line| line.trim_end() != "---").peekable();
    let first = lines.find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'))?;
    let mut said = first.trim().to_owned();
    if matches!(said.as_str(), ">" | ">-" | ">+" | "|" | "|-" | "|+") {
        said.clear();
    }
    while let Some(more) = lines.next_if(|line| line.starts_with([' ', '\t'])) {
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(more.trim());
    }
    let quoted = |quote: char| said.strip_prefix(quote)?.strip_suffix(quote);
    Some(quoted('"').or_else(|| quoted('\'')).unwrap_or(&said).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_every_form() {
        let text = "---\nname: deploy\r\ndescription: >-\n  Deploys it\n  to staging.\nother: \"a: b\"\n---\nname: no";
        for (name, said) in [
            ("name", Some("deploy")),
            ("description", Some("Deploys it to staging.")),
            ("other", Some("a: b")),
            ("nam", None),
            ("more", None),
        ] {
            assert_eq!(field(text, name).as_deref(), said, "{name}");
        }
        assert_eq!(field("name: x", "name"), None);
        assert_eq!(field("", "name"), None);
    }
}
