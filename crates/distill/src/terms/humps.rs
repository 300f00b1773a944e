//! Names cut into their words: `parseHTTPBody` and `parse_http_body` both say "parse http body".

/// Byte ranges of the words of an ASCII name; digits belong to the word before them.
pub(super) fn parts(name: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = name.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        while bytes.get(from) == Some(&b'_') {
            from += 1;
        }
        if from >= bytes.len() {
            return None;
        }
        let start = from;
        from += 1;
        while from < bytes.len() && !is_cut(bytes, from) {
            from += 1;
        }
        Some((start, from))
    })
}

/// True where a new word begins: at `_`, at `aB`, at the `Bo` of `HTTPBody`.
fn is_cut(bytes: &[u8], at: usize) -> bool {
    let (before, here) = (bytes[at - 1], bytes[at]);
    if here == b'_' {
        return true;
    }
    if !here.is_ascii_uppercase() {
        return false;
    }
    !before.is_ascii_uppercase()
        || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase) && !is_plural(bytes, at)
}

/// The `s` of `URLs` does not make `Ls` a word.
fn is_plural(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1) == Some(&b's')
        && bytes.get(at + 2).is_none_or(|byte| !byte.is_ascii_lowercase())
}
