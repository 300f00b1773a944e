//! The text of contents, written straight into the batch.

use super::wire::{Block, Content, ImageSource};
pub(super) use crate::unescape::{decode, push_text};
use backstory_model::EventKey;
use std::fmt::Write;

/// Appends what stands in for an image or a document: its type, size and fingerprint.
pub(super) fn push_reference(kind: &str, source: Option<&ImageSource<'_>>, out: &mut String) {
    let (media, data, url) = match source {
        Some(source) => (source.media_type.as_str(), source.data.as_str(), source.url.as_str()),
        None => ("", "", ""),
    };
    // Writing to a String cannot fail.
    let _ = match (data, url) {
        ("", url) => write!(out, "[{kind} {}]", if url.is_empty() { media } else { url }),
        // A document may be plain text.
        (data, _) if media.starts_with("text/") => {
            out.push_str(data);
            Ok(())
        }
        (data, _) => write!(
            out,
            "[{kind} {media} {} bytes xxh3:{:016x}]",
            decoded_len(data),
            EventKey::of(data).0
        ),
    };
}

fn decoded_len(base64: &str) -> usize {
    let digits = base64.trim_end_matches('=').len();
    digits * 3 / 4
}

/// Appends the text of a content, blocks on lines of their own.
pub(super) fn push_content(content: &Content<'_>, out: &mut String) {
    match content {
        Content::Text(text) => out.push_str(text),
        Content::Blocks(blocks) => {
            for (at, block) in blocks.iter().enumerate() {
                if at > 0 {
                    out.push('\n');
                }
                push_block(block, out);
            }
        }
        Content::Absent | Content::Other => {}
    }
}

fn push_block(block: &Block<'_>, out: &mut String) {
    match block.kind.as_str() {
        "text" => out.push_str(block.text.as_str()),
        kind @ ("image" | "document") => push_reference(kind, block.source.0.as_ref(), out),
        kind => {
            out.push('[');
            out.push_str(kind);
            for name in [block.tool_name.as_str(), block.name.as_str()] {
                if !name.is_empty() {
                    out.push(' ');
                    out.push_str(name);
                }
            }
            out.push(']');
            out.push_str(block.text.as_str());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_sizes_are_those_of_the_data() {
        assert_eq!(decoded_len("QQ=="), 1);
        assert_eq!(decoded_len("QUI="), 2);
        assert_eq!(decoded_len("QUJD"), 3);
    }
}
