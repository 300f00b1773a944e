//! Writes JSON straight into a buffer, keys in the order the agents write them.

/// JSON under construction, usually many lines of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Json {
    text: String,
}

/// Something that can be written as a JSON value.
pub(crate) trait Value: Copy {
    /// Appends the value.
    fn write(&self, out: &mut String);
}

impl Value for &str {
    fn write(&self, out: &mut String) {
        out.push('"');
        escape(self, out);
        out.push('"');
    }
}

impl Value for &String {
    fn write(&self, out: &mut String) {
        self.as_str().write(out);
    }
}

impl Value for u64 {
    fn write(&self, out: &mut String) {
        let mut digits = [0_u8; 20];
        let mut at = digits.len();
        let mut left = *self;
        loop {
            at -= 1;
            digits[at] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        out.extend(digits[at..].iter().map(|digit| char::from(*digit)));
    }
}

impl Value for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl<T: Value> Value for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

/// Text that is JSON already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'a>(pub(crate) &'a str);

impl Value for Raw<'_> {
    fn write(&self, out: &mut String) {
        out.push_str(self.0);
    }
}

/// `null`.
pub(crate) const NULL: Raw<'static> = Raw("null");

/// A list of texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texts<'a>(pub(crate) &'a [String]);

impl Value for Texts<'_> {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (at, text) in self.0.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            text.as_str().write(out);
        }
        out.push(']');
    }
}

fn escape(text: &str, out: &mut String) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[from..at]);
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            _ => {
                out.push_str("\\u00");
                out.push(char::from(b'0' + (byte >> 4)));
                out.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
            }
        }
        from = at + 1;
    }
    out.push_str(&text[from..]);
}

impl Json {
    /// An empty buffer with room for `bytes`.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes) }
    }

    fn comma(&mut self) {
        if !matches!(self.text.as_bytes().last(), None | Some(b'{' | b'[' | b':' | b'\n')) {
            self.text.push(',');
        }
    }

    /// Opens an object: the document, or a list's element.
    pub(crate) fn open(&mut self) -> &mut Self {
        self.comma();
        self.text.push('{');
        self
    }

    /// Opens an object under a key.
    pub(crate) fn open_in(&mut self, key: &str) -> &mut Self {
        self.key(key);
        self.text.push('{');
        self
    }

    /// Closes an object.
    pub(crate) fn close(&mut self) -> &mut Self {
        self.text.push('}');
        self
    }

    /// Opens a list under a key.
    pub(crate) fn list_in(&mut self, key: &str) -> &mut Self {
        self.key(key);
        self.text.push('[');
        self
    }

    /// Closes a list.
    pub(crate) fn end_list(&mut self) -> &mut Self {
        self.text.push(']');
        self
    }

    fn key(&mut self, key: &str) {
        self.comma();
        self.text.push('"');
        self.text.push_str(key);
        self.text.push_str("\":");
    }

    /// Writes a key and its value.
    pub(crate) fn put(&mut self, key: &str, value: impl Value) -> &mut Self {
        self.key(key);
        value.write(&mut self.text);
        self
    }

    /// Writes a key and its value if there is one.
    pub(crate) fn maybe(&mut self, key: &str, value: Option<impl Value>) -> &mut Self {
        if let Some(value) = value {
            self.put(key, value);
        }
        self
    }

    /// Writes fields that are JSON already, e.g. `"a":1,"b":2`.
    pub(crate) fn fields(&mut self, raw: &str) -> &mut Self {
        if !raw.is_empty() {
            self.comma();
            self.text.push_str(raw);
        }
        self
    }

    /// Ends a line.
    pub(crate) fn newline(&mut self) {
        self.text.push('\n');
    }

    /// Takes over finished lines.
    pub(crate) fn append(&mut self, lines: &str) {
        self.text.push_str(lines);
    }

    /// Bytes written.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// What was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Replaces one occurrence of `from` after `start` by `to`, if it is there.
    pub(crate) fn replace_after(&mut self, start: usize, from: &str, to: &str) -> bool {
        let Some(at) = self.text[start..].find(from) else { return false };
        self.text.replace_range(start + at..start + at + from.len(), to);
        true
    }

    /// The text.
    pub(crate) fn into_string(self) -> String {
        self.text
    }
}

/// Builds one JSON value.
pub(crate) fn object(write: impl FnOnce(&mut Json)) -> String {
    let mut json = Json::default();
    json.open();
    write(&mut json);
    json.close();
    json.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_lists_and_escapes_are_valid_json() -> Result<(), serde_json::Error> {
        let text = object(|json| {
            json.put("a", "q\"\\\n\t\u{1}é").put("n", 120_u64).put("none", None::<u64>);
            json.open_in("o").put("t", true).close();
            json.list_in("l");
            json.open().close();
            json.open().put("x", 0_u64).close();
            json.end_list().fields("\"r\":1").maybe("skip", None::<u64>);
        });
        let value: serde_json::Value = serde_json::from_str(&text)?;
        assert_eq!(value["a"], "q\"\\\n\t\u{1}é");
        assert_eq!(value["n"], 120);
        assert_eq!(value["l"][1]["x"], 0);
        assert_eq!(value["r"], 1);
        Ok(())
    }
}
