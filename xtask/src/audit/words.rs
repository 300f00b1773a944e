//! What is left of a text when the elements a harness wraps around it are taken away.

/// Whether a text has words beside the elements of these names at its beginning. An element that is
/// never closed is taken for words.
pub(super) fn has_words_beside(text: &str, elements: &[&str]) -> bool {
    let mut rest = text.trim();
    while let Some(after) = elements.iter().find_map(|name| without(rest, name)) {
        rest = after.trim_start();
    }
    !rest.is_empty()
}

fn without<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let inner = text.strip_prefix('<')?.strip_prefix(name)?;
    let is_whole_name = inner.starts_with(|c: char| c == '>' || c.is_whitespace());
    let (_, after) = inner.split_once(&format!("</{name}>")).filter(|_| is_whole_name)?;
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::has_words_beside;

    #[test]
    fn elements_are_no_words() {
        let names = ["note", "info"];
        for text in ["", "<note>a</note>", " <info b=\"c\">d</info>\n<note>a</note>\n"] {
            assert!(!has_words_beside(text, &names), "{text}");
        }
        for text in ["hi", "<note>a</note> hi", "<notes>a</notes>", "<note>open", "<b>x</b>"] {
            assert!(has_words_beside(text, &names), "{text}");
        }
    }
}
