//! Finds many fixed phrases in a text in one pass over its words.

/// Phrases by their first byte, so that a word is compared with few of them.
#[derive(Debug)]
pub(crate) struct Phrases {
    by_first: Vec<Vec<&'static str>>,
}

impl Phrases {
    /// Prepares a list.
    pub(crate) fn new(list: &[&'static str]) -> Self {
        let mut by_first = vec![Vec::new(); 256];
        for phrase in list {
            if let Some(first) = phrase.as_bytes().first() {
                by_first[usize::from(*first)].push(*phrase);
            }
        }
        Self { by_first }
    }

    /// True if any phrase stands in the text as words of its own.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.places(text).next().is_some()
    }

    /// True if the text begins with a phrase.
    pub(crate) fn opens(&self, text: &str) -> bool {
        self.at(text, 0)
    }

    /// True if the text begins with the letters of a phrase, whatever follows them.
    pub(crate) fn prefixes(&self, text: &str) -> bool {
        self.candidates(text, 0).any(|phrase| text.starts_with(phrase))
    }

    /// True if any word of the text begins with a phrase, whatever follows it.
    pub(crate) fn begins_word(&self, text: &str) -> bool {
        starts(text)
            .any(|at| self.candidates(text, at).any(|phrase| text[at..].starts_with(phrase)))
    }

    /// Where phrases stand.
    pub(crate) fn places<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        starts(text).filter(move |at| self.at(text, *at))
    }

    fn at(&self, text: &str, at: usize) -> bool {
        self.candidates(text, at).any(|phrase| {
            let Some(rest) = text[at..].strip_prefix(phrase) else { return false };
            let ends_free =
                phrase.chars().next_back().is_none_or(|c| is_wide(c) || !c.is_alphanumeric());
            ends_free || rest.chars().next().is_none_or(|c| !c.is_alphanumeric())
        })
    }

    fn candidates<'t>(
        &'t self,
        text: &'t str,
        at: usize,
    ) -> impl Iterator<Item = &'static str> + 't {
        let first = text.as_bytes().get(at).map_or(0, |byte| usize::from(*byte));
        self.by_first[first].iter().copied()
    }
}

/// Scripts that write words without spaces between them.
fn is_wide(c: char) -> bool {
    c > '\u{2e80}'
}

/// Where words and marks begin.
fn starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    // Most texts are ASCII, whose characters need no decoding.
    let (bytes, chars) = if text.is_ascii() { (text.as_bytes(), "") } else { (&[][..], text) };
    let mut inside = false;
    let plain = bytes.iter().enumerate().filter_map(move |(at, byte)| {
        let word = byte.is_ascii_alphanumeric();
        let begins = !(byte.is_ascii_whitespace() || word && inside);
        inside = word;
        begins.then_some(at)
    });
    let mut inside = false;
    let decoded = chars.char_indices().filter_map(move |(at, c)| {
        let word = c.is_alphanumeric();
        let begins = !c.is_whitespace() && (!word || !inside || is_wide(c));
        inside = word;
        begins.then_some(at)
    });
    plain.chain(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words() {
        let phrases = Phrases::new(&["works", "no luck", "谢谢", ": error:", "läuft"]);
        for text in
            ["it works", "works!", "so no luck today", "好的谢谢你", "a.c:1: error: x", "läuft"]
        {
            assert!(phrases.is_in(text), "{text}");
        }
        for text in ["networks", "workspace", "no lucky", "works2", ""] {
            assert!(!phrases.is_in(text), "{text}");
        }
        assert!(phrases.opens("works now") && !phrases.opens("it works"));
        assert!(phrases.begins_word("worksheet") && !phrases.begins_word("networks"));
    }
}
