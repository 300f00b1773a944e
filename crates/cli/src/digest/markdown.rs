//! A digest as Markdown.

use super::{Entry, Section, Tone};
use crate::error::Failure;
use crate::timeline::prose;
use std::fmt::Write as _;
use std::io::Write;

/// Writes sections, each under a heading of the second level.
pub(crate) fn write_markdown(sections: &[Section], out: &mut dyn Write) -> Result<(), Failure> {
    let mut text = String::new();
    for section in sections {
        let _ = write!(text, "\n## {}\n\n", section.title);
        for entry in &section.entries {
            write_entry(entry, &mut text);
        }
    }
    out.write_all(text.as_bytes()).map_err(Failure::output)
}

fn write_entry(entry: &Entry, text: &mut String) {
    let mark = match entry.tone {
        Tone::Plain => "",
        Tone::Good => "✓ ",
        Tone::Bad => "✗ ",
        Tone::Warn => "• ",
    };
    let address = entry.address.as_ref().map(|address| format!("`{address}`"));
    let said = [
        (!entry.text.is_empty()).then(|| format!("{mark}{}", escaped(&entry.text))),
        (!entry.detail.is_empty()).then(|| escaped(&entry.detail)),
        address.clone().filter(|_| entry.quote.is_none()),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    if !said.is_empty() {
        let _ = writeln!(text, "- {}", said.join(" · "));
    }
    let Some(quote) = &entry.quote else { return };
    let indent = if said.is_empty() { "" } else { "  " };
    for line in prose::lines(quote, false) {
        let _ = writeln!(text, "{}", format_args!("{indent}> {line}").to_string().trim_end());
    }
    if let Some(address) = address {
        let _ = writeln!(text, "\n{indent}{address}");
    }
}

/// Text that must not be taken for Markdown.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '_' | '`' | '[' | ']' | '<' | '\\') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::super::tests::{rich, uid};
    use super::*;

    #[test]
    fn every_part_is_told() {
        let mut out = Vec::new();
        write_markdown(&super::super::sections(&uid(), &rich(), &[]), &mut out).unwrap();
        insta::assert_snapshot!("digest_markdown", String::from_utf8(out).unwrap());
    }

    #[test]
    fn signs_of_markdown_are_words() {
        assert_eq!(escaped("a *b* [c](d) <e>"), r"a \*b\* \[c\](d) \<e>");
    }
}
