//! `[decisions]`: how questions in prose are recognised.

use super::{Origin, Value};
use crate::env::{BACKSTORY_DECISIONS_MARKER, Env};
use crate::error::Failure;
use backstory_distill::decisions::MARKER;

/// The key of the section.
pub(super) const KEY: &str = "marker";
/// Characters of a marker's name.
const NAME_MAX: usize = 64;

/// The name of the marker that tells which question a brief asks.
pub(super) fn marker(env: &Env, file: Option<Value<String>>) -> Result<Value<String>, Failure> {
    let set = env.get(BACKSTORY_DECISIONS_MARKER).map(|name| Value {
        value: name.to_string_lossy().into_owned(),
        origin: Origin::Env(BACKSTORY_DECISIONS_MARKER),
    });
    let marker = set.or(file).unwrap_or_else(|| Value::default(MARKER.to_owned()));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if marker.value.is_empty()
        || marker.value.len() > NAME_MAX
        || !marker.value.bytes().all(is_plain)
    {
        return Err(Failure::usage(format!(
            "{}: the marker must be a name of letters, digits, - and _, like {MARKER:?}",
            marker.origin
        )));
    }
    Ok(marker)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> Value<String> {
        Value { value: name.into(), origin: Origin::File("c.toml".into(), 2) }
    }

    #[test]
    fn the_marker_comes_from_variable_then_file() {
        let none = Env::fixed([]);
        assert_eq!(marker(&none, None).unwrap(), Value::default("gstack-qid".into()));
        assert_eq!(marker(&none, Some(file("ask"))).unwrap().origin.name(), "file");
        let env = Env::fixed([(BACKSTORY_DECISIONS_MARKER, "qid".into())]);
        let found = marker(&env, Some(file("ask"))).unwrap();
        assert_eq!((found.value.as_str(), found.origin.name()), ("qid", "env"));
    }

    #[test]
    fn a_marker_is_a_name() {
        for wrong in ["", "a b", "<qid", "ü", &"x".repeat(65)] {
            let failure = marker(&Env::fixed([]), Some(file(wrong))).unwrap_err();
            assert!(failure.message.starts_with("c.toml:2: the marker"), "{wrong}");
        }
    }
}
