//! Finds functions and their length.

use super::mask::is_word;

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// The line of `fn`.
    pub(crate) line: usize,
    /// Lines from `fn` to the closing brace.
    pub(crate) lines: usize,
}

/// The functions of masked code, nested ones included.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find("fn").map(|at| from + at) {
        from = at + 2;
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let alone = !before.is_some_and(|byte| is_word(byte) || byte == b'#');
        let name: String = code[at + 2..]
            .trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '#')
            .collect();
        if !alone || name.is_empty() || bytes.get(at + 2).is_none_or(|byte| is_word(*byte)) {
            continue;
        }
        let Some(end) = body(bytes, at) else { continue };
        let line = line_of(bytes, at);
        found.push(Function { name, line, lines: line_of(bytes, end) - line + 1 });
    }
    found
}

fn line_of(bytes: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &bytes[..at]).count() + 1
}

/// Where the body of the function at `start` ends; `None` for a declaration.
fn body(bytes: &[u8], start: usize) -> Option<usize> {
    let mut nested = 0_i32;
    let mut braces = 0_i32;
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => nested += 1,
            b')' | b']' => nested -= 1,
            b';' if nested == 0 && braces == 0 => return None,
            b'{' if nested == 0 || braces > 0 => braces += 1,
            b'}' if braces > 0 => {
                braces -= 1;
                if braces == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::mask::code_of;
    use super::*;

    fn of(source: &str) -> Vec<(String, usize, usize)> {
        let found = functions(&code_of(source));
        found.into_iter().map(|f| (f.name, f.line, f.lines)).collect()
    }

    #[test]
    fn length_is_from_fn_to_the_closing_brace() {
        let source = "impl A {\n    pub fn one(&self) -> [u8; 3] {\n        \"}\";\n        '}'\n    }\n}\n\nfn two() {}\n";
        assert_eq!(of(source), [("one".into(), 2, 4), ("two".into(), 8, 1)]);
    }

    #[test]
    fn declarations_types_and_raw_names_are_no_functions() {
        assert!(of("trait T { fn a(&self); fn b(x: [u8; 2]) -> u8; }").is_empty());
        assert!(of("type F = fn(u8) -> u8; let r#fn = 1; let fname = {};").is_empty());
        assert_eq!(of("fn r#match(f: fn(u8)) {\n}"), [("r#match".into(), 1, 2)]);
    }

    #[test]
    fn nested_functions_are_found_too() {
        assert_eq!(of("fn a() {\n fn b() {\n }\n}"), [("a".into(), 1, 4), ("b".into(), 2, 2)]);
    }
}
