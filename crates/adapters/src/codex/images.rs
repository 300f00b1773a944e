//! Images are never stored: a reference with type, size and hash stands in their place.

use super::wire::Part;
use backstory_model::EventKey;
use memchr::memmem;
use std::fmt::Write as _;

/// Base64 runs shorter than this are left: they are not images.
const MIN_RUN: usize = 64;

/// Appends a text with every embedded `data:image/…;base64,…` replaced by a reference.
pub(super) fn push_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = memmem::find(rest.as_bytes(), b"data:image/") {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let Some((mime, data)) = split_data_url(found) else {
            out.push_str("data:image/");
            rest = &found["data:image/".len()..];
            continue;
        };
        let run = data.bytes().take_while(|byte| is_base64(*byte)).count();
        if run < MIN_RUN {
            out.push_str("data:image/");
            rest = &found["data:image/".len()..];
            continue;
        }
        push_reference(out, mime, &data[..run]);
        rest = &data[run..];
    }
    out.push_str(rest);
}

/// Appends the reference of an image given by its url (a data url, or a link).
pub(super) fn push_url(out: &mut String, url: &str) {
    match split_data_url(url) {
        Some((mime, data)) => push_reference(out, mime, data),
        None if url.starts_with("data:") => push_reference(out, "data", url),
        None => {
            let _ = write!(out, "[image {url}]");
        }
    }
}

/// Appends the reference of base64 data.
pub(super) fn push_reference(out: &mut String, mime: &str, data: &str) {
    let bytes = data.trim_end_matches('=').len() * 3 / 4;
    let _ = write!(out, "[image {mime} {bytes} bytes xxh3:{:016x}]", EventKey::of(data).0);
}

/// Appends one part of a content, whatever it is.
pub(super) fn push_part(out: &mut String, part: &Part<'_>) {
    if let Some(url) = part.image_url.some() {
        push_url(out, url);
    } else if let Some(data) = part.data.some() {
        push_reference(out, part.mime_type.or("data"), data);
    } else {
        push_text(out, part.text.or(part.content.or("")));
    }
}

/// Appends all parts, one below the other.
pub(super) fn push_parts(out: &mut String, parts: &[Part<'_>]) {
    let start = out.len();
    for part in parts {
        if out.len() > start && !out.ends_with('\n') {
            out.push('\n');
        }
        push_part(out, part);
    }
}

fn split_data_url(url: &str) -> Option<(&str, &str)> {
    let (mime, rest) = url.strip_prefix("data:")?.split_once(';')?;
    let data = rest.strip_prefix("base64,")?;
    (mime.len() < 64).then_some((mime, data))
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_images_become_references() {
        let data = "iVBOR".repeat(40);
        let mut out = String::new();
        push_text(&mut out, &format!("a data:image/png;base64,{data} b data:image/x c"));
        assert!(out.starts_with("a [image image/png 150 bytes xxh3:"), "{out}");
        assert!(out.ends_with("] b data:image/x c"), "{out}");
        assert!(!out.contains("iVBOR"));
    }

    #[test]
    fn links_stay_links() {
        let mut out = String::new();
        push_url(&mut out, "https://example.invalid/a.png");
        assert_eq!(out, "[image https://example.invalid/a.png]");
    }
}
