//! Settings as people have them: ours goes in and out, every other byte stays.

mod json;
mod random;
mod toml;

use super::command::Program;
use super::{Part, Refusal, with_ours, without_ours};
use backstory_model::Flavor;
use std::collections::BTreeMap;

/// A program at a path that needs quoting.
fn program() -> Program {
    let path = "/opt/my tools/backstory".into();
    Program { path, home: None, variables: BTreeMap::new(), claude: None }
}

fn with(part: Part, text: &str) -> Result<String, Refusal> {
    with_ours(part, Flavor::Claude, text, &program())
}

/// True if a text can be had from another by leaving letters out.
fn is_part_of(text: &str, whole: &str) -> bool {
    let mut letters = whole.chars();
    text.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

/// Ours goes in, once, and out again, and nothing else changes.
fn check_round(part: Part, name: &str, text: &str) -> String {
    let with_it = with(part, text).unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
    assert_ne!(with_it, text, "{name}");
    assert!(is_part_of(text, &with_it), "{name}: something was lost\n{with_it}");
    assert_eq!(with(part, &with_it).as_ref(), Ok(&with_it), "{name}: a second time changes it");
    let without = without_ours(part, &with_it, Some(text));
    assert_eq!(without.as_deref(), Ok(text), "{name}: it is not what it was");
    with_it
}
