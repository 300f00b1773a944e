//! Rust source with its comments, strings and character literals blanked out.

/// The code alone: same length in lines, same columns for ASCII, no text inside literals.
pub(crate) fn code_of(source: &str) -> String {
    Masker { source: source.as_bytes(), at: 0, out: Vec::with_capacity(source.len()) }.run()
}

struct Masker<'a> {
    source: &'a [u8],
    at: usize,
    out: Vec<u8>,
}

impl Masker<'_> {
    fn run(mut self) -> String {
        while self.at < self.source.len() {
            let rest = &self.source[self.at..];
            match rest[0] {
                b'/' if rest.starts_with(b"//") => self.blank_until(|rest| rest[0] == b'\n'),
                b'/' if rest.starts_with(b"/*") => self.block_comment(),
                b'"' => self.string(),
                b'\'' => self.quote(),
                b'r' | b'b' | b'c' if !self.in_word() => self.prefixed(),
                byte => self.keep(byte),
            }
        }
        String::from_utf8_lossy(&self.out).into_owned()
    }

    fn keep(&mut self, byte: u8) {
        self.out.push(byte);
        self.at += 1;
    }

    fn blank(&mut self, count: usize) {
        for _ in 0..count.min(self.source.len() - self.at) {
            let byte = self.source[self.at];
            self.out.push(if byte == b'\n' { b'\n' } else { b' ' });
            self.at += 1;
        }
    }

    fn blank_until(&mut self, end: impl Fn(&[u8]) -> bool) {
        while self.at < self.source.len() && !end(&self.source[self.at..]) {
            self.blank(1);
        }
    }

    /// True when the byte before belongs to an identifier.
    fn in_word(&self) -> bool {
        self.at > 0 && is_word(self.source[self.at - 1])
    }

    fn block_comment(&mut self) {
        let mut depth = 0_u32;
        while self.at < self.source.len() {
            let rest = &self.source[self.at..];
            if rest.starts_with(b"/*") {
                depth += 1;
                self.blank(2);
            } else if rest.starts_with(b"*/") {
                depth -= 1;
                self.blank(2);
                if depth == 0 {
                    return;
                }
            } else {
                self.blank(1);
            }
        }
    }

    fn string(&mut self) {
        self.blank(1);
        while self.at < self.source.len() {
            match self.source[self.at] {
                b'\\' => self.blank(2),
                b'"' => return self.blank(1),
                _ => self.blank(1),
            }
        }
    }

    /// A character literal, or the quote of a lifetime or label.
    fn quote(&mut self) {
        let rest = &self.source[self.at + 1..];
        if rest.first() == Some(&b'\\') {
            self.blank(3);
            self.blank_until(|rest| rest[0] == b'\'');
            self.blank(1);
            return;
        }
        // One character and a quote; anything longer is a lifetime.
        let width = rest.first().map_or(1, |first| match first {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        });
        if rest.get(width) == Some(&b'\'') {
            self.blank(width + 2);
        } else {
            self.keep(b'\'');
        }
    }

    /// `r"…"`, `br#"…"#`, `b'…'`, `c"…"`; anything else is an identifier.
    fn prefixed(&mut self) {
        let rest = &self.source[self.at..];
        let letters = rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let raw = matches!(&rest[..letters], b"r" | b"br" | b"cr");
        let plain = matches!(&rest[..letters], b"b" | b"c");
        let hashes = rest[letters..].iter().take_while(|byte| **byte == b'#').count();
        match rest.get(letters + hashes) {
            Some(b'"') if raw => {
                self.blank(letters + hashes + 1);
                let mut end = vec![b'"'];
                end.resize(hashes + 1, b'#');
                self.blank_until(|rest| rest.starts_with(&end));
                self.blank(hashes + 1);
            }
            Some(b'"') if plain && hashes == 0 => {
                self.blank(1);
                self.string();
            }
            Some(b'\'') if plain && hashes == 0 => {
                self.blank(1);
                self.quote();
            }
            _ => {
                for _ in 0..letters.max(1) {
                    self.keep(self.source[self.at]);
                }
            }
        }
    }
}

/// Whether a byte can be part of an identifier.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_blanked() {
        for (source, code) in [
            ("a // {\nb", "a b"),
            ("a /* { /* } */ { */ b", "a b"),
            (r#"f("{\"}", x)"#, "f( , x)"),
            (r##"f(r#"{"}"#, x)"##, "f( , x)"),
            ("m('{', '\\'', b'}', 'é')", "m( , , , )"),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
            ("br\"{\" for rb in b", "for rb in b"),
            ("'outer: loop {}", "'outer: loop {}"),
        ] {
            let masked = code_of(source);
            assert_eq!(masked.split_whitespace().collect::<Vec<_>>().join(" "), code, "{source}");
            assert_eq!(masked.len(), source.len(), "{source}");
        }
    }

    #[test]
    fn lines_stay_where_they_are() {
        let source = "let a = \"one\ntwo\";\n/* x\ny */ let b;\n";
        assert_eq!(code_of(source).lines().count(), source.lines().count());
    }
}
