//! One form for all ways to write a letter: lower case, without diacritics.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Adds a text in lower case, without diacritics.
pub(super) fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        let from = out.len();
        out.push_str(text);
        out[from..].make_ascii_lowercase();
        return;
    }
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' => out.push('d'),
            'ı' => out.push('i'),
            // A dotted capital I leaves its dot behind.
            c if is_combining_mark(c) => {}
            c => out.push(c),
        }
    }
}

pub(super) fn is_mark(c: char) -> bool {
    is_combining_mark(c)
}

/// Scripts that do not put blanks between words.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fdf}'     // radicals
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'   // hiragana, katakana
        | '\u{3100}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'   // hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{323af}')
}
